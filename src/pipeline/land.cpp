#include "pipeline/land.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/capture.h"
#include "pipeline/convert.h"
#include "pipeline/cursor.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

struct BadValue {
  std::string column;
  std::string type;
  std::string row;
  std::string value;
};

// Finds the first bad value of each column; runs only after a conversion has failed.
std::vector<BadValue> find_bad_values(db::Connection& staging, const std::string& raw,
                                      const std::vector<RawColumn>& columns) {
  std::vector<BadValue> found;
  for (const RawColumn& column : columns) {
    const Conversion conversion = convert("v", column.from, column.to, column.form);
    if (conversion.failure.empty()) {
      continue;
    }
    const db::ResultSet rows =
        staging.query("SELECT n, CAST(v AS VARCHAR) FROM (SELECT row_number() OVER () AS n, " +
                      quote_name(column.name) + " AS v FROM " + raw + ") WHERE " +
                      conversion.failure + " ORDER BY n LIMIT 1");
    if (!rows.rows.empty()) {
      found.push_back({column.landed, contracts::type_name(column.to), db::to_text(rows.rows[0][0]),
                       db::to_text(rows.rows[0][1])});
    }
  }
  return found;
}

[[noreturn]] void fail_bad_values(const Engine& engine, const ReadSpec& read,
                                  const std::vector<BadValue>& bad) {
  std::vector<std::string> texts;
  bool decimal = false;
  for (const BadValue& value : bad) {
    std::string text = "column '" + value.column + "' (" + value.type + "): row " + value.row;
    if (engine.workspace().project.engine.check_samples) {
      text += ": value '" + std::string(base::truncate_utf8(value.value, 80)) + "'";
    }
    texts.push_back(text + " cannot be converted");
    decimal = decimal || value.type.starts_with("DECIMAL");
  }
  throw Error(
      codes::PZ0804, "entity '" + read.label + "': " + base::join(texts, "; "),
      decimal ? "values are never rounded: declare varchar, more digits, or cast in query:" : "");
}

std::string select_list(const std::vector<RawColumn>& columns) {
  std::string list;
  for (const RawColumn& column : columns) {
    const Conversion conversion =
        convert(quote_name(column.name), column.from, column.to, column.form);
    list += (list.empty() ? "" : ", ") + conversion.value + " AS " + quote_name(column.landed);
  }
  return list;
}

void drop_staged(db::Connection& staging, const std::string& name) {
  staging.execute("DROP TABLE IF EXISTS " + staging_table(name));
}

void refuse_extra_columns(const Engine& engine, const ReadSpec& read,
                          const std::vector<std::string>& extra) {
  if (extra.empty() || read.extra_columns == "ignore") {
    return;
  }
  Problem problem{codes::PZ0331,
                  "entity '" + read.label + "': " + std::to_string(extra.size()) +
                      " column(s) not in the contract: " + base::join(extra, ", "),
                  read.where,
                  "",
                  {}};
  if (read.extra_columns == "fail") {
    throw Error(std::move(problem));
  }
  engine.warn(std::move(problem));
}

}  // namespace

std::vector<contracts::ShapeColumn> describe_staged(db::Connection& staging,
                                                    const std::string& table) {
  std::vector<contracts::ShapeColumn> columns;
  const db::ResultSet rows = staging.query(
      "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = "
      "current_database() AND schema_name = 'staging' AND table_name = " +
      quote_literal(table) + " ORDER BY column_index");
  for (const db::Row& row : rows.rows) {
    columns.push_back({db::to_text(row[0]),
                       contracts::type_name(contracts::duckdb_type(db::to_text(row[1]))),
                       std::nullopt});
  }
  return columns;
}

void fail_missing_columns(const ReadSpec& read, const std::vector<std::string>& missing,
                          const std::vector<std::string>& present, const std::string& where) {
  std::vector<std::string> quoted;
  std::string hint;
  for (const std::string& name : missing) {
    quoted.push_back("'" + name + "'");
    for (const std::string& other : present) {
      if (hint.empty() && base::equals_ignoring_case(name, other)) {
        hint = "the source has '" + other + "'";
      }
    }
  }
  throw Error(codes::PZ0804,
              "entity '" + read.label + "': declared column" + (missing.size() > 1 ? "s " : " ") +
                  base::join(quoted, ", ") + " not found in the source" + where,
              hint);
}

void land_converted(const Engine& engine, db::Connection& staging, const ReadSpec& read,
                    const std::string& raw, const std::vector<RawColumn>& columns) {
  drop_staged(staging, read.staging);
  try {
    staging.execute("CREATE TABLE " + staging_table(read.staging) + " AS SELECT " +
                    select_list(columns) + " FROM " + raw);
  } catch (const db::DatabaseError& error) {
    drop_staged(staging, read.staging);
    if (error.failure() == db::FailureClass::Cancelled ||
        error.failure() == db::FailureClass::Resource) {
      throw;
    }
    const std::vector<BadValue> bad = find_bad_values(staging, raw, columns);
    if (!bad.empty()) {
      fail_bad_values(engine, read, bad);
    }
    fail_unreadable(engine, read, error);
  }
}

void fail_unreadable(const Engine& engine, const ReadSpec& read, const db::DatabaseError& error) {
  const bool data = error.driver_message().find("IO Error") == std::string::npos;
  throw Error(data ? codes::PZ0804 : codes::PZ0330,
              "entity '" + read.label + "': cannot be read: " + engine.workspace().said(error));
}

std::vector<contracts::ShapeColumn> describe_landed(db::Connection& staging, const ReadSpec& read) {
  std::vector<contracts::ShapeColumn> columns = describe_staged(staging, read.staging);
  if (read.change_capture) {
    std::erase_if(columns,
                  [](const contracts::ShapeColumn& c) { return c.name == kDeletedColumn; });
  }
  return columns;
}

Landed land(const Engine& engine, const ReadSpec& read, const std::optional<StoredCursor>& bound,
            SlotUse use) {
  const Engine::Held staging = engine.staging();
  std::vector<contracts::ShapeColumn> source;
  Landed landed;
  if (read.change_capture) {
    Captured captured = land_captured(engine, *staging, {read, bound, use});
    source = std::move(captured.source);
    landed.position = std::move(captured.position);
  } else if (read.is_file()) {
    land_files(engine, *staging, read);
    if (read.extra_columns != "ignore" && !read.contract.empty()) {
      source = describe_files(engine.world(), engine.workspace(), *staging, read);
    }
  } else {
    source = land_database(engine, *staging, read, bound);
  }
  // Files are landed whole; what is out of the range goes. A database may give more than asked.
  if (read.cursor && read.cursor->origin == CursorOrigin::File &&
      (read.is_file() || read.cursor->has_window())) {
    keep_range(*staging, read, cursor_range(read, bound));
  }
  landed.columns = describe_landed(*staging, read);
  landed.rows = query_count(*staging, "SELECT count(*) FROM " + staging_table(read.staging));
  std::vector<std::string> extra;
  for (const contracts::ShapeColumn& column : source) {
    const bool declared =
        std::any_of(read.contract.columns.begin(), read.contract.columns.end(),
                    [&](const contracts::ContractColumn& c) { return c.source == column.name; });
    if (!declared && !read.contract.empty()) {
      extra.push_back(column.name);
    }
    for (contracts::ShapeColumn& staged : landed.columns) {
      if (staged.name == column.name) {
        staged.native = column.native;
      }
    }
  }
  refuse_extra_columns(engine, read, extra);
  return landed;
}

}  // namespace kedge::pipeline
