// Writes into databases (spec/contracts.md 12.3 to 12.6, 13.3): judge, then one transaction.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/render.h"
#include "pipeline/source.h"
#include "pipeline/write.h"
#include "pipeline/write_input.h"
#include "pipeline/write_sql.h"

namespace kedge::pipeline {
namespace {

using contracts::OnDelete;
using contracts::Strategy;
using contracts::Target;
using contracts::WriteColumn;

constexpr std::int64_t kDayMilliseconds = 24LL * 60 * 60 * 1000;

class DatabaseWrite {
 public:
  DatabaseWrite(const Engine& engine, const WriteSpec& write, WriteInput input)
      : engine_(engine),
        write_(write),
        input_(std::move(input)),
        columns_(input_.columns()),
        request_(judge_request(write, columns_)) {}

  WriteRecord run() {
    input_.check();
    const bool fresh = is_missing_file();
    try {
      target_ = engine_.open(write_.connection, Engine::Use::Write);
      input_.goes_to(*target_);
      judge();
      move();
    } catch (const Error& error) {
      const bool left = fresh && is_empty_and_own();
      target_.reset();
      if (left) {
        engine_.world().files.remove(database_file());
      }
      tell(error);
    }
    publish_alterations();
    return std::move(record_);
  }

 private:
  bool merges() const { return write_.strategy == Strategy::Merge; }
  bool is_d1() const { return target_->dialect() == schema::Dialect::D1; }
  System system() const { return request_.system; }
  std::string table() const { return quote_entity_for(system(), write_.entity); }

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

  // Holds the new file nothing, and can nobody else of this run have written into it?
  bool is_empty_and_own() {
    const auto& writes = engine_.workspace().writes;
    const auto here = std::count_if(writes.begin(), writes.end(), [&](const WriteSpec& write) {
      return write.connection == write_.connection;
    });
    if (here > 1 || !target_) {
      return false;
    }
    try {
      return query_count(*target_, target_->dialect() == schema::Dialect::Sqlite
                                       ? "SELECT count(*) FROM sqlite_master"
                                       : "SELECT count(*) FROM duckdb_tables()") == 0;
    } catch (const db::DatabaseError&) {
      return false;  // whatever it holds stays
    }
  }

  void judge() {
    existing_ = find_target(*target_, write_);
    if (!existing_) {
      judge_new();
      return;
    }
    const auto facts = input_.measure(contracts::columns_to_measure(request_, *existing_));
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
          {column.name, mapped->read_as, mapped->native, !key, false, "", false, ""});
      target_names_.push_back(column.name);
    }
    target.unique_keys = {write_.keys};
    contracts::WriteRequest request = request_;
    request.on_delete = OnDelete::None;
    request.policy = contracts::SchemaPolicy::FailOnChange;
    const auto facts = input_.measure(contracts::columns_to_measure(request, target));
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

  std::int64_t load(const schema::Name& name, const std::string& condition) {
    return input_.copy_to(*target_, name, target_names_, condition);
  }

  void move() {
    if (system() == System::Mysql) {
      move_mysql();
      return;
    }
    if (is_d1() && merges() && !record_.created) {
      merge_d1();
      return;
    }
    db::Transaction transaction(*target_);
    shape_target();
    move_rows();
    engine_.refuse_if_ended();
    transaction.commit();
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

  bool carries_texts() const {
    return system() == System::Duckdb &&
           std::any_of(columns_.begin(), columns_.end(),
                       [](const WriteColumn& c) { return is_carried_as_text(c.type); });
  }

  void move_rows() {
    const std::string condition = merges() ? input_.rows_written() : "";
    if (merges() && !record_.created) {
      merge_rows();
      return;
    }
    if (write_.strategy == Strategy::Replace && !record_.created) {
      target_->execute("DELETE FROM " + table());
    }
    if (system() == System::Mysql || carries_texts()) {
      load_side(condition);
      target_->execute(insert_side());
      target_->execute(drop_side_sql(system(), side()));
    } else {
      record_.rows = load(entity_name(write_.entity), condition);
    }
    record_.inserted = record_.rows;
  }

  std::string side() const { return quote_for(system(), side_name_); }

  // MySQL indexes no text without a length.
  bool has_indexable_keys() const {
    const std::vector<std::string> keys = target_keys();
    return merges() &&
           (system() != System::Mysql || !existing_ ||
            std::none_of(existing_->columns.begin(), existing_->columns.end(),
                         [&](const contracts::TargetColumn& column) {
                           const std::string native = base::to_lower(column.native);
                           const bool long_value = native.find("text") != std::string::npos ||
                                                   native.find("blob") != std::string::npos;
                           return long_value &&
                                  std::find(keys.begin(), keys.end(), column.name) != keys.end();
                         }));
  }

  TableSql table_sql() const {
    TableSql sql{system(), table(), target_names_, target_keys()};
    sql.indexed = has_indexable_keys() ? sql.keys : std::vector<std::string>();
    sql.temporary = !is_d1();
    return sql;
  }

  // What goes over to duckdb as text becomes itself again on insertion.
  std::string insert_side() const {
    if (!carries_texts()) {
      return insert_side_sql(table_sql(), side());
    }
    std::string list;
    std::string values;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string name = quote_name(target_names_[i]);
      const std::string type = contracts::type_name(contracts::underlying_type(columns_[i].type));
      list += (list.empty() ? "" : ", ") + name;
      values +=
          (values.empty() ? "" : ", ") +
          (is_carried_as_text(columns_[i].type) ? "CAST(" + name + " AS " + type + ")" : name);
    }
    return "INSERT INTO " + table() + " (" + list + ") SELECT " + values + " FROM " + side();
  }

  void load_side(const std::string& condition) {
    if (std::exchange(side_filled_, false)) {
      return;
    }
    target_->execute(drop_side_sql(system(), side()));
    if (carries_texts()) {
      std::vector<NewColumn> columns;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::string type = contracts::type_name(contracts::underlying_type(columns_[i].type));
        columns.push_back(
            {target_names_[i], is_carried_as_text(columns_[i].type) ? "VARCHAR" : type, false});
      }
      std::string sql = create_table_sql(system(), side(), columns, {});
      target_->execute("CREATE TEMP" + sql.substr(6));
    } else {
      target_->execute(create_side_sql(table_sql(), side()));
    }
    record_.rows = load({Identifier(), Identifier(side_name_)}, condition);
    if (const auto sql = index_side_sql(table_sql(), side())) {
      target_->execute(*sql);
    }
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

  // A merge reads its target before it writes. Two that both read first, in an engine that locks
  // the whole file (SQLite over ODBC), wait for each other until one gives up.
  void take_write_lock() {
    if (system() == System::Generic) {
      target_->execute("DELETE FROM " + table() + " WHERE 1 = 0");
    }
  }

  void merge_rows() {
    take_write_lock();
    load_side(input_.rows_written());
    const TableSql target = table_sql();
    record_.updated = query_count(*target_, count_sql(target, side(), DeleteWhere::KeyPresent));
    record_.inserted = record_.rows - record_.updated;
    for (const std::string& sql : merge_sql(target, side(), marker())) {
      target_->execute(sql);
    }
    if (input_.is_full()) {
      remove_rows(DeleteWhere::KeyAbsent);
      target_->execute(drop_side_sql(system(), side()));
    } else {
      target_->execute(drop_side_sql(system(), side()));
      remove_flagged();
    }
  }

  bool removes() const {
    return write_.on_delete == OnDelete::Delete || write_.on_delete == OnDelete::Soft;
  }

  void remove_rows(DeleteWhere where) {
    if (!removes()) {
      return;
    }
    const TableSql target = table_sql();
    const bool soft = write_.on_delete == OnDelete::Soft;
    const std::int64_t counted = is_d1() ? count_removed(target, where) : 0;
    const db::ResultSet done = target_->query(soft ? mark_sql(target, side(), where, stamp())
                                                   : delete_sql(target, side(), where));
    record_.deleted = is_d1() ? counted : done.affected;
  }

  // A batch of D1 does not tell what its statements touched: it is counted before.
  std::int64_t count_removed(const TableSql& target, DeleteWhere where) const {
    const bool has_marker =
        std::any_of(existing_->columns.begin(), existing_->columns.end(),
                    [](const contracts::TargetColumn& column) {
                      return base::to_lower(column.name) == contracts::kMarkerColumn;
                    });
    return query_count(*target_, write_.on_delete == OnDelete::Soft && has_marker
                                     ? count_unmarked_sql(target, side(), where)
                                     : count_sql(target, side(), where));
  }

  void remove_flagged() {
    if (!removes()) {
      return;
    }
    const std::int64_t written = record_.rows;
    if (is_d1()) {
      side_name_ = flagged_side();  // filled before the batch
    } else {
      load_side(input_.rows_flagged());
    }
    record_.rows = written;
    remove_rows(DeleteWhere::KeyPresent);
    target_->execute(drop_side_sql(system(), side()));
  }

  // D1 keeps no session from call to call: the rows wait in tables that all of the database see,
  // so the names are of this run and this write. The batch that changes the target drops them.
  void merge_d1() {
    side_name_ = own_side();
    try {
      fill_sides();
      db::Transaction transaction(*target_);
      shape_target();
      move_rows();
      engine_.refuse_if_ended();
      transaction.commit();
    } catch (const Error&) {
      drop_sides();
      throw;
    }
  }

  void fill_sides() {
    const std::vector<std::string> left = left_sides();
    db::Transaction transaction(*target_);
    for (const std::string& name : left) {
      target_->execute(drop_side_sql(system(), quote_for(system(), name)));
    }
    if (!input_.is_full() && removes()) {
      side_name_ = flagged_side();
      fill_altered_side(input_.rows_flagged());
      side_name_ = own_side();
    }
    fill_altered_side(input_.rows_written());
    transaction.commit();
  }

  void drop_sides() const {
    try {
      target_->execute(drop_side_sql(system(), quote_for(system(), flagged_side())) + ";\n" +
                       drop_side_sql(system(), quote_for(system(), own_side())));
    } catch (const Error&) {  // the first failure is told; a later run drops them
    }
  }

  std::string own_side() const {
    return side_name(system()) + "_" + engine_.run_id() + "_" +
           base::sha256_hex(write_.target).substr(0, 8);
  }
  std::string flagged_side() const { return own_side() + "_flagged"; }

  // D1 has no locks that would tell a killed run from a live one: what is a day old is left over.
  std::vector<std::string> left_sides() const {
    const std::string yesterday =
        base::format_utc_compact(engine_.world().clock.now_milliseconds() - kDayMilliseconds);
    const db::ResultSet found = target_->query(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB "
        "'_kedge_side_????????T?????????Z-*' AND name < " +
        quote_literal(side_name(system()) + "_" + yesterday) + " ORDER BY name");
    std::vector<std::string> names;
    for (const db::Row& row : found.rows) {
      names.push_back(db::to_text(row.at(0)));
    }
    return names;
  }

  // MySQL commits every DDL: rows go to a side table first, the target is altered last.
  void move_mysql() {
    if (record_.created) {
      create_mysql();
      return;
    }
    if (!record_.alterations.empty()) {
      fill_altered_side(input_.rows_written());
    }
    shape_target();
    db::Transaction transaction(*target_);
    move_rows();
    engine_.refuse_if_ended();
    transaction.commit();
  }

  // A side table with the columns as they will be once the target is altered.
  void fill_altered_side(const std::string& condition) {
    TableSql existing = table_sql();
    for (const contracts::Alteration& alteration : record_.alterations) {
      if (alteration.kind == contracts::AlterationKind::Added) {
        std::erase(existing.columns, alteration.column);
      }
    }
    target_->execute(drop_side_sql(system(), side()));
    target_->execute(create_side_sql(existing, side()));
    for (const contracts::Alteration& alteration : record_.alterations) {
      const auto sql = alter_sql(system(), side(), alteration);
      if (sql && alteration.kind != contracts::AlterationKind::Marker) {
        target_->execute(*sql);
      }
    }
    record_.rows = load({Identifier(), Identifier(side_name_)}, condition);
    if (const auto sql = index_side_sql(table_sql(), side())) {
      target_->execute(*sql);
    }
    side_filled_ = true;
  }

  // A killed run leaves its table behind; a session of a live one holds the lock of its name.
  void sweep_mysql(const std::string& own) {
    const auto locks = [&](const std::string& name) {
      return query_count(*target_, "SELECT GET_LOCK(" + quote_literal(name) + ", 0)") == 1;
    };
    locks(own);
    const db::ResultSet left = target_->query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = database() AND "
        "table_name LIKE '\\_kedge\\_new\\_%'");
    for (const db::Row& row : left.rows) {
      const std::string name = db::to_text(row.at(0));
      if (name == own || locks(name)) {
        target_->execute("DROP TABLE IF EXISTS " + quote_for(system(), name));
      }
    }
  }

  void create_mysql() {
    const std::string name = "_kedge_new_" + engine_.run_id().substr(0, 18) + "_" +
                             base::sha256_hex(write_.target).substr(0, 8);
    const std::string aside = quote_for(system(), name);
    sweep_mysql(name);
    target_->execute(create_sql(aside));
    try {
      {
        db::Transaction transaction(*target_);
        record_.rows = load({Identifier(), Identifier(name)}, input_.rows_written());
        transaction.commit();
      }
      engine_.refuse_if_ended();
      target_->execute("RENAME TABLE " + aside + " TO " + table());
    } catch (const Error&) {
      engine_.let_finish(*target_);
      target_->execute("DROP TABLE IF EXISTS " + aside);
      throw;
    }
    record_.inserted = record_.rows;
  }

  // What MySQL has committed already; empty: the target is as it was.
  std::string alteration_kept() const {
    return altered_ && system() == System::Mysql ? "the target was altered: " + alterations_text()
                                                 : "";
  }

  [[noreturn]] void tell(const Error& error) {
    const auto* failure = dynamic_cast<const db::DatabaseError*>(&error);
    const bool lock = failure != nullptr && failure->failure() == db::FailureClass::Lock;
    const bool told = error.problem().code.name().starts_with("PZ") && !lock;
    const bool ended = error.problem().code == codes::ERR_CANCELLED;
    if (failure != nullptr && !told && !ended) {
      fail(*failure);
    }
    Problem problem = error.problem();
    if (const std::string kept = alteration_kept(); !kept.empty()) {
      problem.hint = kept;
    }
    if (failure != nullptr) {
      throw db::DatabaseError(std::move(problem), failure->failure(), failure->native_code());
    }
    throw Error(std::move(problem));
  }

  [[noreturn]] void fail(const db::DatabaseError& error) {
    const Workspace& workspace = engine_.workspace();
    const std::string text = error.problem().notes.empty() ? workspace.hide(error.problem().message)
                                                           : workspace.said(error);
    std::string message = "target '" + write_.target + "': " + text.substr(0, text.find('\n'));
    if (const std::string kept = alteration_kept(); !kept.empty()) {
      message += "; " + kept;
    }
    Code code = codes::PZ0501;
    if (error.failure() == db::FailureClass::Data || error.failure() == db::FailureClass::Schema) {
      code = codes::PZ0811;
    } else if (error.failure() == db::FailureClass::Permission ||
               error.problem().code == codes::ERR_READ_ONLY) {
      code = codes::PZ0531;
    } else if (error.failure() == db::FailureClass::Lock) {
      code = codes::PZ0533;
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
  WriteInput input_;
  std::vector<WriteColumn> columns_;
  contracts::WriteRequest request_;
  Engine::Held target_;
  std::optional<Target> existing_;
  std::vector<contracts::TargetColumn> new_columns_;
  std::vector<std::string> target_names_;
  WriteRecord record_;
  bool altered_ = false;
  std::string side_name_ = side_name(request_.system);
  bool side_filled_ = false;  // the side table has the rows already
};

}  // namespace

WriteRecord write_from_remote(const Engine& engine, const WriteSpec& write,
                              db::Connection& connection, const RemoteStage& stage) {
  return DatabaseWrite(engine, write, WriteInput(engine, write, connection, stage)).run();
}

WriteRecord write_database(const Engine& engine, const WriteSpec& write, db::Connection& staging) {
  return DatabaseWrite(engine, write, WriteInput(engine, write, staging)).run();
}

}  // namespace kedge::pipeline
