// Rows from one connection into a table of another, streamed in chunks: the memory it takes does
// not depend on the number of rows, and no row costs a statement of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/connection.h"

namespace kedge::pipeline {

// How values arrive: as the source gives them, or everything but blobs as text (landing of values
// whose type is decided by a conversion afterwards).
enum class ValueForm { Native, Text };

struct TransferTarget {
  std::string table;                 // quoted SQL name
  schema::Name name;                 // the same as values
  std::vector<std::string> columns;  // in the order of the query's columns
  ValueForm form = ValueForm::Native;
  std::int64_t chunk_rows = 50'000;
};

// Returns the number of rows. The table exists.
std::int64_t copy_rows(db::Connection& from, const std::string& query, db::Connection& to,
                       const TransferTarget& target);

}  // namespace kedge::pipeline
