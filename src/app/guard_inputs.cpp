#include "app/guard_inputs.h"

#include "project/connections.h"

namespace kedge::app {

project::Project project_of(const Context& context) {
  return project::load_project(context.files, context.environment, context.folder).project;
}

project::Project readable_project(const Context& context) {
  project::ProjectLoad load =
      project::load_project(context.files, context.environment, context.folder);
  project::throw_problems(load.problems);
  return std::move(load.project);
}

void add_metadata(Inputs& inputs, const project::Project& project) {
  inputs.files.insert(inputs.files.end(), {"project.yml", "project.yaml"});
  for (const project::Text& source : project.metadata.sources) {
    inputs.files.push_back(source.text);
  }
  if (project.metadata.sources.empty()) {
    inputs.files.emplace_back("metadata");
  }
}

void add_connections(Inputs& inputs, const Context& context) {
  inputs.files.insert(inputs.files.end(),
                      {"project.yml", "project.yaml", "connections.yml", "connections.yaml"});
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  for (const project::Connection& connection : loaded.connections.connections) {
    for (const auto& [key, value] : connection.settings(context.folder)) {
      if (key == "root") {
        inputs.files.push_back(value);
      } else if (key == "path" && !value.ends_with(":memory:")) {
        inputs.kept.push_back(value);
      }
    }
  }
}

void add_code(Inputs& inputs, const project::Project& project) {
  inputs.files.insert(inputs.files.end(), {"codegen", project.gen.state.text});
  for (const project::GenTarget& target : project.gen.targets) {
    inputs.files.push_back(target.out.text);
    if (target.pack.text.find('/') != std::string::npos) {
      inputs.files.push_back(target.pack.text);
    }
  }
}

}  // namespace kedge::app
