// Model queries as app functions (models.md 5, 6, 13): text in, rows or a drift report out. CLI,
// REST, MCP and the Engine call these.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "kedge/finding.h"
#include "kedge/models.h"
#include "models/model.h"
#include "models/store.h"

namespace kedge::app {

// Throws the codes of models.md 16 and SchemaDriftError; what the database refused for another
// reason comes back as query_failed, timeout, permission_denied or connection_failed with the
// driver's words as a note.
models::QueryResult run_query(const Context& context, const models::QueryInput& input,
                              const models::QueryOptions& options);

struct ListedModel {
  std::string data_source;
  std::string name;
  std::string label;
  std::string description;
  std::string source;  // "table", "sql", "queries"
  std::size_t columns = 0;
  std::size_t measures = 0;
};
struct ModelList {
  std::vector<ListedModel> models;  // sorted by data source and name; hidden ones are left out
  std::vector<Finding> problems;    // of the files: those with errors are not among the models
};
ModelList list_models(const Context& context, const std::optional<std::string>& data_source);
// One model by name. Throws unknown_model, ambiguous_model, or the file's own first problem.
models::LoadedModel show_model(const Context& context, const std::string& name,
                               const std::optional<std::string>& data_source);

}  // namespace kedge::app
