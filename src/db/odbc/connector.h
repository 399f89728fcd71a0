// Every other database through ODBC, whose driver manager is opened on first use. Options: dsn or
// connection_string, user, password, dialect, schema; for the connector "sqlserver" those of
// contracts.md 3.2. The connection also implements db/catalog.h.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_odbc_connector();       // "odbc"
std::shared_ptr<Connector> make_sqlserver_connector();  // "sqlserver"

}  // namespace kedge::db
