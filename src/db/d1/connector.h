// Cloudflare D1 through the wrangler program: `wrangler d1 execute <binding> --local|--remote
// --json`. Options: database (the binding), wrangler (the program), local, remote, config, folder
// (where wrangler runs). Each call starts a program: use db/batch.h. There is no transaction:
// begin() keeps the writes until commit() sends them in one call, which D1 runs as one.
#pragma once

#include <memory>

#include "base/environment.h"
#include "db/connection.h"

namespace kedge::db {

std::shared_ptr<Connector> make_d1_connector();
std::shared_ptr<Connector> make_d1_connector(std::shared_ptr<base::ProcessRunner> processes,
                                             std::shared_ptr<base::Environment> environment);

}  // namespace kedge::db
