// Introspection of PostgreSQL 12 and later: eight catalog queries in one read-only snapshot,
// whatever the number of tables. Every expression is printed under a search_path that holds the
// default schema alone, so two databases print the same thing the same way.
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/postgres/catalog.h"
#include "dialect/snapshot_scope.h"

namespace kedge::dialect {
namespace {

// search_path is set for the transaction; a caller's own transaction gets its value back. Compiling
// a catalog query costs more than running it, so that is switched off for the transaction too.
class SearchPath {
 public:
  SearchPath(db::Connection& connection, const Identifier& schema, TransactionOwner owner)
      : connection_(connection), owner_(owner) {
    const std::string path = get_dialect(schema::Dialect::Postgres).quote(schema);
    const db::Row parameters = {path};
    const db::ResultSet set = connection_.query(
        "SELECT pg_catalog.current_setting('search_path'), "
        "pg_catalog.set_config('search_path', $1, true), pg_catalog.set_config('jit', 'off', true)",
        parameters);
    previous_ = db::to_text(set.rows.at(0).at(0));
  }
  void restore() {
    if (owner_ == TransactionOwner::Caller) {
      const db::Row parameters = {previous_};
      connection_.query("SELECT pg_catalog.set_config('search_path', $1, true)", parameters);
    }
  }

 private:
  db::Connection& connection_;
  TransactionOwner owner_;
  std::string previous_;
};

}  // namespace

schema::Schema PostgresDialect::introspect(db::Connection& connection,
                                           const IntrospectScope& scope) const {
  return with_introspection_errors([&] {
    SnapshotScope snapshot(connection,
                           "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    postgres::Catalog catalog;
    catalog.schema.engine = connection.engine();
    catalog.major = catalog.schema.engine.major;
    postgres::CatalogScope queries;
    queries.definitions = scope.definitions && scope.tables.empty();
    queries.privileges = scope.privileges;
    postgres::read_namespaces(connection, scope, catalog, queries);
    SearchPath path(connection, catalog.schema.default_schema, snapshot.owner());
    postgres::read_relations(connection, queries, catalog);
    postgres::read_types(connection, queries, catalog);
    postgres::read_objects(connection, queries, catalog);
    postgres::read_links(connection, queries, catalog);
    postgres::read_columns(connection, queries, catalog);
    postgres::read_constraints(connection, queries, catalog);
    postgres::read_indexes(connection, queries, catalog);
    path.restore();
    snapshot.finish();
    postgres::finish(catalog);
    schema::normalise(catalog.schema);
    return std::move(catalog.schema);
  });
}

}  // namespace kedge::dialect
