#include "pipeline/cursor.h"

#include "contracts/check.h"
#include "contracts/type_name.h"
#include "db/bulk.h"
#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

[[noreturn]] void fail_type(const ReadSpec& read, const std::string& stored,
                            const std::string& now) {
  throw Error(codes::PZ0505,
              "entity '" + read.label + "': the stored cursor is " + stored + ", the cursor '" +
                  read.cursor->column + "' is " + now,
              "run with --full-refresh to start again");
}

std::string value_expression(const std::string& column, const std::string& type) {
  const std::string newest = "max(" + column + ")";
  if (type == "TIMESTAMPTZ") {
    return "strftime(" + newest + " AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%f') || '+00'";
  }
  if (type.starts_with("TIMESTAMP")) {
    return "strftime(CAST(" + newest + " AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S.%f')";
  }
  return "CAST(" + newest + " AS VARCHAR)";
}

std::string typed(const std::string& value, const std::string& type) {
  return "CAST(" + quote_literal(value) + " AS " + type + ")";
}

bool is_temporal(const schema::Type& type) {
  return type.kind == schema::TypeKind::Date || type.kind == schema::TypeKind::Timestamp ||
         type.kind == schema::TypeKind::TimestampTz;
}

bool is_plain_number(const std::string& text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > sign && text.find_first_not_of("0123456789.", sign) == std::string::npos;
}

bool is_value(const std::string& text, const schema::Type& type) {
  if (type.kind == schema::TypeKind::Date) {
    return db::parse_date(text).has_value();
  }
  return is_temporal(type) ? db::parse_timestamp(text).has_value() : is_plain_number(text);
}

std::string cursor_type(db::Connection& staging, const ReadSpec& read) {
  std::string type;
  for (const contracts::ShapeColumn& column : describe_staged(staging, read.staging)) {
    type = column.name == read.cursor->column ? column.type : type;
  }
  return type;
}

}  // namespace

CursorRange cursor_range(const ReadSpec& read, const std::optional<StoredCursor>& stored) {
  CursorRange range;
  range.from = stored ? stored->value : read.cursor->initial;
  range.inclusive = !stored;
  range.to = read.cursor->until;
  return range;
}

std::string window_end(db::Connection& staging, const ReadSpec& read, const std::string& type,
                       const std::string& begin) {
  const bool temporal = is_temporal(contracts::duckdb_type(type));
  const std::string width =
      temporal ? "INTERVAL '" +
                     std::to_string(base::parse_duration(read.cursor->max_window).value_or(0)) +
                     "' MILLISECOND"
               : read.cursor->max_window;
  std::string end = "CAST(" + typed(begin, type) + " + " + width + " AS " + type + ")";
  if (!read.cursor->until.empty()) {
    end = "least(" + end + ", " + typed(read.cursor->until, type) + ")";
  }
  return db::to_text(query_value(staging, "SELECT CAST(" + end + " AS VARCHAR)"));
}

std::string window_problem(const Cursor& cursor, const schema::Type& type) {
  const std::string name = contracts::type_name(type);
  for (const auto& [key, value] : {std::pair("initial", cursor.initial), {"until", cursor.until}}) {
    if (!value.empty() && !is_value(value, type)) {
      return std::string(key) + ": '" + value + "' is no " + name;
    }
  }
  const bool wide = is_temporal(type)
                        ? base::parse_duration(cursor.max_window).value_or(0) > 0
                        : is_plain_number(cursor.max_window) && !cursor.max_window.starts_with('-');
  if (!cursor.max_window.empty() && !wide) {
    return "max_window: '" + cursor.max_window + "' is no " +
           (is_temporal(type) ? "duration such as 7d or 12h" : "positive number") +
           ", the cursor is " + name;
  }
  return "";
}

void keep_range(db::Connection& staging, const ReadSpec& read, const CursorRange& range) {
  const std::string type = cursor_type(staging, read);
  if (type.empty()) {
    return;  // the cursor does not exist, which is said where it is looked for
  }
  const std::string column = quote_name(read.cursor->column);
  const std::string remove = "DELETE FROM " + staging_table(read.staging) + " WHERE " + column;
  if (!range.from.empty()) {
    staging.execute(remove + (range.inclusive ? " < " : " <= ") + typed(range.from, type));
  }
  std::string end = range.to;
  if (!read.cursor->max_window.empty()) {
    const db::Value first = query_value(
        staging, "SELECT CAST(min(" + column + ") AS VARCHAR) FROM " + staging_table(read.staging));
    end = db::is_null(first) ? end : window_end(staging, read, type, db::to_text(first));
  }
  if (!end.empty()) {
    staging.execute(remove + " > " + typed(end, type));
  }
}

void check_stored_type(const ReadSpec& read, const StoredCursor& stored) {
  if (read.cursor && read.cursor->type) {
    const std::string now = contracts::type_name(contracts::underlying_type(*read.cursor->type));
    if (now != stored.type) {
      fail_type(read, stored.type, now);
    }
  }
}

std::optional<WatermarkRecord> find_candidate(db::Connection& staging, const ReadSpec& read,
                                              const std::optional<StoredCursor>& stored) {
  std::string type;
  for (const contracts::ShapeColumn& column : describe_staged(staging, read.staging)) {
    if (column.name == read.cursor->column) {
      type = column.type;
    }
  }
  if (type.empty() || !contracts::is_cursor_type(contracts::duckdb_type(type))) {
    throw Error(
        codes::PZ0505,
        "entity '" + read.label + "': cursor '" + read.cursor->column + "' " +
            (type.empty() ? "does not exist" : "landed as " + type + ", which cannot be a cursor"),
        "allowed: " + contracts::cursor_type_names());
  }
  if (stored && stored->type != type) {
    fail_type(read, stored->type, type);
  }
  const db::Value value =
      query_value(staging, "SELECT " + value_expression(quote_name(read.cursor->column), type) +
                               " FROM " + staging_table(read.staging));
  if (db::is_null(value)) {
    return std::nullopt;
  }
  return WatermarkRecord{read.cursor->column, type, db::to_text(value)};
}

std::string watermark_literal(const std::optional<StoredCursor>& stored, const std::string& type,
                              const std::string& comparison) {
  if (stored) {
    return "CAST(" + quote_literal(stored->value) + " AS " + stored->type + ")";
  }
  const bool upper = comparison.starts_with('<');
  const schema::TypeKind kind = contracts::duckdb_type(type).kind;
  const bool moment = kind == schema::TypeKind::Date || kind == schema::TypeKind::Timestamp ||
                      kind == schema::TypeKind::TimestampTz;
  // Of numbers too: what is added to a largest integer overflows.
  return std::string("CAST('") + (upper ? "" : "-") + "infinity' AS " + (moment ? type : "DOUBLE") +
         ")";
}

}  // namespace kedge::pipeline
