// What a down cannot bring back, said above the statement that tries (spec/migrate.md 8.1).
#pragma once

#include <vector>

#include "migrate/plan.h"

namespace kedge::migrate {

// `back` are the changes of the down, `changes` those of the up.
void add_notes(Plan& plan, const std::vector<Change>& back, const std::vector<Change>& changes);

}  // namespace kedge::migrate
