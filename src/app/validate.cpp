#include "app/validate.h"

#include <algorithm>

#include "app/contracts.h"
#include "app/metadata.h"
#include "app/models.h"
#include "app/project_folder.h"
#include "kedge/codes.h"

namespace kedge::app {

int Validation::exit() const {
  int worst = 0;
  for (const ValidationItem& item : items) {
    if (item.finding.severity == Severity::Error) {
      const int own = exit_code_of(item.finding.problem.code);
      worst = std::max(worst, own == 0 ? 1 : own);
    }
  }
  return worst;
}

void Validation::add(Problem problem, Severity severity) {
  ValidationItem item;
  item.finding.problem = std::move(problem);
  item.finding.severity = severity;
  items.push_back(std::move(item));
}

std::vector<Checker> validation_checkers() {
  return {{"settings", check_settings},
          {"metadata", check_metadata},
          {"contracts", check_contracts},
          {"models", check_model_files}};
}

Validation validate(Context& context, const ValidateRequest& request) {
  require_project_folder(context);
  Validation result;
  for (const Checker& checker : validation_checkers()) {
    checker.run(context, request, result);
  }
  return result;
}

}  // namespace kedge::app
