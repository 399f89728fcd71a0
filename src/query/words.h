// How each dialect says what a query needs (models.md 6.3): quoting, buckets, dates, null-safe
// equality, limits, scalar functions. Text in, text out; no database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "models/names.h"

namespace kedge::query {

using models::ColumnType;
using models::Granularity;
using models::SqlDialect;

std::string quote(SqlDialect dialect, std::string_view name);  // always quoted
// Bare where the dialect takes it as it stands.
std::string name(SqlDialect dialect, std::string_view name);
std::string physical(SqlDialect dialect, const models::PhysicalName& name, bool from_sql);
std::string literal(SqlDialect dialect, std::string_view text);
// The key of a result column as an alias: quoted, on bigquery without dots.
std::string key_alias(SqlDialect dialect, std::string_view key);

std::string as_double(SqlDialect dialect, const std::string& sql);
std::string cast_to(SqlDialect dialect, const std::string& sql, ColumnType type);
std::string divide(SqlDialect dialect, const std::string& left, const std::string& right);
std::string same(SqlDialect dialect, const std::string& left, const std::string& right);
std::string bucket(SqlDialect dialect, Granularity granularity, const std::string& sql,
                   ColumnType type);
std::string add_units(SqlDialect dialect, const std::string& sql, std::int64_t count,
                      Granularity granularity, ColumnType type);
// A date or time to compare a column of the type with.
std::string moment(SqlDialect dialect, std::string_view text, ColumnType type);
// A scalar function of the formula language.
std::string scalar(SqlDialect dialect, const std::string& function,
                   const std::vector<std::string>& arguments);
std::string concatenate(SqlDialect dialect, const std::vector<std::string>& parts);

struct Page {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> offset;
};
// ORDER BY and the limit, each on its own line; `order` may be empty.
std::string tail(SqlDialect dialect, const std::string& order, const Page& page);
std::string explain(SqlDialect dialect, const std::string& sql);

// Calendar, proleptic Gregorian, UTC.
std::string start_of_period(std::int64_t unix_milliseconds, Granularity granularity);
// "2024-01-31" -> "2024-02-01"; a text with a time, or that is no date, gives nullopt.
std::optional<std::string> next_day(std::string_view date);
// A date moved by whole units, for shifted date ranges; nullopt when the text is no date.
std::optional<std::string> shift_date(std::string_view date, std::int64_t count,
                                      Granularity granularity);
bool is_day_or_more(Granularity granularity);

}  // namespace kedge::query
