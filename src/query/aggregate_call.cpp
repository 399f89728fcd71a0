#include "query/aggregate_call.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "kedge/codes.h"
#include "query/aggregates.h"
#include "query/atoms.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

Hops hops_between(const std::vector<std::string>& path, std::size_t skip) {
  if (path.size() < skip + 1) {
    throw Error(codes::unknown_reference,
                "'" + base::join(path, ".") + "' does not belong to the aggregated model");
  }
  return {path.begin() + static_cast<std::ptrdiff_t>(skip), path.end() - 1};
}

const models::Column& find_target(Joins& joins, const std::vector<std::string>& path,
                                  std::size_t skip, Place& place) {
  place = joins.at(hops_between(path, skip));
  const models::Column* column = models::find_column(place.relation->model, path.back());
  if (column == nullptr) {
    throw Error(codes::unknown_reference, "'" + base::join(path, ".") + "' is no column");
  }
  return *column;
}

std::string literal_argument(SqlDialect dialect, Joins& joins,
                             const models::FormulaArgument& argument, std::size_t skip) {
  const Leaf leaf = [&](const FormulaNode& node) {
    if (node.kind != Kind::Reference) {
      throw Error(codes::formula_syntax, "an aggregate cannot be the argument of an aggregation");
    }
    return column_argument(joins, argument, skip);
  };
  return argument.value.empty() ? std::string("NULL") : render(dialect, argument.value[0], leaf);
}

// "{value}" and the parameters of a custom aggregation are replaced by SQL.
std::string fill(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    const auto found =
        end == std::string::npos ? values.end() : values.find(text.substr(i + 1, end - i - 1));
    if (found != values.end()) {
      out += found->second;
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

// What a parameter stands for may be more than one word: the template's operators must not tear it.
std::string as_operand(SqlDialect dialect, const std::string& sql) {
  const std::vector<sql::Token> tokens = sql::tokenize(sql, models::analysed_as(dialect));
  const auto words = std::count_if(tokens.begin(), tokens.end(), [](const sql::Token& token) {
    return token.kind != sql::TokenKind::End && token.kind != sql::TokenKind::Comment;
  });
  const bool column = words == 3 && sql.find('.') != std::string::npos;
  return words > 1 && !column ? "(" + sql + ")" : sql;
}

std::string custom(SqlDialect dialect, Joins& joins, const FormulaNode& node, std::size_t skip,
                   const Place& place, const models::Aggregation& aggregation) {
  const std::string value = aggregated_value(joins, node, skip);
  std::map<std::string, std::string> values{{"value", value}, {"expr", value}};
  std::size_t number = 0;
  for (const models::AggregationParameter& parameter : aggregation.params) {
    const models::FormulaArgument* given = find_argument(node, parameter.name, number++);
    values[parameter.name] =
        as_operand(dialect, given != nullptr ? literal_argument(dialect, joins, *given, skip)
                                             : joins.expand(place, parameter.sql, nullptr));
  }
  return "(" + fill(joins.expand(place, *aggregation.formula, nullptr), values) + ")";
}

std::string required_column(Joins& joins, const FormulaNode& node, std::string_view name,
                            std::size_t skip) {
  const models::FormulaArgument* argument = find_argument(node, name);
  if (argument == nullptr) {
    throw Error(codes::formula_syntax,
                "'" + node.aggregation + "' needs " + std::string(name) + "=column");
  }
  return column_argument(joins, *argument, skip);
}

}  // namespace

std::string column_argument(Joins& joins, const models::FormulaArgument& argument,
                            std::size_t skip) {
  if (argument.value.size() != 1 || argument.value[0].kind != Kind::Reference) {
    throw Error(codes::formula_syntax, "a column is expected as argument");
  }
  Place place;
  const models::Column& column = find_target(joins, argument.value[0].path, skip, place);
  return joins.column(place, column);
}

std::string aggregated_value(Joins& joins, const FormulaNode& node, std::size_t skip) {
  Place place;
  const models::Column& column = find_target(joins, node.path, skip, place);
  const std::string value = joins.column(place, column);
  return column.filter ? "CASE WHEN " + joins.expand(place, *column.filter, nullptr) + " THEN " +
                             value + " END"
                       : value;
}

std::string aggregate_call(SqlDialect dialect, Joins& joins, const FormulaNode& node,
                           std::size_t skip) {
  if (node.kind == Kind::Star) {
    return "COUNT(*)";
  }
  Place place;
  const models::Column& column = find_target(joins, node.path, skip, place);
  const models::Aggregation* own =
      models::find_aggregation(place.relation->model, node.aggregation);
  if (own != nullptr && own->formula) {
    return custom(dialect, joins, node, skip, place, *own);
  }
  Aggregated call;
  call.function = node.aggregation;
  call.value = aggregated_value(joins, node, skip);
  call.type = column.type;
  if (node.aggregation == "weighted_avg") {
    call.other = required_column(joins, node, "weight", skip);
  } else if (node.aggregation == "corr" || node.aggregation.starts_with("covar")) {
    call.other = required_column(joins, node, "other", skip);
  } else if (node.aggregation == "percentile") {
    const models::FormulaArgument* p = find_argument(node, "p");
    if (p == nullptr || p->value.size() != 1 || p->value[0].kind != Kind::Numeral) {
      throw Error(codes::formula_syntax, "'percentile' needs p=0.5 or another number");
    }
    call.p = p->value[0].text;
    double fraction = 0;
    const char* const end = call.p.data() + call.p.size();
    if (std::from_chars(call.p.data(), end, fraction).ec != std::errc() || fraction > 1) {
      throw Error(codes::formula_syntax, "'percentile' needs p between 0 and 1, not " + call.p);
    }
  }
  const std::optional<std::string> sql = aggregate(dialect, call);
  if (!sql) {
    throw Error(codes::unsupported_aggregation, "the dialect " + models::to_string(dialect) +
                                                    " has no aggregation '" + node.aggregation +
                                                    "'");
  }
  return *sql;
}

}  // namespace kedge::query
