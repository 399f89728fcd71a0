// The connections of a project and whether they answer, as text and JSON.
#pragma once

#include <string>

#include "app/connections.h"
#include "document/json.h"

namespace kedge::report {

std::string connections_text(const std::vector<app::ListedConnection>& connections);
document::Json connections_json(const std::vector<app::ListedConnection>& connections);

// One line each: "port: PostgreSQL 15.8, 12 ms", or what is wrong as a problem.
std::string tested_text(const std::vector<app::TestedConnection>& tested);
document::Json tested_json(const std::vector<app::TestedConnection>& tested);

}  // namespace kedge::report
