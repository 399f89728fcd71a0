// How MySQL and MariaDB spell the partitions of a table.
#pragma once

#include <string>

#include "kedge/schema.h"

namespace kedge::dialect::mysql {

// "PARTITION BY RANGE (...) (PARTITION ...)"; empty for a table in one piece.
std::string partition_clause(const schema::Table& table);

}  // namespace kedge::dialect::mysql
