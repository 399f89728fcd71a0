// The names and aliases of DuckDB types as data.
#pragma once

#include <span>
#include <string_view>

#include "kedge/type.h"

namespace kedge::dialect {

struct DuckdbWord {
  std::string_view name;  // lower case
  schema::TypeKind kind;
  int precision;  // timestamp units; -1 = none
};

std::span<const DuckdbWord> duckdb_words();

}  // namespace kedge::dialect
