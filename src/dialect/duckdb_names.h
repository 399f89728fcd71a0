// The names of DuckDB's types: any of them with its aliases, read strictly, spelled canonically.
// The one home of both; DuckdbDialect and the contracts use it. Timestamps keep their unit in
// `precision` (0, 3, 9; absent = microseconds), structs their field names in `labels`, maps their
// key and value in `element`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kedge/type.h"

namespace kedge::dialect {

struct DuckdbType {
  std::optional<schema::Type> type;
  std::string problem;     // set when `type` is not
  std::string suggestion;  // the nearest name, where there is one
};

// A bare decimal is DECIMAL(38,9) (spec/contracts.md 5.1).
DuckdbType parse_duckdb_type(std::string_view text);
// Upper-case canonical spelling: "BIGINT", "DECIMAL(12,3)", "VARCHAR(11)", "STRUCT(a INTEGER)".
std::string duckdb_type_name(const schema::Type& type);
// Without facets: "DECIMAL", "STRUCT".
std::string_view duckdb_kind_name(schema::TypeKind kind);

}  // namespace kedge::dialect
