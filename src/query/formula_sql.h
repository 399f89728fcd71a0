// A formula tree as SQL: operators, functions and literals here; what a name, an aggregate or a
// transform becomes is the caller's.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/formula.h"
#include "query/words.h"

namespace kedge::query {

using models::FormulaNode;

// Called for Reference, Aggregate, Star and Transform nodes.
using Leaf = std::function<std::string(const FormulaNode&)>;
std::string render(SqlDialect dialect, const FormulaNode& node, const Leaf& leaf);

// The tree as one text, equal for equal trees.
std::string signature(const FormulaNode& node);
bool has_aggregate(const FormulaNode& node);
bool has_transform(const FormulaNode& node);
// Every node that `leaf` would be called for, in the order of the text; not into their arguments.
void visit_leaves(const FormulaNode& node, const std::function<void(const FormulaNode&)>& visit);

// Puts the values of {name} places into a text of the formula language.
using FindVariable = std::function<const document::Json*(const std::string& name)>;
std::string substitute(const std::string& text, const FindVariable& find);

}  // namespace kedge::query
