// The gate (spec/migrate.md 6, 7): a pure function of the changes and what was permitted.
#pragma once

#include <vector>

#include "migrate/plan.h"

namespace kedge::migrate {

std::vector<Status> gate(const diff::Result& result, const schema::Schema& actual,
                         const schema::Schema& expected, const PlanOptions& options);

}  // namespace kedge::migrate
