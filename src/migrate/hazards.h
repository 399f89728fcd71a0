// What may fail or hurt when a change runs (spec/migrate.md 10.1, 10.2). Warnings, never refusals.
#pragma once

#include <vector>

#include "migrate/plan.h"

namespace kedge::migrate {

// postgres: another value for each row. What a function of somebody's own does is not known, so it
// is taken for one.
bool has_volatile_default(const schema::Column& column);

// Those of each change, in the order of `changes`.
std::vector<std::vector<Hazard>> hazards_of(const std::vector<Change>& changes,
                                            const schema::Schema& actual,
                                            const PlanOptions& options);

}  // namespace kedge::migrate
