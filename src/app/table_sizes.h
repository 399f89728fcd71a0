// How large the tables are that a plan endangers (spec/migrate.md 10.2), asked from the live
// database in one query.
#pragma once

#include <map>

#include "db/connection.h"
#include "migrate/plan.h"

namespace kedge::app {

// By the names that the hazards use; empty on engines that cannot say it and where asking fails.
std::map<schema::Name, std::int64_t> find_table_sizes(db::Connection& connection,
                                                      const migrate::Plan& plan);

}  // namespace kedge::app
