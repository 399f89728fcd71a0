#include "app/run_state.h"
#include "cli/commands.h"
#include "cli/contract_outcome.h"
#include "kedge/codes.h"
#include "report/contracts.h"

namespace kedge::cli {
namespace {

app::Consent consent_of(const Arguments& arguments) {
  if (arguments.has("--dry-run")) {
    return app::Consent::DryRun;
  }
  return arguments.has("--yes") ? app::Consent::Given : app::Consent::Ask;
}

int runs(Invocation& invocation) {
  const std::vector<app::RunSummary> all = app::list_runs(invocation.context);
  invocation.print(report::runs_json(all), report::runs_text(all));
  return 0;
}

int state_show(Invocation& invocation) {
  const pipeline::Cursors cursors =
      app::show_cursors(invocation.context, invocation.arguments.positionals());
  invocation.print(report::cursors_json(cursors), report::cursors_text(cursors));
  return 0;
}

int change(Invocation& invocation, app::CursorChange request) {
  request.key = invocation.arguments.positionals().at(0);
  request.reason = invocation.arguments.get("--reason", "");
  request.consent = consent_of(invocation.arguments);
  const app::CursorResult result = app::change_cursor(invocation.context, request);
  invocation.print(report::cursor_change_json(result), report::cursor_change_text(result));
  return 0;
}

int state_set(Invocation& invocation) {
  const std::optional<std::string> value = invocation.arguments.find("--value");
  if (!value) {
    throw Error(codes::ERR_USAGE, "--value V is needed");
  }
  app::CursorChange request;
  request.value = *value;
  return change(invocation, request);
}

int state_rollback(Invocation& invocation) {
  const std::optional<std::string> run = invocation.arguments.find("--to-run");
  if (!run) {
    throw Error(codes::ERR_USAGE, "--to-run ID is needed");
  }
  app::CursorChange request;
  request.action = app::CursorAction::Rollback;
  request.run_id = *run;
  return change(invocation, request);
}

int state_clear(Invocation& invocation) {
  app::CursorChange request;
  request.action = app::CursorAction::Clear;
  return change(invocation, request);
}

int clean(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::CleanRequest request;
  if (const std::optional<std::string> keep = arguments.find("--keep-last")) {
    const bool digits = !keep->empty() && keep->size() < 10 &&
                        keep->find_first_not_of("0123456789") == std::string::npos;
    if (!digits) {
      throw Error(codes::ERR_USAGE, "--keep-last needs a whole number");
    }
    request.keep_last = std::stoll(*keep);
  }
  request.older_than = arguments.find("--older-than");
  request.purge = arguments.has("--purge") ? app::Purge::Runs : app::Purge::Staging;
  request.consent = arguments.has("--dry-run") ? app::Consent::DryRun : app::Consent::Given;
  const std::vector<std::string> removed = app::clean_runs(invocation.context, request);
  document::Json list = document::Json::array();
  std::string text;
  for (const std::string& file : removed) {
    list.push(file);
    text += (request.consent == app::Consent::DryRun ? "would remove " : "removed ") + file + "\n";
  }
  document::Json json;
  json.set("removed", std::move(list));
  invocation.print(json, text.empty() ? "nothing to clean\n" : text);
  return 0;
}

std::vector<Flag> with_consent(std::vector<Flag> flags) {
  flags.push_back({"--yes", FlagKind::Switch, "", "Really do it", {}});
  flags.push_back({"--dry-run", FlagKind::Switch, "", "Only say what would be done", {}});
  flags.push_back({"--reason", FlagKind::Value, "TEXT", "Kept in the audit trail", {}});
  return flags;
}

}  // namespace

std::vector<Command> run_state_commands() {
  const Positional key{"KEY", "connection.entity", true, false};
  return {
      {"runs", "List runs, newest first", {}, {}, guarded(runs), "", {"text", "json"}},
      {"state show",
       "Show stored cursors",
       {},
       {{"KEY", "connection.entity; nothing: all", false, true}},
       guarded(state_show),
       "",
       {"text", "json"}},
      {"state set",
       "Move a stored cursor",
       with_consent({{"--value", FlagKind::Value, "V", "The new value", {}}}),
       {key},
       guarded(state_set),
       "",
       {"text", "json"}},
      {"state rollback",
       "Set a cursor to what a run recorded",
       with_consent({{"--to-run", FlagKind::Value, "ID", "The run", {}}}),
       {key},
       guarded(state_rollback),
       "",
       {"text", "json"}},
      {"state clear",
       "Forget a stored cursor: the next run reads everything",
       with_consent({}),
       {key},
       guarded(state_clear),
       "",
       {"text", "json"}},
      {"clean",
       "Remove staging files of old runs; with --purge whole runs; never the state",
       {{"--keep-last", FlagKind::Value, "N", "Keep the newest N runs", {}},
        {"--older-than", FlagKind::Value, "D", "Only runs older than this, such as 7d", {}},
        {"--purge", FlagKind::Switch, "", "Remove run records too", {}},
        {"--dry-run", FlagKind::Switch, "", "Only say what would be removed", {}}},
       {},
       guarded(clean),
       "",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
