// The shape of a database whose catalog can only be read through functions of its driver (ODBC).
#pragma once

#include <functional>
#include <string_view>

#include "db/connection.h"

namespace kedge::db {

struct CatalogScope {
  std::vector<std::string> schemas;  // exact names; empty: all but the engine's own
  // Asked for each table and view; the keys and indexes of the others are not read.
  std::function<bool(const schema::Name&)> wanted = [](const schema::Name&) { return true; };
};

class CatalogConnection {
 public:
  virtual ~CatalogConnection() = default;
  // Tables, views, columns, keys, indexes: what the driver tells, normalised.
  virtual schema::Schema read_catalog(const CatalogScope& scope) = 0;
};

// Null when the connection has no such functions.
inline CatalogConnection* find_catalog(Connection& connection) {
  return dynamic_cast<CatalogConnection*>(&connection);
}

}  // namespace kedge::db
