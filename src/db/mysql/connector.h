// MySQL and MariaDB through libmariadb, which is opened on first use. Options: contracts.md 3.2 and
// `socket`. Sessions run in UTC and utf8mb4.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_mysql_connector();

}  // namespace kedge::db
