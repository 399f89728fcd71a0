#include "models/trials.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "kedge/codes.h"
#include "models/live_reader.h"

namespace kedge::models {
namespace {

constexpr std::size_t kMostTrials = 4;    // at a time, for one data source
constexpr std::size_t kWorthAThread = 4;  // models for each further connection

// In a process of its own a trial costs nothing: only a server is worth waiting for twice.
bool answers_over_a_wire(SqlDialect dialect) {
  return dialect != SqlDialect::Sqlite && dialect != SqlDialect::Duckdb &&
         dialect != SqlDialect::D1;
}

class Pool {
 public:
  explicit Pool(const std::vector<const Model*>& models)
      : models_(models), trials_(models.size()) {}

  void work(Prober& prober) {
    for (std::size_t number = next_++; number < models_.size(); number = next_++) {
      try {
        trials_[number].shape = prober.shape_of(*models_[number]);
      } catch (const Error& error) {
        const Model& model = *models_[number];
        trials_[number] = {{LiveShape::State::Opaque, nullptr, driver_words(error)},
                           make_failure(model.data_source, model.name, error)};
      }
    }
  }
  std::vector<Trial> take() { return std::move(trials_); }

 private:
  const std::vector<const Model*>& models_;
  std::vector<Trial> trials_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

bool is_schema_failure(const Error& error) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  return database && database->failure() == db::FailureClass::Schema;
}

std::string driver_words(const Error& error) {
  return error.problem().notes.empty() ? error.problem().message : error.problem().notes[0].text;
}

LiveColumn live_column(const db::ResultColumn& column, schema::Dialect engine, SqlDialect dialect) {
  if (!column.native_type.empty()) {
    schema::Type named = column.type;
    named.native = column.native_type;
    return {column.name, bucket_of(named, schema::Dialect::Ansi, dialect), column.native_type};
  }
  if (column.type.kind == schema::TypeKind::Unknown) {
    return {column.name, schema::Bucket::Undetermined, ""};
  }
  return {column.name, bucket_of(column.type, engine, dialect),
          column.type.native.empty() ? schema::to_string(column.type) : column.type.native};
}

std::optional<LiveColumns> Prober::columns_of(const std::string& sql) {
  words_.clear();
  try {
    // D1 tells the columns of rows only: of no rows it tells none.
    const bool describes = dialect_ == SqlDialect::Sqlserver || dialect_ == SqlDialect::D1;
    const std::vector<db::ResultColumn> described =
        describes ? connection_.describe(sql) : connection_.query(sql).columns;
    LiveColumns columns;
    for (const db::ResultColumn& column : described) {
      columns.push_back(live_column(column, connection_.dialect(), dialect_));
    }
    return columns;
  } catch (const Error& error) {
    // A failed statement spoils the snapshot of some engines: go on in a new one.
    connection_.rollback();
    connection_.begin();
    if (!is_schema_failure(error)) {
      throw;
    }
    words_ = driver_words(error);
    return std::nullopt;
  }
}

std::optional<LiveColumns> Prober::try_text(const std::string& sql) {
  std::optional<LiveColumns> columns = columns_of(sql);
  if (!columns && !hidden_.empty()) {
    throw Error(codes::permission_denied,
                "no right to use the schema '" + hidden_ +
                    "' of the search path, so what the database says proves nothing: " + words_);
  }
  return columns;
}

LiveShape Prober::shape_of(const Model& model) {
  const std::string inner = inner_sql(model.sql, dialect_);
  std::optional<LiveColumns> columns =
      try_text(dialect_ == SqlDialect::Sqlserver
                   ? inner
                   : "SELECT * FROM (" + inner + "\n) AS _kedge_validate WHERE 1=0");
  if (!columns) {
    return {LiveShape::State::Broken, nullptr, words_};
  }
  if (columns->empty()) {
    throw Error(codes::introspection_failed,
                "the database does not tell the columns of model '" + model.name + "'");
  }
  return {LiveShape::State::Present, std::make_shared<const LiveColumns>(std::move(*columns)), ""};
}

std::vector<Trial> try_sql_models(const std::vector<const Model*>& models, Prober& prober,
                                  const db::Registry& registry,
                                  const db::ConnectionSettings& settings, SqlDialect dialect) {
  Pool pool(models);
  const std::size_t wanted =
      answers_over_a_wire(dialect) ? std::min(kMostTrials, models.size() / kWorthAThread) : 1;
  std::vector<std::jthread> threads;
  for (std::size_t number = 1; number < wanted; ++number) {
    threads.emplace_back([&] {
      try {
        const std::unique_ptr<db::Connection> other = registry.connect(settings);
        other->begin();
        Prober own(*other, dialect);
        own.set_hidden(prober.hidden());
        pool.work(own);
        other->rollback();
      } catch (const Error&) {
        return;  // a server short of connections: the others do the work
      }
    });
  }
  pool.work(prober);
  threads.clear();
  return pool.take();
}

}  // namespace kedge::models
