// COPY in and out of column chunks: binary where every type allows, else text.
#pragma once

#include "db/bulk.h"
#include "db/postgres/session.h"

namespace kedge::db::postgres {

// `columns` are those of the statement, typed.
struct BulkColumn {
  std::uint32_t oid = 0;
  int modifier = -1;
  std::string name;
  schema::Type type;
};

void read_bulk(Session& session, std::string_view sql, std::span<const BulkColumn> columns,
               const ChunkHandler& handler, const ReadOptions& options);
// `columns` are those of the target, in the order of the chunks.
std::unique_ptr<ChunkWriter> write_bulk(Session& session, const BulkTarget& target,
                                        std::vector<BulkColumn> columns);

std::string quoted(std::string_view name);

}  // namespace kedge::db::postgres
