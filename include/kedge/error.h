// The one failure type of kedge and the values it is made of. An operation that cannot do what
// it was asked throws Error; what an operation was asked to look for is returned as Findings
// (finding.h). The code says what happened; its registry line (codes.def) says which class of
// failure it is, and the class decides exit code and HTTP status.
#pragma once

#include <compare>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kedge {

// A stable, published code, for instance "PZ0331" or "column_missing". Made from the constants of
// kedge/codes.h only, so every code that can be seen has a registry line.
class Code {
 public:
  constexpr Code() = default;
  explicit constexpr Code(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }
  constexpr bool operator==(const Code&) const = default;
  constexpr auto operator<=>(const Code&) const = default;

 private:
  std::string_view name_;
};

// A place in a file. Line and column are 1-based; the column counts characters (code points).
struct Position {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  bool operator==(const Position&) const = default;
  auto operator<=>(const Position&) const = default;
};

std::string to_string(const Position& position);  // "file:line:column"

struct Note {
  std::string text;
  std::optional<Position> where;
  bool operator==(const Note&) const = default;
};

// What went wrong, as a value.
struct Problem {
  Code code;
  std::string message;            // one sentence, names the object, no trailing period
  std::optional<Position> where;  // the declaration at fault
  std::string hint;               // what to do next; may be empty
  std::vector<Note> notes;        // e.g. the driver's own words, the other side of a mismatch
  bool operator==(const Problem&) const = default;
};

class Error : public std::exception {
 public:
  explicit Error(Problem problem) : problem_(std::make_shared<const Problem>(std::move(problem))) {}
  Error(Code code, std::string message, std::string hint = {})
      : Error(Problem{code, std::move(message), std::nullopt, std::move(hint), {}}) {}
  const char* what() const noexcept override { return problem_->message.c_str(); }
  const Problem& problem() const { return *problem_; }
  Code code() const { return problem_->code; }

 private:
  std::shared_ptr<const Problem> problem_;
};

}  // namespace kedge
