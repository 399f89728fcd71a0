// DuckDB files through the C API of libduckdb, which is opened on first use. Options: path
// (":memory:" too). A missing file is made in AccessMode::Create only. Extensions are neither
// installed nor loaded by themselves; sessions run in UTC.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_duckdb_connector();

}  // namespace kedge::db
