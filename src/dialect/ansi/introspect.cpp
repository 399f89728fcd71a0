// Introspection of a database of which nothing but its driver's catalog functions is known (ODBC).
#include "db/catalog.h"
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/name_filter.h"
#include "kedge/codes.h"

namespace kedge::dialect {

schema::Schema AnsiDialect::introspect(db::Connection& connection,
                                       const IntrospectScope& scope) const {
  db::CatalogConnection* catalog = db::find_catalog(connection);
  if (catalog == nullptr) {
    throw Error(codes::ERR_INTROSPECT, "this connection has no catalog that can be read");
  }
  return with_introspection_errors([&] {
    const NameFilter filter(scope);
    db::CatalogScope wanted;
    wanted.schemas = scope.schemas;
    wanted.wanted = [&](const schema::Name& name) {
      return filter.takes_table(name.schema.text(), name.name.text());
    };
    schema::Schema schema = catalog->read_catalog(wanted);
    schema::normalise(schema);
    return schema;
  });
}

}  // namespace kedge::dialect
