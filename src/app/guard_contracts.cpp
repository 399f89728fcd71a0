#include "app/check.h"
#include "app/guard_inputs.h"
#include "app/validate.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::app {

Guard contracts_guard() {
  Guard guard;
  guard.name = "contracts";
  guard.reads_databases = true;
  guard.summary = "declarations of the project, and contracts against their sources and targets";
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    add_connections(inputs, context);
    const project::Project project = project_of(context);
    add_metadata(inputs, project);
    inputs.files.emplace_back("pipelines");
    // Accepted baselines; what lies in .kedge is told to nobody.
    const std::string& state = project.state_dir.text;
    (state.starts_with(".kedge") ? inputs.kept : inputs.files)
        .push_back(base::join_path(state, "schemas.json"));
    return inputs;
  };
  guard.present = [](const Context& context) {
    return context.files.kind(base::join_path(context.folder, "connections.yml")) ||
           context.files.kind(base::join_path(context.folder, "project.yml"));
  };
  guard.run = [](Context& context, GuardReport& report) {
    ValidateRequest request;
    request.reach = Reach::Connect;
    Validation validation;
    for (const Checker& checker : validation_checkers()) {
      if (checker.name != "models" && checker.name != "settings") {  // other guards say it,
        checker.run(context, request, validation);
      }
    }
    check_data_source_priority(context, validation);  // but for this setting
    for (const ValidationItem& item : validation.items) {
      const Finding& finding = item.finding;
      // What validate ends with 2 for (a broken declaration, a lost connection) was not checked.
      if (finding.severity == Severity::Error && exit_code_of(finding.problem.code) == 2) {
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
