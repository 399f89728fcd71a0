#include "app/check.h"
#include "app/codegen.h"
#include "project/project.h"

namespace kedge::app {
namespace {

project::Project project_of(const Context& context) {
  return project::load_project(context.files, context.environment, context.folder).project;
}

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
  guard.inputs = {"metadata/", "codegen/", "project.yml"};
  guard.present = [](const Context& context) { return !project_of(context).gen.targets.empty(); };
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
  guard.inputs = {"metadata/", "docs/", "project.yml"};
  // A project has generated docs once it has written some.
  guard.present = [](const Context& context) {
    return folder_has_files(context, project_of(context).docs.out.text);
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
