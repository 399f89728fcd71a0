#include "app/check.h"
#include "app/codegen.h"
#include "app/guard_inputs.h"

namespace kedge::app {
namespace {

Finding to_finding(const codegen::CodegenFinding& from, const std::string& kind) {
  Finding finding;
  finding.severity = from.severity;
  finding.problem.code = from.code;
  finding.problem.message = from.message;
  finding.problem.where = Position{from.path, from.line, from.line > 0 ? 1U : 0U};
  finding.subject = {kind, "", from.target, from.path};
  return finding;
}

}  // namespace

Guard code_guard() {
  Guard guard;
  guard.name = "code";
  guard.summary = "generated code against the metadata";
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    const project::Project project = project_of(context);
    add_metadata(inputs, project);
    add_code(inputs, project);
    return inputs;
  };
  guard.present = [](const Context& context) {
    return !readable_project(context).gen.targets.empty();
  };
  guard.run = [](Context& context, GuardReport& report) {
    const codegen::CodegenCheck check = verify_codegen(context, codegen::Edits::Allowed);
    for (const codegen::CodegenFinding& finding : check.findings) {
      report.findings.push_back(to_finding(finding, "generated file"));
    }
    report.message = std::to_string(check.checked) + " generated files, " +
                     std::to_string(check.edited.size()) + " with edits by hand";
  };
  return guard;
}

Guard docs_guard() {
  Guard guard;
  guard.name = "docs";
  guard.summary = "generated docs against the metadata";
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    const project::Project project = project_of(context);
    add_metadata(inputs, project);
    inputs.files.push_back(project.docs.out.text);
    return inputs;
  };
  // A project has generated docs once it says where, or has written some.
  guard.present = [](const Context& context) {
    const project::Text out = readable_project(context).docs.out;
    return out.where.has_value() || folder_has_files(context, out.text);
  };
  guard.run = [](Context& context, GuardReport& report) {
    const codegen::DocsCheck check = verify_docs(context);
    for (const codegen::CodegenFinding& finding : check.findings) {
      report.findings.push_back(to_finding(finding, "docs page"));
    }
    report.message = std::to_string(check.checked) + " pages";
  };
  return guard;
}

}  // namespace kedge::app
