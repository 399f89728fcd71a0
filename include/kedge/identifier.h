// A database identifier as a value: the exact spelling, never quoted and never folded. Quoting
// happens when SQL is rendered, folding is the dialect's business at the edge.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace kedge {

class Identifier {
 public:
  Identifier() = default;
  explicit Identifier(std::string text) : text_(std::move(text)) {}
  explicit Identifier(std::string_view text) : text_(text) {}
  explicit Identifier(const char* text) : text_(text) {}
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  bool operator==(const Identifier&) const = default;
  auto operator<=>(const Identifier&) const = default;

 private:
  std::string text_;
};

}  // namespace kedge

template <>
struct std::hash<kedge::Identifier> {
  std::size_t operator()(const kedge::Identifier& identifier) const noexcept {
    return std::hash<std::string>{}(identifier.text());
  }
};
