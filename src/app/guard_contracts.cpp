#include <algorithm>

#include "app/check.h"
#include "app/validate.h"

namespace kedge::app {

Guard contracts_guard() {
  Guard guard;
  guard.name = "contracts";
  guard.summary = "declarations of the project, and contracts against their sources and targets";
  guard.inputs = {"connections.yml", "project.yml", "pipelines/", "metadata/"};
  guard.present = [](const Context& context) {
    return context.files.kind(base::join_path(context.folder, "connections.yml")) ||
           context.files.kind(base::join_path(context.folder, "project.yml"));
  };
  guard.run = [](Context& context, GuardReport& report) {
    ValidateRequest request;
    request.reach = Reach::Connect;
    const Validation validation = validate(context, request);
    for (const ValidationItem& item : validation.items) {
      const Finding& finding = item.finding;
      const bool failed = finding.severity == Severity::Error && !finding.problem.where &&
                          finding.subject.name.empty() && item.kind.empty();
      if (failed) {
        report.failures.push_back(finding.problem);
      } else {
        report.findings.push_back(finding);
      }
    }
    report.message = std::to_string(validation.pipelines) + " pipelines, " +
                     std::to_string(validation.connections) + " connection(s)";
  };
  return guard;
}

}  // namespace kedge::app
