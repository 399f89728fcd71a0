// IntrospectScope as a question about one name, for the engines whose catalog is small enough to be
// filtered here.
#pragma once

#include <string_view>

#include "dialect/dialect.h"

namespace kedge::dialect {

class NameFilter {
 public:
  explicit NameFilter(const IntrospectScope& scope) : scope_(scope) {}
  bool takes_schema(std::string_view schema) const;
  bool takes_table(std::string_view schema, std::string_view table) const;

 private:
  const IntrospectScope& scope_;
};

}  // namespace kedge::dialect
