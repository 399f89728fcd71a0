// Semantic models for programs: what `kedge validate-models`, `ingest` and `query` do, as calls
// (spec: models.md 14.1). An Engine stands for one project folder; it holds no connection open
// between calls. Calls from several threads are safe; writers wait for each other through the
// project's lock. Every failure is a kedge::Error.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kedge/models.h"

namespace kedge::models {

class Engine {
 public:
  // The connectors of this build, the real files, clock and environment.
  explicit Engine(std::string project_folder);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // One data source, or all that have models. Throws unknown_data_source.
  ValidateResult validate_models(std::optional<std::string_view> data_source,
                                 const ValidateOptions& options = {}) const;
  ApplyDriftResult apply_drift_deletes(std::span<const ToDeleteEntry> entries,
                                       const ApplyOptions& options = {});
  // What one entry replays as. Throw model_not_found, model_changed, query_backed_edit,
  // invalid_result.
  void edit_model(const EditModelDelete& entry, const ApplyOptions& options = {});
  void delete_model(const WholeModelDelete& entry, const ApplyOptions& options = {});
  IdempotentIngestResult ingest(std::string_view data_source, const IngestOptions& options);
  // Throws SchemaDriftError when the database has drifted from what the query touches.
  QueryResult query(const QueryInput& input, const QueryOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kedge::models
