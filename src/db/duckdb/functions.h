// Functions that kedge brings into its own in-memory databases, because the same test said in SQL
// costs several passes over every text:
//   kedge_inexact(text, digits)  an exponent, or more than `digits` characters after the point
//   kedge_places(text, digits)   a number of more decimal places, exponents understood
//   kedge_member(json, name)     a member as it stands in the text of an object: no number rounded
//   kedge_member_text(json, name)  the same, a string as what it says
//   kedge_nested(json, shape)    a JSON value as DuckDB spells nested texts (json_text.h)
//   kedge_extreme(text)          an exponent, or more digits than a FLOAT's range has
//   kedge_zoned(text)            a timestamp that names a zone
#pragma once

#include "db/duckdb/api.h"

namespace kedge::db::duckdb {

// A second registration in one database is refused by DuckDB and does no harm.
void register_functions(const Api& api, duckdb_connection connection);

}  // namespace kedge::db::duckdb
