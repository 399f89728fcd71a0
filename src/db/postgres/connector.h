// PostgreSQL through libpq, which is opened on first use. Options: contracts.md 3.2; every other
// option that libpq knows (sslrootcert, ...) is handed on.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_postgres_connector();

}  // namespace kedge::db
