// The text of a pipeline as DuckDB SQL with `{{ call }}` markers (spec/contracts.md 6.2): parsed
// into segments and calls with positions. SQL itself is not looked into, except that comments are
// skipped: a call in a comment does not count.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "kedge/error.h"

namespace kedge::pipeline {

struct Argument {
  std::string name;      // empty: positional
  document::Node key;    // of a named one: for positions
  document::Node value;  // strings, numbers, true/false, sequences, mappings
};

struct Call {
  std::string function;
  std::vector<Argument> arguments;
  document::Range range;  // of the call inside the file

  std::vector<const Argument*> positional() const;
};

struct Segment {
  bool marker = false;    // false: plain text
  std::size_t begin = 0;  // bytes of the file; a marker includes its braces
  std::size_t end = 0;
  bool list = false;        // {{ [call, call] }}
  std::vector<Call> calls;  // of a marker
};

struct Template {
  std::string file;
  std::string source;
  std::vector<Segment> segments;  // cover the text without gaps
  std::vector<Problem> problems;  // PZ0104, in file order
  Position position(const document::Range& range) const { return {file, range.line, range.column}; }
  Position position_of(std::size_t offset) const;
};

Template parse_template(std::string file, std::string source);
// Line and column (code points) of a byte offset.
Position place_of(std::string_view file, std::string_view source, std::size_t offset);

}  // namespace kedge::pipeline
