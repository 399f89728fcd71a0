// A migration file as statements to run: transaction control and connection pragmas taken out, what
// they asked for kept as facts (spec/migrate.md 8.3, 12.3).
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "kedge/schema.h"

namespace kedge::migrate {

struct ScriptStatement {
  std::string sql;
  std::size_t number = 0;  // 1-based place in the file, transaction control included
  std::size_t line = 1;
  bool is_key_check = false;  // PRAGMA foreign_key_check: any row fails the migration
};

struct Script {
  std::vector<ScriptStatement> statements;
  bool keys_off = false;     // PRAGMA foreign_keys = OFF stood in it
  std::string lock_timeout;  // "2s", of its directive; empty: none
};

// Throws ERR_APPLY_FAILED for a client's own command (psql backslash lines) and for a lock_timeout
// that is no duration.
Script read_script(const std::string& name, std::string_view sql, schema::Dialect dialect);

// INSERT, UPDATE, ...: it may share a transaction with the ledger on every engine.
bool changes_data(const ScriptStatement& statement, schema::Dialect dialect);

// What stops a run: a lock, a lost connection and a missing right are not the migration's fault.
Code failure_code(const Error& error, Code otherwise);

// Runs one statement; the Error tells the engine's words.
void run_statement(db::Connection& connection, const ScriptStatement& statement);

// What went wrong where: "statement 3 (line 12): ..." with `code`.
Problem statement_problem(Code code, const std::string& name, const std::string& path,
                          const ScriptStatement& statement, const Error& error);

}  // namespace kedge::migrate
