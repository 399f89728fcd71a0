// Introspection of DuckDB 1.0 and later: six statements over its catalog functions, whatever the
// number of tables, in one transaction. Only the current database is looked at.
#include "dialect/dialects.h"
#include "dialect/duckdb/catalog.h"
#include "dialect/failure.h"
#include "dialect/snapshot_scope.h"
#include "dialect/view_graph.h"

namespace kedge::dialect {

schema::Schema DuckdbDialect::introspect(db::Connection& connection,
                                         const IntrospectScope& scope) const {
  return with_introspection_errors([&] {
    duckdb::Catalog catalog;
    catalog.schema.engine = connection.engine();
    const NameFilter filter(scope);
    SnapshotScope snapshot(connection, "");
    duckdb::read_relations(connection, filter, catalog);
    duckdb::read_sequences_and_types(connection, filter, catalog);
    duckdb::read_columns(connection, catalog);
    duckdb::read_constraints(connection, catalog);
    duckdb::read_indexes(connection, catalog);
    if (scope.definitions && scope.tables.empty()) {
      duckdb::read_macros(connection, filter, catalog);
    }
    snapshot.finish();
    for (auto& [key, sequence] : catalog.sequences) {
      catalog.schema.sequences.push_back(std::move(sequence));
    }
    link_views(catalog.schema);
    schema::normalise(catalog.schema);
    return std::move(catalog.schema);
  });
}

}  // namespace kedge::dialect
