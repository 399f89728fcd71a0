// The impact of a change as a text tree, JSON, mermaid and dot.
#pragma once

#include <string>

#include "app/impact.h"
#include "document/json.h"

namespace kedge::report {

std::string impact_text(const app::ImpactResult& result);
document::Json impact_json(const app::ImpactResult& result);
// Inside the report of `kedge migrate`: only what is touched, nothing when that is nothing.
std::string planned_impact_text(const app::ImpactResult& result);
document::Json planned_impact_json(const app::ImpactResult& result);
std::string impact_mermaid(const app::ImpactResult& result);
std::string impact_dot(const app::ImpactResult& result);

}  // namespace kedge::report
