#include "cli/connectors.h"

#include "db/d1/connector.h"
#include "db/duckdb/connector.h"
#include "db/mysql/connector.h"
#include "db/postgres/connector.h"
#include "db/sqlite/connector.h"

namespace kedge::cli {

db::Registry make_registry() {
  db::Registry registry;
  registry.add("sqlite", db::make_sqlite_connector());
  registry.add("postgres", db::make_postgres_connector());
  registry.add("duckdb", db::make_duckdb_connector());
  registry.add("mysql", db::make_mysql_connector());
  registry.add("d1", db::make_d1_connector());
  return registry;
}

}  // namespace kedge::cli
