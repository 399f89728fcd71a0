// csv, tsv, json and parquet files below a folder, through DuckDB in memory. Option: root. Each
// file lies there as a view named after the file without its extension ("yard/containers.csv" as
// "yard/containers"); other files are read by path, relative to root. Nothing is written.
#pragma once

#include <memory>

#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_files_connector();

}  // namespace kedge::db
