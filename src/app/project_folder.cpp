#include "app/project_folder.h"

#include <algorithm>
#include <array>

#include "kedge/codes.h"

namespace kedge::app {

void require_project_folder(const Context& context) {
  static constexpr std::array kParts = {"project.yml", "project.yaml", "connections.yml",
                                        "metadata",    "models",       "pipelines",
                                        "templates",   "migrations"};
  if (std::none_of(kParts.begin(), kParts.end(), [&](const char* part) {
        return context.files.kind(base::join_path(context.folder, part)).has_value();
      })) {
    throw Error(codes::ERR_USAGE,
                "'" + context.folder +
                    "' holds no project: no project.yml, no connections.yml and nothing to guard",
                "run kedge in the folder of a project or name it with -C; kedge init makes one");
  }
}

}  // namespace kedge::app
