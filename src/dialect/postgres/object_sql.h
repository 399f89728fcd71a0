// The one statement that reads everything in a PostgreSQL database that is no relation.
#pragma once

#include <string>

#include "dialect/postgres/catalog.h"

namespace kedge::dialect::postgres {

// Columns: kind, oid, namespace, name, reference, a, b, c, comment.
std::string object_sql(const CatalogScope& scope, int major);

}  // namespace kedge::dialect::postgres
