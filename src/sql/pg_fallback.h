// The second opinion: libpg_query for texts that kedge's own parser cannot read. Internal to
// src/sql.
#pragma once

#include <optional>
#include <string_view>

#include "sql/analysis.h"

namespace kedge::sql {

// nullopt when PostgreSQL's grammar does not read the text either, when the text holds a subquery
// (its scopes are not looked at here), or when PostgreSQL must not be asked: too long, nested too
// deeply, a token that its lexing cannot say.
std::optional<ExpressionFacts> parse_expression_with_postgres(std::string_view sql,
                                                              Flavour flavour);
// A whole SELECT. Its scopes are not told apart: each reference has the one scope of all relations.
std::optional<QueryFacts> parse_query_with_postgres(std::string_view sql, Flavour flavour);

}  // namespace kedge::sql
