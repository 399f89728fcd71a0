#include "dialect/name_filter.h"

#include <algorithm>

#include "base/glob.h"

namespace kedge::dialect {

bool NameFilter::takes_schema(std::string_view schema) const {
  return scope_.schemas.empty() ||
         std::find(scope_.schemas.begin(), scope_.schemas.end(), schema) != scope_.schemas.end();
}

bool NameFilter::takes_table(std::string_view schema, std::string_view table) const {
  if (!takes_schema(schema)) {
    return false;
  }
  const std::string full = std::string(schema) + "." + std::string(table);
  return scope_.tables.empty() ||
         std::any_of(scope_.tables.begin(), scope_.tables.end(), [&](const std::string& pattern) {
           return base::matches_glob(pattern, table) || base::matches_glob(pattern, full);
         });
}

}  // namespace kedge::dialect
