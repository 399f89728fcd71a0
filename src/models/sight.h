// What the user of a connection may see of a database (models.md 8.1, 8.4): where an unqualified
// name leads, which relations may not be read, and whether the search path leads past something.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "db/connection.h"
#include "models/names.h"

namespace kedge::models {

struct Sight {
  // Keys of relations that the catalog lists but that may not be read.
  std::unordered_set<std::string> forbidden;
  // The keys behind unqualified names, where the database has a search path: what is not here is
  // found in no schema of it. Nothing: an unqualified name is one of the default schema.
  std::optional<std::unordered_map<std::string, std::string>> searched;
  // A schema of the search path that holds something and may not be used. The database passes over
  // it in silence, so what it then calls missing may be there.
  std::string hidden;
};

// `default_schema` is the one that relations of it are listed without.
Sight read_sight(db::Connection& connection, SqlDialect dialect, const std::string& default_schema);

}  // namespace kedge::models
