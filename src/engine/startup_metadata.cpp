#include "kedge/startup_metadata.h"

#include "app/metadata.h"
#include "base/environment.h"
#include "base/file_system.h"
#include "db/scratch.h"
#include "engine/connectors.h"
#include "scratch/provider.h"

namespace kedge {

std::string load_startup_model(const std::string& project_folder, const std::string& target) {
  const auto files = base::make_file_system();
  const auto clock = base::make_clock();
  const auto environment = base::make_environment();
  const auto processes = base::make_process_runner();
  const db::Registry registry = engine::make_registry();
  const auto scratch = scratch::make_provider(registry, *environment);
  app::Context context{files->real_path(project_folder),
                       *files,
                       *clock,
                       *environment,
                       *processes,
                       registry,
                       *scratch};
  return app::write_model(context, "", target).text;
}

}  // namespace kedge
