// Introspection of SQLite 3.25 and later and of D1: six statements, whatever the number of tables,
// and the stored texts for what no pragma tells.
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/snapshot_scope.h"
#include "dialect/sqlite/catalog.h"
#include "dialect/view_graph.h"

namespace kedge::dialect {

schema::Schema SqliteDialect::introspect(db::Connection& connection,
                                         const IntrospectScope& scope) const {
  return with_introspection_errors([&] {
    sqlite::Catalog catalog;
    catalog.schema.engine = connection.engine();
    catalog.schema.default_schema = Identifier("main");
    SnapshotScope snapshot(connection, "");
    sqlite::Statements statements(connection);
    if (connection.dialect() == schema::Dialect::D1) {
      statements.fetch_all();
    }
    sqlite::read_master(statements, scope, catalog);
    sqlite::read_columns(statements, catalog);
    sqlite::read_view_columns(statements, catalog);
    sqlite::read_indexes(statements, catalog);
    sqlite::read_foreign_keys(statements, catalog);
    snapshot.finish();
    sqlite::finish(catalog);
    link_views(catalog.schema);
    schema::normalise(catalog.schema);
    return std::move(catalog.schema);
  });
}

}  // namespace kedge::dialect
