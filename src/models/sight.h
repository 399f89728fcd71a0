// Reads from a database what its user may see of it and how it reads names.
#pragma once

#include <string>

#include "db/connection.h"
#include "models/table_names.h"

namespace kedge::models {

// `default_schema` is the one that relations of it are listed without.
Sight read_sight(db::Connection& connection, SqlDialect dialect, const std::string& default_schema);

}  // namespace kedge::models
