// Grants go with what a plan drops and makes again. They come back where `actual` holds them, also
// where nobody compares them.
#pragma once

#include "db/connection.h"
#include "migrate/plan.h"

namespace kedge::migrate {

// Does something step aside that may carry grants?
bool drops_what_may_be_granted(const Plan& plan);
// The grants of the same database beside what was read of it.
schema::Schema with_grants(db::Connection& connection, schema::Schema shape);

}  // namespace kedge::migrate
