// Result types and cells of mysql.
#pragma once

#include "db/mysql/api.h"

namespace kedge::db::mysql {

// From the field type, length and flags: "tinyint(1)" is boolean.
schema::Type type_of(const MYSQL_FIELD& field);
// A cell of the text protocol.
Value value_of(const MYSQL_FIELD& field, const char* text, std::size_t size);

}  // namespace kedge::db::mysql
