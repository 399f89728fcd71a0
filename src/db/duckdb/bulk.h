// Column chunks out of DuckDB's data chunks and into a table through the appender.
#pragma once

#include "db/bulk.h"
#include "db/duckdb/session.h"

namespace kedge::db::duckdb {

std::vector<ResultColumn> read_bulk(Session& session, std::string_view sql,
                                    const ChunkHandler& handler, const ReadOptions& options);
std::unique_ptr<ChunkWriter> write_bulk(Session& session, const BulkTarget& target);

}  // namespace kedge::db::duckdb
