// The models of a project on disk: models/<data source>/<model>.yml (models.md 1). Reading never
// throws for what a file says: a file that is wrong is reported and its model stays unread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "models/model_set.h"

namespace kedge::models {

struct LoadRequest {
  std::string folder;                              // of the project
  std::map<std::string, SqlDialect> data_sources;  // the known connections
  std::optional<std::string> only;                 // read this data source; list the others
};

struct ModelStore {
  ModelSet set;                          // what could be read
  std::map<ModelId, std::string> files;  // every model file, by its place and name: its path
  std::vector<Finding> problems;         // in file order; errors and warnings
};

ModelStore load_models(const base::FileSystem& files, const LoadRequest& request);

// One file's text as a model, with every rule that needs no other model. `warnings` may be null.
struct LoadedFile {
  std::optional<LoadedModel> model;  // nothing when there are errors
  std::vector<Problem> errors;
  std::vector<Problem> warnings;
};
LoadedFile load_model_text(const std::string& path, std::string text,
                           const std::string& data_source, SqlDialect dialect);

std::string models_folder(std::string_view project);
// "models/<data source>/<name>.yml" below the project.
std::string model_path(std::string_view project, const ModelId& id);
// The file of a model, .yml or .yaml; nothing when there is none.
std::optional<std::string> find_model_file(const base::FileSystem& files, std::string_view project,
                                           const ModelId& id);
std::string content_hash(std::string_view bytes);

}  // namespace kedge::models
