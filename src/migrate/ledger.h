// The ledger table and its lock (spec/migrate.md 12.1, 12.4): which migrations a database has. The
// first three columns are those of the original's table, so that one can be pointed at.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "db/connection.h"

namespace kedge::migrate {

struct LedgerSettings {
  std::string schema;  // empty: the default schema of the connection
  std::string table = "_kedge_migrations";
  std::string lock_name;  // empty: "<schema>.<table>"
  std::int64_t lock_wait_ms = 60'000;
};
// Throws ERR_CONFIG for names that are no plain identifiers.
void check_ledger_settings(const LedgerSettings& settings);

// What a row may say of its migration.
inline constexpr const char* kApplied = "applied";
inline constexpr const char* kRunning = "running";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kUndoing = "undoing";
inline constexpr const char* kUndoFailed = "undo failed";

struct LedgerRow {
  std::string name;
  std::string applied_at;
  std::string checksum;
  std::int64_t duration_ms = 0;
  std::string status = kApplied;
  std::int64_t statements_done = 0;
  // Being undone after it was only half applied: how many statements of its way up had been done.
  std::optional<std::int64_t> half_done = std::nullopt;
  bool is_whole() const { return status == kApplied; }
  bool is_undone() const { return status == kUndoing || status == kUndoFailed; }
};

class Ledger {
 public:
  Ledger(db::Connection& connection, LedgerSettings settings, base::Clock& clock);
  // Sorted by name; empty when there is no table. Creates nothing. What cannot be read throws, and
  // what another holds for too long throws ERR_LOCK_TIMEOUT, here and below.
  std::vector<LedgerRow> read();
  void ensure();  // creates the table, adds missing columns
  void insert(const LedgerRow& row);
  void update(const LedgerRow& row);  // status, statements_done, duration
  void remove(const std::string& name);
  db::Connection& connection() { return connection_; }
  base::Clock& clock() { return clock_; }
  const LedgerSettings& settings() const { return settings_; }
  std::string table_name() const;  // quoted

 private:
  std::vector<std::string> columns();
  void refuse_hidden();
  db::ResultSet ask(const std::string& sql, const std::vector<db::Value>& values = {});
  db::Connection& connection_;
  LedgerSettings settings_;
  base::Clock& clock_;
};

[[noreturn]] void throw_lock_timeout(const std::string& what, const Error& cause);
bool is_lock_failure(const Error& error);

// Held by one connection for a whole run; a second one of the same connection is free. On sqlite
// and duckdb the engine's own lock serves, and waits as long.
class LedgerLock {
 public:
  // Throws ERR_LOCK_TIMEOUT after lock_wait.
  explicit LedgerLock(Ledger& ledger);
  ~LedgerLock();
  LedgerLock(const LedgerLock&) = delete;
  LedgerLock& operator=(const LedgerLock&) = delete;

 private:
  void try_until(const std::function<bool()>& attempt);
  Ledger& ledger_;
  bool held_ = false;
};

// The session lock's number on postgres: the first 8 bytes of SHA-256(name), big endian.
std::int64_t lock_key(const std::string& name);

}  // namespace kedge::migrate
