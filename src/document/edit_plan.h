// What is to be done to each node, as a tree that mirrors the document: made by edit.cpp, turned
// into splices of the text by edit_text.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/edit.h"

namespace kedge::document {

struct EditPlan {
  bool removed = false;
  bool emptied = false;  // all children are removed, the node itself stays
  WhenEmptied when = WhenEmptied::RemoveKey;
  std::optional<Json> replacement;
  std::vector<Json> appended;                       // items of a sequence
  std::vector<std::pair<std::string, Json>> added;  // entries of a mapping
  std::map<std::size_t, EditPlan> children;         // by index of item or entry

  bool changes() const {
    return removed || replacement || !appended.empty() || !added.empty() || !children.empty();
  }
  bool removes(std::size_t child) const {
    const auto found = children.find(child);
    return found != children.end() && found->second.removed;
  }
};

// Bytes [begin, end) of the source become `text`.
struct Splice {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

std::vector<Splice> make_splices(const Document& document, const EditPlan& plan);

enum class Place { Block, Flow };
// One line. In JSON everything is written as JSON.
std::string write_inline(const Json& value, Format format, Place place);
std::string write_scalar(std::string_view text, Place place, Style wanted);
// Lines joined by `eol`, without a last one; the first line is not indented, the others are.
std::string write_block(const Json& value, std::size_t indent, std::string_view eol);
bool is_container_with_items(const Json& value);

}  // namespace kedge::document
