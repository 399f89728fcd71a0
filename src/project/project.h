// project.yml (contracts.md 2 and the chapters whose blocks live in it) as a value. Loading never
// throws for what a file says: every problem of the file is returned, with its place.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_system.h"
#include "kedge/finding.h"
#include "project/settings.h"

namespace kedge::project {

struct Variable {
  std::string name;
  document::Node value;  // a scalar or a list of scalars, ${} expanded
};

struct Project {
  std::string folder;     // as given: absolute
  bool present = false;   // there is a project.yml
  bool has_name = false;  // the keys are there, with whatever value
  bool has_version = false;
  std::string name;  // empty when the file leaves it out
  std::string version;
  OnSourceDrift on_source_drift = OnSourceDrift::Ignore;
  std::vector<Variable> vars;
  EngineSettings engine;
  std::optional<std::int64_t> keep_last = 10;  // nothing: retention is off
  RequireContracts require_contracts = RequireContracts::None;
  EventHooks events;
  Text state_dir = {".kedge/state", {}};  // relative to the project
  MetadataSettings metadata;
  MigrateSettings migrate;
  GenSettings gen;
  DocsSettings docs;
  TemplateSettings templates;
  std::vector<Text> data_source_priority;
  std::vector<std::string> secrets;  // what came out of ${} in vars
};

struct ProjectLoad {
  Project project;
  std::vector<Problem> problems;  // in file order
  std::vector<Finding> warnings;  // PZ0135 for a project.yaml
};

// `environment` gives the values of ${NAME} in vars. A missing file gives the defaults. That `name`
// and `version` are there when pipelines or entities need them is checked by require_identity().
ProjectLoad load_project(const base::FileSystem& files, const base::Environment& environment,
                         const std::string& folder);
// PZ0101 for a name or version that is missing (contracts.md 2.2).
std::vector<Problem> require_identity(const Project& project);

std::string to_string(OnSourceDrift policy);  // "ignore", "warn", "fail"

// Throws one Error that carries the first problem and the others as notes; nothing when empty.
void throw_problems(const std::vector<Problem>& problems);

}  // namespace kedge::project
