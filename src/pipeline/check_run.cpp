#include "pipeline/check_run.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "contracts/target_type.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/remote_schema.h"
#include "pipeline/render.h"
#include "sql/requalify.h"

namespace kedge::pipeline {
namespace {

using contracts::Check;
using contracts::CheckSeverity;
using contracts::CheckType;

constexpr int kSamples = 5;

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

class CheckRunner {
 public:
  CheckRunner(const Engine& engine, db::Connection& staging, const CheckRequest& request,
              const CheckTable& table)
      : engine_(engine),
        staging_(staging),
        request_(request),
        check_(request.check),
        table_(table.sql),
        columns_(table.columns),
        remote_(table.dialect == CheckDialect::Postgres) {}

  CheckOutcome run() {
    CheckRecord& record = outcome_.record;
    record.name = request_.name;
    record.on = request_.on;
    record.type = contracts::to_string(check_.type);
    record.columns = check_.columns;
    record.severity = check_.severity == CheckSeverity::Fail ? "fail" : "warn";
    record.status = "pass";
    if (const std::string* gone = missing_column()) {
      record.status = "skipped";
      record.detail = "the column '" + *gone + "' does not exist";
      if (!request_.contracted) {  // nothing else tells of it
        tell_missing();
      }
      return std::move(outcome_);
    }
    record.rows = query_count(staging_, "SELECT count(*) FROM " + table_);
    try {
      evaluate();
    } catch (const db::DatabaseError& error) {
      if (error.failure() == db::FailureClass::Cancelled) {
        throw;
      }
      record.status = check_.severity == CheckSeverity::Fail ? "error" : "warn";
      record.detail = engine_.workspace().said(error, samples());
      outcome_.message = request_.label + ": " + contracts::describe_check(check_) +
                         ": cannot be evaluated: " + record.detail;
    }
    return std::move(outcome_);
  }

 private:
  const std::string* missing_column() const {
    const auto gone =
        std::find_if(check_.columns.begin(), check_.columns.end(),
                     [&](const std::string& name) { return !type_of(name).has_value(); });
    return gone == check_.columns.end() ? nullptr : &*gone;
  }

  void tell_missing() {
    std::vector<std::string> names;
    for (const contracts::ShapeColumn& column : columns_) {
      names.push_back("'" + column.name + "'");
    }
    outcome_.record.status = check_.severity == CheckSeverity::Fail ? "error" : "warn";
    outcome_.record.detail += " in the result; it has " + base::join(names, ", ");
    outcome_.message =
        request_.label + ": " + contracts::describe_check(check_) + ": " + outcome_.record.detail;
  }

  // Staged names fold, those of PostgreSQL do not.
  std::optional<std::string> type_of(const std::string& name) const {
    for (const contracts::ShapeColumn& column : columns_) {
      if (column.name == name || (!remote_ && base::equals_ignoring_case(column.name, name))) {
        return column.type;
      }
    }
    return std::nullopt;
  }

  std::string column() const { return quote_name(check_.columns.at(0)); }

  // A bound or a listed value as the column's type sees it.
  std::string literal(const std::string& text) const {
    const std::string type = type_of(check_.columns.at(0)).value_or("VARCHAR");
    const schema::TypeKind kind = contracts::duckdb_type(type).kind;
    const bool numeric = contracts::is_integer(kind) || kind == schema::TypeKind::Numeric ||
                         kind == schema::TypeKind::Real4 || kind == schema::TypeKind::Real8;
    if (numeric && is_number(text)) {
      return text;
    }
    return "CAST(" + quote_literal(text) + " AS " + cast_name(type) + ")";
  }

  std::string cast_name(const std::string& type) const {
    const auto mapped =
        contracts::target_type(contracts::System::Postgres, contracts::duckdb_type(type));
    return remote_ && mapped ? mapped->native : type;
  }

  std::string range_condition(const std::string& value, bool as_length) const {
    const auto bound = [&](const std::string& text) { return as_length ? text : literal(text); };
    std::string condition;
    if (check_.minimum) {
      condition = value + " < " + bound(*check_.minimum);
    }
    if (check_.maximum) {
      condition += (condition.empty() ? "" : " OR ") + value + " > " + bound(*check_.maximum);
    }
    return condition;
  }

  // The rows that break a row-level check; empty for the others.
  std::string bad_rows() const {
    std::string condition;
    switch (check_.type) {
      case CheckType::NotNull:
        for (const std::string& name : check_.columns) {
          condition += (condition.empty() ? "" : " OR ") + quote_name(name) + " IS NULL";
        }
        return condition;
      case CheckType::AcceptedValues:
        for (const std::string& value : check_.values) {
          condition += (condition.empty() ? "" : ", ") + literal(value);
        }
        return condition.empty()
                   ? column() + " IS NOT NULL"
                   : column() + " IS NOT NULL AND " + column() + " NOT IN (" + condition + ")";
      case CheckType::Range:
        return range_condition(column(), false);
      case CheckType::Length:
        return range_condition("length(CAST(" + column() + " AS VARCHAR))", true);
      case CheckType::Pattern:
        if (remote_) {
          return column() + " IS NOT NULL AND CAST(" + column() + " AS VARCHAR) !~ " +
                 quote_literal("^(?:" + check_.pattern + ")$");
        }
        return column() + " IS NOT NULL AND NOT regexp_full_match(CAST(" + column() +
               " AS VARCHAR), " + quote_literal(check_.pattern) + ")";
      case CheckType::Unique:
      case CheckType::Freshness:
      case CheckType::RowCount:
      case CheckType::CustomSql:
        return "";
    }
    return "";
  }

  void evaluate() {
    if (const std::string condition = bad_rows(); !condition.empty()) {
      const std::int64_t bad =
          query_count(staging_, "SELECT count(*) FROM " + table_ + " WHERE " + condition);
      settle(bad, std::to_string(bad) + " of " + std::to_string(outcome_.record.rows) + " row(s)",
             "SELECT " + sample_list() + " FROM " + table_ + " WHERE " + condition);
      if (bad > 0 && check_.on_violation == contracts::OnViolation::Quarantine &&
          outcome_.record.status != "fail") {
        quarantine(condition, bad);
      }
      return;
    }
    if (check_.type == CheckType::Unique) {
      evaluate_unique();
    } else if (check_.type == CheckType::RowCount) {
      evaluate_row_count();
    } else if (check_.type == CheckType::Freshness) {
      evaluate_freshness();
    } else {
      evaluate_custom();
    }
  }

  std::string sample_list() const {
    std::string list;
    for (const std::string& name : check_.columns) {
      list += (list.empty() ? "" : ", ") + quote_name(name);
    }
    return list;
  }

  void evaluate_unique() {
    const std::string groups = "SELECT " + sample_list() + " FROM " + table_ + " GROUP BY " +
                               sample_list() + " HAVING count(*) > 1";
    const std::int64_t bad =
        query_count(staging_, "SELECT count(*) FROM (" + groups + ") AS kedge_check");
    settle(bad, std::to_string(bad) + " key(s) more than once", groups);
  }

  void evaluate_row_count() {
    const std::int64_t rows = outcome_.record.rows;
    const auto bound = [](const std::optional<std::string>& text, std::int64_t other) {
      return text ? std::stoll(*text) : other;
    };
    const bool outside = rows < bound(check_.minimum, 0) || rows > bound(check_.maximum, rows);
    settle(outside ? 1 : 0, std::to_string(rows) + " row(s)", "");
  }

  void evaluate_freshness() {
    const std::string now = base::format_utc(engine_.world().clock.now_milliseconds());
    const std::string newest = "max(CAST(" + column() + " AS TIMESTAMP))";
    const db::Row row =
        staging_
            .query("SELECT " + newest + " IS NULL OR " + newest + " < CAST(" +
                   quote_literal(now.substr(0, 23)) + " AS TIMESTAMP) - INTERVAL '" +
                   std::to_string(check_.max_age_seconds) + "' SECOND, CAST(" + newest +
                   " AS VARCHAR) FROM " + table_)
            .rows.at(0);
    const std::string found = db::to_text(row.at(1));
    settle(db::to_boolean(row.at(0)) ? 1 : 0,
           found.empty() ? "no rows"
           : samples()   ? "the newest value is " + found
                         : "the newest value is not shown",
           "");
  }

  // Staged names fold, those of PostgreSQL do not.
  std::string staged_name(const std::string& written) const {
    for (const PipelineSpec& pipeline : engine_.workspace().pipelines) {
      if (base::equals_ignoring_case(pipeline.name, written)) {
        return pipeline.name;
      }
    }
    for (const ReadSpec& read : engine_.workspace().reads) {
      if (base::equals_ignoring_case(read.staging, written)) {
        return read.staging;
      }
    }
    return written;
  }

  void evaluate_custom() {
    std::string sql = check_.sql;
    for (const std::string_view place : {"{{ this }}", "{{this}}"}) {
      sql = base::replace_all(sql, place, table_);
    }
    if (remote_) {  // what the pipeline knows as staging lies in a schema of that database
      sql = sql::requalify(sql, sql::Flavour::Postgres, "staging", [&](const sql::NamePart& name) {
        return remote_table(engine_, staged_name(name.text));
      });
    }
    const std::int64_t bad =
        query_count(staging_, "SELECT count(*) FROM (" + sql + "\n) AS kedge_check");
    settle(bad, std::to_string(bad) + " row(s)", "SELECT * FROM (" + sql + "\n) AS kedge_rows");
  }

  bool tolerated(std::int64_t violations) const {
    if (!check_.max_violations) {
      return false;
    }
    const double most =
        check_.max_violations->percent
            ? check_.max_violations->amount / 100.0 * static_cast<double>(outcome_.record.rows)
            : check_.max_violations->amount;
    return static_cast<double>(violations) <= most;
  }

  void settle(std::int64_t violations, const std::string& detail, const std::string& samples) {
    CheckRecord& record = outcome_.record;
    record.violations = violations;
    record.detail = detail;
    if (violations == 0 || tolerated(violations)) {
      return;
    }
    const bool away = check_.on_violation == contracts::OnViolation::Quarantine &&
                      !bad_rows().empty() && !check_.max_violations;
    record.status = check_.severity == CheckSeverity::Fail && !away ? "fail" : "warn";
    outcome_.message = request_.label + ": " + contracts::describe_check(check_) + ": " + detail +
                       sample_text(samples);
  }

  bool samples() const {
    return check_.sample_values.value_or(engine_.workspace().project.engine.check_samples);
  }

  std::string sample_text(const std::string& sql) {
    if (sql.empty() || !samples()) {
      return "";
    }
    const db::ResultSet rows = staging_.query(
        "SELECT * FROM (" + sql + "\n) AS kedge_check LIMIT " + std::to_string(kSamples));
    std::string text;
    for (const db::Row& row : rows.rows) {
      std::string values;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string value = db::is_null(row[i]) ? "NULL" : db::to_text(row[i]);
        values += (values.empty() ? "" : ", ") + rows.columns[i].name + "=" +
                  std::string(base::truncate_utf8(value, 60));
      }
      text += (text.empty() ? "; sample: {" : "; {") + values + "}";
    }
    return text;
  }

  // Nothing is dropped without a trace: bad rows move, and are exported beside the run record.
  void quarantine(const std::string& condition, std::int64_t bad) {
    const std::string rejected = staging_table(request_.table + "__rejected");
    const std::string reason = quote_literal(contracts::describe_check(check_));
    const std::string rows =
        "SELECT *, " + reason + " AS _kedge_reason FROM " + table_ + " WHERE " + condition;
    staging_.execute("CREATE TABLE IF NOT EXISTS " + rejected + " AS SELECT * FROM (" + rows +
                     ") LIMIT 0; INSERT INTO " + rejected + " " + rows + "; DELETE FROM " + table_ +
                     " WHERE " + condition);
    const std::string folder = base::join_path(engine_.run_folder(), "rejected");
    engine_.world().files.make_folder(folder);
    const std::string entity = request_.on.substr(request_.on.find(':') + 1);
    staging_.execute("COPY (SELECT * FROM " + rejected + ") TO " +
                     quote_literal(base::join_path(folder, entity + ".parquet")) +
                     " (FORMAT parquet)");
    outcome_.quarantined = bad;
    outcome_.message += "; the row(s) were put into quarantine";
    if (outcome_.record.status == "pass") {
      outcome_.record.status = "warn";
      outcome_.message = request_.label + ": " + contracts::describe_check(check_) + ": " +
                         outcome_.record.detail + "; the row(s) were put into quarantine";
    }
  }

  const Engine& engine_;
  db::Connection& staging_;
  const CheckRequest& request_;
  const Check& check_;
  std::string table_;
  std::vector<contracts::ShapeColumn> columns_;
  bool remote_;
  CheckOutcome outcome_;
};

}  // namespace

CheckTable staged_check_table(db::Connection& staging, const std::string& name) {
  return {staging_table(name), describe_staged(staging, name), CheckDialect::Duckdb};
}

CheckOutcome run_check(const Engine& engine, db::Connection& connection,
                       const CheckRequest& request, const CheckTable& table) {
  return CheckRunner(engine, connection, request, table).run();
}

}  // namespace kedge::pipeline
