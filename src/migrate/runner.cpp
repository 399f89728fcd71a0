#include "migrate/runner.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/script.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;

bool is_sqlite(Dialect dialect) {
  return dialect == Dialect::Sqlite || dialect == Dialect::D1;
}

const Migration* find_migration(const std::vector<Migration>& chain, const std::string& name) {
  const auto found = std::find_if(chain.begin(), chain.end(),
                                  [&](const Migration& each) { return each.name == name; });
  return found == chain.end() ? nullptr : &*found;
}

// sqlite: PRAGMA foreign_keys works outside a transaction only, so it is set around it and put
// back.
class ForeignKeysOff {
 public:
  ForeignKeysOff(db::Connection& connection, bool wanted) : connection_(connection) {
    if (!wanted || !is_sqlite(connection.dialect())) {
      return;
    }
    const db::ResultSet now = connection.query("PRAGMA foreign_keys");
    was_on_ = !now.rows.empty() && db::to_boolean(now.rows[0].at(0));
    connection.execute("PRAGMA foreign_keys = OFF");
    changed_ = true;
  }
  ~ForeignKeysOff() {
    if (changed_ && was_on_) {
      try {
        connection_.execute("PRAGMA foreign_keys = ON");
      } catch (const Error&) {
        changed_ = false;  // the connection is gone, and its setting with it
      }
    }
  }
  ForeignKeysOff(const ForeignKeysOff&) = delete;
  ForeignKeysOff& operator=(const ForeignKeysOff&) = delete;

 private:
  db::Connection& connection_;
  bool was_on_ = false;
  bool changed_ = false;
};

bool is_lock_failure(const Error& error) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  return database != nullptr && database->failure() == db::FailureClass::Lock;
}

// A statement that ran before the program was killed fails now because its effect is there.
bool is_already_there(const Error& error) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  if (database == nullptr) {
    return false;
  }
  const std::string words = base::to_lower(database->driver_message());
  for (const char* sign :
       {"already exists", "duplicate column", "duplicate key name", "duplicate foreign key",
        "multiple primary key", "unknown table", "can't drop", "does not exist", "doesn't exist",
        "no such", "unknown column", "duplicate check constraint"}) {
    if (words.find(sign) != std::string::npos) {
      return true;
    }
  }
  return false;
}

class Applier {
 public:
  Applier(Ledger& ledger, const RunOptions& options)
      : ledger_(ledger), connection_(ledger.connection()), options_(options) {}

  // False: somebody else applied it meanwhile.
  bool apply(const Migration& migration) {
    const Script script = read_script(migration.name, migration.up, connection_.dialect());
    const bool transactional =
        read_directives(migration.up).transaction && connection_.dialect() != Dialect::Mysql;
    if (!transactional) {
      LedgerRow row = row_of(migration, "running");
      ledger_.insert(row);
      run_from(migration, script, row, false);
      return true;
    }
    for (int attempt = 0;; ++attempt) {
      try {
        return in_transaction(migration, script);
      } catch (const Error& error) {
        if (error.code() != codes::ERR_LOCK_TIMEOUT || attempt >= options_.lock_retries) {
          throw;
        }
        options_.progress("waiting for a lock: " + migration.name);
        std::this_thread::sleep_for(std::chrono::milliseconds(250LL << attempt));
      }
    }
  }

  // From the first statement that the row does not count as done. `uncertain`: the program ended
  // inside that statement, so it may have run.
  void run_from(const Migration& migration, const Script& script, LedgerRow row, bool uncertain) {
    const std::int64_t start = ledger_.clock().monotonic_milliseconds();
    const ForeignKeysOff keys(connection_, script.keys_off);
    row.status = "running";
    for (std::size_t i = static_cast<std::size_t>(row.statements_done);
         i < script.statements.size(); ++i) {
      try {
        run_statement(connection_, script.statements[i]);
      } catch (const Error& error) {
        if (!uncertain || !is_already_there(error)) {
          row.status = "failed";
          ledger_.update(row);
          Problem problem = statement_problem(codes::ERR_APPLY_FAILED, migration.name,
                                              migration.up_path, script.statements[i], error);
          problem.hint = std::to_string(i) + " of " + std::to_string(script.statements.size()) +
                         " statements are done; go on with kedge migrate resume " + migration.name;
          throw Error(std::move(problem));
        }
      }
      uncertain = false;
      row.statements_done = static_cast<std::int64_t>(i + 1);
      ledger_.update(row);
    }
    row.status = "applied";
    row.duration_ms = ledger_.clock().monotonic_milliseconds() - start;
    ledger_.update(row);
  }

 private:
  LedgerRow row_of(const Migration& migration, const std::string& status) {
    LedgerRow row;
    row.name = migration.name;
    row.checksum = migration.checksum;
    row.applied_at = base::format_utc(ledger_.clock().now_milliseconds());
    row.status = status;
    return row;
  }

  bool in_transaction(const Migration& migration, const Script& script) {
    const std::int64_t start = ledger_.clock().monotonic_milliseconds();
    const ForeignKeysOff keys(connection_, script.keys_off);
    begin();
    try {
      if (is_there(migration.name)) {
        connection_.rollback();
        return false;
      }
      statements(migration, script);
      LedgerRow row = row_of(migration, "applied");
      row.statements_done = static_cast<std::int64_t>(script.statements.size());
      row.duration_ms = ledger_.clock().monotonic_milliseconds() - start;
      ledger_.insert(row);
      commit(migration);
    } catch (...) {
      undo();
      throw;
    }
    return true;
  }

  // The engine's own lock is the lock of the run on sqlite and duckdb.
  bool is_there(const std::string& name) {
    if (connection_.dialect() == Dialect::Postgres) {
      return false;
    }
    const std::vector<LedgerRow> rows = ledger_.read();
    return std::any_of(rows.begin(), rows.end(),
                       [&](const LedgerRow& row) { return row.name == name; });
  }

  void begin() {
    const std::int64_t end =
        ledger_.clock().monotonic_milliseconds() + ledger_.settings().lock_wait_ms;
    for (;;) {
      try {
        connection_.begin();
        return;
      } catch (const Error& error) {
        if (!is_lock_failure(error) || ledger_.clock().monotonic_milliseconds() >= end) {
          throw;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }

  void undo() {
    try {
      if (connection_.in_transaction()) {
        connection_.rollback();
      }
    } catch (const Error&) {
      options_.progress("the connection was lost; the server rolls back");
    }
  }

  void statements(const Migration& migration, const Script& script) {
    for (const ScriptStatement& statement : script.statements) {
      try {
        run_statement(connection_, statement);
      } catch (const Error& error) {
        const bool locked = is_lock_failure(error);
        Problem problem =
            statement_problem(locked ? codes::ERR_LOCK_TIMEOUT : codes::ERR_APPLY_FAILED,
                              migration.name, migration.up_path, statement, error);
        problem.hint = locked ? "nothing was applied; it is safe to try again"
                              : "the migration was rolled back entirely";
        throw Error(std::move(problem));
      }
    }
  }

  void commit(const Migration& migration) {
    try {
      connection_.commit();
    } catch (const Error& error) {
      Problem problem;
      problem.code = codes::ERR_APPLY_FAILED;
      problem.message =
          "migration " + migration.name + " could not be committed: " + error.problem().message;
      problem.notes = error.problem().notes;
      throw Error(std::move(problem));
    }
  }

  Ledger& ledger_;
  db::Connection& connection_;
  const RunOptions& options_;
};

}  // namespace

std::string to_string(MigrationState state) {
  switch (state) {
    case MigrationState::Applied:
      return "applied";
    case MigrationState::Pending:
      return "pending";
    case MigrationState::OutOfOrder:
      return "out of order";
    case MigrationState::Edited:
      return "edited";
    case MigrationState::Missing:
      return "missing";
    case MigrationState::Running:
      return "running";
    case MigrationState::Failed:
      return "failed";
  }
  return {};
}

std::vector<ChainEntry> compare_chain(const std::vector<Migration>& chain,
                                      const std::vector<LedgerRow>& rows) {
  std::map<std::string, ChainEntry> entries;
  std::string newest;
  for (const LedgerRow& row : rows) {
    ChainEntry& entry = entries[row.name];
    entry.name = row.name;
    entry.state = row.is_whole()           ? MigrationState::Missing
                  : row.status == "failed" ? MigrationState::Failed
                                           : MigrationState::Running;
    entry.applied_at = row.applied_at;
    entry.statements_done = row.statements_done;
    entry.ledger_checksum = row.checksum;
    newest = std::max(newest, row.name);
  }
  for (const Migration& migration : chain) {
    const auto [found, fresh] = entries.try_emplace(migration.name);
    ChainEntry& entry = found->second;
    entry.name = migration.name;
    entry.file_checksum = migration.checksum;
    if (fresh) {
      entry.state = migration.name < newest ? MigrationState::OutOfOrder : MigrationState::Pending;
    } else if (entry.state == MigrationState::Missing) {
      entry.state = entry.ledger_checksum == migration.checksum ? MigrationState::Applied
                                                                : MigrationState::Edited;
    }
  }
  std::vector<ChainEntry> out;
  for (auto& [name, entry] : entries) {
    out.push_back(std::move(entry));
  }
  return out;
}

void check_chain(const std::vector<ChainEntry>& entries, const RunOptions& options) {
  for (const ChainEntry& entry : entries) {
    if (entry.state == MigrationState::Edited) {
      throw Error(codes::ERR_MIGRATION_EDITED,
                  "migration " + entry.name + " was changed after it was applied (applied " +
                      entry.ledger_checksum.substr(0, 12) + ", file " +
                      entry.file_checksum.substr(0, 12) + ")",
                  "restore the file, or write a new compensating migration");
    }
    if (entry.state == MigrationState::Running || entry.state == MigrationState::Failed) {
      throw Error(
          codes::ERR_HALF_APPLIED,
          "migration " + entry.name + " stopped after " + std::to_string(entry.statements_done) +
              " statements",
          "kedge migrate resume " + entry.name + ", or repair by hand and add --mark applied|none");
    }
    if (entry.state == MigrationState::Missing && options.missing == MissingRule::Refuse) {
      throw Error(codes::ERR_MIGRATION_MISSING,
                  "migration " + entry.name + " is applied, but its file is not there",
                  "bring the file back, or go on with --ignore-missing");
    }
    if (entry.state == MigrationState::OutOfOrder && options.order == OrderRule::Refuse) {
      throw Error(codes::ERR_OUT_OF_ORDER,
                  "migration " + entry.name + " is older than the newest applied one",
                  "rename it, or go on with --out-of-order");
    }
  }
}

RunResult apply_pending(Ledger& ledger, const std::vector<Migration>& chain,
                        const RunOptions& options) {
  RunResult result;
  const LedgerLock lock(ledger);
  const std::vector<ChainEntry> entries = compare_chain(chain, ledger.read());
  check_chain(entries, options);
  const bool anything = std::any_of(entries.begin(), entries.end(), [](const ChainEntry& entry) {
    return entry.state == MigrationState::Pending || entry.state == MigrationState::OutOfOrder;
  });
  if (!anything) {
    return result;
  }
  ledger.ensure();
  Applier applier(ledger, options);
  for (const ChainEntry& entry : entries) {
    if (entry.state != MigrationState::Pending && entry.state != MigrationState::OutOfOrder) {
      continue;
    }
    try {
      if (applier.apply(*find_migration(chain, entry.name))) {
        result.done.push_back(entry.name);
      }
    } catch (const Error& error) {
      result.failure = error.problem();
      return result;
    }
  }
  return result;
}

namespace {

struct Down {
  std::string name;
  std::string path;
  std::string sql;
};

std::vector<Down> collect_downs(const std::vector<Migration>& chain,
                                const std::vector<LedgerRow>& rows, const std::string& target,
                                Dialect dialect) {
  std::vector<Down> downs;
  for (auto row = rows.rbegin(); row != rows.rend() && row->name > target; ++row) {
    const Migration* migration = find_migration(chain, row->name);
    const bool none =
        migration == nullptr || !migration->down || !has_statements(*migration->down, dialect) ||
        read_directives(migration->up).no_down || read_directives(*migration->down).no_down;
    if (none) {
      throw Error(codes::ERR_ROLLBACK_NO_DOWN,
                  "migration " + row->name + " cannot be undone: " +
                      (migration == nullptr ? "its files are not there" : "it has no down part"),
                  "nothing was undone");
    }
    downs.push_back({row->name, migration->down_path, *migration->down});
  }
  return downs;
}

void run_down(Ledger& ledger, const Down& down) {
  db::Connection& connection = ledger.connection();
  const Script script = read_script(down.name, down.sql, connection.dialect());
  const bool transactional =
      read_directives(down.sql).transaction && connection.dialect() != Dialect::Mysql;
  const ForeignKeysOff keys(connection, script.keys_off);
  if (transactional) {
    connection.begin();
  }
  for (const ScriptStatement& statement : script.statements) {
    try {
      run_statement(connection, statement);
    } catch (const Error& error) {
      Problem problem =
          statement_problem(codes::ERR_ROLLBACK_FAILED, down.name, down.path, statement, error);
      problem.hint = "the migration stays recorded as applied";
      if (transactional && connection.in_transaction()) {
        connection.rollback();
      }
      throw Error(std::move(problem));
    }
  }
  ledger.remove(down.name);
  if (transactional) {
    connection.commit();
  }
}

}  // namespace

RunResult roll_back(Ledger& ledger, const std::vector<Migration>& chain, const std::string& target,
                    const RunOptions&) {
  RunResult result;
  const LedgerLock lock(ledger);
  const std::vector<LedgerRow> rows = ledger.read();
  const bool known = target.empty() || std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
                       return row.name == target;
                     });
  if (!known) {
    throw Error(codes::ERR_ROLLBACK_TARGET, "migration '" + target + "' is not applied",
                "kedge migrate status lists the applied ones");
  }
  for (const Down& down : collect_downs(chain, rows, target, ledger.connection().dialect())) {
    try {
      run_down(ledger, down);
      result.done.push_back(down.name);
    } catch (const Error& error) {
      result.failure = error.problem();
      return result;
    }
  }
  return result;
}

namespace {

LedgerRow get_half_applied(Ledger& ledger, const std::string& name) {
  for (const LedgerRow& row : ledger.read()) {
    if (row.name == name && !row.is_whole()) {
      return row;
    }
  }
  throw Error(codes::ERR_ROLLBACK_TARGET, "migration '" + name + "' is not half applied",
              "kedge migrate status says what is");
}

}  // namespace

RunResult resume(Ledger& ledger, const std::vector<Migration>& chain, const std::string& name,
                 const RunOptions& options) {
  const LedgerLock lock(ledger);
  const LedgerRow row = get_half_applied(ledger, name);
  const Migration* migration = find_migration(chain, name);
  if (migration == nullptr) {
    throw Error(codes::ERR_MIGRATION_MISSING, "the file of migration " + name + " is not there");
  }
  if (migration->checksum != row.checksum) {
    throw Error(codes::ERR_MIGRATION_EDITED, "migration " + name + " was changed since it stopped",
                "restore the file, or repair by hand and use --mark applied|none");
  }
  RunResult result;
  try {
    Applier(ledger, options)
        .run_from(*migration, read_script(name, migration->up, ledger.connection().dialect()), row,
                  row.status == "running");
    result.done.push_back(name);
  } catch (const Error& error) {
    result.failure = error.problem();
  }
  return result;
}

void mark(Ledger& ledger, const std::vector<Migration>& chain, const std::string& name, Mark as) {
  const LedgerLock lock(ledger);
  LedgerRow row = get_half_applied(ledger, name);
  if (as == Mark::None) {
    ledger.remove(name);
    return;
  }
  row.status = "applied";
  if (const Migration* migration = find_migration(chain, name)) {
    row.statements_done = static_cast<std::int64_t>(
        read_script(name, migration->up, ledger.connection().dialect()).statements.size());
  }
  ledger.update(row);
}

void run_script(db::Connection& connection, const std::string& name, const std::string& path,
                std::string_view sql, Code failure_code) {
  const Script script = read_script(name, sql, connection.dialect());
  const bool transactional =
      read_directives(sql).transaction && connection.dialect() != Dialect::Mysql;
  const ForeignKeysOff keys(connection, script.keys_off);
  if (transactional) {
    connection.begin();
  }
  for (const ScriptStatement& statement : script.statements) {
    try {
      run_statement(connection, statement);
    } catch (const Error& error) {
      Problem problem = statement_problem(failure_code, name, path, statement, error);
      if (transactional && connection.in_transaction()) {
        connection.rollback();
      }
      throw Error(std::move(problem));
    }
  }
  if (transactional) {
    connection.commit();
  }
}

}  // namespace kedge::migrate
