// DuckDB types on the systems that rows are written to (spec/contracts.md 5.4): the spelling used
// to create a column, and the DuckDB type that such a column reads back as.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kedge/type.h"

namespace kedge::contracts {

enum class System { Postgres, Sqlite, Duckdb, Mysql, SqlServer, Generic };
// By connector name: "d1" is sqlite, "odbc" is generic unless its `dialect:` is
// sqlserver. nullopt for files.
std::optional<System> system_of_connector(std::string_view connector,
                                          std::string_view dialect = "");

enum class ColumnUse { Plain, Key };  // a text key needs a length on mysql and sqlserver

struct TargetType {
  std::string native;    // "numeric(12,3)"
  schema::Type read_as;  // what 5.3 makes of it
  // Staged values may lie outside what the target holds (ranges, text length of keys).
  bool range_checked = false;
};

// nullopt: no mapping (PZ0802).
std::optional<TargetType> target_type(System system, const schema::Type& type,
                                      ColumnUse use = ColumnUse::Plain);
std::string marker_type(System system);  // of _kedge_deleted_at
inline constexpr std::string_view kMarkerColumn = "_kedge_deleted_at";

}  // namespace kedge::contracts
