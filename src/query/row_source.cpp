// Rows before grouping: dimensions, aggregate calls and conditions over the joined tables.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "query/aggregate_call.h"
#include "query/atoms.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

}  // namespace

std::string dimension_column(std::size_t index) {
  return "d" + std::to_string(index + 1);
}

bool is_separate(const FormulaNode& leaf) {
  if (leaf.kind == Kind::Star) {
    return !leaf.path.empty();
  }
  return leaf.kind == Kind::Aggregate &&
         (leaf.path.size() > 1 || leaf.aggregation == "first" || leaf.aggregation == "last" ||
          find_argument(leaf, "window", leaf.arguments.size()) != nullptr);
}

bool is_constant(const std::string& sql) {
  const sql::ExpressionFacts facts = sql::analyse_expression(sql, sql::Flavour::Ansi);
  return !facts.opaque && facts.references.empty() && facts.functions.empty();
}

const models::FormulaArgument* find_argument(const FormulaNode& node, std::string_view name,
                                             std::size_t from) {
  for (const models::FormulaArgument& argument : node.arguments) {
    if (argument.name == name) {
      return &argument;
    }
  }
  for (std::size_t i = from; i < node.arguments.size(); ++i) {
    if (node.arguments[i].name.empty()) {
      return &node.arguments[i];
    }
  }
  return nullptr;
}

std::int64_t integer_argument(const models::FormulaArgument& argument) {
  const bool given = argument.value.size() == 1;
  const bool negative = given && argument.value[0].kind == Kind::Negate;
  const FormulaNode* number = !given     ? nullptr
                              : negative ? &argument.value[0].items[0]
                                         : &argument.value[0];
  const bool digits = number != nullptr && number->kind == Kind::Numeral &&
                      number->text.size() < 10 &&
                      number->text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) {
    throw Error(codes::formula_syntax, "a whole number is expected as argument");
  }
  const std::int64_t value = std::stoll(number->text);
  return negative ? -value : value;
}

RowSource::RowSource(Statement& statement, const FindRelation& find, const RelationPointer& root,
                     const std::vector<Dimension>& dimensions,
                     const std::vector<FormulaNode>& filters, std::optional<Shift> shift)
    : statement_(statement),
      dimensions_(dimensions),
      filters_(filters),
      shift_(shift),
      joins_(statement.dialect, find, root, statement.touched) {}

std::string RowSource::column(const std::vector<std::string>& path) {
  const Place place = joins_.at(owner_hops(path));
  return joins_.column(place, *models::find_column(place.relation->model, path.back()));
}

std::string RowSource::dimension(const Dimension& dimension) {
  const std::string sql = column(dimension.path);
  return dimension.time == nullptr
             ? sql
             : bucket(statement_.dialect, dimension.time->granularity, sql, dimension.type);
}

std::string RowSource::aggregate(const FormulaNode& node) {
  return aggregate_call(statement_.dialect, joins_, node, 0);
}

// Both ends are inside; a bare date stands for its whole day.
void RowSource::date_range(std::size_t index, std::vector<std::string>& conditions) {
  const Dimension& dimension = dimensions_[index];
  if (dimension.time == nullptr || unbounded_ == index) {
    return;
  }
  const std::string sql = column(dimension.path);
  const auto value = [&](const std::string& text) {
    return moment(statement_.dialect, text, dimension.type);
  };
  if (dimension.whole_periods) {
    conditions.push_back(
        sql + " < " +
        value(start_of_period(statement_.now_milliseconds, dimension.time->granularity)));
  }
  if (!dimension.time->date_range) {
    return;
  }
  auto [from, to] = *dimension.time->date_range;
  std::optional<std::string> after = next_day(to);
  if (shift_ && shift_->dimension == index) {
    const auto moved = [this](const std::string& text) {
      return shift_date(text, shift_->count, shift_->granularity).value_or(text);
    };
    // The day after the range moves, not its last day: months have different last days.
    from = moved(from);
    to = moved(to);
    after = after ? std::optional(moved(*after)) : std::nullopt;
  }
  conditions.push_back(sql + " >= " + value(from));
  conditions.push_back(after ? sql + " < " + value(*after) : sql + " <= " + value(to));
}

std::string RowSource::from_where(const std::vector<std::string>& more) {
  std::vector<std::string> conditions = joins_.root_filters();
  const Leaf leaf = [this](const FormulaNode& node) { return column(node.path); };
  for (const FormulaNode& filter : filters_) {
    conditions.push_back("(" + render(statement_.dialect, filter, leaf) + ")");
  }
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    date_range(i, conditions);
  }
  conditions.insert(conditions.end(), more.begin(), more.end());
  return joins_.from() + (conditions.empty() ? "" : "\nWHERE " + base::join(conditions, " AND "));
}

}  // namespace kedge::query
