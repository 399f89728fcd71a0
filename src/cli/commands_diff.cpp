#include "app/diff.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/diff.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

std::vector<Flag> diff_flags() {
  return {
      {"--dialect",
       FlagKind::Value,
       "DIALECT",
       "What sql: and empty: are read in",
       {"sqlite", "postgres", "mysql", "duckdb", "d1"}},
      {"--scope",
       FlagKind::List,
       "PATTERN",
       "Only objects that match: name, schema.name, kind:name; * is any text",
       {},
       true},
      {"--exclude", FlagKind::List, "PATTERN", "Hide objects that match, on both sides", {}, true},
      {"--rename-table", FlagKind::List, "OLD=NEW", "This table was renamed", {}},
      {"--rename-column", FlagKind::List, "TABLE.OLD=NEW", "This column was renamed", {}},
      {"--on-ambiguous",
       FlagKind::Value,
       "ANSWER",
       "What looks like a rename (drop-add)",
       {"abort", "rename", "drop-add"}},
      {"--privileges", FlagKind::Switch, "", "Compare grants too", {}},
      {"--no-comments", FlagKind::Switch, "", "Leave comments out", {}},
      {"--prove", FlagKind::Switch, "", "Apply the statements to a copy and compare", {}},
      {"--scratch-url", FlagKind::Value, "URL", "A server for throw-away databases", {}},
      {"--pg-bin", FlagKind::Value, "DIR", "Where PostgreSQL's programs are", {}}};
}

diff::OnAmbiguous answer_of(const std::string& text) {
  return text == "abort"    ? diff::OnAmbiguous::Abort
         : text == "rename" ? diff::OnAmbiguous::Rename
                            : diff::OnAmbiguous::DropAdd;
}

// An empty one takes nothing: it must not mean everything.
std::vector<std::string> patterns(const Arguments& arguments, const char* flag) {
  std::vector<std::string> items = arguments.list(flag);
  return items.empty() && arguments.has(flag) ? std::vector<std::string>{""} : items;
}

app::DiffRequest diff_request(const Arguments& arguments) {
  app::DiffRequest request;
  if (const auto dialect = arguments.find("--dialect")) {
    request.dialect = schema::find_dialect(*dialect);
  }
  request.filter = {patterns(arguments, "--scope"), patterns(arguments, "--exclude")};
  for (const std::string& rename : arguments.list("--rename-table")) {
    request.renames.tables.push_back(app::parse_table_rename(rename));
  }
  for (const std::string& rename : arguments.list("--rename-column")) {
    request.renames.columns.push_back(app::parse_column_rename(rename));
  }
  request.on_ambiguous = answer_of(arguments.get("--on-ambiguous", "drop-add"));
  if (arguments.has("--privileges")) {
    request.privileges = diff::Privileges::Compare;
  }
  if (arguments.has("--no-comments")) {
    request.comments = diff::Comments::Ignore;
  }
  request.prove = arguments.has("--prove") ? app::Prove::Yes : app::Prove::No;
  request.scratch.url = arguments.get("--scratch-url", "");
  request.scratch.pg_bin = arguments.get("--pg-bin", "");
  return request;
}

int show(Invocation& invocation, const app::ShapeDiff& result, const std::string& format) {
  Terminal& terminal = invocation.terminal;
  if (format == "json") {
    terminal.out.write(document::write_json(report::diff_json(result)) + "\n");
  } else if (format == "sql") {
    terminal.out.write(report::diff_sql(result));
  } else {
    terminal.out.write(report::diff_text(result));
  }
  for (const Problem& warning : result.warnings) {
    terminal.err.write(report::problem_text(warning, Severity::Warning));
  }
  if (result.proof.ran && !result.proof.holds()) {
    terminal.err.write("diff: the statements do not lead to the target\n");
    return 2;
  }
  return result.is_equal() ? 0 : 1;
}

int diff_command(Invocation& invocation) {
  app::DiffRequest request = diff_request(invocation.arguments);
  request.from = invocation.arguments.positionals().at(0);
  request.to = invocation.arguments.positionals().at(1);
  return show(invocation, app::compare_sources(invocation.context, request),
              invocation.arguments.get("--format", "text"));
}

int migrate_diff(Invocation& invocation) {
  app::DiffRequest request = diff_request(invocation.arguments);
  request.from = invocation.arguments.get("--from", "");
  request.to = invocation.arguments.get("--to", "");
  if (request.from.empty() || request.to.empty()) {
    throw Error(codes::ERR_USAGE, "migrate diff needs --from SRC and --to SRC");
  }
  const std::string format =
      invocation.arguments.has("--sql") ? "sql" : invocation.arguments.get("--format", "text");
  return show(invocation, app::compare_sources(invocation.context, request), format);
}

}  // namespace

std::vector<Command> diff_commands() {
  std::vector<Flag> migrate_flags = diff_flags();
  migrate_flags.push_back({"--from", FlagKind::Value, "SRC", "The shape to start from", {}});
  migrate_flags.push_back({"--to", FlagKind::Value, "SRC", "The shape to reach", {}});
  migrate_flags.push_back({"--sql", FlagKind::Switch, "", "The same as --format sql", {}});
  return {{"diff",
           "Show what leads from one shape to another",
           diff_flags(),
           {{"A", "What is there: connection, URL, sql:PATH, snapshot:PATH, metadata:, empty:",
             true, false},
            {"B", "What is wanted", true, false}},
           diff_command,
           "Exit code 0: no difference; 1: a difference; 2: could not compare.\n"
           "  kedge diff sqlite:a.db sqlite:b.db\n"
           "  kedge diff postgres://localhost/app sql:schema.sql --format sql",
           {"text", "json", "sql"}},
          {"migrate diff",
           "The difference of any two sources; the same as kedge diff",
           migrate_flags,
           {},
           migrate_diff,
           "",
           {"text", "json", "sql"}}};
}

}  // namespace kedge::cli
