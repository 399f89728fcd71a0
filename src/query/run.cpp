#include "query/run.h"

#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "query/words.h"

namespace kedge::query {
namespace {

using models::QueryValue;

constexpr double kExact = 9007199254740992.0;  // 2^53

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Decimal text as a number where a JSON number holds it, else as it stands.
QueryValue number_from_text(const std::string& text) {
  const std::size_t first = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  bool plain = text.size() > first;
  std::size_t dot = text.size();
  for (std::size_t i = first; i < text.size(); ++i) {
    if (text[i] == '.' && dot == text.size()) {
      dot = i;
    } else if (!is_digit(text[i])) {
      plain = false;
    }
  }
  if (!plain) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool whole = end != nullptr && *end == '\0' && !text.empty() && std::isfinite(value);
    return whole ? QueryValue(value) : QueryValue(text);
  }
  const double value = std::strtod(text.c_str(), nullptr);
  if (std::fabs(value) > kExact) {
    return text;
  }
  const bool integral =
      text.find_first_not_of('0', dot == text.size() ? dot : dot + 1) == std::string::npos;
  return integral ? QueryValue(static_cast<std::int64_t>(value)) : QueryValue(value);
}

bool is_numeric(schema::TypeKind kind) {
  return kind == schema::TypeKind::Numeric ||
         (kind >= schema::TypeKind::Int8 && kind <= schema::TypeKind::Real8);
}

bool looks_like_date(const std::string& text) {
  return text.size() >= 10 && is_digit(text[0]) && text[4] == '-' && text[7] == '-';
}

// "2024-01-02 03:04:05.600+00" as "2024-01-02T03:04:05.6+00:00".
std::string show_time(std::string text) {
  if (text.size() == 10) {
    return text + "T00:00:00";
  }
  text[10] = 'T';
  const std::size_t dot = text.find('.');
  if (dot != std::string::npos) {
    std::size_t end = dot + 1;
    while (end < text.size() && is_digit(text[end])) {
      ++end;
    }
    std::size_t keep = end;
    while (keep > dot + 1 && text[keep - 1] == '0') {
      --keep;
    }
    text.erase(keep == dot + 1 ? dot : keep, end - (keep == dot + 1 ? dot : keep));
  }
  const std::size_t sign = text.find_last_of("+-");
  if (sign != std::string::npos && sign > 10 && text.size() == sign + 3) {
    text += ":00";
  }
  return text;
}

QueryValue show_text(const Output& output, schema::TypeKind kind, const std::string& text) {
  const bool date = output.type == ColumnType::Date || kind == schema::TypeKind::Date ||
                    (output.granularity && is_day_or_more(*output.granularity));
  const bool time = output.type == ColumnType::Timestamp || kind == schema::TypeKind::Timestamp ||
                    kind == schema::TypeKind::TimestampTz;
  if (looks_like_date(text) && date) {
    return text.substr(0, 10);
  }
  if (looks_like_date(text) && time) {
    return show_time(text);
  }
  const bool number =
      is_numeric(kind) || (kind == schema::TypeKind::Unknown &&
                           (output.type == ColumnType::Double || output.type == ColumnType::Int));
  return number ? number_from_text(text) : QueryValue(text);
}

QueryValue show_integer(std::int64_t value) {
  const auto limit = static_cast<std::int64_t>(kExact);
  return value > limit || value < -limit ? QueryValue(std::to_string(value)) : QueryValue(value);
}

}  // namespace

models::QueryValue show_value(const Output& output, const db::ResultColumn& column,
                              const db::Value& value) {
  if (db::is_null(value)) {
    return std::monostate{};
  }
  if (output.type == ColumnType::Boolean || column.type.kind == schema::TypeKind::Boolean) {
    return db::to_boolean(value);
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return show_integer(*integer);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const bool whole = std::floor(*number) == *number && std::fabs(*number) <= kExact;
    return whole ? QueryValue(static_cast<std::int64_t>(*number)) : QueryValue(*number);
  }
  return show_text(output, column.type.kind, db::to_text(value));
}

models::QueryResult describe_query(const CompiledQuery& query) {
  models::QueryResult result;
  result.sql = query.sql;
  for (const Output& output : query.outputs) {
    result.columns.push_back(output.key);
    if (output.label.empty() && !output.format) {
      continue;
    }
    models::QueryAttribute attribute;
    attribute.key = output.key;
    attribute.label = output.label;
    if (output.format) {
      attribute.format_type = models::to_string(output.format->kind);
      attribute.precision = output.format->precision;
      attribute.symbol = output.format->symbol;
    }
    result.attributes.push_back(std::move(attribute));
  }
  return result;
}

models::QueryResult run(db::Connection& connection, const CompiledQuery& query) {
  const db::ResultSet set = connection.query(query.sql);
  models::QueryResult result = describe_query(query);
  result.rows.reserve(set.rows.size());
  for (const db::Row& row : set.rows) {
    std::vector<QueryValue> values;
    for (std::size_t i = 0; i < query.outputs.size() && i < row.size(); ++i) {
      values.push_back(show_value(query.outputs[i], set.columns[i], row[i]));
    }
    result.rows.push_back(std::move(values));
  }
  return result;
}

models::QueryResult explain_query(db::Connection& connection, SqlDialect dialect,
                                  const CompiledQuery& query) {
  models::QueryResult result;
  result.sql = query.sql;
  const std::string sql = explain(dialect, query.sql);
  if (sql.empty()) {
    return result;
  }
  const db::ResultSet set = connection.query(sql);
  for (const db::ResultColumn& column : set.columns) {
    result.columns.push_back(column.name);
  }
  for (const db::Row& row : set.rows) {
    std::vector<QueryValue> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      values.push_back(show_value({}, set.columns[i], row[i]));
    }
    result.rows.push_back(std::move(values));
  }
  return result;
}

}  // namespace kedge::query
