// Writes into databases (spec/contracts.md 12.3 to 12.6, 13.3): judge, then one transaction.
#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "db/bulk.h"
#include "kedge/codes.h"
#include "pipeline/render.h"
#include "pipeline/source.h"
#include "pipeline/write.h"
#include "pipeline/write_sql.h"

namespace kedge::pipeline {
namespace {

using contracts::OnDelete;
using contracts::Strategy;
using contracts::Target;
using contracts::ValueFacts;
using contracts::WriteColumn;

class DatabaseWrite {
 public:
  DatabaseWrite(const Engine& engine, const WriteSpec& write, db::Connection& staging)
      : engine_(engine),
        write_(write),
        staging_(staging),
        name_(engine.workspace().pipelines[write.pipeline].name),
        columns_(write_columns(write, staged_columns(staging, name_))),
        request_(judge_request(write, columns_)) {}

  // Push-down: what is staged lies in the target's own database.
  DatabaseWrite(const Engine& engine, const WriteSpec& write, db::Connection& staging,
                const RemoteStage& remote)
      : engine_(engine),
        write_(write),
        staging_(staging),
        remote_(remote.table),
        columns_(write_columns(write, remote.columns)),
        request_(judge_request(write, columns_)) {}

  WriteRecord run() {
    check_keys();
    check_empty_input();
    const bool fresh = is_missing_file();
    try {
      target_ = engine_.open(write_.connection, Engine::Use::Write);
      const Engine::Running running(engine_, *target_);
      judge();
      move();
    } catch (const Error&) {
      target_.reset();
      if (fresh) {
        engine_.world().files.remove(database_file());
      }
      throw;
    }
    return std::move(record_);
  }

 private:
  bool merges() const { return write_.strategy == Strategy::Merge; }
  System system() const { return request_.system; }
  std::string table() const { return quote_entity_for(system(), write_.entity); }
  std::string staged() const { return remote_.empty() ? staging_table(name_) : remote_; }

  std::string database_file() const {
    const auto options =
        engine_.workspace().connection(write_.connection).settings(engine_.world().folder);
    const auto path = options.find("path");
    const bool file = write_.connector == "sqlite" || write_.connector == "duckdb";
    return file && path != options.end() ? path->second : "";
  }
  bool is_missing_file() const {
    const std::string file = database_file();
    return !file.empty() && !engine_.world().files.kind(file);
  }

  const WriteColumn* find_column(const std::string& name) const {
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const WriteColumn& c) { return c.name == name; });
    return found == columns_.end() ? nullptr : &*found;
  }

  std::string key_list() const {
    std::string list;
    for (const std::string& key : write_.keys) {
      list += (list.empty() ? "" : ", ") + quote_name(key);
    }
    return list;
  }

  // Before the target is opened: keys that are missing, NULL or there more than once.
  void check_keys() {
    if (!merges()) {
      return;
    }
    for (const std::string& key : write_.keys) {
      if (find_column(key) == nullptr) {
        throw Error(codes::PZ0209, "target '" + write_.target + "': key '" + key +
                                       "' is not a column of the write");
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
    if (groups > 0) {
      warn_duplicates(groups, db::to_integer(doubles.rows.at(0).at(1)).value_or(0));
    }
  }

  void warn_duplicates(std::int64_t groups, std::int64_t surplus) {
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

  // An empty full read would delete every row of the target.
  void check_empty_input() {
    const bool acts = write_.on_delete == OnDelete::Delete || write_.on_delete == OnDelete::Soft;
    const bool allowed =
        std::any_of(write_.checks.begin(), write_.checks.end(), [](const contracts::Check& check) {
          return check.type == contracts::CheckType::RowCount && check.minimum == "0";
        });
    if (acts && write_.delete_flag.empty() && !allowed &&
        query_count(staging_, "SELECT count(*) FROM " + staged()) == 0) {
      throw Error(codes::PZ0337,
                  "target '" + write_.target + "': the input has no rows, so on_delete: " +
                      contracts::to_string(write_.on_delete) + " would empty it",
                  "declare expect: {row_count: {min: 0}} on the write if that is meant");
    }
  }

  std::string rows_written() const {
    return write_.delete_flag.empty()
               ? ""
               : " WHERE NOT coalesce(" + quote_name(write_.delete_flag) + ", false)";
  }

  std::map<std::string, ValueFacts> measure(const std::vector<std::string>& names) {
    std::map<std::string, ValueFacts> facts;
    std::string list;
    std::vector<std::string> measured;
    for (const WriteColumn& column : columns_) {
      const std::string quoted = quote_name(column.name);
      const std::string range =
          remote_.empty() ? range_condition(system(), quoted, column.type) : "";
      const bool asked = std::find(names.begin(), names.end(), column.name) != names.end();
      if (!asked && range.empty()) {
        continue;
      }
      const bool text =
          column.type.kind == schema::TypeKind::Text || column.type.kind == schema::TypeKind::Enum;
      list += (list.empty() ? "" : ", ") + ("count(*) - count(" + quoted + "), ") +
              (text ? "coalesce(max(length(CAST(" + quoted + " AS VARCHAR))), 0)" : "0") + ", " +
              (range.empty() ? "0" : "count(*) FILTER (WHERE " + range + ")");
      measured.push_back(column.name);
    }
    if (measured.empty()) {
      return facts;
    }
    const db::Row row =
        staging_.query("SELECT " + list + " FROM " + staged() + rows_written()).rows.at(0);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto number = [&](std::size_t at) {
        return db::to_integer(row.at(i * 3 + at)).value_or(0);
      };
      facts[measured[i]] = {number(0), number(1), number(2)};
    }
    return facts;
  }

  void judge() {
    existing_ = find_target(*target_, write_.entity);
    if (!existing_) {
      judge_new();
      return;
    }
    const auto facts = measure(contracts::columns_to_measure(request_, *existing_));
    const contracts::WriteVerdict verdict = contracts::judge_write(request_, *existing_, facts);
    if (!verdict.mismatches.empty()) {
      throw Error(contracts::refusal(request_, verdict));
    }
    record_.alterations = verdict.alterations;
    target_names_ = verdict.target_names;
  }

  // Nothing to compare with: types must map, and values must fit the new columns.
  void judge_new() {
    Target target;
    for (const WriteColumn& column : columns_) {
      const bool key = merges() && std::find(write_.keys.begin(), write_.keys.end(), column.name) !=
                                       write_.keys.end();
      const auto mapped = contracts::target_type(
          system(), column.type, key ? contracts::ColumnUse::Key : contracts::ColumnUse::Plain);
      if (!mapped) {
        throw Error(codes::PZ0802, "target '" + write_.target + "': column '" + column.name +
                                       "' has type " + contracts::type_name(column.type) +
                                       ", which has no mapping on the target");
      }
      target.columns.push_back(
          {column.name, mapped->read_as, mapped->native, !key, false, "", false});
      target_names_.push_back(column.name);
    }
    target.unique_keys = {write_.keys};
    contracts::WriteRequest request = request_;
    request.on_delete = OnDelete::None;
    request.policy = contracts::SchemaPolicy::FailOnChange;
    const auto facts = measure(contracts::columns_to_measure(request, target));
    const contracts::WriteVerdict verdict = contracts::judge_write(request, target, facts);
    if (!verdict.mismatches.empty()) {
      throw Error(contracts::refusal(request, verdict));
    }
    record_.created = true;
    new_columns_ = target.columns;
  }

  std::vector<std::string> target_keys() const {
    std::vector<std::string> keys;
    for (const std::string& key : write_.keys) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].name == key) {
          keys.push_back(target_names_.at(i));
        }
      }
    }
    return keys;
  }

  std::string create_sql(const std::string& quoted_table) const {
    std::vector<NewColumn> columns;
    for (const contracts::TargetColumn& column : new_columns_) {
      columns.push_back({column.name, column.native, !column.nullable});
    }
    if (write_.on_delete == OnDelete::Soft) {
      columns.push_back(
          {std::string(contracts::kMarkerColumn), contracts::marker_type(system()), false});
    }
    return create_table_sql(system(), quoted_table, columns,
                            merges() ? write_.keys : std::vector<std::string>{});
  }

  // The SELECT that hands the staged rows over.
  std::string export_sql(const std::string& flag_condition) const {
    std::string list;
    for (const WriteColumn& column : columns_) {
      std::string value = quote_name(column.name);
      if (!write_.contract.empty()) {
        value = "CAST(" + value + " AS " +
                contracts::type_name(contracts::underlying_type(column.type)) + ")";
      }
      list += (list.empty() ? "" : ", ") + export_expression(system(), value, column.type);
    }
    const bool table =
        engine_.workspace().pipelines[write_.pipeline].materialization == Materialization::Table;
    std::string sql = "SELECT " + list + " FROM ";
    if (merges()) {
      const std::string order = table ? "rowid" : "kedge_row";
      const std::string from =
          table ? staged() : "(SELECT *, row_number() OVER () AS kedge_row FROM " + staged() + ")";
      return sql + from + flag_condition + " QUALIFY row_number() OVER (PARTITION BY " +
             key_list() + " ORDER BY " + order + " DESC) = 1";
    }
    return sql + staged() + flag_condition;
  }

  // Rows that never leave their database; the last of equal keys wins here too.
  std::int64_t load_remote(const schema::Name& name, const std::string& condition) {
    std::string list;
    std::string values;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      list += (i == 0 ? "" : ", ") + quote_name(target_names_[i]);
      values += (i == 0 ? "" : ", ") + quote_name(columns_[i].name);
    }
    const std::string table =
        name.schema.empty() ? quote_name(name.name.text())
                            : quote_name(name.schema.text()) + "." + quote_name(name.name.text());
    const std::string order = merges() ? " ORDER BY " + key_list() + ", _kedge_row DESC" : "";
    return target_
        ->query("INSERT INTO " + table + " (" + list + ") SELECT " +
                (merges() ? "DISTINCT ON (" + key_list() + ") " : "") + values + " FROM " +
                staged() + condition + order)
        .affected;
  }

  std::int64_t load(const schema::Name& name, const std::string& condition) {
    if (!remote_.empty()) {
      return load_remote(name, condition);
    }
    db::ReadOptions options;
    options.rows = static_cast<std::size_t>(engine_.workspace().project.engine.chunk_rows);
    return db::copy_rows(staging_, export_sql(condition), *target_, {name, target_names_}, options);
  }

  void move() {
    try {
      if (system() == System::Mysql) {
        move_mysql();
      } else {
        db::Transaction transaction(*target_);
        shape_target();
        move_rows();
        transaction.commit();
      }
    } catch (const db::DatabaseError& error) {
      fail(error);
    }
    publish_alterations();
  }

  void shape_target() {
    if (record_.created) {
      target_->execute(create_sql(table()));
      return;
    }
    for (const contracts::Alteration& alteration : record_.alterations) {
      if (const auto sql = alter_sql(system(), table(), alteration)) {
        target_->execute(*sql);
        altered_ = true;
      }
    }
  }

  bool has_nested() const {
    return system() == System::Duckdb &&
           std::any_of(columns_.begin(), columns_.end(),
                       [](const WriteColumn& c) { return !c.type.element.empty(); });
  }

  void move_rows() {
    if (merges()) {
      merge_rows();
      return;
    }
    if (write_.strategy == Strategy::Replace && !record_.created) {
      target_->execute("DELETE FROM " + table());
    }
    if (system() == System::Mysql || has_nested()) {
      load_side("");
      target_->execute(insert_side());
      target_->execute(drop_side_sql(system(), side()));
    } else {
      record_.rows = load(entity_name(write_.entity), "");
    }
    record_.inserted = record_.rows;
  }

  std::string side() const { return quote_for(system(), "_kedge_side"); }

  TableSql table_sql() const { return {system(), table(), target_names_, target_keys()}; }

  // Nested values of duckdb go over as JSON text and become themselves again on insertion.
  std::string insert_side() const {
    if (!has_nested()) {
      return insert_side_sql(table_sql(), side());
    }
    std::string list;
    std::string values;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string name = quote_name(target_names_[i]);
      const std::string type = contracts::type_name(contracts::underlying_type(columns_[i].type));
      list += (list.empty() ? "" : ", ") + name;
      values +=
          (values.empty() ? "" : ", ") + (columns_[i].type.element.empty()
                                              ? name
                                              : "CAST(CAST(" + name + " AS JSON) AS " + type + ")");
    }
    return "INSERT INTO " + table() + " (" + list + ") SELECT " + values + " FROM " + side();
  }

  void load_side(const std::string& condition) {
    target_->execute(drop_side_sql(system(), side()));
    if (has_nested()) {
      std::vector<NewColumn> columns;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool nested = !columns_[i].type.element.empty();
        columns.push_back({target_names_[i],
                           nested
                               ? "VARCHAR"
                               : contracts::type_name(contracts::underlying_type(columns_[i].type)),
                           false});
      }
      std::string sql = create_table_sql(system(), side(), columns, {});
      target_->execute("CREATE TEMP" + sql.substr(6));
    } else {
      target_->execute(create_side_sql(table_sql(), side()));
    }
    record_.rows = load({Identifier(), Identifier("_kedge_side")}, condition);
  }

  std::string marker() const {
    return write_.on_delete == OnDelete::Soft ? std::string(contracts::kMarkerColumn) : "";
  }

  // The run's start as the marker's type writes it.
  std::string stamp() const {
    std::string text = base::replace_all(engine_.started_at().substr(0, 23), "T", " ");
    const bool zone =
        system() == System::Postgres || system() == System::Sqlite || system() == System::Duckdb;
    return text + (zone ? "+00" : "");
  }

  void merge_rows() {
    load_side(rows_written());
    const TableSql target = table_sql();
    record_.updated = query_count(*target_, count_matches_sql(target, side()));
    record_.inserted = record_.rows - record_.updated;
    for (const std::string& sql : merge_sql(target, side(), marker())) {
      target_->execute(sql);
    }
    if (write_.delete_flag.empty()) {
      remove_rows(DeleteWhere::KeyAbsent);
      target_->execute(drop_side_sql(system(), side()));
    } else {
      target_->execute(drop_side_sql(system(), side()));
      remove_flagged();
    }
  }

  void remove_rows(DeleteWhere where) {
    const TableSql target = table_sql();
    if (write_.on_delete == OnDelete::Delete) {
      record_.deleted = target_->query(delete_sql(target, side(), where)).affected;
    } else if (write_.on_delete == OnDelete::Soft) {
      record_.deleted = target_->query(mark_sql(target, side(), where, stamp())).affected;
    }
  }

  void remove_flagged() {
    if (write_.on_delete == OnDelete::None || write_.on_delete == OnDelete::Ignore) {
      return;
    }
    const std::int64_t written = record_.rows;
    load_side(" WHERE coalesce(" + quote_name(write_.delete_flag) + ", false)");
    record_.rows = written;
    remove_rows(DeleteWhere::KeyPresent);
    target_->execute(drop_side_sql(system(), side()));
  }

  // MySQL commits every DDL: rows go to a side table first, the target is altered last.
  void move_mysql() {
    if (record_.created) {
      create_mysql();
      return;
    }
    shape_target();
    db::Transaction transaction(*target_);
    move_rows();
    transaction.commit();
  }

  void create_mysql() {
    const std::string aside = quote_for(system(), "_kedge_new_" + engine_.run_id().substr(0, 18));
    const std::string name = "_kedge_new_" + engine_.run_id().substr(0, 18);
    target_->execute("DROP TABLE IF EXISTS " + aside);
    target_->execute(create_sql(aside));
    try {
      {
        db::Transaction transaction(*target_);
        record_.rows = load({Identifier(), Identifier(name)}, rows_written());
        transaction.commit();
      }
      target_->execute("RENAME TABLE " + aside + " TO " + table());
    } catch (const Error&) {
      target_->execute("DROP TABLE IF EXISTS " + aside);
      throw;
    }
    record_.inserted = record_.rows;
  }

  [[noreturn]] void fail(const db::DatabaseError& error) {
    const std::string text = engine_.workspace().hide(
        error.problem().notes.empty() ? error.problem().message : error.driver_message());
    std::string message = "target '" + write_.target + "': " + text.substr(0, text.find('\n'));
    if (altered_ && system() == System::Mysql) {
      message += "; the target was altered: " + alterations_text();
    }
    Code code = codes::PZ0501;
    if (error.failure() == db::FailureClass::Data || error.failure() == db::FailureClass::Schema) {
      code = codes::PZ0811;
    } else if (error.failure() == db::FailureClass::Permission) {
      code = codes::PZ0531;
    } else if (error.failure() == db::FailureClass::Lock) {
      code = codes::PZ0533;
    } else if (error.failure() == db::FailureClass::Resource) {
      code = codes::PZ0532;
    }
    throw db::DatabaseError({code, message, std::nullopt, "", error.problem().notes},
                            error.failure(), error.native_code());
  }

  std::string alterations_text() const {
    std::vector<std::string> texts;
    for (const contracts::Alteration& alteration : record_.alterations) {
      texts.push_back(contracts::alteration_text(alteration));
    }
    return base::join(texts, "; ");
  }

  void publish_alterations() {
    if (record_.alterations.empty()) {
      return;
    }
    for (const contracts::Alteration& alteration : record_.alterations) {
      engine_.say(write_.target + ": " + contracts::alteration_text(alteration));
    }
    document::Json fields;
    fields.set("target", write_.target);
    fields.set("alterations", to_json(record_.alterations));
    engine_.publish("target_evolved", fields);
  }

  const Engine& engine_;
  const WriteSpec& write_;
  db::Connection& staging_;
  std::string name_;
  std::string remote_;  // push-down: the staged table, quoted
  std::vector<WriteColumn> columns_;
  contracts::WriteRequest request_;
  std::unique_ptr<db::Connection> target_;
  std::optional<Target> existing_;
  std::vector<contracts::TargetColumn> new_columns_;
  std::vector<std::string> target_names_;
  WriteRecord record_;
  bool altered_ = false;
};

}  // namespace

WriteRecord write_from_remote(const Engine& engine, const WriteSpec& write,
                              db::Connection& connection, const RemoteStage& stage) {
  return DatabaseWrite(engine, write, connection, stage).run();
}

WriteRecord write_database(const Engine& engine, const WriteSpec& write, db::Connection& staging) {
  return DatabaseWrite(engine, write, staging).run();
}

}  // namespace kedge::pipeline
