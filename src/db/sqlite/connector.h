// SQLite files. Options: path. A missing file is made in AccessMode::Create only.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_sqlite_connector();

}  // namespace kedge::db
