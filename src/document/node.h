// One value tree for YAML and JSON: every node knows where it stands (line, column, byte range),
// so errors have positions and edits can be surgical. YAML is read by the 1.2 core schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"

namespace kedge::document {

enum class Kind { Null, Boolean, Integer, Float, String, Sequence, Mapping };
enum class Style { Plain, SingleQuoted, DoubleQuoted, Literal, Folded, Block, Flow };

// Bytes [begin, end) of the file, and the 1-based place of begin.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line = 0;
  std::size_t column = 0;
};

struct Entry;

struct Node {
  Kind kind = Kind::Null;
  Style style = Style::Plain;
  Range range;                 // of the value: quotes, brackets included; not its anchor or tag
  std::string text;            // scalars: the text after unquoting; plain scalars as written
  std::vector<Node> items;     // Sequence
  std::vector<Entry> entries;  // Mapping, in file order
  // Of a mapping that was made, not read: another one, kept alive elsewhere, whose entries count
  // as its own where it has none of that key. Only find and find_entry look through it.
  const Node* base = nullptr;

  bool is_scalar() const { return kind != Kind::Sequence && kind != Kind::Mapping; }
  bool is_plain() const { return is_scalar() && style == Style::Plain; }
  bool is_string() const { return kind == Kind::String; }
  bool is_mapping() const { return kind == Kind::Mapping; }
  bool is_sequence() const { return kind == Kind::Sequence; }
  // The entry's value, or null. Keys are compared exactly.
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
  // The text of the entry, or "" where it is absent or of another kind.
  std::string string_at(std::string_view key) const;
  std::string scalar_at(std::string_view key) const;
  std::optional<bool> as_boolean() const;          // Kind::Boolean only
  std::optional<std::int64_t> as_integer() const;  // Kind::Integer in range only
  std::optional<double> as_number() const;         // Integer or Float
};

struct Entry {
  Node key;  // always a scalar
  Node value;
};

enum class Format { Yaml, Json };

struct Limits {
  std::size_t bytes = 64U << 20U;
  std::size_t depth = 200;
  std::size_t nodes = 1'000'000;  // after alias expansion
};

struct ReadOptions {
  Limits limits;
  bool allow_merge_keys = false;  // "<<" is refused otherwise
};

struct Document {
  std::string file;
  Format format = Format::Yaml;
  std::string source;   // the bytes as read, BOM included
  Node root;            // Kind::Mapping without entries for an empty or comment-only YAML file
  bool usable = false;  // root may be looked at
  std::vector<Problem> problems;  // ERR_DOCUMENT / ERR_LIMIT, in file order; all of them
  Position position(const Node& node) const { return {file, node.range.line, node.range.column}; }
};

// Reads one document. Never throws for bad content: see `problems` (malformed text, duplicate keys
// naming both places, a second document, invalid UTF-8 with its byte offset, NUL bytes, tabs as
// indentation, alias cycles, limits).
Document read_document(std::string file, std::string source, Format format,
                       const ReadOptions& options = {});
Format format_of(std::string_view path);  // .json is Json, all else Yaml

}  // namespace kedge::document
