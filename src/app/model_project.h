// The data sources of a project as the models module needs them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/file_system.h"
#include "models/live_reader.h"
#include "models/store.h"

namespace kedge::app {

struct ModelProject {
  std::map<std::string, models::DataSource> sources;  // every connection, by name
  std::map<std::string, models::SqlDialect> dialects;
  std::vector<std::string> priority;  // data_source_priority of project.yml
};

// Throws the first problem of project.yml or connections.yml, the others as notes.
ModelProject open_model_project(const Context& context);
// The connections' dialects for reading model files: nothing is refused, no secret is needed.
std::map<std::string, models::SqlDialect> find_dialects(const Context& context);
// Throws unknown_data_source, with the nearest name.
void require_data_source(const ModelProject& project, const std::string& name);

// Held while a writer works on the project's files (models.md 15).
class ProjectLock {
 public:
  explicit ProjectLock(const Context& context);

 private:
  base::FileLock lock_;
};

}  // namespace kedge::app
