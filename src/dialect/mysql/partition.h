// How MySQL and MariaDB spell the partitions and the storage options of a table.
#pragma once

#include <set>
#include <string>

#include "kedge/schema.h"

namespace kedge::dialect::mysql {

// "PARTITION BY RANGE (...) (PARTITION ...)"; empty for a table in one piece.
std::string partition_clause(const schema::Table& table);

// Options of one of them that CREATE_OPTIONS tells beside those with a place of their own:
// "key_block_size", "`page_compressed`".
std::set<std::string> further_options(const schema::Table& one, const schema::Table& other);
// "KEY_BLOCK_SIZE=8"; without a value what sets it back.
std::string option_clause(const std::string& name, const std::string& value);

}  // namespace kedge::dialect::mysql
