// The project's settings and its metadata, loaded once for a command.
#pragma once

#include "app/context.h"
#include "kedge/metadata.h"
#include "project/project.h"

namespace kedge::app {

metadata::Settings metadata_settings(const project::Project& project);

struct MetadataModel {
  project::Project project;
  metadata::Model model;
  std::vector<Problem>
      errors;  // of project.yml, then of the metadata; the model is whole when empty
  std::vector<Finding> warnings;
};
// Never throws for what the files say. A project without metadata has an empty model.
MetadataModel load_metadata_model(const Context& context);

}  // namespace kedge::app
