// Which relation a name means: keys of tables and schemas, as names.h has them for columns. Where
// it is up to the server whether such names fold, keys are exact: what differs in case only, it is
// asked.
#pragma once

#include <string>
#include <string_view>

#include "models/names.h"

namespace kedge::models {

// "schema.table", the default schema as the empty one.
std::string table_key(SqlDialect dialect, std::string_view schema, std::string_view table);
std::string live_table_key(SqlDialect dialect, std::string_view name);
std::string written_table_key(SqlDialect dialect, const PhysicalName& part);

}  // namespace kedge::models
