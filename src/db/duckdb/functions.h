// Functions that kedge brings into its own in-memory databases, because the same test said in SQL
// costs several passes over every text:
//   kedge_inexact(text, digits)  an exponent, or more than `digits` characters after the point
//   kedge_extreme(text)          an exponent, or more digits than a FLOAT's range has
//   kedge_zoned(text)            a timestamp that names a zone
#pragma once

#include "db/duckdb/api.h"

namespace kedge::db::duckdb {

// A second registration in one database is refused by DuckDB and does no harm.
void register_functions(const Api& api, duckdb_connection connection);

}  // namespace kedge::db::duckdb
