// Model files in `kedge validate`: every mistake that shows without a database.
#include "app/model_project.h"
#include "app/models.h"
#include "app/validate.h"
#include "project/connections.h"

namespace kedge::app {

void check_model_files(Context& context, const ValidateRequest& request, Validation& result) {
  // A selection names pipelines; without models there is nothing to read the connections for.
  if (!request.select.empty() || !context.files.kind(models::models_folder(context.folder))) {
    return;
  }
  const models::ModelStore store =
      models::load_models(context.files, {context.folder, find_dialects(context), std::nullopt});
  for (const Finding& finding : store.problems) {
    ValidationItem item;
    item.finding = finding;
    item.finding.subject = {};  // the place says it; connection and entity mean contracts here
    result.items.push_back(std::move(item));
  }
}

}  // namespace kedge::app
