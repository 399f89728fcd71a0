#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/gates.h"
#include "kedge/codes.h"
#include "report/problem.h"
#include "report/templates.h"

namespace kedge::cli {
namespace {

const Flag kRoot = {
    "--templates-root", FlagKind::Value, "DIR", "The folder of the texts (default: templates)", {}};

GateResult templates_gate(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const app::VerifyTemplatesResult checked = app::verify_templates(
      invocation.context,
      {arguments.all("--template"), arguments.find("--templates-root"),
       arguments.has("--packs") ? app::PackTemplates::Check : app::PackTemplates::Skip});
  GateResult result;
  result.members = report::templates_gate_json(checked);
  if (!checked.errors.empty()) {
    result.ran = false;
    result.exit = 2;
    result.errors = checked.errors;
    return result;
  }
  const bool strict = arguments.has("--strict");
  const bool bad =
      checked.count(Severity::Error) > 0 || (strict && checked.count(Severity::Warning) > 0);
  result.exit = bad ? 1 : 0;
  result.text = report::templates_text(checked);
  return result;
}

std::string read_payload(Invocation& invocation) {
  const std::string path = invocation.arguments.get("--payload", "");
  if (path.empty()) {
    throw Error(codes::ERR_USAGE, "--payload FILE is needed", "- reads standard input");
  }
  if (path == "-") {
    return invocation.terminal.read_all_input();
  }
  std::optional<std::string> text =
      invocation.context.files.read(base::join_path(invocation.context.folder, path));
  if (!text) {
    throw Error(codes::ERR_IO, "payload file '" + path + "' does not exist");
  }
  return std::move(*text);
}

// What one part gives as it is, several as one JSON document.
std::string output_of(const std::vector<app::RenderedPart>& parts) {
  if (parts.size() == 1) {
    return parts.front().text;
  }
  document::Json json;
  for (const app::RenderedPart& part : parts) {
    json.set(part.part, part.text);
  }
  return document::write_json(json) + "\n";
}

int exit_of(Code code) {
  static constexpr std::array kRefused = {codes::ERR_RENDER_VERIFY_FAILED,
                                          codes::ERR_PAYLOAD_INVALID, codes::ERR_OUTPUT_TOO_LONG,
                                          codes::ERR_OUTPUT_TAG_MISSING};
  return std::find(kRefused.begin(), kRefused.end(), code) != kRefused.end() ? 1 : 2;
}

int render(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  try {
    const std::string output = output_of(app::render_template(
        invocation.context,
        {arguments.positionals().front(), read_payload(invocation), arguments.find("--part"),
         arguments.find("--templates-root"),
         arguments.has("--no-verify") ? app::RenderGuard::None : app::RenderGuard::Verify,
         arguments.has("--strict-payload")}));
    if (const std::optional<std::string> out = arguments.find("--out")) {
      invocation.context.files.write(base::join_path(invocation.context.folder, *out), output);
    } else {
      invocation.terminal.out.write(output);
    }
    return 0;
  } catch (const templates::RenderError& error) {
    Problem problem = error.problem();
    invocation.terminal.err.write(report::problem_text(problem, Severity::Error));
    for (const templates::TemplateFinding& finding : error.findings) {
      // A tag that is missing, or a text that is too long, stands nowhere in it.
      const templates::TextPosition at = finding.at.value_or(templates::TextPosition{});
      invocation.terminal.err.write("  " + to_string(Position{finding.source, at.line, at.column}) +
                                    " " + report::template_finding_line(finding) + "\n");
    }
    return exit_of(error.code());
  }
}

int list(Invocation& invocation) {
  const std::vector<app::ListedTemplate> list = app::list_templates(invocation.context);
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::template_list_json(list)) + "\n"
                                    : report::template_list_text(list));
  return 0;
}

}  // namespace

std::vector<Gate> template_gates() {
  return {{"templates",
           "Check every reference of every template against its payload",
           {{"--template", FlagKind::List, "NAME", "Only this template; repeatable", {}},
            kRoot,
            {"--packs",
             FlagKind::Switch,
             "",
             "Also check the templates of the packs of gen.targets",
             {}},
            {"--strict", FlagKind::Switch, "", "Warnings and hand edits count as drift", {}}},
           templates_gate}};
}

std::vector<Command> template_commands() {
  return {
      {"render",
       "Render a template with a payload",
       {{"--payload", FlagKind::Value, "FILE|-", "The payload: a JSON object", {}},
        {"--part", FlagKind::Value, "PART", "One part of an e-mail: subject, html or text", {}},
        kRoot,
        {"--no-verify", FlagKind::Switch, "", "Render although the template has errors", {}},
        {"--strict-payload",
         FlagKind::Switch,
         "",
         "Refuse keys that the payload does not declare",
         {}},
        {"--out", FlagKind::Value, "FILE", "Write there instead of to standard output", {}}},
       {{"NAME", "The template: qualified, or bare when only one has that name", true, false}},
       render,
       "An e-mail without --part gives one JSON object of its parts.",
       {}},
      {"templates list", "List the templates of the metadata", {}, {}, list, "", {"text", "json"}}};
}

}  // namespace kedge::cli
