// The one object of each dialect.
#pragma once

#include "dialect/ddl.h"

namespace kedge::dialect {

const Ddl& postgres_ddl();
const Ddl& sqlite_ddl();
const Ddl& mysql_ddl();
const Ddl& duckdb_ddl();

}  // namespace kedge::dialect
