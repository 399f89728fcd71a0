#include "db/duckdb/bulk.h"
#include "db/duckdb/connector.h"
#include "db/duckdb/session.h"
#include "db/failure.h"

namespace kedge::db {
namespace {

using duckdb::Session;
using duckdb::Statement;
using duckdb::VectorReader;

void bind(const duckdb::Api& api, duckdb_prepared_statement statement, idx_t place,
          const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    api.bind_boolean(statement, place, *truth);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    api.bind_int64(statement, place, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    api.bind_double(statement, place, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    api.bind_varchar_length(statement, place, text->data(), text->size());
  } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
    api.bind_blob(statement, place, bytes->data(), bytes->size());
  } else {
    api.bind_null(statement, place);
  }
}

std::vector<ResultColumn> columns_of(const Session::Outcome& outcome) {
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < outcome.names.size(); ++i) {
    schema::Type type = duckdb::type_of(outcome.shapes[i]);
    std::string native = type.native;
    columns.push_back({outcome.names[i], std::move(type), std::move(native)});
  }
  return columns;
}

class DuckdbConnection final : public Connection, public BulkConnection {
 public:
  explicit DuckdbConnection(const ConnectionSettings& settings) : session_(settings) {}

  schema::Dialect dialect() const override { return schema::Dialect::Duckdb; }

  const schema::Engine& engine() override {
    if (engine_.major == 0) {
      std::string version = session_.api().library_version();
      version.erase(0, version.starts_with('v') ? 1 : 0);
      engine_ = {schema::Dialect::Duckdb, "DuckDB", version, std::atoi(version.c_str())};
    }
    return engine_;
  }

  ResultSet query(std::string_view sql, std::span<const Value> parameters,
                  const ExecuteOptions& options) override {
    ResultSet set;
    const auto statement = session_.prepare_one(sql);
    if (statement == nullptr) {
      return set;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      bind(session_.api(), statement->raw(), i + 1, parameters[i]);
    }
    const auto outcome = rows_of(*statement, options.timeout_seconds, [&](Row& row) {
      set.rows.push_back(row);
      return true;
    });
    set.columns = columns_of(outcome);
    set.affected = outcome.affected;
    if (set.columns.size() == 1 && set.columns[0].name == "Count" && outcome.affected > 0) {
      set.columns.clear();  // how DuckDB tells the number of changed rows
      set.rows.clear();
    }
    return set;
  }

  std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                   const ExecuteOptions& options) override {
    const auto statement = session_.prepare_one(sql);
    return statement == nullptr ? std::vector<ResultColumn>()
                                : columns_of(rows_of(*statement, options.timeout_seconds,
                                                     [&](Row& row) { return handler(row); }));
  }

  std::vector<ResultColumn> describe(std::string_view sql) override {
    Session::Outcome outcome;
    const auto statement = session_.prepare_one(sql);
    const duckdb::Api& api = session_.api();
    const idx_t count =
        statement == nullptr ? 0 : api.prepared_statement_column_count(statement->raw());
    for (idx_t i = 0; i < count; ++i) {
      const char* name = api.prepared_statement_column_name(statement->raw(), i);
      outcome.names.emplace_back(name == nullptr ? "" : name);
      api.free(const_cast<char*>(name));
      duckdb_logical_type type = api.prepared_statement_column_logical_type(statement->raw(), i);
      outcome.shapes.push_back(duckdb::shape_of(api, type));
      api.destroy_logical_type(&type);
    }
    return columns_of(outcome);
  }

  void execute(std::string_view sql) override {
    session_.each_statement(
        sql, [&](Statement& statement) { rows_of(statement, 0, [](Row&) { return true; }); });
  }

  void begin() override { execute("BEGIN TRANSACTION"); }
  void commit() override { execute("COMMIT"); }
  void rollback() override { execute("ROLLBACK"); }
  bool in_transaction() const override { return session_.in_transaction(); }
  void cancel() override { session_.cancel(); }

  std::vector<ResultColumn> bulk_read(std::string_view sql, const ChunkHandler& handler,
                                      const ReadOptions& options) override {
    return duckdb::read_bulk(session_, sql, handler, options);
  }
  std::unique_ptr<ChunkWriter> bulk_write(const BulkTarget& target) override {
    return duckdb::write_bulk(session_, target);
  }

 private:
  template <class Handler>
  Session::Outcome rows_of(Statement& statement, double seconds, const Handler& handler) {
    const std::vector<duckdb::TypeShape>* shapes = nullptr;
    Row row;
    return session_.run(
        statement, seconds,
        [&](const Session::Outcome& outcome) {
          shapes = &outcome.shapes;
          row.resize(outcome.shapes.size());
        },
        [&](duckdb_data_chunk chunk, std::size_t rows) {
          return each_row(*shapes, chunk, rows, row, handler);
        });
  }

  template <class Handler>
  bool each_row(const std::vector<duckdb::TypeShape>& shapes, duckdb_data_chunk chunk,
                std::size_t rows, Row& row, const Handler& handler) const {
    std::vector<VectorReader> readers;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      readers.emplace_back(session_.api(), shapes[i],
                           session_.api().data_chunk_get_vector(chunk, i));
    }
    for (std::size_t at = 0; at < rows; ++at) {
      for (std::size_t i = 0; i < readers.size(); ++i) {
        row[i] = readers[i].value(at);
      }
      if (!handler(row)) {
        return false;
      }
    }
    return true;
  }

  Session session_;
  schema::Engine engine_;
};

class DuckdbConnector final : public Connector {
 public:
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) override {
    return std::make_unique<DuckdbConnection>(settings);
  }
};

}  // namespace

std::shared_ptr<Connector> make_duckdb_connector() {
  return std::make_shared<DuckdbConnector>();
}

}  // namespace kedge::db
