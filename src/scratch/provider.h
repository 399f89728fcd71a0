// Throw-away engines (spec/migrate.md 16): a temporary file for sqlite, d1 and duckdb, a server of
// its own for postgres and mysql, or a database on --scratch-url. Never the user's own database.
#pragma once

#include <memory>

#include "base/environment.h"
#include "db/connection.h"
#include "db/scratch.h"

namespace kedge::scratch {

// The registry and the environment must outlive the provider. Thread safe.
std::unique_ptr<db::ScratchProvider> make_provider(const db::Registry& registry,
                                                   base::Environment& environment);

}  // namespace kedge::scratch
