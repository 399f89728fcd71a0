#include "dialect/dialects.h"

namespace kedge::dialect {

schema::Schema SqliteDialect::introspect(db::Connection& connection,
                                         const IntrospectScope& /*scope*/) const {
  schema::Schema schema;
  schema.engine = connection.engine();
  schema::normalise(schema);
  return schema;
}

}  // namespace kedge::dialect
