#include "servers.h"

#include "base/environment.h"
#include "db/duckdb/connector.h"
#include "db/mysql/connector.h"
#include "db/postgres/connector.h"
#include "db/sqlite/connector.h"
#include "scratch/provider.h"

namespace kedge::test {
namespace {

// Made once and in this order, so that the servers end before what they use.
struct World {
  db::Registry registry = make_test_registry();
  std::unique_ptr<base::Environment> environment = base::make_environment();
  std::unique_ptr<db::ScratchProvider> provider = scratch::make_provider(registry, *environment);
};

World& world() {
  static World instance;
  return instance;
}

std::string option(const db::ConnectionSettings& settings, const std::string& key) {
  const auto found = settings.options.find(key);
  return found == settings.options.end() ? "" : found->second;
}

}  // namespace

db::Registry make_test_registry() {
  db::Registry registry;
  registry.add("sqlite", db::make_sqlite_connector());
  registry.add("postgres", db::make_postgres_connector());
  registry.add("duckdb", db::make_duckdb_connector());
  registry.add("mysql", db::make_mysql_connector());
  return registry;
}

ScratchServer::ScratchServer(schema::Dialect dialect) : dialect_(dialect) {
  world();
}

db::ConnectionSettings ScratchServer::database() {
  db::ScratchOptions options;
  databases_.push_back(world().provider->create(dialect_, options));
  return databases_.back()->settings();
}

std::unique_ptr<db::Connection> ScratchServer::connect() {
  return connect(database());
}

std::unique_ptr<db::Connection> ScratchServer::connect(const db::ConnectionSettings& settings) {
  return world().registry.connect(settings);
}

std::string ScratchServer::url(const db::ConnectionSettings& settings) {
  const std::string database = option(settings, "database");
  if (settings.connector == "mysql") {
    return "mysql://" + option(settings, "user") + "@localhost/" + database +
           "?socket=" + option(settings, "socket");
  }
  return "postgres://" + option(settings, "user") + "@/" + database +
         "?host=" + option(settings, "host") + "&port=" + option(settings, "port");
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

MariadbServer& MariadbServer::shared() {
  static MariadbServer server;
  return server;
}

}  // namespace kedge::test
