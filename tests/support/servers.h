// Real servers for tests: one throw-away PostgreSQL and one MariaDB per test program, started on
// first use, stopped and deleted at its end. Each test takes a fresh, empty database.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/scratch.h"

namespace kedge::test {

// All connectors, as the program has them.
db::Registry make_test_registry();

class ScratchServer {
 public:
  // Settings of a fresh, empty database (ReadWrite). It lives until the end of the program.
  db::ConnectionSettings database();
  // The same, connected.
  std::unique_ptr<db::Connection> connect();
  // Connects with other settings, for instance of another user or ReadOnly.
  static std::unique_ptr<db::Connection> connect(const db::ConnectionSettings& settings);
  // The URL of settings that database() gave, for the command line.
  static std::string url(const db::ConnectionSettings& settings);
  ScratchServer(const ScratchServer&) = delete;
  ScratchServer& operator=(const ScratchServer&) = delete;

 protected:
  explicit ScratchServer(schema::Dialect dialect);

 private:
  schema::Dialect dialect_;
  std::vector<std::unique_ptr<db::ScratchDatabase>> databases_;
};

class PostgresServer final : public ScratchServer {
 public:
  static PostgresServer& shared();

 private:
  PostgresServer() : ScratchServer(schema::Dialect::Postgres) {}
};

class MariadbServer final : public ScratchServer {
 public:
  static MariadbServer& shared();

 private:
  MariadbServer() : ScratchServer(schema::Dialect::Mysql) {}
};

}  // namespace kedge::test
