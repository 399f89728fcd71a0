// What semantic models make of a column type (spec/models.md 7): six classes, four buckets. By
// dialect name, so that databases reached through ODBC (clickhouse, bigquery, snowflake, sqlserver,
// oracle) have their row of the table too.
#pragma once

#include <string_view>

#include "kedge/schema.h"
#include "kedge/type.h"

namespace kedge::dialect {

enum class ColumnClass { Int, Double, Boolean, Date, Timestamp, Text, Undetermined };

// Of a native type name. "sqlite", "d1", "duckdb", "postgres", "mysql", "mariadb", "clickhouse",
// "bigquery", "snowflake", "sqlserver", "oracle"; any other name is read as standard SQL.
ColumnClass column_class(std::string_view dialect, std::string_view native);
// Of a live type: by its spelling where there is one, else by its kind. A domain counts as its
// base type.
ColumnClass column_class(schema::Dialect dialect, const schema::Type& type);

schema::Bucket bucket_of(ColumnClass column_class);
schema::Bucket bucket_of(std::string_view dialect, std::string_view native);

}  // namespace kedge::dialect
