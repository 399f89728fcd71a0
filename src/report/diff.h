// A difference for people and for programs.
#pragma once

#include <string>

#include "app/diff.h"
#include "document/json.h"

namespace kedge::report {

std::string diff_text(const app::ShapeDiff& result);
document::Json diff_json(const app::ShapeDiff& result);  // docs/reference/diff.md
// A script that the engine's own client can run; steps that must commit alone stand apart.
std::string diff_sql(const app::ShapeDiff& result);

document::Json hazard_json(const migrate::Hazard& hazard);
document::Json planned_change_json(const migrate::PlannedChange& change);

}  // namespace kedge::report
