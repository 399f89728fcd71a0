// The formula language of measures, query filters and query order (models.md 4): text in, tree out.
// Nothing is resolved here; facts.h lists the names of a formula, src/query turns it into SQL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"

namespace kedge::models {

struct FormulaArgument;

struct FormulaNode {
  enum class Kind {
    Numeral,  // text as written
    String,   // text: the content
    Boolean,  // text: "true" or "false"
    Null,
    Placeholder,  // text: the name in {name}
    Reference,    // path: a column, a saved measure or an alias
    Aggregate,    // path:aggregation(arguments)
    Star,         // *:count, path.*:count; path: the hops only
    Scalar,       // text: function in lower case; items
    Transform,    // text: its name; arguments
    Not,          // items: one
    Negate,       // items: one
    Binary,       // text: + - * / % || ** = <> < <= > >= and or; items: two or more
    In,           // items: operand, members; negated
    Like,         // items: operand, pattern; negated
    IsNull,       // items: one; negated
    Between       // items: operand, low, high; negated
  };
  Kind kind = Kind::Null;
  std::string text;
  std::vector<std::string> path;
  std::string aggregation;  // folded
  bool negated = false;
  std::vector<FormulaArgument> arguments;
  std::vector<FormulaNode> items;
  std::size_t begin = 0;  // byte range in the text
  std::size_t end = 0;
};

// x, name=x or name=[a, b]
struct FormulaArgument {
  std::string name;                            // empty: by place
  std::vector<FormulaNode> value;              // one; empty for a list
  std::vector<std::vector<std::string>> list;  // of paths
};

struct ParsedFormula {
  FormulaNode root;
  std::optional<Problem> error;  // formula_syntax, unknown_function, window_in_formula,
                                 // star_aggregation; without a place
  std::size_t error_offset = 0;  // byte offset of `error`
  bool function_style = false;   // sum(x) stands for x:sum
};

ParsedFormula parse_formula(std::string_view text);

// The granularity of time_shift(x, n, month) is a word, not a column.
bool is_granularity_word(std::string_view word);

}  // namespace kedge::models
