// Column chunks into a sqlite table: one prepared INSERT, bound and stepped row by row inside a
// transaction of its own when there is none.
#pragma once

#include <functional>

#include "db/bulk.h"

struct sqlite3;

namespace kedge::db::sqlite {

// `fail` throws what sqlite says.
std::unique_ptr<ChunkWriter> make_writer(sqlite3* database, const BulkTarget& target,
                                         std::function<void()> fail);

}  // namespace kedge::db::sqlite
