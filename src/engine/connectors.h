// The table of connectors of this build: the one place that knows them all.
#pragma once

#include "db/connection.h"

namespace kedge::engine {

db::Registry make_registry();

}  // namespace kedge::engine
