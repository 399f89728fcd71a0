#include "metadata/filter_sql.h"

#include "base/text.h"

namespace kedge::metadata {
namespace {

std::string compare_sql(const Filter& filter, const FieldLookup& lookup, const Writer& writer) {
  const FieldSql field = lookup(filter.field);
  if (field.field == nullptr) {
    return "NULL";
  }
  if (filter.op == "isNull") {
    const bool yes = to_text(filter.values.at(0)) == "true";
    return field.sql + (yes ? " IS NULL" : " IS NOT NULL");
  }
  if (filter.op == "in") {
    std::vector<std::string> values;
    for (const Scalar& value : filter.values) {
      values.push_back(writer.value(*field.field, value));
    }
    return field.sql + " IN (" + base::join(values, ", ") + ")";
  }
  return field.sql + " " + sql_operator(filter.op) + " " +
         writer.value(*field.field, filter.values.at(0));
}

template <class Node, class Render>
std::string joined(const Node& node, const char* word, const Render& render) {
  std::vector<std::string> parts;
  for (const Node& part : node.parts) {
    parts.push_back("(" + render(part) + ")");
  }
  return base::join(parts, word);
}

// A value is written as its counterpart's type.
std::string operand(const Expression& part, const Expression& other, const FieldLookup& lookup,
                    const Writer& writer) {
  if (part.kind == Expression::Kind::Value && other.kind == Expression::Kind::Field) {
    const FieldSql field = lookup(other.field);
    if (field.field != nullptr && !std::holds_alternative<std::monostate>(part.value)) {
      return writer.value(*field.field, part.value);
    }
  }
  const bool leaf = part.kind == Expression::Kind::Field || part.kind == Expression::Kind::Value ||
                    part.kind == Expression::Kind::Coalesce;
  const std::string sql = expression_sql(part, lookup, writer);
  return leaf ? sql : "(" + sql + ")";
}

std::string value_sql(const Scalar& value, const Writer& writer) {
  if (std::holds_alternative<std::monostate>(value)) {
    return "NULL";
  }
  if (const bool* boolean = std::get_if<bool>(&value)) {
    return writer.boolean(*boolean);
  }
  const std::string text = to_text(value);
  return std::holds_alternative<std::string>(value) ? writer.text(text) : text;
}

}  // namespace

std::string sql_operator(const std::string& op) {
  return op == "eq"    ? "="
         : op == "ne"  ? "<>"
         : op == "gt"  ? ">"
         : op == "gte" ? ">="
         : op == "lt"  ? "<"
         : op == "lte" ? "<="
                       : "LIKE";
}

std::string filter_sql(const Filter& filter, const FieldLookup& lookup, const Writer& writer) {
  const auto render = [&](const Filter& part) { return filter_sql(part, lookup, writer); };
  switch (filter.kind) {
    case Filter::Kind::And:
      return joined(filter, " AND ", render);
    case Filter::Kind::Or:
      return joined(filter, " OR ", render);
    case Filter::Kind::Not:
      return "NOT (" + render(filter.parts.at(0)) + ")";
    case Filter::Kind::Compare:
      return compare_sql(filter, lookup, writer);
  }
  return {};
}

std::string expression_sql(const Expression& expression, const FieldLookup& lookup,
                           const Writer& writer) {
  const auto render = [&](const Expression& part) { return expression_sql(part, lookup, writer); };
  switch (expression.kind) {
    case Expression::Kind::Field:
      return lookup(expression.field).sql;
    case Expression::Kind::Value:
      return value_sql(expression.value, writer);
    case Expression::Kind::Compare:
      return operand(expression.parts.at(0), expression.parts.at(1), lookup, writer) + " " +
             sql_operator(expression.op) + " " +
             operand(expression.parts.at(1), expression.parts.at(0), lookup, writer);
    case Expression::Kind::IsNull:
      return "(" + render(expression.parts.at(0)) + ") IS NULL";
    case Expression::Kind::IsNotNull:
      return "(" + render(expression.parts.at(0)) + ") IS NOT NULL";
    case Expression::Kind::Not:
      return "NOT (" + render(expression.parts.at(0)) + ")";
    case Expression::Kind::And:
      return joined(expression, " AND ", render);
    case Expression::Kind::Or:
      return joined(expression, " OR ", render);
    case Expression::Kind::Coalesce: {
      std::vector<std::string> parts;
      for (const Expression& part : expression.parts) {
        parts.push_back(operand(part, expression.parts.at(0), lookup, writer));
      }
      return "COALESCE(" + base::join(parts, ", ") + ")";
    }
  }
  return {};
}

}  // namespace kedge::metadata
