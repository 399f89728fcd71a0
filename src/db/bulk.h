// Optional fast paths of a connection, found through the free functions below so that the
// Connection interface stays small. Column chunks are the unit in which rows move.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/connection.h"

namespace kedge::db {

// A chunk of rows by column. Text values of one column share one arena.
struct ColumnChunk {
  schema::TypeKind kind = schema::TypeKind::Text;
  std::vector<std::uint8_t> valid;     // 1 per row; 0 = NULL
  std::vector<std::int64_t> integers;  // integers, booleans, days since 1970, microseconds
  std::vector<double> reals;
  std::vector<std::uint32_t> offsets;  // rows + 1, into bytes: text, decimals, uuids, json, blobs
  std::string bytes;
};

struct Chunk {
  std::size_t rows = 0;
  std::vector<ColumnChunk> columns;
};

}  // namespace kedge::db
