// What every app function gets: the project folder and the outside world as interfaces. No argv,
// no printing, no exit codes here: request in, result out. CLI, REST and MCP share it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/file_system.h"
#include "db/connection.h"
#include "db/scratch.h"
#include "dialect/catalogs.h"

namespace kedge::app {

struct Context {
  std::string folder;  // the project folder (-C), absolute
  base::FileSystem& files;
  base::Clock& clock;
  base::Environment& environment;
  base::ProcessRunner& processes;
  const db::Registry& registry;
  db::ScratchProvider& scratch;
  // Progress of anything over a second, for people; never part of a result.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
  // Of one run that looks at a database more than once (check, impact); null: none is kept.
  dialect::Catalogs* catalogs = nullptr;
};

}  // namespace kedge::app
