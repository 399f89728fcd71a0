// One tree for every spelling of an expression, and the text of a tree. Internal to src/sql.
#pragma once

#include <string>

#include "sql/ast.h"

namespace kedge::sql {

void normalise(Node& node, Flavour flavour);
// Every operand that is not a plain value stands in parentheses, so the text says the tree.
std::string render(const Node& node, Flavour flavour);
// The canonical spelling of a type name: "int4" is "integer", "varchar" is "text" where equal.
std::string canonical_type(std::string_view type, Flavour flavour);

}  // namespace kedge::sql
