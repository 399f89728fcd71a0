// Introspection of a database of which nothing but its driver's catalog functions is known (ODBC).
#include <algorithm>

#include "db/catalog.h"
#include "dialect/dialects.h"
#include "dialect/failure.h"
#include "dialect/name_filter.h"
#include "kedge/codes.h"

namespace kedge::dialect {
namespace {

// Some drivers do not say which columns a foreign key means when the declaration did not: those of
// the primary key.
void complete_references(schema::Schema& schema) {
  for (schema::Table& table : schema.tables) {
    for (schema::ForeignKey& key : table.foreign_keys) {
      const bool unnamed = std::all_of(key.referenced_columns.begin(), key.referenced_columns.end(),
                                       [](const Identifier& column) { return column.empty(); });
      const schema::Table* target = schema::find_table(schema, key.referenced_table);
      if (unnamed && target != nullptr && target->primary_key) {
        key.referenced_columns = target->primary_key->columns;
      }
    }
  }
}

}  // namespace

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
    complete_references(schema);
    return schema;
  });
}

}  // namespace kedge::dialect
