#include "pipeline/remote_schema.h"

#include <mutex>
#include <span>

#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

// Computed here and not by the server: older servers have no 64-bit hash of a text.
std::int64_t lock_key(const std::string& schema) {
  return std::stoll(base::sha256_hex(schema).substr(0, 15), nullptr, 16);
}

bool try_lock(db::Connection& connection, const std::string& schema) {
  return db::to_boolean(query_value(
      connection, "SELECT pg_try_advisory_lock(" + std::to_string(lock_key(schema)) + ")"));
}

}  // namespace

std::string remote_schema(const Engine& engine) {
  return base::to_lower("_kedge_" + base::replace_all(engine.run_id(), "-", "_"));
}

std::string remote_table(const Engine& engine, const std::string& name) {
  return quote_name(remote_schema(engine)) + "." + quote_name(name);
}

// One at a time: IF NOT EXISTS of postgres fails when two sessions create at once.
void make_remote_schema(const Engine& engine, db::Connection& connection) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  connection.execute("CREATE SCHEMA IF NOT EXISTS " + quote_name(remote_schema(engine)));
}

void RemoteSchemas::open(const std::vector<std::string>& connections) {
  for (const std::string& name : connections) {
    try {
      Engine::Held connection = engine_.open(name, Engine::Use::Write);
      try_lock(*connection, remote_schema(engine_));
      sweep(*connection);
      held_.push_back({name, std::move(connection)});
    } catch (const Error& error) {
      if (error.problem().code != codes::PZ0330) {
        warn(name, error);  // what cannot be reached fails where it is needed
      }
    }
  }
}

void RemoteSchemas::sweep(db::Connection& connection) {
  const db::ResultSet left = connection.query(
      "SELECT nspname FROM pg_namespace WHERE nspname ~ "
      "'^_kedge_[0-9]{8}t[0-9]{9}z_[0-9a-f]{4}$' AND pg_has_role(nspowner, 'USAGE') ORDER BY 1");
  for (const db::Row& row : left.rows) {
    const std::string schema = db::to_text(row.at(0));
    if (schema == remote_schema(engine_) || !try_lock(connection, schema)) {
      continue;
    }
    connection.execute("DROP SCHEMA IF EXISTS " + quote_name(schema) + " CASCADE");
    query_value(connection, "SELECT pg_advisory_unlock(" + std::to_string(lock_key(schema)) + ")");
  }
}

void RemoteSchemas::close() {
  for (Held& held : held_) {
    held.connection.reset();
    try {
      engine_.open(held.name, Engine::Use::Write)
          ->execute("DROP SCHEMA IF EXISTS " + quote_name(remote_schema(engine_)) + " CASCADE");
    } catch (const Error& error) {
      warn(held.name, error);
    }
  }
  held_.clear();
}

void RemoteSchemas::warn(const std::string& connection, const Error& error) const {
  Problem problem;
  problem.code = codes::PZ0330;
  problem.message = "a working schema is left in '" + connection +
                    "': " + engine_.workspace().hide(error.problem().message);
  engine_.warn(std::move(problem));
}

}  // namespace kedge::pipeline
