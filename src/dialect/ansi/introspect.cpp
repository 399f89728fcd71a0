// A database of which only the driver's catalog functions are known (ODBC).
#include "db/catalog.h"
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/name_filter.h"

namespace kedge::dialect {

schema::Schema AnsiDialect::introspect(db::Connection& connection,
                                       const IntrospectScope& scope) const {
  return with_introspection_errors([&] {
    schema::Schema schema;
    schema.engine = connection.engine();
    if (db::CatalogConnection* catalog = db::find_catalog(connection)) {
      const NameFilter filter(scope);
      db::CatalogScope wanted;
      wanted.schemas = scope.schemas;
      wanted.wanted = [&](const schema::Name& name) {
        return filter.takes_table(name.schema.text(), name.name.text());
      };
      schema = catalog->read_catalog(wanted);
    }
    schema::normalise(schema);
    return schema;
  });
}

}  // namespace kedge::dialect
