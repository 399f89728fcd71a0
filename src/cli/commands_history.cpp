#include "app/connections.h"
#include "app/history.h"
#include "app/source.h"
#include "base/environment.h"
#include "cli/commands.h"
#include "report/history.h"

namespace kedge::cli {
namespace {

std::unique_ptr<app::HistoryStore> store_of(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  if (const std::optional<std::string> store = arguments.find("--store")) {
    return app::make_database_history(
        app::connect(invocation.context, *store, db::AccessMode::ReadWrite),
        arguments.get("--store-schema", "kedge_history"));
  }
  return app::make_file_history(invocation.context);
}

int run_record(Invocation& invocation) {
  const std::string name = invocation.arguments.positionals().front();
  const app::Source source = app::load_source(invocation.context, name, {});
  const auto store = store_of(invocation);
  const app::Recorded recorded =
      app::record(*store, source.shown, source.schema, invocation.context.clock.now_milliseconds());
  invocation.print(report::recorded_json(recorded), report::recorded_text(recorded));
  return 0;
}

int run_log(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::LogRequest request;
  request.source = arguments.positionals().empty() ? "" : arguments.positionals().front();
  request.subject = arguments.get("--about", "");
  request.only_changes = !arguments.has("--all");
  const auto store = store_of(invocation);
  const std::vector<app::LogRow> rows = app::history_log(*store, request);
  invocation.print(report::log_json(rows), report::log_text(rows, request.subject));
  return 0;
}

std::vector<Flag> store_flags() {
  return {{"--store",
           FlagKind::Value,
           "NAME|URL",
           "Keep the history in this PostgreSQL database instead of .kedge/history",
           {}},
          {"--store-schema", FlagKind::Value, "NAME", "Its schema (kedge_history)", {}}};
}

}  // namespace

std::vector<Command> history_commands() {
  Command record;
  record.name = "record";
  record.summary = "Keep a dated snapshot of a shape";
  record.flags = store_flags();
  record.positionals = {{"SRC", "A connection, URL, metadata:, snapshot:, ..."}};
  record.run = run_record;
  record.details = "Compare two dates with: kedge diff NAME@2027-03-01 NAME@2027-03-14";
  Command log;
  log.name = "log";
  log.summary = "List what was recorded, and when something appeared or went";
  log.flags = store_flags();
  log.flags.push_back(
      {"--about", FlagKind::Value, "TABLE[.COLUMN]", "Only what changed this table or column", {}});
  log.flags.push_back({"--all", FlagKind::Switch, "", "Also records without a change", {}});
  log.positionals = {{"SRC", "Only this source", false}};
  log.run = run_log;
  return {record, log};
}

}  // namespace kedge::cli
