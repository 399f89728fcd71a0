// One DuckDB connection: opening, statements one by one, deadlines and cancelling, errors as
// DatabaseError. Two connections to one file in this program share one instance (DuckDB must not
// open a file twice).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/duckdb/api.h"
#include "db/duckdb/types.h"

namespace kedge::db::duckdb {

class Session;

class Statement {
 public:
  Statement(const Api& api, duckdb_prepared_statement statement)
      : api_(api), statement_(statement) {}
  ~Statement() { api_.destroy_prepare(&statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  duckdb_prepared_statement raw() const { return statement_; }

 private:
  const Api& api_;
  duckdb_prepared_statement statement_;
};

// Called with each chunk and its row count; return false to stop.
using DataHandler = std::function<bool(duckdb_data_chunk, std::size_t)>;

class Session {
 public:
  explicit Session(ConnectionSettings settings);  // opens; throws ERR_CONNECT
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Api& api() const { return api_; }
  duckdb_connection raw() const { return connection_; }
  const ConnectionSettings& settings() const { return settings_; }
  bool in_transaction() const { return in_transaction_; }

  // Prepares the statements of a script one after the other and hands each to `use`.
  void each_statement(std::string_view sql, const std::function<void(Statement&)>& use);
  // The only statement of `sql`; null for blanks and comments.
  std::unique_ptr<Statement> prepare_one(std::string_view sql);

  struct Outcome {
    std::vector<std::string> names;
    std::vector<TypeShape> shapes;
    std::int64_t affected = 0;
  };
  // Streams the result. `start` gets names and shapes before the first chunk.
  Outcome run(Statement& statement, double seconds,
              const std::function<void(const Outcome&)>& start, const DataHandler& handler);

  void cancel();  // thread safe
  [[noreturn]] void fail(const std::string& message);

 private:
  void open();
  void check(duckdb_state state, duckdb_result& result);  // throws what the result says
  void deliver(duckdb_result& result, const DataHandler& handler);
  void refuse_writing(Statement& statement);
  std::unique_ptr<Statement> prepare_extracted(duckdb_extracted_statements statements, idx_t index);
  const Api& api_;
  ConnectionSettings settings_;
  double default_seconds_ = 0;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> timed_out_ = false;
  bool in_transaction_ = false;
};

}  // namespace kedge::db::duckdb
