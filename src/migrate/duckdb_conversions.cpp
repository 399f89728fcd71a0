#include <fmt/format.h>

#include "migrate/duckdb_parts.h"

namespace kedge::migrate {

using schema::Type;
using schema::TypeKind;

// DuckDB casts by itself, but for lists: what a scalar becomes, and what a list of one does.
std::string duckdb_converted(const Emission& e, const std::string& value, const Type& from,
                             const Type& to) {
  const bool was_list = from.kind == TypeKind::Array;
  const bool is_list = to.kind == TypeKind::Array;
  if (was_list && to.kind == TypeKind::Json) {
    return "to_json(" + value + ")";
  }
  if (was_list && !is_list) {
    return fmt::format(
        "CASE WHEN len({0}) > 1 THEN error('list ' || {0}::VARCHAR || ' has more than one "
        "element') ELSE {0}[1]::{1} END",
        value, e.ddl.type(to));
  }
  if (is_list && !was_list && from.kind != TypeKind::Json) {
    return fmt::format("CASE WHEN {0} IS NULL THEN NULL ELSE [{0}]::{1} END", value,
                       e.ddl.type(to));
  }
  return value;
}

// COALESCE mixes no types: current_time is a time with a zone, say.
std::string duckdb_filled(const Emission& e, const std::string& value,
                          const schema::Column& column) {
  const std::string fallback = e.ddl.default_value(*column.default_value, column.type);
  if (column.default_value->kind == schema::Default::Kind::Literal) {
    return fmt::format("COALESCE({}, {})", value, fallback);
  }
  return fmt::format("COALESCE({}, CAST({} AS {}))", value, fallback, e.ddl.type(column.type));
}

}  // namespace kedge::migrate
