#include "migrate/runner.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/half_done.h"
#include "migrate/script.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;

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
    if (!wanted || !schema::is_sqlite(connection.dialect())) {
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

// "-- kedge: lock_timeout 2s" of a file holds while that file runs.
class LockTimeout {
 public:
  LockTimeout(db::Connection& connection, const std::string& wanted) : connection_(connection) {
    const std::int64_t milliseconds = base::parse_duration(wanted).value_or(0);
    if (wanted.empty()) {
      return;
    }
    if (connection.dialect() == Dialect::Postgres) {
      set_ = "SET lock_timeout = ";
      was_ = "'" + db::to_text(connection.query("SHOW lock_timeout").rows.at(0).at(0)) + "'";
      connection.execute(set_ + std::to_string(milliseconds));
    } else if (connection.dialect() == Dialect::Mysql) {  // whole seconds, at least one
      set_ = "SET SESSION lock_wait_timeout = ";
      was_ = db::to_text(connection.query("SELECT @@SESSION.lock_wait_timeout").rows.at(0).at(0));
      connection.execute(set_ +
                         std::to_string(std::max<std::int64_t>(1, (milliseconds + 999) / 1000)));
    }
  }
  ~LockTimeout() {
    if (!set_.empty()) {
      try {
        connection_.execute(set_ + was_);
      } catch (const Error&) {
        set_.clear();  // the connection is gone, and its setting with it
      }
    }
  }
  LockTimeout(const LockTimeout&) = delete;
  LockTimeout& operator=(const LockTimeout&) = delete;

 private:
  db::Connection& connection_;
  std::string set_;
  std::string was_;
};

// What a script asks for outside its statements.
struct ScriptSettings {
  ScriptSettings(db::Connection& connection, const Script& script)
      : keys(connection, script.keys_off), timeout(connection, script.lock_timeout) {}
  ForeignKeysOff keys;
  LockTimeout timeout;
};

// Of the parts of one --online migration, all of them or only the first ones.
enum class Reach { Whole, Partly };

struct Recorded {
  const Migration* migration;
  LedgerRow row;
};

// The names of the parts after the one that the way back of all of them belongs to.
std::vector<std::string> later_parts(const std::vector<Migration>& chain, const std::string& name) {
  std::vector<std::string> names;
  if (const Migration* migration = find_migration(chain, name)) {
    const auto place = static_cast<std::size_t>(migration - chain.data());
    const Parts parts = parts_of(chain, place);
    for (std::size_t i = parts.last; i > place && parts.first == place; --i) {
      names.push_back(chain[i].name);
    }
  }
  return names;
}

void forget(Ledger& ledger, const std::string& name, const std::vector<std::string>& parts) {
  db::Transaction all(ledger.connection());
  for (const std::string& part : parts) {
    ledger.remove(part);
  }
  ledger.remove(name);
  all.commit();
}

constexpr const char* kRolledBack = "the migration was rolled back entirely";

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
      LedgerRow row = row_of(migration, kRunning);
      ledger_.insert(row);
      run_from(migration, script, row, false);
      return true;
    }
    for (int attempt = 0;; ++attempt) {
      try {
        return in_transaction(migration, script);
      } catch (const Error& error) {
        if (error.code() != codes::ERR_LOCK_TIMEOUT || attempt >= options_.lock_retries ||
            has_waited_) {
          throw;
        }
        options_.progress("waiting for a lock: " + migration.name);
        std::this_thread::sleep_for(std::chrono::milliseconds(250LL << attempt));
      }
    }
  }

  // The way back; `parts`: recorded besides it and undone with it. False: somebody else undid it
  // meanwhile.
  bool undo(const Migration& migration, LedgerRow row, const std::vector<Recorded>& parts,
            Reach reach) {
    const Script script = read_script(migration.name, *migration.down, connection_.dialect());
    if (!read_directives(*migration.down).transaction || connection_.dialect() == Dialect::Mysql ||
        !row.is_whole() || reach == Reach::Partly) {
      undo_alone(migration, script, row, parts, reach);
      return true;
    }
    const ScriptSettings settings(connection_, script);
    begin();
    try {
      if (connection_.dialect() != Dialect::Postgres && !is_there(migration.name)) {
        connection_.rollback();
        return false;
      }
      statements({migration.name, migration.down_path, script, true},
                 "the migration stays recorded as applied");
      ledger_.remove(migration.name);
      for (const Recorded& part : parts) {
        ledger_.remove(part.row.name);
      }
      commit(migration.name, codes::ERR_ROLLBACK_FAILED, "the migration stays recorded as applied");
    } catch (...) {
      undo_transaction();
      throw;
    }
    return true;
  }

  // Goes on with what was cut off: from the first statement that the row does not count as done.
  // `uncertain`: the program ended inside that statement, so it may have run.
  void run_from(const Migration& migration, const Script& script, LedgerRow row, bool uncertain) {
    const std::int64_t start = ledger_.clock().monotonic_milliseconds();
    run_rest({migration.name, migration.up_path, script, false}, row, uncertain);
    row.status = kApplied;
    row.duration_ms = ledger_.clock().monotonic_milliseconds() - start;
    ledger_.update(row);
  }

  // The same for a down part; at its end neither the migration nor `parts` are recorded. Of what
  // was only half applied, statements are left out that undo nothing, and others may find their
  // work done. `was`: what the row says again where nothing could be undone.
  void undo_from(const Migration& migration, const Script& script, LedgerRow row,
                 const std::vector<std::string>& parts, bool uncertain,
                 std::optional<LedgerRow> was = std::nullopt) {
    row.status = kUndoing;
    ledger_.update(row);
    Counted work{migration.name, migration.down_path, script, true, {}, std::move(was)};
    if (row.half_done) {
      work.left_out = left_out(migration, script, *row.half_done);
    }
    run_rest(work, row, uncertain);
    forget(ledger_, migration.name, parts);
  }

 private:
  struct Counted {
    const std::string& name;
    const std::string& path;
    const Script& script;
    bool undo;
    std::vector<bool> left_out = {};  // of the statements; empty: none
    std::optional<LedgerRow> was = std::nullopt;
  };

  void undo_alone(const Migration& migration, const Script& script, LedgerRow row,
                  const std::vector<Recorded>& parts, Reach reach) {
    std::vector<std::string> names;
    for (Recorded part : parts) {
      begun(*part.migration, part.row);
      names.push_back(part.row.name);
    }
    std::optional<std::int64_t> half_done;
    if (!row.is_whole() || reach == Reach::Partly) {
      half_done = begun(migration, row);
    }
    const LedgerRow was = row;
    row.half_done = half_done;
    row.statements_done = 0;
    undo_from(migration, script, row, names, false, was);
  }

  // How many statements of something half applied may have done anything. An index that the last
  // one left is dropped: no way back knows of it.
  std::int64_t begun(const Migration& migration, LedgerRow& row) {
    const Script up = read_script(migration.name, migration.up, connection_.dialect());
    const auto place = static_cast<std::size_t>(row.statements_done);
    if (row.is_whole() || place >= up.statements.size()) {
      return static_cast<std::int64_t>(up.statements.size());
    }
    const ScriptStatement& last = up.statements[place];
    const auto index = find_concurrent_index(last, connection_.dialect());
    const auto first = [&] {
      row.status = kRunning;  // from here on it may have run
      ledger_.update(row);
    };
    if (index && drop_invalid_index(connection_, *index, first) &&
        index->verb == ConcurrentIndex::Verb::Drop) {
      ++row.statements_done;
      ledger_.update(row);
      return row.statements_done;
    }
    const bool maybe = row.status == kRunning || commits_on_its_way(last, connection_.dialect());
    return row.statements_done + (maybe ? 1 : 0);
  }

  static std::vector<bool> left_out(const Migration& migration, const Script& script,
                                    std::int64_t done) {
    std::vector<bool> out(script.statements.size(), done == 0);
    if (migration.undoes.size() == out.size()) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::vector<std::size_t>& ups = migration.undoes[i];
        out[i] = out[i] || (!ups.empty() && std::none_of(ups.begin(), ups.end(), [&](auto up) {
                   return static_cast<std::int64_t>(up) <= done;
                 }));
      }
    }
    return out;
  }

  void run_rest(const Counted& work, LedgerRow& row, bool uncertain) {
    const ScriptSettings settings(connection_, work.script);
    bool anything = row.statements_done > 0;
    while (static_cast<std::size_t>(row.statements_done) < work.script.statements.size()) {
      const auto place = static_cast<std::size_t>(row.statements_done);
      const ScriptStatement& statement = work.script.statements[place];
      if (!work.left_out.empty() && work.left_out[place]) {
        ++row.statements_done;
        continue;
      }
      try {
        run_counted(statement, row, uncertain || row.half_done);
      } catch (const Error& error) {
        anything = anything || commits_on_its_way(statement, connection_.dialect()) ||
                   find_concurrent_index(statement, connection_.dialect());
        throw Error(stopped(work, statement, row, error, anything));
      }
      anything = true;
      uncertain = false;
    }
  }

  // The statement and the row that counts it. Changes of data commit with their count; a definition
  // commits by itself on engines without transactions for those, so `uncertain` may find it done.
  void run_counted(const ScriptStatement& statement, LedgerRow& row, bool uncertain) {
    LedgerRow after = row;
    ++after.statements_done;
    if (changes_data(statement, connection_.dialect())) {
      db::Transaction both(connection_);
      run_statement(connection_, statement);
      ledger_.update(after);
      both.commit();
      row = after;
      return;
    }
    const auto index = find_concurrent_index(statement, connection_.dialect());
    if (index && index->verb == ConcurrentIndex::Verb::Create) {
      drop_invalid_index(connection_, *index);  // an earlier attempt left it
    }
    try {
      run_statement(connection_, statement);
    } catch (const Error& error) {
      if (!uncertain || !has_its_effect(statement, error, connection_.dialect())) {
        throw;
      }
    }
    row = after;
    ledger_.update(row);
  }

  Problem stopped(const Counted& work, const ScriptStatement& statement, LedgerRow& row,
                  const Error& error, bool anything) {
    const Code otherwise = work.undo ? codes::ERR_ROLLBACK_FAILED : codes::ERR_APPLY_FAILED;
    Problem problem =
        statement_problem(failure_code(error, otherwise), work.name, work.path, statement, error);
    problem.hint = std::to_string(row.statements_done) + " of " +
                   std::to_string(work.script.statements.size()) +
                   " statements are done; go on with kedge migrate resume " + work.name;
    const bool half_done = row.half_done.has_value();
    row.status = work.undo ? kUndoFailed : kFailed;
    if (work.was && !anything) {
      row = *work.was;
      problem.hint = row.is_whole() && !half_done ? "the migration stays recorded as applied"
                                                  : "the migration stays half applied";
    }
    try {
      ledger_.update(row);
    } catch (const Error&) {
      // The connection is gone: the row still says what was running and how far it came.
      options_.progress("the ledger could not be told that " + work.name + " stopped");
    }
    return problem;
  }

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
    const ScriptSettings settings(connection_, script);
    begin();
    try {
      if (connection_.dialect() != Dialect::Postgres && is_there(migration.name)) {
        connection_.rollback();
        return false;
      }
      statements({migration.name, migration.up_path, script, false}, kRolledBack);
      LedgerRow row = row_of(migration, kApplied);
      row.statements_done = static_cast<std::int64_t>(script.statements.size());
      row.duration_ms = ledger_.clock().monotonic_milliseconds() - start;
      ledger_.insert(row);
      commit(migration.name, codes::ERR_APPLY_FAILED, kRolledBack);
    } catch (...) {
      undo_transaction();
      throw;
    }
    return true;
  }

  // The engine's own lock is the lock of the run on sqlite and duckdb.
  bool is_there(const std::string& name) {
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
        if (!is_lock_failure(error)) {
          throw;
        }
        if (ledger_.clock().monotonic_milliseconds() >= end) {
          has_waited_ = true;
          throw_lock_timeout("another holds the database", error);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
  }

  void undo_transaction() {
    try {
      if (connection_.in_transaction()) {
        connection_.rollback();
      }
    } catch (const Error&) {
      options_.progress("the connection was lost; the server rolls back");
    }
  }

  void statements(const Counted& work, const char* hint) {
    for (const ScriptStatement& statement : work.script.statements) {
      try {
        run_statement(connection_, statement);
      } catch (const Error& error) {
        const Code otherwise = work.undo ? codes::ERR_ROLLBACK_FAILED : codes::ERR_APPLY_FAILED;
        Problem problem = statement_problem(failure_code(error, otherwise), work.name, work.path,
                                            statement, error);
        problem.hint = problem.code == codes::ERR_LOCK_TIMEOUT
                           ? "nothing was changed; it is safe to try again"
                           : hint;
        throw Error(std::move(problem));
      }
    }
  }

  void commit(const std::string& name, Code otherwise, const char* hint) {
    try {
      connection_.commit();
    } catch (const Error& error) {
      Problem problem;
      problem.code = failure_code(error, otherwise);
      problem.message = "migration " + name + " could not be committed: " + error.problem().message;
      problem.hint =
          problem.code == codes::ERR_CONNECT ? "kedge migrate status says whether it was" : hint;
      problem.notes = error.problem().notes;
      throw Error(std::move(problem));
    }
  }

  Ledger& ledger_;
  db::Connection& connection_;
  const RunOptions& options_;
  bool has_waited_ = false;  // as long as migrate.ledger.lock_wait allows
};

}  // namespace

RunResult apply_pending(Ledger& ledger, const std::vector<Migration>& chain,
                        const RunOptions& options) {
  RunResult result;
  const LedgerLock lock(ledger);
  const std::vector<ChainEntry> entries = compare_chain(chain, ledger.read());
  check_chain(entries, options.order, options.missing);
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
  const Migration* migration;
  LedgerRow row;
  std::vector<Recorded> parts;  // of --online, recorded besides it; newest first
  Reach reach = Reach::Whole;
};

const LedgerRow* find_row(const std::vector<LedgerRow>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const LedgerRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

// The parts of one migration share their way back; from between them it finds some of its work
// done.
Down together(const std::vector<Migration>& chain, const Parts& parts,
              const std::vector<LedgerRow>& rows) {
  const Migration& first = chain[parts.first];
  const LedgerRow* row = find_row(rows, first.name);
  if (row == nullptr) {
    throw Error(codes::ERR_HALF_APPLIED,
                "migration " + first.name + " is not applied, and those after it are undone " +
                    "together with it only",
                "apply it first; nothing was undone");
  }
  Down down{&first, *row, {}};
  for (std::size_t i = parts.last; i > parts.first && !row->is_undone(); --i) {
    const LedgerRow* other = find_row(rows, chain[i].name);
    down.reach = other == nullptr || !other->is_whole() ? Reach::Partly : down.reach;
    if (other != nullptr) {
      down.parts.push_back({&chain[i], *other});
    }
  }
  return down;
}

bool is_one_of(const Down& down, const std::string& name) {
  return down.migration->name == name ||
         std::any_of(down.parts.begin(), down.parts.end(),
                     [&](const Recorded& part) { return part.row.name == name; });
}

void refuse_between_parts(const std::vector<Migration>& chain, const std::string& target) {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Parts parts = parts_of(chain, i);
    if (chain[i].name == target && parts.last != i) {
      throw Error(codes::ERR_ROLLBACK_TARGET,
                  "migration '" + target + "' is undone together with " + chain[parts.last].name,
                  parts.first == 0 ? "--all undoes both"
                                   : "name " + chain[parts.last].name + ", or " +
                                         chain[parts.first - 1].name + " to undo them");
    }
  }
}

std::vector<Down> collect_downs(const std::vector<Migration>& chain,
                                const std::vector<LedgerRow>& rows, const std::string& target,
                                Dialect dialect) {
  std::vector<Down> downs;
  refuse_between_parts(chain, target);
  for (auto row = rows.rbegin(); row != rows.rend() && row->name > target; ++row) {
    Down down{find_migration(chain, row->name), *row, {}};
    if (!downs.empty() && is_one_of(downs.back(), row->name)) {
      continue;
    }
    if (down.migration != nullptr) {
      const Parts parts = parts_of(chain, static_cast<std::size_t>(down.migration - chain.data()));
      down = parts.first == parts.last ? down : together(chain, parts, rows);
    }
    const Migration* migration = down.migration;
    const bool none =
        migration == nullptr || !migration->down || !has_statements(*migration->down, dialect) ||
        read_directives(migration->up).no_down || read_directives(*migration->down).no_down;
    if (none) {
      throw Error(codes::ERR_ROLLBACK_NO_DOWN,
                  "migration " + row->name + " cannot be undone: " +
                      (migration == nullptr ? "its files are not there" : "it has no down part"),
                  "nothing was undone");
    }
    if (down.row.is_undone()) {
      throw Error(half_applied(down.row.name, true, down.row.statements_done));
    }
    downs.push_back(std::move(down));
  }
  return downs;
}

}  // namespace

RunResult roll_back(Ledger& ledger, const std::vector<Migration>& chain, const std::string& target,
                    const RunOptions& options) {
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
  Applier applier(ledger, options);
  const std::vector<Down> downs = collect_downs(chain, rows, target, ledger.connection().dialect());
  if (!downs.empty()) {
    ledger.ensure();
  }
  for (const Down& down : downs) {
    try {
      if (applier.undo(*down.migration, down.row, down.parts, down.reach)) {
        for (const Recorded& part : down.parts) {
          result.done.push_back(part.row.name);
        }
        result.done.push_back(down.migration->name);
      }
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
      ledger.ensure();
      return row;
    }
  }
  throw Error(codes::ERR_ROLLBACK_TARGET, "migration '" + name + "' is not half applied",
              "kedge migrate status says what is");
}

// A part goes no further on its way while the first one takes all of them back.
void refuse_while_undone(Ledger& ledger, const std::vector<Migration>& chain,
                         const Migration& migration) {
  const Parts parts = parts_of(chain, static_cast<std::size_t>(&migration - chain.data()));
  const Migration& first = chain[parts.first];
  const std::vector<LedgerRow> rows = ledger.read();
  const LedgerRow* row = find_row(rows, first.name);
  if (&first != &migration && row != nullptr && row->is_undone()) {
    throw Error(half_applied(first.name, true, row->statements_done));
  }
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
  refuse_while_undone(ledger, chain, *migration);
  if (row.is_undone() && !migration->down) {
    throw Error(codes::ERR_ROLLBACK_NO_DOWN, "migration " + name + " has no down part any more",
                "bring the file back");
  }
  RunResult result;
  const Dialect dialect = ledger.connection().dialect();
  Applier applier(ledger, options);
  try {
    if (row.is_undone()) {
      applier.undo_from(*migration, read_script(name, *migration->down, dialect), row,
                        later_parts(chain, name), row.status == kUndoing);
    } else {
      LedgerRow running = row;
      running.status = kRunning;
      ledger.update(running);
      applier.run_from(*migration, read_script(name, migration->up, dialect), running,
                       row.status == kRunning);
    }
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
    forget(ledger, name, row.is_undone() ? later_parts(chain, name) : std::vector<std::string>());
    return;
  }
  row.status = kApplied;
  row.half_done.reset();
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
  const ScriptSettings settings(connection, script);
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
