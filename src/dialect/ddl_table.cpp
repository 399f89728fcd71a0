#include "dialect/ddl_table.h"

namespace kedge::dialect {

const Ddl& get_ddl(schema::Dialect id) {
  switch (id) {
    case schema::Dialect::Sqlite:
    case schema::Dialect::D1:
      return sqlite_ddl();
    case schema::Dialect::Duckdb:
      return duckdb_ddl();
    case schema::Dialect::Mysql:
      return mysql_ddl();
    case schema::Dialect::Postgres:
    case schema::Dialect::Ansi:
      return postgres_ddl();
  }
  return postgres_ddl();
}

}  // namespace kedge::dialect
