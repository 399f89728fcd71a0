// Reads one mapping of a project file: each getter takes a key, checks its value and collects the
// problem; what no getter asked for is unknown in the end.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "project/settings.h"

namespace kedge::project {

// Where problems of one file go.
struct Report {
  std::string file;
  std::vector<Problem>& problems;
  // Values whose ${NAME} is not set: reported already, so nothing more is said about them.
  std::function<bool(const document::Node&)> is_unresolved = [](const document::Node&) {
    return false;
  };

  Position place(const document::Node& node) const {
    return {file, node.range.line, node.range.column};
  }
  void add(Code code, const document::Node& at, std::string message, std::string hint = {}) const {
    problems.push_back({code, std::move(message), place(at), std::move(hint), {}});
  }
};

// What a person sees of a value: its text, or "a list", "a mapping"; never of a secret.
std::string shown(const document::Node& node);

inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

class BlockReader {
 public:
  // `name` is what messages call the block: "engine", "entity 'a.b': write".
  BlockReader(const Report& report, const document::Node& mapping, Code code, std::string name);

  // Announces a key without reading it; the entry, or null.
  const document::Entry* entry(std::string_view key);
  const document::Node* node(std::string_view key);
  std::optional<Text> text(std::string_view key);  // a string or another scalar as written
  std::optional<Text> non_empty_text(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<Text> choice(std::string_view key, const std::vector<std::string>& choices);
  std::optional<std::vector<Text>> texts(std::string_view key);  // a list of scalars
  std::optional<std::int64_t> duration(std::string_view key);    // milliseconds
  // The block below a key; nothing when absent, empty or (reported) no mapping.
  const document::Node* block(std::string_view key);

  void set_code(Code code) { code_ = code; }
  void problem(const document::Node& at, std::string message, std::string hint = {}) const;
  // Reports every key that no getter asked for.
  void refuse_unknown() const;
  const std::vector<std::string>& known() const { return known_; }
  std::vector<const document::Entry*> unknown() const;

 private:
  std::string key_name(std::string_view key) const;

  const Report& report_;
  const document::Node& mapping_;
  Code code_;
  std::string name_;
  std::vector<std::string> known_;
};

// ", did you mean 'x'?" for what is within two edits or equal when lower-cased, else "".
std::string near_miss(std::string_view name, const std::vector<std::string>& known);
std::string listed(const std::vector<std::string>& words);  // "a, b or c"

void assign(bool& target, const std::optional<bool>& value);
void assign(std::int64_t& target, const std::optional<std::int64_t>& value);
void assign(std::string& target, const std::optional<Text>& value);
void assign(Text& target, const std::optional<Text>& value);
void assign(std::vector<Text>& target, std::optional<std::vector<Text>> value);
void assign(std::optional<std::string>& target, const std::optional<Text>& value);

}  // namespace kedge::project
