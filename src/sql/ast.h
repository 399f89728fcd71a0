// The parse tree of the analyser: one small node type for expressions and queries. Internal to
// src/sql; what others need leaves it as facts (analysis.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sql/analysis.h"

namespace kedge::sql {

enum class NodeKind {
  // Expressions. `text` holds what the comment says, `items` the operands in order.
  Null,
  Boolean,    // "true" or "false"
  Number,     // as written
  String,     // decoded content; names[0] a prefix such as X or B
  Word,       // a keyword value (CURRENT_DATE) or a unit (YEAR): lower case
  Parameter,  // as written
  Column,     // names
  Star,       // names: the qualifier
  Unary,      // operator
  Binary,     // operator; two or more operands of one left-associative chain
  Function,   // names, or items[0] when `text` is "()"; flag: DISTINCT
  Cast,       // type; flag: TRY_CAST
  Case,       // items: [operand] When... [Else]; flag: has an operand
  When,
  Else,
  In,       // items: operand, then members or one Subquery; flag: negated
  Between,  // items: operand, low, high; flag: negated
  Like,     // operator (like, ilike, glob, ...); operand, pattern [, escape]; flag: negated
  Is,       // what ("null", "true", "distinct", ...); flag: negated
  Exists,
  Subquery,
  Array,
  Tuple,
  Subscript,      // items: base, bounds
  Field,          // text: name
  Collate,        // text: collation
  Interval,       // text: unit
  Lambda,         // names: parameters; items: body
  Comprehension,  // names: variables; items: body, list [, condition]
  Struct,         // items: NamedArgument or plain
  NamedArgument,  // text: name
  Quantified,     // text: any or all
  Over,           // text: window name, or items: partition keys, SortKeys, Frame
  Partition,
  SortKey,  // text: "asc"/"desc" and nulls order
  Frame,    // text: as written, lower case
  Filter,
  WithinGroup,
  ArgumentOrder,
  Modifier,  // text: trailing words of an argument list, lower case
  // Queries
  Query,  // items: [With] body [OrderBy] [Limit]
  With,
  Cte,           // names: name, then columns; items: Query
  SetOperation,  // text: union, union all, ...
  Select,        // items: SelectList, From, Where, GroupBy, Having, Qualify, WindowList
  SelectList,    // text: "", "distinct", ...
  Item,          // names: alias; items: expression
  From,
  Relation,  // names: path; `alias`
  Derived,   // items: Query; `alias`
  TableFunction,
  Join,  // text: kind; items: left, right [, On | Using]
  On,
  Using,  // names
  Where,
  GroupBy,
  Having,
  Qualify,
  WindowList,
  WindowDefinition,  // text: name
  OrderBy,
  Limit,
  Values,
  Failure
};

struct Node {
  NodeKind kind = NodeKind::Failure;
  std::size_t begin = 0;
  std::size_t end = 0;
  unsigned height = 1;  // of the subtree: walks recurse, so the parser bounds it
  bool flag = false;
  std::string text;
  std::vector<NamePart> names;
  std::vector<NamePart> alias;  // the alias of a relation, then its column aliases
  std::vector<Node> items;
};

// Deeper trees and texts are refused, so every walk over a tree may recurse.
inline constexpr unsigned kMaximumHeight = 400;
inline constexpr std::size_t kMaximumText = 8U << 20U;

// What the parser gives: the tree, or why there is none and where.
struct Parsed {
  bool ok = false;
  Node root;
  std::string problem;
  std::size_t where = 0;
};
Parsed parse_expression(std::string_view sql, Flavour flavour);
Parsed parse_query(std::string_view sql, Flavour flavour);

}  // namespace kedge::sql
