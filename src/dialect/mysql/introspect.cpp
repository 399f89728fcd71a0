// Introspection of MySQL 8 and MariaDB 10.11: information_schema only, a constant number of
// statements. There is no snapshot of it: DDL of others may be seen in part.
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/mysql/catalog.h"
#include "dialect/snapshot_scope.h"
#include "dialect/view_graph.h"

namespace kedge::dialect {

schema::Schema MysqlDialect::introspect(db::Connection& connection,
                                        const IntrospectScope& scope) const {
  return with_introspection_errors([&] {
    mysql::Catalog catalog;
    catalog.schema.engine = connection.engine();
    catalog.is_mariadb = catalog.schema.engine.product == "MariaDB";
    SnapshotScope snapshot(connection, "");
    const NameFilter filter(scope);
    mysql::read_database(connection, scope, catalog);
    mysql::read_tables(connection, filter, catalog);
    mysql::read_columns(connection, catalog);
    mysql::read_indexes(connection, catalog);
    mysql::read_foreign_keys(connection, catalog);
    mysql::read_checks(connection, catalog);
    mysql::read_periods(connection, catalog);
    mysql::read_partitions(connection, catalog);
    mysql::read_views(connection, catalog);
    mysql::read_view_stamps(connection, catalog);
    mysql::read_sequences(connection, catalog);
    if (scope.definitions && scope.tables.empty()) {
      mysql::read_routines(connection, catalog);
      mysql::read_triggers_and_events(connection, catalog);
    }
    if (scope.privileges) {
      mysql::read_privileges(connection, catalog);
    }
    snapshot.finish();
    link_views(catalog.schema);
    schema::normalise(catalog.schema);
    return std::move(catalog.schema);
  });
}

}  // namespace kedge::dialect
