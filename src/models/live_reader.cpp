#include "models/live_reader.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "models/cascade.h"
#include "models/sight.h"
#include "models/trials.h"
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

// Reads one data source over one connection.
class LiveReader {
 public:
  LiveReader(db::Connection& connection, const db::Registry& registry, const ReadRequest& request)
      : connection_(&connection),
        registry_(&registry),
        engine_(connection.dialect()),
        request_(request),
        prober_(Prober(connection, request.source.dialect)) {}
  // Without a database: what is known is all there is.
  explicit LiveReader(const ReadRequest& request)
      : engine_(request.known->engine.dialect), request_(request) {}

  LiveReading read() {
    reading_.source.dialect = request_.source.dialect;
    refuse_empty_file();
    introspect();
    look_around();
    index_relations();
    std::vector<const Model*> trials;
    for (const LoadedModel& loaded : request_.models.models) {
      const Model& model = loaded.model;
      if (model.data_source != request_.source.name || model.mode() == SourceMode::Queries ||
          !in_scope(request_.scope, loaded, reading_.source)) {
        continue;
      }
      if (model.mode() == SourceMode::Sql) {
        trials.push_back(&model);
      } else {
        add_table(model);
      }
    }
    add_trials(trials);
    if (request_.depth == Depth::Deep && connection_ != nullptr) {
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
      reading_.schema = dialect::get_dialect(engine_).introspect(*connection_, scope);
    }
    reading_.source.default_schema = reading_.schema.default_schema.text();
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
    if (reading_.source.relations.empty() && may_be_made_on_demand()) {
      throw Error(codes::introspection_failed, "the catalog of '" + request_.source.name +
                                                   "' lists no table at all, as an empty "
                                                   "database made a moment ago would");
    }
    std::sort(reading_.source.relations.begin(), reading_.source.relations.end(),
              [](const LiveRelation& a, const LiveRelation& b) { return a.name < b.name; });
  }

  void index_relations() {
    for (const LiveRelation& relation : reading_.source.relations) {
      const std::string key = keys().of(relation.name);
      relations_.emplace(key, &relation);
      if (connection_ == nullptr) {
        folded_.emplace(live_key(dialect(), key), &relation);
      }
    }
  }

  // Some ODBC drivers make the file that they do not find, and so does wrangler.
  bool may_be_made_on_demand() const {
    return connection_ != nullptr &&
           (engine_ == schema::Dialect::Ansi || engine_ == schema::Dialect::D1);
  }

  void add_relation(const schema::Name& name, LiveColumns columns) {
    reading_.source.relations.push_back(
        {name, std::make_shared<const LiveColumns>(std::move(columns))});
  }

  LiveColumn live_column(const std::string& name, const schema::Type& type) const {
    return {name, bucket_of(type, engine_, request_.source.dialect),
            type.native.empty() ? schema::to_string(type) : type.native};
  }

  void look_around() {
    if (connection_ == nullptr) {
      return;
    }
    try {
      reading_.source.sight =
          read_sight(*connection_, dialect(), reading_.schema.default_schema.text());
    } catch (const Error& error) {
      // Behind ODBC stands what only resembles PostgreSQL: it has not all of its functions.
      if (engine_ != schema::Dialect::Ansi || !is_schema_failure(error)) {
        throw;
      }
      connection_->rollback();
      connection_->begin();
    }
    prober_->set_hidden(sight().hidden);
  }

  void add_table(const Model& model) {
    try {
      reading_.source.models[model.name] = find_table(model);
    } catch (const Error& error) {
      reading_.source.models[model.name] = {LiveShape::State::Opaque, nullptr, driver_words(error)};
      reading_.failures.push_back(make_failure(request_.source.name, model.name, error));
    }
  }

  void add_trials(const std::vector<const Model*>& models) {
    if (connection_ == nullptr) {
      for (const Model* model : models) {
        reading_.source.models[model->name] = {LiveShape::State::Opaque, nullptr, ""};
      }
      return;
    }
    std::vector<Trial> trials =
        try_sql_models(models, *prober_, *registry_, request_.source.settings, dialect());
    for (std::size_t number = 0; number < models.size(); ++number) {
      reading_.source.models[models[number]->name] = std::move(trials[number].shape);
      if (trials[number].failure) {
        reading_.failures.push_back(std::move(*trials[number].failure));
      }
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
    const std::string key = keys().of(name);
    if (sight().forbidden.contains(key)) {
      throw Error(codes::permission_denied,
                  "no right to read '" + model.sql_table + "' of model '" + model.name + "'");
    }
    const LiveRelation* found = find_relation(key);
    if (found != nullptr && !found->columns->empty()) {
      if (connection_ != nullptr && engine_ == schema::Dialect::Mysql) {
        return confirm_columns(model, *found);
      }
      // duckdb keeps a view, and the columns that it had, after what it reads has gone or changed.
      if (connection_ != nullptr && engine_ == schema::Dialect::Duckdb &&
          schema::find_view(reading_.schema, found->name) != nullptr) {
        return probe_table(model, true);
      }
      return {LiveShape::State::Present, found->columns, ""};
    }
    // The catalog may hide what the user has no right on, or what a search path leads to. The
    // database has the last word.
    return probe_table(model, found != nullptr);
  }

  const LiveRelation* find_relation(const std::string& key) const {
    const auto exact = relations_.find(key);
    if (exact != relations_.end()) {
      return exact->second;
    }
    const auto folded = folded_.find(live_key(dialect(), key));
    return folded == folded_.end() ? nullptr : folded->second;
  }

  LiveShape probe_table(const Model& model, bool listed) {
    if (connection_ == nullptr) {
      return {LiveShape::State::Missing, nullptr, ""};
    }
    std::optional<LiveColumns> columns =
        prober_->columns_of("SELECT * FROM " + model.sql_table + " WHERE 1=0");
    if (columns && !columns->empty()) {
      return {LiveShape::State::Present, std::make_shared<const LiveColumns>(std::move(*columns)),
              ""};
    }
    if (listed && !columns) {
      throw Error(codes::introspection_failed,
                  "the catalog lists '" + model.sql_table +
                      "' but the database refuses it: " + prober_->words());
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
    // The text may name the model, so the alias folds as the name does wherever it can stand bare.
    const std::string alias = sql::is_reserved(model.name, analysed_as(dialect()))
                                  ? quote_name(dialect(), model.name)
                                  : model.name;
    const std::string from = model.mode() == SourceMode::Table
                                 ? model.sql_table + " AS " + alias
                                 : "(" + inner_sql(model.sql, dialect()) + "\n) AS " + alias;
    return prober_->try_text("SELECT " + expression + "\nFROM " + from + " WHERE 1=0").has_value();
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
  const Sight& sight() const { return reading_.source.sight; }
  RelationKeys keys() const { return {dialect(), reading_.schema.default_schema.text(), sight()}; }

  db::Connection* connection_ = nullptr;
  const db::Registry* registry_ = nullptr;
  schema::Dialect engine_;
  const ReadRequest& request_;
  std::optional<Prober> prober_;
  LiveReading reading_;
  std::unordered_map<std::string, const LiveRelation*> relations_;
  // Without a server that could tell how it folds: the first by name of those that differ in case.
  std::unordered_map<std::string, const LiveRelation*> folded_;
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
    LiveReading reading = LiveReader(*connection, registry, request).read();
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
