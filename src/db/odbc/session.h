// One ODBC connection and its statements: handles, deadlines, cancelling, cells as values.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "db/odbc/errors.h"
#include "db/odbc/text.h"
#include "db/watchdog.h"

namespace kedge::db::odbc {

class Session {
 public:
  explicit Session(ConnectionSettings settings);  // connects; throws ERR_CONNECT
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Api& api() const { return api_; }
  SQLHDBC raw() const { return connection_; }
  const ConnectionSettings& settings() const { return settings_; }
  std::string info(SQLUSMALLINT what) const;  // SQLGetInfo of a text
  void set_autocommit(bool on);
  void end(SQLSMALLINT how);  // SQL_COMMIT or SQL_ROLLBACK

  // The statement that cancel() means, and its clock.
  std::unique_ptr<Watchdog> watch(SQLHSTMT statement, double seconds);
  void unwatch();
  void cancel();  // thread safe

  void check(SQLRETURN code, SQLSMALLINT kind, SQLHANDLE handle);  // throws on SQL_ERROR
  Diagnosis diagnosis(SQLSMALLINT kind, SQLHANDLE handle) const;

 private:
  void connect();
  const Api& api_;
  ConnectionSettings settings_;
  SQLHENV environment_ = nullptr;
  SQLHDBC connection_ = nullptr;
  double default_seconds_ = 0;
  std::mutex mutex_;
  SQLHSTMT running_ = nullptr;
  bool cancelled_ = false;
  bool timed_out_ = false;
};

// A statement: one at a time, freed at the end.
class Statement {
 public:
  Statement(Session& session, double seconds);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  SQLHSTMT raw() const { return statement_; }
  void check(SQLRETURN code) { session_.check(code, SQL_HANDLE_STMT, statement_); }
  void execute(std::string_view sql);
  void execute(std::string_view sql, std::span<const Value> parameters);
  void prepare(std::string_view sql);
  void execute_prepared(std::span<const Value> parameters);
  std::vector<ResultColumn> columns();  // empty: no result set
  bool fetch(Row& row);                 // false at the end; columns() comes first
  std::int64_t affected();
  bool next_result();

 private:
  Value cell(SQLUSMALLINT column, SQLSMALLINT type);
  Value wide_cell(SQLUSMALLINT column);
  Value binary_cell(SQLUSMALLINT column);
  Session& session_;
  SQLHSTMT statement_ = nullptr;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<SQLSMALLINT> types_;
};

// From an ODBC type code, size and digits; `name` is the server's own.
schema::Type type_of(SQLSMALLINT code, SQLULEN size, SQLSMALLINT digits, const std::string& name);

}  // namespace kedge::db::odbc
