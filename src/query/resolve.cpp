#include "query/resolve.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "query/aggregates.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

// Saved measures that use each other twice double in every step.
constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kDeepest = 2000;

std::size_t size_of(const FormulaNode& node) {
  std::size_t size = 1;
  for (const FormulaNode& item : node.items) {
    size += size_of(item);
  }
  for (const models::FormulaArgument& argument : node.arguments) {
    for (const FormulaNode& value : argument.value) {
      size += size_of(value);
    }
  }
  return size;
}

Hops operator+(Hops left, const Hops& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

std::vector<std::string> Resolver::strip(const std::vector<std::string>& path,
                                         const RelationPointer& from) const {
  const bool own =
      path.size() > 1 && path[0] == from->name && find_hop(from->model, path[0]) == nullptr;
  return own ? std::vector<std::string>(path.begin() + 1, path.end()) : path;
}

void Resolver::unknown(const std::string& name, const RelationPointer& relation,
                       const std::map<std::string, FormulaNode>* aliases) const {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (models::find_measure(relation->model, last) != nullptr) {
    throw Error(codes::unknown_reference,
                "'" + name + "' is a saved measure of '" + relation->name +
                    "', and only a column can stand here",
                "a measure stands alone in a formula; transforms and aggregations of it go over "
                "its own formula, as in first(kg:sum)");
  }
  std::vector<std::string> known;
  for (const models::Column& column : relation->model.columns) {
    known.push_back(column.name);
  }
  for (const models::Measure& measure : relation->model.measures) {
    known.push_back(measure.name);
  }
  if (aliases != nullptr) {
    for (const auto& [alias, tree] : *aliases) {
      known.push_back(alias);
    }
  }
  throw Error(codes::unknown_reference, "'" + name + "' is no column or measure of '" +
                                            relation->name + "'" + base::did_you_mean(name, known));
}

FormulaNode Resolver::resolve(const std::string& text,
                              const std::map<std::string, FormulaNode>* aliases) {
  models::ParsedFormula parsed = models::parse_formula(text);
  if (parsed.error) {
    Problem problem = *parsed.error;
    problem.message = "formula '" + text + "': " + problem.message;
    throw Error(std::move(problem));
  }
  expand(parsed.root, {{}, aliases});
  return std::move(parsed.root);
}

std::vector<std::string> Resolver::column_path(const std::vector<std::string>& path) const {
  std::vector<std::string> stripped = strip(path, root_);
  const RelationPointer target = relation(owner_hops(stripped));
  if (models::find_column(target->model, stripped.back()) == nullptr) {
    unknown(base::join(path, "."), target, nullptr);
  }
  return stripped;
}

const models::Column& Resolver::column(const std::vector<std::string>& path) const {
  return *models::find_column(relation(owner_hops(path))->model, path.back());
}

const models::Measure* Resolver::saved_measure(const std::string& text) const {
  const models::ParsedFormula parsed = models::parse_formula(text);
  if (parsed.error || parsed.root.kind != Kind::Reference) {
    return nullptr;
  }
  const std::vector<std::string> path = strip(parsed.root.path, root_);
  return models::find_measure(relation(owner_hops(path))->model, path.back());
}

void Resolver::count(std::size_t nodes) {
  nodes_ += nodes;
  if (nodes_ > kMostNodes || depth_ > kDeepest) {
    throw Error(codes::formula_syntax,
                (measures_.empty() ? std::string("the query")
                                   : "measure '" + measures_.front() + "' of the query") +
                    " grows beyond " +
                    (depth_ > kDeepest ? std::to_string(kDeepest) + " levels"
                                       : std::to_string(kMostNodes) + " terms") +
                    " when the saved measures it uses are put in",
                "compute a part of it in a stage of its own");
  }
}

// In place, and with little on the stack: saved measures may be nested very deep.
void Resolver::expand(FormulaNode& node, const Context& context) {
  ++depth_;
  count(1);
  expand_inside(node, context);
  --depth_;
}

void Resolver::expand_inside(FormulaNode& node, const Context& context) {
  switch (node.kind) {
    case Kind::Reference: {
      Context inside;
      if (replace_saved(node, context, inside)) {
        expand(node, inside);
        measures_.pop_back();
      }
      return;
    }
    case Kind::Aggregate:
    case Kind::Star:
      aggregate(node, context);
      return;
    case Kind::Transform:
      for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        models::FormulaArgument& one = node.arguments[i];
        if (i == 0 && one.name.empty() && !one.value.empty()) {
          expand(one.value[0], context);
        } else {
          argument(one, context.hops, context);
        }
      }
      return;
    case Kind::Numeral:
    case Kind::String:
    case Kind::Boolean:
    case Kind::Null:
    case Kind::Placeholder:
    case Kind::Scalar:
    case Kind::Not:
    case Kind::Negate:
    case Kind::Binary:
    case Kind::In:
    case Kind::Like:
    case Kind::IsNull:
    case Kind::Between:
      break;
  }
  for (FormulaNode& item : node.items) {
    expand(item, context);
  }
}

// Resolves a reference. One to a saved measure becomes that measure's formula, still to be expanded
// from the place that `inside` then tells; the measure counts as open until the caller takes it off
// `measures_`.
bool Resolver::replace_saved(FormulaNode& node, const Context& context, Context& inside) {
  const RelationPointer here = relation(context.hops);
  const std::vector<std::string> path = strip(node.path, here);
  if (path.size() == 1 && context.aliases != nullptr) {
    const auto alias = context.aliases->find(path[0]);
    if (alias != context.aliases->end()) {
      count(size_of(alias->second));
      node = alias->second;
      return false;
    }
  }
  inside.hops = context.hops + owner_hops(path);
  const RelationPointer target = relation(inside.hops);
  if (const models::Measure* measure = models::find_measure(target->model, path.back())) {
    node = open_measure(*measure, inside.hops);
    return true;
  }
  if (models::find_column(target->model, path.back()) == nullptr) {
    unknown(base::join(node.path, "."), target, context.aliases);
  }
  node.path = inside.hops + Hops{path.back()};
  return false;
}

FormulaNode Resolver::open_measure(const models::Measure& measure, const Hops& hops) {
  const std::string self = base::join(hops, ".") + (hops.empty() ? "" : ".") + measure.name;
  if (std::find(measures_.begin(), measures_.end(), self) != measures_.end()) {
    throw Error(codes::measure_cycle,
                "measures refer to each other: " + cycle_text(measures_, self));
  }
  measures_.push_back(self);
  models::ParsedFormula parsed = models::parse_formula(measure.formula);
  if (parsed.error) {
    throw Error(*parsed.error);
  }
  return std::move(parsed.root);
}

void Resolver::aggregate(FormulaNode& node, const Context& context) {
  const RelationPointer here = relation(context.hops);
  if (node.kind == Kind::Star) {
    const bool own = node.path.size() == 1 && node.path[0] == here->name &&
                     find_hop(here->model, node.path[0]) == nullptr;
    node.path = context.hops + (own ? Hops{} : node.path);
    relation(node.path);
    return;
  }
  const std::vector<std::string> path = strip(node.path, here);
  const Hops hops = context.hops + owner_hops(path);
  const RelationPointer target = relation(hops);
  const models::Column* column = models::find_column(target->model, path.back());
  if (column == nullptr) {
    unknown(base::join(node.path, "."), target, nullptr);
  }
  if (!models::is_aggregation_allowed(target->model, *column, node.aggregation)) {
    throw Error(codes::aggregation_not_allowed, "column '" + column->name + "' of '" +
                                                    target->name + "' cannot be aggregated by '" +
                                                    node.aggregation + "'");
  }
  node.path = hops + Hops{path.back()};
  for (models::FormulaArgument& one : node.arguments) {
    argument(one, hops, context);
  }
}

// Columns in arguments belong to the aggregated model, or are named from the formula's model.
void Resolver::argument(models::FormulaArgument& argument, const Hops& target,
                        const Context& context) {
  for (FormulaNode& value : argument.value) {
    const bool word = value.kind == Kind::Reference && value.path.size() == 1 &&
                      models::is_granularity_word(value.path[0]) &&
                      models::find_column(relation(target)->model, value.path[0]) == nullptr;
    if (value.kind == Kind::Reference && !word) {
      argument_path(value.path, target, context);
    }
  }
  for (auto& path : argument.list) {
    argument_path(path, target, context);
  }
}

void Resolver::argument_path(std::vector<std::string>& path, const Hops& target,
                             const Context& context) {
  if (path.size() == 1 && models::find_column(relation(target)->model, path[0]) != nullptr) {
    path = target + path;
    return;
  }
  const std::vector<std::string> stripped = strip(path, relation(context.hops));
  const Hops hops = context.hops + owner_hops(stripped);
  const RelationPointer owner = relation(hops);
  if (models::find_column(owner->model, stripped.back()) == nullptr) {
    unknown(base::join(path, "."), owner, nullptr);
  }
  path = hops + Hops{stripped.back()};
}

std::optional<ColumnType> Resolver::type_of(const FormulaNode& node) const {
  switch (node.kind) {
    case Kind::Numeral:
      return node.text.find_first_of(".eE") == std::string::npos ? ColumnType::Int
                                                                 : ColumnType::Double;
    case Kind::String:
      return ColumnType::Text;
    case Kind::Boolean:
    case Kind::Not:
    case Kind::In:
    case Kind::Like:
    case Kind::IsNull:
    case Kind::Between:
      return ColumnType::Boolean;
    case Kind::Star:
      return ColumnType::Int;
    case Kind::Reference:
      return column(node.path).type;
    case Kind::Aggregate: {
      const auto& owner = relation(owner_hops(node.path))->model;
      const bool custom = models::find_aggregation(owner, node.aggregation) != nullptr;
      return custom ? std::nullopt
                    : std::optional(result_type(node.aggregation, column(node.path).type));
    }
    case Kind::Binary:
      if (node.text == "||") {
        return ColumnType::Text;
      }
      if (std::string_view("+-*/%**").find(node.text) == std::string_view::npos) {
        return ColumnType::Boolean;
      }
      return node.text == "/" || node.text == "**" ? std::optional(ColumnType::Double)
                                                   : std::nullopt;
    case Kind::Negate:
      return type_of(node.items[0]);
    case Kind::Transform:
      if (node.text.find("rank") != std::string::npos || node.text == "ntile" ||
          node.text == "consecutive_periods") {
        return node.text == "percent_rank" ? ColumnType::Double : ColumnType::Int;
      }
      return node.text == "change_pct" || node.arguments.empty() || node.arguments[0].value.empty()
                 ? std::optional(ColumnType::Double)
                 : type_of(node.arguments[0].value[0]);
    case Kind::Null:
    case Kind::Placeholder:
    case Kind::Scalar:
      break;
  }
  return std::nullopt;
}

}  // namespace kedge::query
