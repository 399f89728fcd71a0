#include "migrate/ledger.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"

namespace kedge::migrate {
namespace {

using db::Value;
using schema::Dialect;

bool is_plain(std::string_view name) {
  const auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), good);
}

struct ExtraColumn {
  const char* name;
  const char* type;
  const char* fallback;
};
constexpr std::array<ExtraColumn, 5> kExtra{{{"duration_ms", "BIGINT", "0"},
                                             {"status", "VARCHAR(16)", "'applied'"},
                                             {"statements_done", "BIGINT", "0"},
                                             {"tool_version", "VARCHAR(32)", "''"},
                                             {"half_done", "BIGINT", "NULL"}}};

// Numbered on postgres, question marks elsewhere.
std::string parameter(Dialect dialect, int number) {
  return dialect == Dialect::Postgres ? "$" + std::to_string(number) : "?";
}

}  // namespace

void check_ledger_settings(const LedgerSettings& settings) {
  for (const std::string* name : {&settings.schema, &settings.table}) {
    if (!name->empty() && !is_plain(*name)) {
      throw Error(codes::ERR_CONFIG,
                  "migrate.ledger: '" + *name + "' is no plain name: letters, digits and '_'");
    }
  }
}

Ledger::Ledger(db::Connection& connection, LedgerSettings settings, base::Clock& clock)
    : connection_(connection), settings_(std::move(settings)), clock_(clock) {
  check_ledger_settings(settings_);
}

std::string Ledger::table_name() const {
  const dialect::Dialect& dialect = dialect::get_dialect(connection_.dialect());
  return dialect::quote_name(dialect, {Identifier(settings_.schema), Identifier(settings_.table)});
}

bool is_lock_failure(const Error& error) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  return database != nullptr && database->failure() == db::FailureClass::Lock;
}

void throw_lock_timeout(const std::string& what, const Error& cause) {
  Problem problem{codes::ERR_LOCK_TIMEOUT, what + ": " + cause.problem().message, std::nullopt,
                  "try again, or raise migrate.ledger.lock_wait", cause.problem().notes};
  throw Error(std::move(problem));
}

db::ResultSet Ledger::ask(const std::string& sql, const std::vector<Value>& values) {
  const std::string what = "the ledger " + settings_.table + " cannot be ";
  try {
    return connection_.query(sql, values);
  } catch (const db::DatabaseError& error) {
    if (is_lock_failure(error)) {
      throw_lock_timeout(what + "had: another holds it", error);
    }
    if (error.failure() == db::FailureClass::Permission) {
      Problem problem = error.problem();
      problem.message =
          what + (sql.starts_with("SELECT") ? "read: " : "written: ") + problem.message;
      throw db::DatabaseError(std::move(problem), error.failure(), error.native_code());
    }
    throw;
  }
}

std::vector<std::string> Ledger::columns() {
  const Dialect dialect = connection_.dialect();
  const std::string literal = dialect::get_dialect(dialect).literal(settings_.table);
  std::string sql;
  if (schema::is_sqlite(dialect)) {
    sql = "SELECT name FROM pragma_table_info(" + literal + ")";
  } else {
    const std::string schema = !settings_.schema.empty()
                                   ? dialect::get_dialect(dialect).literal(settings_.schema)
                               : dialect == Dialect::Mysql ? "DATABASE()"
                                                           : "current_schema()";
    sql = "SELECT column_name FROM information_schema.columns WHERE table_name = " + literal +
          " AND table_schema = " + schema;
    if (dialect == Dialect::Postgres) {  // its information_schema hides what may not be read
      sql =
          "SELECT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
          "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE a.attnum > 0 AND NOT "
          "a.attisdropped AND c.relname = " +
          literal + " AND n.nspname = " + schema;
    }
  }
  std::vector<std::string> names;
  for (const db::Row& row : ask(sql).rows) {
    names.push_back(base::to_lower(db::to_text(row.at(0))));
  }
  if (names.empty() && dialect == Dialect::Mysql) {
    refuse_hidden();
  }
  return names;
}

// The catalog of mysql shows nobody a table that he may not read; the table itself says which.
void Ledger::refuse_hidden() {
  try {
    ask("SELECT 1 FROM " + table_name() + " LIMIT 0");
  } catch (const db::DatabaseError& error) {
    if (error.failure() != db::FailureClass::Schema) {
      throw;
    }
  }
}

std::vector<LedgerRow> Ledger::read() {
  const std::vector<std::string> known = columns();
  if (known.empty()) {
    return {};
  }
  std::string sql = "SELECT name, applied_at, checksum";
  for (const ExtraColumn& extra : kExtra) {
    const bool there = std::find(known.begin(), known.end(), extra.name) != known.end();
    sql += std::string(", ") + (there ? extra.name : extra.fallback);
  }
  std::vector<LedgerRow> rows;
  for (const db::Row& row : ask(sql + " FROM " + table_name()).rows) {
    LedgerRow entry;
    entry.name = db::to_text(row.at(0));
    entry.applied_at = db::to_text(row.at(1));
    entry.checksum = db::to_text(row.at(2));
    entry.duration_ms = db::to_integer(row.at(3)).value_or(0);
    entry.status = db::is_null(row.at(4)) ? "applied" : db::to_text(row.at(4));
    entry.statements_done = db::to_integer(row.at(5)).value_or(0);
    entry.half_done = db::to_integer(row.at(7));
    rows.push_back(std::move(entry));
  }
  std::sort(rows.begin(), rows.end(),
            [](const LedgerRow& a, const LedgerRow& b) { return a.name < b.name; });
  return rows;
}

void Ledger::ensure() {
  const Dialect dialect = connection_.dialect();
  const std::vector<std::string> known = columns();
  if (!known.empty()) {
    for (const ExtraColumn& extra : kExtra) {
      if (std::find(known.begin(), known.end(), extra.name) == known.end()) {
        ask("ALTER TABLE " + table_name() + " ADD COLUMN " + extra.name + " " + extra.type +
            " DEFAULT " + extra.fallback);
      }
    }
    return;
  }
  if (dialect == Dialect::Postgres && !settings_.schema.empty() && settings_.schema != "public") {
    ask("CREATE SCHEMA IF NOT EXISTS " +
        dialect::get_dialect(dialect).quote(Identifier(settings_.schema)));
  }
  const std::string key = dialect == Dialect::Mysql ? "VARCHAR(255)" : "TEXT";
  std::string sql = "CREATE TABLE IF NOT EXISTS " + table_name() + " (name " + key +
                    " PRIMARY KEY, applied_at " + key + " NOT NULL, checksum " + key + " NOT NULL";
  for (const ExtraColumn& extra : kExtra) {
    sql += std::string(", ") + extra.name + " " + extra.type + " DEFAULT " + extra.fallback;
  }
  ask(sql + ")");
}

void Ledger::insert(const LedgerRow& row) {
  std::string marks;
  for (int i = 1; i <= 7; ++i) {
    marks += (i == 1 ? "" : ", ") + parameter(connection_.dialect(), i);
  }
  const std::vector<Value> values = {row.name,
                                     row.applied_at,
                                     row.checksum,
                                     row.duration_ms,
                                     row.status,
                                     row.statements_done,
                                     std::string(KEDGE_VERSION)};
  ask("INSERT INTO " + table_name() +
          " (name, applied_at, checksum, duration_ms, status, statements_done, "
          "tool_version) VALUES (" +
          marks + ")",
      values);
}

void Ledger::update(const LedgerRow& row) {
  const Dialect dialect = connection_.dialect();
  const Value half_done = row.half_done ? Value(*row.half_done) : Value();
  const std::vector<Value> values = {row.status, row.statements_done, row.duration_ms, half_done,
                                     row.name};
  ask("UPDATE " + table_name() + " SET status = " + parameter(dialect, 1) + ", statements_done = " +
          parameter(dialect, 2) + ", duration_ms = " + parameter(dialect, 3) +
          ", half_done = " + parameter(dialect, 4) + " WHERE name = " + parameter(dialect, 5),
      values);
}

void Ledger::remove(const std::string& name) {
  const std::vector<Value> values = {name};
  ask("DELETE FROM " + table_name() + " WHERE name = " + parameter(connection_.dialect(), 1),
      values);
}

std::int64_t lock_key(const std::string& name) {
  const std::string hex = base::sha256_hex(name).substr(0, 16);
  std::uint64_t key = 0;
  for (const char c : hex) {
    key = key * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return static_cast<std::int64_t>(key);
}

namespace {

std::string lock_name(const Ledger& ledger) {
  const LedgerSettings& settings = ledger.settings();
  if (!settings.lock_name.empty()) {
    return settings.lock_name;
  }
  return (settings.schema.empty() ? "public" : settings.schema) + "." + settings.table;
}

}  // namespace

LedgerLock::LedgerLock(Ledger& ledger) : ledger_(ledger) {
  db::Connection& connection = ledger.connection();
  if (connection.dialect() == Dialect::Postgres) {
    const std::vector<Value> key = {lock_key(lock_name(ledger))};
    try_until([&] {
      const db::ResultSet result = connection.query("SELECT pg_try_advisory_lock($1)", key);
      return db::to_boolean(result.rows.at(0).at(0));
    });
    held_ = true;
  } else if (connection.dialect() == Dialect::Mysql) {
    const std::vector<Value> name = {"kedge." + lock_name(ledger).substr(0, 50)};
    try_until([&] {
      const db::ResultSet result = connection.query("SELECT GET_LOCK(?, 0)", name);
      return db::to_integer(result.rows.at(0).at(0)).value_or(0) == 1;
    });
    held_ = true;
  } else if (connection.dialect() == Dialect::Sqlite) {
    connection.query("PRAGMA busy_timeout = " + std::to_string(ledger.settings().lock_wait_ms));
  }
}

void LedgerLock::try_until(const std::function<bool()>& attempt) {
  const std::int64_t end =
      ledger_.clock().monotonic_milliseconds() + ledger_.settings().lock_wait_ms;
  std::int64_t pause = 20;
  while (!attempt()) {
    if (ledger_.clock().monotonic_milliseconds() >= end) {
      throw Error(codes::ERR_LOCK_TIMEOUT,
                  "another run holds the lock of " + ledger_.settings().table,
                  "try again, or raise migrate.ledger.lock_wait");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    pause = std::min<std::int64_t>(pause * 2, 500);
  }
}

LedgerLock::~LedgerLock() {
  if (!held_) {
    return;
  }
  db::Connection& connection = ledger_.connection();
  try {
    if (connection.dialect() == Dialect::Postgres) {
      const std::vector<Value> key = {lock_key(lock_name(ledger_))};
      connection.query("SELECT pg_advisory_unlock($1)", key);
    } else {
      const std::vector<Value> name = {"kedge." + lock_name(ledger_).substr(0, 50)};
      connection.query("SELECT RELEASE_LOCK(?)", name);
    }
  } catch (const Error&) {
    held_ = false;  // the lock ends with the session anyway
  }
}

}  // namespace kedge::migrate
