#include "engine/connectors.h"

#include "db/d1/connector.h"
#include "db/duckdb/connector.h"
#include "db/files/connector.h"
#include "db/mysql/connector.h"
#include "db/odbc/connector.h"
#include "db/postgres/connector.h"
#include "db/sqlite/connector.h"

namespace kedge::engine {

db::Registry make_registry() {
  db::Registry registry;
  registry.add("sqlite", db::make_sqlite_connector());
  registry.add("postgres", db::make_postgres_connector());
  registry.add("duckdb", db::make_duckdb_connector());
  registry.add("mysql", db::make_mysql_connector());
  registry.add("d1", db::make_d1_connector());
  registry.add("odbc", db::make_odbc_connector());
  registry.add("sqlserver", db::make_sqlserver_connector());
  registry.add("localfiles", db::make_files_connector());
  return registry;
}

}  // namespace kedge::engine
