// Semantic models as app functions: validate, apply, ingest (models.md 8 to 12). CLI, REST, MCP and
// the Engine call these.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/model_project.h"
#include "app/validate.h"
#include "kedge/models.h"
#include "models/cascade.h"
#include "models/explain.h"
#include "models/import.h"
#include "models/renames.h"

namespace kedge::app {

struct ValidateModelsRequest {
  std::optional<std::string> data_source;  // nothing: all that have models
  models::ValidateOptions options;
};

// All that one check of the models has found, for callers that look behind the result.
struct ModelCheck {
  ModelProject project;
  models::ModelStore store;
  models::LiveShapes live;  // of the data sources that could be read
  std::map<std::string, schema::Schema> schemas;
  models::CascadeOptions cascade;
  models::ValidateResult result;
};
ModelCheck check_models(const Context& context, const ValidateModelsRequest& request);
// The models of one data source against a shape of it, without opening the database.
ModelCheck check_models_against(const Context& context, const std::string& data_source,
                                const schema::Schema& shape);

// Throws only for what stops the whole: an unknown data source, broken connections.yml.
models::ValidateResult validate_models(const Context& context,
                                       const ValidateModelsRequest& request);

// Takes the lock, applies one entry after the other and validates the data sources again.
models::ApplyDriftResult apply_drift_deletes(const Context& context,
                                             std::span<const models::ToDeleteEntry> entries,
                                             const models::ApplyOptions& options);

// The chains from live changes to dropped items (--explain).
std::vector<models::ExplainedDrop> explain_drops(const ModelCheck& check);
// Columns that may have been renamed (--suggest), those with `least_score` at least. With `Read` a
// few hundred rows of tables with a lost key are compared with the other side of its joins:
// read-only, each within seconds.
enum class Values { Leave, Read };
std::vector<models::RenameCandidate> suggest_renames(const Context& context,
                                                     const ModelCheck& check, Values values,
                                                     int least_score);

struct RenameResult {
  std::vector<models::RenameCandidate> applied;
  std::vector<models::ApplyError> errors;
};
// Points the columns to their new live names; a file that has changed since the check stays.
RenameResult apply_renames(const Context& context, const ModelCheck& check,
                           std::span<const models::RenameCandidate> renames);

// Entries that an interrupted apply left behind are carried out; gives what was done.
std::vector<models::AppliedEntry> complete_interrupted_apply(const Context& context);

// Throws when the data source as a whole cannot be read; then nothing was written.
models::IdempotentIngestResult ingest_models(const Context& context, const std::string& data_source,
                                             const models::IngestOptions& options);

struct ImportModelsRequest {
  models::ImportFormat format = models::ImportFormat::Dbt;
  std::string path;  // a file, or a folder whose YAML files are read
  std::string data_source;
};
struct ImportModelsResult {
  std::vector<models::ModelId> written;
  std::vector<Finding> skipped;              // what has no counterpart, with its place
  std::vector<models::IngestError> refused;  // models whose file exists already
};
// Writes models for those of dbt or Cube; never over a file that exists.
ImportModelsResult import_models(const Context& context, const ImportModelsRequest& request);

// For `kedge validate`: what is wrong in model files, without a database.
void check_model_files(Context& context, const ValidateRequest& request, Validation& result);

// Reads --from FILE.
std::vector<models::ToDeleteEntry> read_delete_entries(const Context& context,
                                                       const std::string& path);

}  // namespace kedge::app
