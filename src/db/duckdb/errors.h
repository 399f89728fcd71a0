// Which class a DuckDB failure has (models.md 8.4), by the kind its message begins with.
#pragma once

#include <string>
#include <string_view>

#include "db/connection.h"

namespace kedge::db::duckdb {

FailureClass classify(std::string_view message);
std::string kind_of(std::string_view message);  // "Binder Error", or empty
bool is_read_only_refusal(std::string_view message);

}  // namespace kedge::db::duckdb
