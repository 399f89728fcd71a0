// A fleet of databases as text and JSON.
#pragma once

#include <string>

#include "app/fleet.h"
#include "document/json.h"

namespace kedge::report {

std::string fleet_text(const app::FleetReport& report);
document::Json fleet_json(const app::FleetReport& report);  // {databases, groups, seconds}

}  // namespace kedge::report
