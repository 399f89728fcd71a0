#include "sql/pg_fallback.h"

namespace kedge::sql {

std::optional<ExpressionFacts> parse_expression_with_postgres(std::string_view, Flavour) {
  return std::nullopt;
}
std::optional<QueryFacts> parse_query_with_postgres(std::string_view, Flavour) {
  return std::nullopt;
}

}  // namespace kedge::sql
