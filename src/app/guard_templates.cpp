#include "app/check.h"
#include "app/guard_inputs.h"
#include "app/templates.h"

namespace kedge::app {
namespace {

Finding to_finding(const PartFinding& part) {
  const templates::TemplateFinding& from = part.finding;
  Finding finding;
  finding.severity = from.severity;
  finding.problem.code = from.code;
  finding.problem.message = "template '" + part.template_name + "': " + from.message;
  if (from.at) {
    finding.problem.where = Position{from.source, from.at->line, from.at->column};
  } else {
    finding.problem.where = part.declared_at;
  }
  if (from.suggestion) {
    finding.problem.hint = "did you mean '" + *from.suggestion + "'?";
  }
  for (const templates::Inclusion& inclusion : from.via) {
    finding.problem.notes.push_back(
        {"included here", Position{inclusion.source, inclusion.at.line, inclusion.at.column}});
  }
  finding.subject = {"template", "", part.template_name, from.path.value_or(part.part)};
  return finding;
}

}  // namespace

Guard templates_guard() {
  Guard guard;
  guard.name = "templates";
  guard.summary = "template texts against the payloads that metadata declares";
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    const project::Project project = project_of(context);
    add_metadata(inputs, project);
    inputs.files.push_back(project.templates.root.text);
    return inputs;
  };
  guard.present = [](const Context& context) {
    const MetadataModel loaded = load_metadata_model(context);
    return !loaded.model.templates.empty() || !loaded.errors.empty();
  };
  guard.run = [](Context& context, GuardReport& report) {
    const VerifyTemplatesResult result = verify_templates(context, {});
    for (const PartFinding& part : result.findings) {
      report.findings.push_back(to_finding(part));
    }
    report.failures = result.errors;
    report.message =
        std::to_string(result.templates) + " templates, " + std::to_string(result.texts) + " texts";
  };
  return guard;
}

}  // namespace kedge::app
