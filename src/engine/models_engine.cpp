// kedge::models::Engine over the app functions: the real files, clock, environment and connectors.
#include "kedge/engine.h"

#include <utility>

#include "app/models.h"
#include "app/query.h"
#include "base/environment.h"
#include "base/file_system.h"
#include "engine/connectors.h"
#include "kedge/codes.h"
#include "scratch/provider.h"

namespace kedge::models {

struct Engine::State {
  explicit State(std::string project_folder)
      : files(base::make_file_system()),
        clock(base::make_clock()),
        environment(base::make_environment()),
        processes(base::make_process_runner()),
        registry(engine::make_registry()),
        scratch(scratch::make_provider(registry, *environment)),
        context{files->real_path(project_folder),
                *files,
                *clock,
                *environment,
                *processes,
                registry,
                *scratch} {}

  std::unique_ptr<base::FileSystem> files;
  std::unique_ptr<base::Clock> clock;
  std::unique_ptr<base::Environment> environment;
  std::unique_ptr<base::ProcessRunner> processes;
  db::Registry registry;
  std::unique_ptr<db::ScratchProvider> scratch;
  app::Context context;
};

namespace {

// One entry is replayed alone: its error, if any, is thrown.
void throw_first_error(const ApplyDriftResult& result) {
  for (const ApplyError& error : result.errors) {
    if (error.entry.tool != "validate_models") {
      const CodeEntry* entry = find_code(error.code);
      throw Error(entry ? entry->code : codes::ERR_INTERNAL, error.error);
    }
  }
}

}  // namespace

Engine::Engine(std::string project_folder)
    : state_(std::make_unique<State>(std::move(project_folder))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

ValidateResult Engine::validate_models(std::optional<std::string_view> data_source,
                                       const ValidateOptions& options) const {
  app::ValidateModelsRequest request;
  if (data_source) {
    request.data_source = std::string(*data_source);
  }
  request.options = options;
  return app::validate_models(state_->context, request);
}

ApplyDriftResult Engine::apply_drift_deletes(std::span<const ToDeleteEntry> entries,
                                             const ApplyOptions& options) {
  return app::apply_drift_deletes(state_->context, entries, options);
}

void Engine::edit_model(const EditModelDelete& entry, const ApplyOptions& options) {
  const ToDeleteEntry entries[] = {entry};
  throw_first_error(app::apply_drift_deletes(state_->context, entries, options));
}

void Engine::delete_model(const WholeModelDelete& entry, const ApplyOptions& options) {
  const ToDeleteEntry entries[] = {entry};
  throw_first_error(app::apply_drift_deletes(state_->context, entries, options));
}

IdempotentIngestResult Engine::ingest(std::string_view data_source, const IngestOptions& options) {
  return app::ingest_models(state_->context, std::string(data_source), options);
}

QueryResult Engine::query(const QueryInput& input, const QueryOptions& options) const {
  return app::run_query(state_->context, input, options);
}

}  // namespace kedge::models
