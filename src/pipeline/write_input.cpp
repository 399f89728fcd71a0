#include "pipeline/write_input.h"

#include <algorithm>
#include <set>

#include "contracts/target_type.h"
#include "contracts/type_name.h"
#include "db/bulk.h"
#include "kedge/codes.h"
#include "pipeline/capture.h"
#include "pipeline/graph.h"
#include "pipeline/render.h"

namespace kedge::pipeline {

using contracts::OnDelete;
using contracts::ValueFacts;
using contracts::WriteColumn;

WriteInput::WriteInput(const Engine& engine, const WriteSpec& write, db::Connection& staging)
    : engine_(engine),
      write_(write),
      staging_(staging),
      system_(write.system),
      name_(engine.workspace().pipelines[write.pipeline].name),
      columns_(write_columns(write, staged_columns(staging, name_))) {}

WriteInput::WriteInput(const Engine& engine, const WriteSpec& write, db::Connection& staging,
                       const RemoteStage& remote)
    : engine_(engine),
      write_(write),
      staging_(staging),
      system_(write.system),
      remote_(remote.table),
      columns_(write_columns(write, remote.columns)) {}

std::string WriteInput::staged() const {
  return remote_.empty() ? staging_table(name_) : remote_;
}

void WriteInput::check() {
  check_flag();
  full_ = takes_everything();
  check_keys();
  check_empty();
}

std::string WriteInput::key_list() const {
  std::string list;
  for (const std::string& key : write_.keys) {
    list += (list.empty() ? "" : ", ") + quote_name(key);
  }
  return list;
}

// Before the target is opened: keys that are missing, NULL or there more than once.
void WriteInput::check_keys() {
  if (!merges()) {
    return;
  }
  for (const std::string& key : write_.keys) {
    const bool there = std::any_of(columns_.begin(), columns_.end(),
                                   [&](const WriteColumn& c) { return c.name == key; });
    if (!there) {
      throw Error(codes::PZ0209,
                  "target '" + write_.target + "': key '" + key + "' is not a column of the write");
    }
  }
  for (const std::string& key : write_.keys) {
    const std::int64_t nulls = query_count(
        staging_, "SELECT count(*) FROM " + staged() + " WHERE " + quote_name(key) + " IS NULL");
    if (nulls > 0) {
      throw Error(codes::PZ0521, "target '" + write_.target + "': merge key '" + key +
                                     "' is NULL in " + std::to_string(nulls) + " row(s)");
    }
  }
  const db::ResultSet doubles = staging_.query(
      "SELECT count(*), coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM " + staged() +
      " GROUP BY " + key_list() + " HAVING count(*) > 1) AS kedge_doubles");
  const std::int64_t groups = db::to_integer(doubles.rows.at(0).at(0)).value_or(0);
  has_doubles_ = groups > 0;
  if (has_doubles_) {
    warn_duplicates(groups, db::to_integer(doubles.rows.at(0).at(1)).value_or(0));
  }
}

void WriteInput::warn_duplicates(std::int64_t groups, std::int64_t surplus) {
  engine_.warn({codes::PZ0522,
                "target '" + write_.target + "': " + std::to_string(groups) +
                    " merge key(s) occur more than once, " + std::to_string(surplus) +
                    " surplus row(s); the last row of each wins",
                std::nullopt,
                "",
                {}});
  document::Json keys = document::Json::array();
  for (const std::string& key : write_.keys) {
    keys.push(key);
  }
  document::Json fields;
  fields.set("target", write_.target);
  fields.set("keys", std::move(keys));
  fields.set("duplicate_groups", groups);
  fields.set("extra_rows", surplus);
  engine_.publish("merge_key_duplicates_detected", fields);
}

// A flag that is not there would leave deleted rows in place.
void WriteInput::check_flag() {
  const std::vector<WriteColumn> staged =
      remote_.empty() && !write_.delete_flag.empty() ? staged_columns(staging_, name_) : columns_;
  const bool there = write_.delete_flag.empty() || !remote_.empty() ||
                     std::any_of(staged.begin(), staged.end(), [&](const WriteColumn& c) {
                       return c.name == write_.delete_flag;
                     });
  if (!there) {
    throw Error(codes::PZ0337,
                "target '" + write_.target + "': the result has no column '" + write_.delete_flag +
                    "', so deletions cannot be told",
                "select it in the pipeline");
  }
}

// Are keys that the input does not have gone at the source? A capture may have been a snapshot.
bool WriteInput::takes_everything() {
  if (write_.delete_flag != kDeletedColumn) {
    return write_.delete_flag.empty();
  }
  const std::set<std::size_t> reads = all_reads_of(engine_.workspace(), write_.pipeline);
  return std::all_of(reads.begin(), reads.end(), [&](std::size_t index) {
    const ReadSpec& read = engine_.workspace().reads[index];
    return !read.change_capture || is_snapshot(staging_, read.staging);
  });
}

// An empty full read would delete every row of the target.
void WriteInput::check_empty() {
  const bool acts = write_.on_delete == OnDelete::Delete || write_.on_delete == OnDelete::Soft;
  const bool allowed =
      std::any_of(write_.checks.begin(), write_.checks.end(), [](const contracts::Check& check) {
        return check.type == contracts::CheckType::RowCount && check.minimum == "0";
      });
  if (acts && full_ && !allowed && query_count(staging_, "SELECT count(*) FROM " + staged()) == 0) {
    throw Error(codes::PZ0337,
                "target '" + write_.target + "': the input has no rows, so on_delete: " +
                    contracts::to_string(write_.on_delete) + " would empty it",
                "declare expect: {row_count: {min: 0}} on the write if that is meant");
  }
}

std::string WriteInput::rows_written() const {
  return write_.delete_flag.empty()
             ? ""
             : " WHERE NOT coalesce(" + quote_name(write_.delete_flag) + ", false)";
}

std::string WriteInput::rows_flagged() const {
  return " WHERE coalesce(" + quote_name(write_.delete_flag) + ", false)";
}

void WriteInput::goes_to(db::Connection& target) {
  sqlite_behind_ = system_ == System::Generic && target.engine().product == "SQLite";
}

std::string WriteInput::out_of_range(const std::string& quoted, const schema::Type& type) const {
  if (!remote_.empty()) {
    return "";
  }
  const std::string own = range_condition(system_, quoted, type);
  const std::string behind =
      sqlite_behind_ ? range_condition(System::Sqlite, quoted, type) : std::string();
  return own.empty() || behind.empty() ? own + behind : "(" + own + ") OR (" + behind + ")";
}

namespace {

// The most digits of a second that a value has; an infinity has none.
std::string most_fraction_digits(const std::string& x, const schema::Type& type) {
  if (type.kind != schema::TypeKind::Timestamp && type.kind != schema::TypeKind::TimestampTz &&
      type.kind != schema::TypeKind::Time) {
    return "0";
  }
  const std::string micros = "CAST(extract(microseconds FROM " + x + ") AS BIGINT)";
  std::string digits = "CASE";
  for (int known = 0; known < 6; ++known) {
    digits += " WHEN " + micros + " % 1" + std::string(static_cast<std::size_t>(6 - known), '0') +
              " = 0 THEN " + std::to_string(known);
  }
  const std::string counted =
      type.kind == schema::TypeKind::Time ? x + " IS NOT NULL" : "isfinite(" + x + ")";
  return "coalesce(max(CASE WHEN " + counted + " THEN " + digits + " ELSE 6 END END), 0)";
}

}  // namespace

std::map<std::string, ValueFacts> WriteInput::measure(const std::vector<std::string>& names) {
  std::map<std::string, ValueFacts> facts;
  std::string list;
  std::vector<std::string> measured;
  for (const WriteColumn& column : columns_) {
    const std::string quoted = quote_name(column.name);
    const std::string range = out_of_range(quoted, column.type);
    const bool asked = std::find(names.begin(), names.end(), column.name) != names.end();
    if (!asked && range.empty()) {
      continue;
    }
    const bool text =
        column.type.kind == schema::TypeKind::Text || column.type.kind == schema::TypeKind::Enum;
    list += (list.empty() ? "" : ", ") + ("count(*) - count(" + quoted + "), ") +
            (text ? "coalesce(max(length(CAST(" + quoted + " AS VARCHAR))), 0)" : "0") + ", " +
            (range.empty() ? "0" : "count(*) FILTER (WHERE " + range + ")") + ", " +
            most_fraction_digits(quoted, column.type);
    measured.push_back(column.name);
  }
  if (measured.empty()) {
    return facts;
  }
  const db::Row row =
      staging_.query("SELECT " + list + " FROM " + staged() + rows_written()).rows.at(0);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto number = [&](std::size_t at) {
      return db::to_integer(row.at(i * 4 + at)).value_or(0);
    };
    facts[measured[i]] = {number(0), number(1), number(2), number(3)};
  }
  return facts;
}

// The SELECT that hands the staged rows over.
std::string WriteInput::export_sql(const std::string& condition) const {
  std::string list;
  for (const WriteColumn& column : columns_) {
    std::string value = quote_name(column.name);
    if (!write_.contract.empty()) {
      value = "CAST(" + value + " AS " +
              contracts::type_name(contracts::underlying_type(column.type)) + ")";
    }
    list += (list.empty() ? "" : ", ") + export_expression(system_, value, column.type);
  }
  std::string sql = "SELECT " + list + " FROM ";
  if (has_doubles_) {
    const bool table =
        query_count(staging_,
                    "SELECT count(*) FROM duckdb_tables() WHERE database_name = "
                    "current_database() AND schema_name = 'staging' AND table_name = " +
                        quote_literal(name_)) > 0;
    const std::string order = table ? "rowid" : "kedge_row";
    const std::string from =
        table ? staged() : "(SELECT *, row_number() OVER () AS kedge_row FROM " + staged() + ")";
    return sql + "(SELECT * FROM " + from + " QUALIFY row_number() OVER (PARTITION BY " +
           key_list() + " ORDER BY " + order + " DESC) = 1)" + condition;
  }
  return sql + staged() + condition;
}

std::int64_t WriteInput::copy_inside(db::Connection& target, const schema::Name& name,
                                     const std::vector<std::string>& target_names,
                                     const std::string& condition) {
  std::string list;
  std::string values;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    list += (i == 0 ? "" : ", ") + quote_name(target_names[i]);
    values += (i == 0 ? "" : ", ") + quote_name(columns_[i].name);
  }
  const std::string table =
      name.schema.empty() ? quote_name(name.name.text())
                          : quote_name(name.schema.text()) + "." + quote_name(name.name.text());
  const std::string rows = merges()
                               ? "(SELECT DISTINCT ON (" + key_list() + ") * FROM " + staged() +
                                     " ORDER BY " + key_list() + ", _kedge_row DESC) AS kedge_last"
                               : staged();
  return target
      .query("INSERT INTO " + table + " (" + list + ") SELECT " + values + " FROM " + rows +
             condition)
      .affected;
}

std::int64_t WriteInput::copy_to(db::Connection& target, const schema::Name& name,
                                 const std::vector<std::string>& target_names,
                                 const std::string& condition) {
  if (!remote_.empty()) {
    return copy_inside(target, name, target_names, condition);  // the rows never leave
  }
  db::ReadOptions options;
  options.rows = static_cast<std::size_t>(engine_.workspace().project.engine.chunk_rows);
  return db::copy_rows(staging_, export_sql(condition), target, {name, target_names}, options);
}

}  // namespace kedge::pipeline
