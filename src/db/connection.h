// Databases as interfaces: what can be done with one, without saying how. Each connector
// (src/db/<name>) implements Connection; nothing above db/ includes a client library.
//
// Every failure is an Error whose Problem carries the driver's own words as a note and, through
// DatabaseError, the class that models.md 8.4 needs. Secrets never appear in a message.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kedge/error.h"
#include "kedge/schema.h"

namespace kedge::db {

using Bytes = std::vector<std::byte>;
// Decimals, dates, times, uuids, json, arrays and everything else that has no exact C++ value
// arrive as std::string in the server's text form.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes>;
using Row = std::vector<Value>;

bool is_null(const Value& value);
std::string to_text(const Value& value);                     // null = ""
std::optional<std::int64_t> to_integer(const Value& value);  // also from decimal text
bool to_boolean(const Value& value);                         // t/true/1/yes

struct ResultColumn {
  std::string name;
  schema::Type type;        // TypeKind::Unknown when the driver gives none
  std::string native_type;  // declared type name where the driver gives one
};

struct ResultSet {
  std::vector<ResultColumn> columns;
  std::vector<Row> rows;
  std::int64_t affected = 0;
};

// models.md 8.4: only Schema may ever be read as drift.
enum class FailureClass {
  Schema,
  Data,
  Permission,
  Connection,
  Timeout,
  Cancelled,
  Resource,
  Lock,
  Other
};
std::string to_string(FailureClass failure);

class DatabaseError : public Error {
 public:
  DatabaseError(Problem problem, FailureClass failure, std::string native_code,
                std::size_t character = 0)
      : Error(std::move(problem)),
        failure_(failure),
        native_code_(std::move(native_code)),
        character_(character) {}
  FailureClass failure() const { return failure_; }
  const std::string& native_code() const { return native_code_; }  // SQLSTATE, errno, result code
  // The driver's own message, secrets replaced by ***.
  const std::string& driver_message() const { return problem().notes.at(0).text; }
  // Where in the statement, in code points from 1; 0 when the driver does not say.
  std::size_t character() const { return character_; }

 private:
  FailureClass failure_;
  std::string native_code_;
  std::size_t character_ = 0;
};

enum class AccessMode { ReadOnly, ReadWrite, Create };  // Create: a missing file may be made

// How to reach a database: from connections.yml or from a URL. Values are already expanded.
struct ConnectionSettings {
  std::string name;       // connection name, or the redacted URL
  std::string connector;  // "sqlite", "postgres", "duckdb", "mysql", "odbc", "sqlserver", "d1",
                          // "localfiles"
  std::map<std::string, std::string> options;  // contracts.md 3.2, spelled as there
  std::vector<std::string> secrets;            // texts that must never be shown
  AccessMode access = AccessMode::ReadOnly;
};

struct ExecuteOptions {
  double timeout_seconds = 0;  // 0 = the connection's default
};

// Called for each row as it arrives; return false to stop. The row is only valid during the call.
using RowHandler = std::function<bool(const Row&)>;

class Connection {
 public:
  virtual ~Connection() = default;
  virtual schema::Dialect dialect() const = 0;
  virtual const schema::Engine& engine() = 0;  // asks the server once
  // One statement with `?` (sqlite, duckdb, mysql, odbc) or `$1` (postgres) parameters.
  virtual ResultSet query(std::string_view sql, std::span<const Value> parameters = {},
                          const ExecuteOptions& options = {}) = 0;
  // Streams: memory is bounded whatever the number of rows. Returns the columns.
  virtual std::vector<ResultColumn> stream(std::string_view sql, const RowHandler& handler,
                                           const ExecuteOptions& options = {}) = 0;
  // Names and types of a SELECT's result without running it (prepare or zero rows).
  virtual std::vector<ResultColumn> describe(std::string_view sql) = 0;
  // One or more statements without results, as the engine's own client would run a script.
  virtual void execute(std::string_view sql) = 0;
  // Transaction control; nesting is not supported. In read-only mode begin() opens a read-only
  // snapshot where the engine has one.
  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void rollback() = 0;
  virtual bool in_transaction() const = 0;
  // May be called from another thread: makes the running statement fail with Cancelled.
  virtual void cancel() = 0;
};

// Rolls back at the end of the scope unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) { connection_.begin(); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool done_ = false;
};

class Connector {
 public:
  virtual ~Connector() = default;
  virtual std::unique_ptr<Connection> connect(const ConnectionSettings& settings) = 0;
};

// The explicit table of connectors: filled by engine (and by tests), handed down. Never global.
class Registry {
 public:
  void add(std::string name, std::shared_ptr<Connector> connector);
  bool knows(std::string_view name) const;
  std::vector<std::string> names() const;  // sorted
  // Throws ERR_CONNECT (DatabaseError) or ERR_CONFIG for an unknown connector.
  std::unique_ptr<Connection> connect(const ConnectionSettings& settings) const;

 private:
  std::map<std::string, std::shared_ptr<Connector>, std::less<>> connectors_;
};

// postgres:// postgresql:// mysql:// mariadb:// sqlite: file: duckdb: d1: odbc: Percent-decoding is
// done; the password counts as a secret. nullopt when the text is no URL of these.
std::optional<ConnectionSettings> parse_url(std::string_view url);
std::string redact_url(std::string_view url);

}  // namespace kedge::db
