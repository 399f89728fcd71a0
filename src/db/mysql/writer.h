// Column chunks into a mysql table: prepared INSERTs of several rows, in a transaction of its own
// when there is none, in strict mode.
#pragma once

#include "db/bulk.h"
#include "db/mysql/session.h"

namespace kedge::db::mysql {

// `columns` are those of the target.
std::unique_ptr<ChunkWriter> make_writer(Session& session, const BulkTarget& target,
                                         std::vector<ResultColumn> columns);
std::string quoted(const std::string& name);

}  // namespace kedge::db::mysql
