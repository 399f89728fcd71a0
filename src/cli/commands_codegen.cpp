#include "cli/commands.h"
#include "cli/gates.h"
#include "kedge/codes.h"
#include "report/codegen.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

GateResult codegen_gate(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const codegen::CodegenCheck check =
      app::verify_codegen(invocation.context, arguments.has("--strict") ? codegen::Edits::Drift
                                                                        : codegen::Edits::Allowed);
  for (const Finding& warning : check.warnings) {
    invocation.terminal.err.write(report::finding_text(warning));
  }
  GateResult result;
  result.exit = check.findings.empty() ? 0 : 1;
  result.members = report::codegen_gate_json(check);
  result.text = report::codegen_check_text(
      check, arguments.has("--show-edits") ? report::ShowEdits::Yes : report::ShowEdits::No);
  return result;
}

GateResult docs_gate(Invocation& invocation) {
  const codegen::DocsCheck check = app::verify_docs(invocation.context);
  GateResult result;
  result.exit = check.findings.empty() ? 0 : 1;
  result.members = report::docs_gate_json(check);
  result.text = report::docs_check_text(check);
  return result;
}

int eject(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const std::string pack = arguments.get("--eject", "");
  const app::Ejected ejected =
      app::eject_pack(invocation.context, pack, arguments.get("--to", ""),
                      arguments.has("--force") ? app::Overwrite::Yes : app::Overwrite::No);
  invocation.print(
      document::Json().set("command", "gen").set("exit_code", 0).set("ejected", ejected.folder),
      "copied " + std::to_string(ejected.files.size()) + " files to " + ejected.folder +
          "\nin project.yml, change\n  pack: " + pack + "\nto\n  pack: ./" + ejected.folder + "\n");
  return 0;
}

int update_pack(Invocation& invocation) {
  const app::PackUpdate update =
      app::update_pack(invocation.context, invocation.arguments.get("--update-pack", ""),
                       invocation.arguments.get("--to", ""));
  std::string text;
  document::Json files = document::Json::array();
  for (const auto& [list, word] :
       {std::pair(&update.updated, "updated"), std::pair(&update.merged, "merged"),
        std::pair(&update.conflicts, "conflict")}) {
    for (const std::string& path : *list) {
      text += std::string(word) + " " + path + "\n";
      files.push(document::Json().set("path", path).set("status", word));
    }
  }
  const int exit = update.conflicts.empty() ? 0 : 1;
  invocation.print(
      document::Json().set("command", "gen").set("exit_code", exit).set("files", std::move(files)),
      text.empty() ? "the pack is up to date\n" : text);
  return exit;
}

codegen::GenRequest gen_request(const Arguments& arguments) {
  codegen::GenRequest request;
  request.targets = arguments.all("--target");
  request.only = arguments.all("--only");
  request.dry_run = arguments.has("--dry-run");
  const std::string conflict = arguments.get("--on-conflict", "markers");
  request.on_conflict = conflict == "keep"   ? codegen::OnConflict::Keep
                        : conflict == "fail" ? codegen::OnConflict::Fail
                                             : codegen::OnConflict::Markers;
  request.adopt = arguments.all("--adopt");
  request.discard = arguments.all("--discard");
  request.abort = arguments.all("--abort");
  request.forget = arguments.all("--forget");
  request.prune_targets = arguments.has("--prune-targets");
  return request;
}

int gen(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  if (arguments.has("--list")) {
    const std::vector<app::PackInfo> packs = app::list_packs(invocation.context);
    invocation.print(report::packs_json(packs), report::packs_text(packs));
    return 0;
  }
  if (arguments.has("--eject")) {
    return eject(invocation);
  }
  if (arguments.has("--update-pack")) {
    return update_pack(invocation);
  }
  if (arguments.has("--check")) {
    return run_gates(invocation, {"codegen"});
  }
  const codegen::GenResult result = app::generate_code(invocation.context, gen_request(arguments));
  for (const Finding& warning : result.warnings) {
    invocation.terminal.err.write(report::finding_text(warning));
  }
  invocation.print(report::gen_json(result), report::gen_text(result));
  return result.exit();
}

int docs(Invocation& invocation) {
  const codegen::DocsResult result = app::write_docs(invocation.context);
  invocation.print(report::docs_json(result), report::docs_text(result));
  return 0;
}

Flag list_flag(const std::string& name, const std::string& value, const std::string& help) {
  return {name, FlagKind::List, value, help, {}};
}
Flag switch_flag(const std::string& name, const std::string& help) {
  return {name, FlagKind::Switch, "", help, {}};
}

Command gen_command() {
  return {
      "gen",
      "Generate code from the metadata; hand edits are merged, not lost",
      {list_flag("--target", "NAME", "Only this target; repeatable"),
       list_flag("--only", "NAME",
                 "Only files made from this object, package or template; repeatable"),
       switch_flag("--dry-run", "Say what would happen, with exact statuses; write nothing"),
       switch_flag("--check", "The same as verify --codegen"),
       {"--on-conflict",
        FlagKind::Value,
        "markers|keep|fail",
        "What a conflict does",
        {"markers", "keep", "fail"}},
       list_flag("--adopt", "PATH", "This file carries my edits of today's output"),
       list_flag("--discard", "PATH", "Replace this file; its text goes to .kedge/gen/discarded"),
       list_flag("--abort", "PATH", "Take a conflict back"),
       list_flag("--forget", "PATH", "This file is mine from now on"),
       switch_flag("--list", "List the packs and their options"),
       {"--eject", FlagKind::Value, "PACK", "Copy a built-in pack into the project", {}},
       {"--to",
        FlagKind::Value,
        "DIR",
        "Where --eject copies to, and --update-pack finds the copy",
        {}},
       switch_flag("--force", "Let --eject overwrite"),
       {"--update-pack",
        FlagKind::Value,
        "PACK",
        "Merge the built-in pack into an ejected copy",
        {}},
       switch_flag("--prune-targets", "Remove files of targets that project.yml no longer has")},
      {},
      gen,
      "",
      {"text", "json"}};
}

}  // namespace

std::vector<Gate> codegen_gates() {
  const Flag strict = switch_flag("--strict", "Warnings and hand edits count as drift");
  return {
      {"codegen",
       "Compare generated code with what the metadata gives now",
       {strict, switch_flag("--show-edits", "List the lines that hand edits add and remove")},
       codegen_gate},
      {"docs", "Compare the pages of kedge docs with what the metadata gives now", {}, docs_gate}};
}

std::vector<Command> codegen_commands() {
  return {gen_command(),
          {"docs", "Write the documentation of the metadata", {}, {}, docs, "", {"text", "json"}}};
}

}  // namespace kedge::cli
