// A native type name taken apart: "timestamp(3) with time zone[]" is the words "timestamp with time
// zone", the argument "3" and one array level. For the type tables of the dialects; no SQL parser.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/type.h"

namespace kedge::dialect {

struct TypeText {
  std::string words;                   // lower case, one space between, without arguments
  std::vector<std::string> arguments;  // of the first parentheses, trimmed, quotes kept
  int arrays = 0;                      // trailing [] or [n]
  std::string element;                 // the text without its last [] or [n]; empty when no array
};

TypeText take_apart(std::string_view native);
std::optional<int> argument(const TypeText& text, std::size_t index);
// 'a','it''s' as written in the arguments; empty when one of them is no quoted text.
std::vector<std::string> labels_of(const TypeText& text);

struct NamedType {
  std::string_view words;
  schema::TypeKind kind;
};
// The kind of these words, or nullopt. Tables are short: a linear search.
std::optional<schema::TypeKind> find_kind(std::span<const NamedType> table, std::string_view words);
// Length, precision and scale from the arguments, as the kind takes them.
void read_arguments(const TypeText& text, schema::Type& type);

// "(n)", "(p,s)" or nothing.
std::string facets(const schema::Type& type);

}  // namespace kedge::dialect
