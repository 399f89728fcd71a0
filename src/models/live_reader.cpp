#include "models/live_reader.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dialect/buckets.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "models/cascade.h"
#include "sql/analysis.h"

namespace kedge::models {
namespace {

Code failure_code(const Error& error) {
  if (const auto* database = dynamic_cast<const db::DatabaseError*>(&error)) {
    switch (database->failure()) {
      case db::FailureClass::Permission:
        return codes::permission_denied;
      case db::FailureClass::Timeout:
        return codes::timeout;
      case db::FailureClass::Connection:
        return codes::connection_failed;
      case db::FailureClass::Schema:
      case db::FailureClass::Data:
      case db::FailureClass::Cancelled:
      case db::FailureClass::Resource:
      case db::FailureClass::Lock:
      case db::FailureClass::Other:
        break;
    }
    return error.code() == codes::ERR_CONNECT ? codes::connection_failed
                                              : codes::introspection_failed;
  }
  return error.code() == codes::ERR_CONNECT || error.code() == codes::ERR_CONFIG
             ? codes::connection_failed
             : codes::introspection_failed;
}

std::string driver_words(const Error& error) {
  return error.problem().notes.empty() ? error.problem().message : error.problem().notes[0].text;
}

bool is_schema_failure(const Error& error) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  return database && database->failure() == db::FailureClass::Schema;
}

// Reads one data source over one connection.
class LiveReader {
 public:
  LiveReader(db::Connection& connection, const ReadRequest& request)
      : connection_(&connection), live_dialect_(connection.dialect()), request_(request) {}
  // Without a database: what is known is all there is.
  explicit LiveReader(const ReadRequest& request)
      : live_dialect_(request.known->engine.dialect), request_(request) {}

  LiveReading read() {
    reading_.source.dialect = request_.source.dialect;
    refuse_empty_file();
    introspect();
    find_forbidden();
    for (const LoadedModel& loaded : request_.models.models) {
      if (loaded.model.data_source == request_.source.name &&
          loaded.model.mode() != SourceMode::Queries &&
          in_scope(request_.scope, loaded.model, loaded.dialect)) {
        add_shape(loaded.model);
      }
    }
    if (request_.depth == Depth::Deep) {
      try_candidates();
    }
    return std::move(reading_);
  }

 private:
  // An empty sqlite file is one that something has just made: every table would look gone.
  void refuse_empty_file() {
    if (connection_ == nullptr || request_.source.dialect != SqlDialect::Sqlite) {
      return;
    }
    const db::ResultSet pages = connection_->query("PRAGMA page_count");
    if (!pages.rows.empty() && db::to_integer(pages.rows[0][0]).value_or(1) == 0) {
      throw Error(codes::ERR_CONNECT,
                  "the database file of '" + request_.source.name + "' is empty");
    }
  }

  void introspect() {
    dialect::IntrospectScope scope;
    scope.definitions = false;
    if (request_.known != nullptr) {
      reading_.schema = *request_.known;
    } else if (request_.catalogs != nullptr) {
      reading_.schema =
          *request_.catalogs->read(*connection_, request_.source.settings, dialect::Detail::Shapes);
    } else {
      reading_.schema = dialect::get_dialect(live_dialect_).introspect(*connection_, scope);
    }
    for (const schema::Table& table : reading_.schema.tables) {
      LiveColumns columns;
      columns.reserve(table.columns.size());
      for (const schema::Column& column : table.columns) {
        columns.push_back(live_column(column.name.text(), column.type));
      }
      add_relation(table.name, std::move(columns));
    }
    for (const schema::View& view : reading_.schema.views) {
      LiveColumns columns;
      for (const schema::ViewColumn& column : view.columns) {
        columns.push_back(live_column(column.name.text(), column.type));
      }
      add_relation(view.name, std::move(columns));
    }
    std::sort(reading_.source.relations.begin(), reading_.source.relations.end(),
              [](const LiveRelation& a, const LiveRelation& b) { return a.name < b.name; });
    for (const LiveRelation& relation : reading_.source.relations) {
      relations_.emplace(relation_key(relation.name.schema.text(), relation.name.name.text()),
                         &relation);
    }
  }

  void add_relation(const schema::Name& name, LiveColumns columns) {
    reading_.source.relations.push_back(
        {name, std::make_shared<const LiveColumns>(std::move(columns))});
  }

  LiveColumn live_column(const std::string& name, const schema::Type& type) const {
    const dialect::ColumnClass column_class =
        is_odbc() && !type.native.empty()
            ? dialect::column_class(to_string(request_.source.dialect), type.native)
            : dialect::column_class(live_dialect_, type);
    return {name, dialect::bucket_of(column_class),
            type.native.empty() ? schema::to_string(type) : type.native};
  }

  LiveColumn live_column(const db::ResultColumn& column) const {
    LiveColumn live = live_column(column.name, column.type);
    if (!column.native_type.empty()) {
      const std::string name = to_string(request_.source.dialect);
      live.bucket = dialect::bucket_of(dialect::column_class(name, column.native_type));
      live.type = column.native_type;
    } else if (column.type.kind == schema::TypeKind::Unknown) {
      live = {column.name, schema::Bucket::Undetermined, ""};
    }
    return live;
  }

  bool is_odbc() const { return live_dialect_ == schema::Dialect::Ansi; }

  std::string relation_key(std::string_view schema, std::string_view name) const {
    return live_key(request_.source.dialect, schema) + "." +
           live_key(request_.source.dialect, name);
  }

  // Relations that the catalog lists but that this user may not read.
  void find_forbidden() {
    if (connection_ == nullptr || live_dialect_ != schema::Dialect::Postgres) {
      return;
    }
    const db::ResultSet rows = connection_->query(
        "SELECT CASE WHEN n.nspname = current_schema() THEN '' ELSE n.nspname END, c.relname "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' "
        "AND n.nspname <> 'information_schema' "
        "AND NOT (pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
        "AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))");
    for (const db::Row& row : rows.rows) {
      forbidden_.emplace(relation_key(db::to_text(row[0]), db::to_text(row[1])), true);
    }
  }

  void add_shape(const Model& model) {
    LiveShape& shape = reading_.source.models[model.name];
    try {
      if (model.mode() == SourceMode::Sql) {
        shape = try_sql(model);
      } else {
        shape = find_table(model);
      }
    } catch (const Error& error) {
      shape = {LiveShape::State::Opaque, nullptr, driver_words(error)};
      reading_.failures.push_back(make_failure(request_.source.name, model.name, error));
    }
  }

  LiveShape find_table(const Model& model) {
    const RelationName name = *parse_relation(model.sql_table, dialect());
    if (name.catalog && connection_ == nullptr) {
      return {LiveShape::State::Opaque, nullptr, ""};
    }
    if (name.catalog) {
      return probe_table(model, false);  // of another database, which was not introspected
    }
    const std::string key = find_relation_key(name);
    if (forbidden_.contains(key)) {
      throw Error(codes::permission_denied,
                  "no right to read '" + model.sql_table + "' of model '" + model.name + "'");
    }
    const auto found = relations_.find(key);
    if (found != relations_.end() && !found->second->columns->empty()) {
      if (connection_ != nullptr && live_dialect_ == schema::Dialect::Mysql) {
        return confirm_columns(model, *found->second);
      }
      return {LiveShape::State::Present, found->second->columns, ""};
    }
    // The catalog may hide what the user has no right on, or what a search path leads to. The
    // database has the last word.
    return probe_table(model, found != relations_.end());
  }

  std::string find_relation_key(const RelationName& name) const {
    const auto keys = [&](const PhysicalName& part) {
      return written_key(dialect(), part.text, part.quoted);
    };
    const std::string table = keys(name.name);
    std::string schema = name.schema ? keys(*name.schema) : "";
    if (schema == live_key(dialect(), reading_.schema.default_schema.text())) {
      schema.clear();
    }
    return schema + "." + table;
  }

  LiveShape probe_table(const Model& model, bool listed) {
    if (connection_ == nullptr) {
      return {LiveShape::State::Missing, nullptr, ""};
    }
    std::optional<LiveColumns> columns = probe("SELECT * FROM " + model.sql_table + " WHERE 1=0");
    if (columns && !columns->empty()) {
      return {LiveShape::State::Present, std::make_shared<const LiveColumns>(std::move(*columns)),
              ""};
    }
    if (listed && !columns) {
      throw Error(codes::introspection_failed,
                  "the catalog lists '" + model.sql_table +
                      "' but the database refuses it: " + failure_words_);
    }
    if (columns) {
      throw Error(codes::introspection_failed,
                  "the catalog lists '" + model.sql_table + "' but gives no columns of it");
    }
    return {LiveShape::State::Missing, nullptr, ""};
  }

  // mysql lists only the columns that the user has a right on: what seems gone may be forbidden.
  LiveShape confirm_columns(const Model& model, const LiveRelation& relation) {
    LiveShape shape{LiveShape::State::Present, relation.columns, ""};
    const bool whole =
        std::all_of(model.columns.begin(), model.columns.end(), [&](const Column& column) {
          return !column.physical ||
                 std::any_of(relation.columns->begin(), relation.columns->end(),
                             [&](const LiveColumn& live) {
                               return base::equals_ignoring_case(live.name, column.physical->text);
                             });
        });
    if (whole) {
      return shape;
    }
    return probe_table(model, true);
  }

  LiveShape try_sql(const Model& model) {
    if (connection_ == nullptr) {
      return {LiveShape::State::Opaque, nullptr, ""};
    }
    const std::string inner = inner_sql(model.sql, dialect());
    const std::string text = dialect() == SqlDialect::Sqlserver
                                 ? inner
                                 : "SELECT * FROM (" + inner + "\n) AS _kedge_validate WHERE 1=0";
    failure_words_.clear();
    std::optional<LiveColumns> columns = probe(text);
    if (!columns) {
      return {LiveShape::State::Broken, nullptr, failure_words_};
    }
    return {LiveShape::State::Present, std::make_shared<const LiveColumns>(std::move(*columns)),
            ""};
  }

  // The columns of a zero-row SELECT; nothing when the database says that it is wrong. Every other
  // failure is thrown.
  std::optional<LiveColumns> probe(const std::string& sql) {
    try {
      LiveColumns columns;
      const std::vector<db::ResultColumn> described = dialect() == SqlDialect::Sqlserver
                                                          ? connection_->describe(sql)
                                                          : connection_->query(sql).columns;
      for (const db::ResultColumn& column : described) {
        columns.push_back(live_column(column));
      }
      return columns;
    } catch (const Error& error) {
      // A failed statement spoils the snapshot of some engines: go on in a new one.
      connection_->rollback();
      connection_->begin();
      if (!is_schema_failure(error)) {
        throw;
      }
      failure_words_ = driver_words(error);
      return std::nullopt;
    }
  }

  void try_candidates() {
    for (const DeepCandidate& candidate :
         find_deep_candidates(request_.models, request_.source.name, reading_.source)) {
      if (is_accepted(candidate)) {
        reading_.accepted.push_back(candidate);
      }
    }
  }

  // What cannot be tried counts as working: the deep check never guesses.
  bool is_accepted(const DeepCandidate& candidate) {
    const Model* source = find_model(candidate.source_model);
    const Model* holder = find_model(candidate.text_model);
    if (!source || !holder) {
      return true;
    }
    try {
      return works(candidate.reference, *source) || works(candidate.text, *holder);
    } catch (const Error& error) {
      reading_.failures.push_back(make_failure(request_.source.name, candidate.text_model, error));
      return true;
    }
  }

  bool works(const std::string& expression, const Model& model) {
    const std::string from = model.mode() == SourceMode::Table
                                 ? model.sql_table + " AS " + model.name
                                 : "(" + inner_sql(model.sql, dialect()) + "\n) AS " + model.name;
    return probe("SELECT " + expression + "\nFROM " + from + " WHERE 1=0").has_value();
  }

  const Model* find_model(const std::string& name) const {
    for (const LoadedModel& loaded : request_.models.models) {
      if (loaded.model.data_source == request_.source.name && loaded.model.name == name) {
        return loaded.model.mode() == SourceMode::Queries ? nullptr : &loaded.model;
      }
    }
    return nullptr;
  }

  SqlDialect dialect() const { return request_.source.dialect; }

  db::Connection* connection_ = nullptr;
  schema::Dialect live_dialect_;
  const ReadRequest& request_;
  LiveReading reading_;
  std::unordered_map<std::string, const LiveRelation*> relations_;
  std::unordered_map<std::string, bool> forbidden_;
  std::string failure_words_;
};

}  // namespace

CheckFailure make_failure(const std::string& data_source, const std::string& model,
                          const Error& error) {
  std::string message = error.problem().message;
  if (!error.problem().notes.empty() && error.problem().notes[0].text != message) {
    message += ": " + error.problem().notes[0].text;
  }
  const bool own =
      error.code() == codes::permission_denied || error.code() == codes::introspection_failed;
  const Code code = own ? error.code() : failure_code(error);
  return {data_source, model, std::string(code.name()), std::move(message)};
}

std::string inner_sql(const std::string& sql, SqlDialect dialect) {
  const std::vector<sql::Statement> statements = sql::split_statements(sql, analysed_as(dialect));
  return statements.empty() ? sql : std::string(statements.front().text(sql));
}

LiveReading read_known(const ReadRequest& request) {
  return LiveReader(request).read();
}

LiveReading read_live(const db::Registry& registry, const ReadRequest& request) {
  try {
    const std::unique_ptr<db::Connection> connection = registry.connect(request.source.settings);
    // One snapshot for catalog and trials; it only ever reads, so it is never committed.
    connection->begin();
    LiveReading reading = LiveReader(*connection, request).read();
    connection->rollback();
    return reading;
  } catch (const Error& error) {
    LiveReading reading;
    reading.source.dialect = request.source.dialect;
    reading.failed = true;
    reading.failures.push_back(make_failure(request.source.name, "", error));
    return reading;
  }
}

}  // namespace kedge::models
