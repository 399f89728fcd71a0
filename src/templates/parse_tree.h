// The one parse tree that check and render share. Literals and names are offsets into the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/templates.h"

namespace kedge::templates {

// How deep sections and partials may be nested together: walks recurse that far.
inline constexpr std::size_t kMostNested = 2'000;

enum class TagKind { Literal, Value, Raw, Section, Inverted, Partial };

struct TagNode {
  TagKind kind = TagKind::Literal;
  std::size_t begin = 0;  // of the literal, name or reference
  std::size_t end = 0;
  TextPosition at;            // of the opening delimiter
  std::size_t indent = 0;     // Partial: bytes of white space before it
  std::size_t indent_at = 0;  // where that begins
  std::vector<TagNode> children;
};

struct ParseTree {
  std::string text;
  std::string source;
  std::vector<TagNode> nodes;
  std::string_view slice(const TagNode& node) const {
    return std::string_view(text).substr(node.begin, node.end - node.begin);
  }
};

// Calls `visit` with each segment of a dotted name.
template <class Visit>
void each_segment(std::string_view name, Visit visit) {
  while (true) {
    const std::size_t dot = name.find('.');
    visit(name.substr(0, dot));
    if (dot == std::string_view::npos) {
      return;
    }
    name.remove_prefix(dot + 1);
  }
}

}  // namespace kedge::templates
