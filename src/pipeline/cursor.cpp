#include "pipeline/cursor.h"

#include "contracts/type_name.h"
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

}  // namespace

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
  if (kind == schema::TypeKind::Date || kind == schema::TypeKind::Timestamp ||
      kind == schema::TypeKind::TimestampTz) {
    return std::string("CAST('") + (upper ? "" : "-") + "infinity' AS " + type + ")";
  }
  return std::string("CAST('") + (upper ? "" : "-") +
         "170141183460469231731687303715884105727' AS HUGEINT)";
}

}  // namespace kedge::pipeline
