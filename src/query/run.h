// Running a compiled query and the values of its result (models.md 6.1).
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"
#include "kedge/models.h"
#include "query/compile.h"

namespace kedge::query {

// One value as a result shows it.
models::QueryValue show_value(const Output& output, const db::ResultColumn& column,
                              const db::Value& value);
// Executes; a DatabaseError passes through.
models::QueryResult run(db::Connection& connection, const CompiledQuery& query);
// The plan of the engine instead of rows; on a dialect without EXPLAIN only the SQL.
models::QueryResult explain_query(db::Connection& connection, SqlDialect dialect,
                                  const CompiledQuery& query);
// Keys, attributes and SQL without rows.
models::QueryResult describe_query(const CompiledQuery& query);

}  // namespace kedge::query
