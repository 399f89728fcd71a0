// validate-models and ingest (models.md 14.2).
#include <algorithm>
#include <string>

#include "app/models.h"
#include "base/text.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/models.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

app::ValidateModelsRequest validate_request(const Arguments& arguments) {
  return {arguments.find("--datasource"), {arguments.has("--deep"), std::nullopt}};
}

void print_diagnostics(Invocation& invocation, const models::ValidateResult& result) {
  base::Sink& err = invocation.terminal.err;
  err.write(report::warnings_text(result.problems));
  err.write(invocation.json() ? report::failure_lines(result.failures)
                              : report::failure_text(result.failures));
}

report::Checked checked(const models::ValidateResult& result) {
  return result.failures.empty() ? report::Checked::All : report::Checked::Part;
}

bool is_yes(const std::optional<std::string>& answer) {
  const std::string word = base::to_lower(base::trim(answer.value_or("")));
  return word == "y" || word == "yes";
}

// May the destructive thing be done? Throws where nobody can be asked.
bool confirm(Invocation& invocation, const std::string& question) {
  if (invocation.arguments.has("--yes")) {
    return true;
  }
  if (!invocation.terminal.interactive) {
    throw Error(codes::confirmation_required,
                "standard input is no terminal, so nobody can be asked; nothing was changed",
                "add --yes to apply without a question");
  }
  invocation.terminal.err.write(question + " [y/N] ");
  return is_yes(invocation.terminal.read_line(Terminal::kWholeLine));
}

void print_apply(Invocation& invocation, const models::ApplyDriftResult& result) {
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::apply_json(result)) + "\n"
                                    : report::apply_text(result));
}

int apply_exit(const models::ApplyDriftResult& result, bool complete) {
  if (!result.errors.empty() || !result.residual.empty()) {
    return 1;
  }
  return complete ? 0 : 2;
}

// Asks, applies and prints the result; `before` is what was already carried out.
int apply(Invocation& invocation, const std::vector<models::ToDeleteEntry>& entries,
          const models::ApplyOptions& options, std::vector<models::AppliedEntry> before,
          bool complete) {
  if (entries.empty()) {
    print_apply(invocation, {std::move(before), {}, {}});
    return complete ? 0 : 2;
  }
  (invocation.json() ? invocation.terminal.err : invocation.terminal.out)
      .write(report::entries_text(entries, {}));
  if (!confirm(invocation, "Apply " + std::to_string(entries.size()) + " delete(s)?")) {
    print_apply(invocation, {std::move(before), {}, {}});
    return complete ? 0 : 2;
  }
  models::ApplyDriftResult result = app::apply_drift_deletes(invocation.context, entries, options);
  result.applied.insert(result.applied.begin(), before.begin(), before.end());
  print_apply(invocation, result);
  return apply_exit(result, complete);
}

int force_clean(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const bool deep = arguments.has("--deep");
  if (const std::optional<std::string> path = arguments.find("--from")) {
    return apply(invocation, app::read_delete_entries(invocation.context, *path), {deep, {}}, {},
                 true);
  }
  std::vector<models::AppliedEntry> before;
  if (arguments.has("--yes") || invocation.terminal.interactive) {
    before = app::complete_interrupted_apply(invocation.context);
  }
  models::ValidateResult result =
      app::validate_models(invocation.context, validate_request(arguments));
  print_diagnostics(invocation, result);
  return apply(invocation, result.entries, {deep, std::move(result.file_hashes)}, std::move(before),
               result.failures.empty());
}

std::vector<models::RenameCandidate> find_renames(Invocation& invocation,
                                                  const app::ModelCheck& check, int least_score) {
  return app::suggest_renames(
      invocation.context, check,
      invocation.arguments.has("--sample") ? app::Values::Read : app::Values::Leave, least_score);
}

int suggest(Invocation& invocation, const app::ModelCheck& check) {
  const std::vector<models::RenameCandidate> candidates =
      find_renames(invocation, check, models::kWorthListing);
  if (invocation.json()) {
    document::Json json;
    json.set("to_delete", report::entries_json(check.result.entries));
    json.set("renames", report::renames_json(candidates));
    invocation.terminal.out.write(document::write_json(json) + "\n");
  } else {
    invocation.terminal.out.write(
        report::entries_text(check.result.entries, {}, checked(check.result)) +
        report::renames_text(candidates));
  }
  return check.result.failures.empty() ? 0 : 2;
}

// Says which listed candidates nobody chose, so that a column that stays missing is no surprise.
void print_left_out(Invocation& invocation, const std::vector<models::RenameCandidate>& candidates,
                    const std::vector<models::RenameCandidate>& accepted) {
  if (invocation.arguments.has("--rename")) {
    return;
  }
  for (const models::RenameCandidate& one : candidates) {
    const bool followed =
        std::any_of(accepted.begin(), accepted.end(), [&](const models::RenameCandidate& other) {
          return one.model == other.model && one.column == other.column;
        });
    if (!followed && one.score >= models::kWorthListing) {
      invocation.terminal.err.write("note: " + one.model.second + "." + one.column + "=" +
                                    one.candidate + " (datasource: " + one.model.first + ", " +
                                    std::to_string(one.score) +
                                    "%) is not sure enough; --rename chooses it\n");
    }
  }
}

int apply_renames(Invocation& invocation) {
  const app::ModelCheck check =
      app::check_models(invocation.context, validate_request(invocation.arguments));
  print_diagnostics(invocation, check.result);
  const std::vector<models::RenameCandidate> candidates = find_renames(invocation, check, 0);
  const std::vector<models::RenameCandidate> accepted =
      models::choose_renames(candidates, invocation.arguments.list("--rename"));
  print_left_out(invocation, candidates, accepted);
  app::RenameResult result;
  if (!accepted.empty()) {
    (invocation.json() ? invocation.terminal.err : invocation.terminal.out)
        .write(report::renames_text(accepted));
    if (confirm(invocation, "Apply " + std::to_string(accepted.size()) + " rename(s)?")) {
      result = app::apply_renames(invocation.context, check, accepted);
    }
  }
  for (const models::ApplyError& error : result.errors) {
    invocation.terminal.err.write("ERROR: " + error.entry.model_name + ": " + error.code + ": " +
                                  error.error + "\n");
  }
  // Together with --force-clean its result is the one document.
  if (!invocation.arguments.has("--force-clean")) {
    if (invocation.json()) {
      document::Json json;
      json.set("renamed", report::renames_json(result.applied));
      invocation.terminal.out.write(document::write_json(json) + "\n");
    } else {
      invocation.terminal.out.write("Applied " + std::to_string(result.applied.size()) +
                                    " rename(s).\n");
    }
  }
  return !result.errors.empty() ? 1 : (check.result.failures.empty() ? 0 : 2);
}

report::ChainFormat chain_format(const std::string& word) {
  if (word == "json") {
    return report::ChainFormat::Json;
  }
  if (word == "mermaid") {
    return report::ChainFormat::Mermaid;
  }
  return word == "dot" ? report::ChainFormat::Dot : report::ChainFormat::Text;
}

int show_drift(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const app::ModelCheck check = app::check_models(invocation.context, validate_request(arguments));
  print_diagnostics(invocation, check.result);
  if (const std::optional<std::string> format = arguments.find("--explain")) {
    const std::string word = invocation.json() ? "json" : *format;
    invocation.terminal.out.write(
        report::explanation(app::explain_drops(check), chain_format(word)));
  } else if (arguments.has("--suggest")) {
    suggest(invocation, check);
  } else if (invocation.json()) {
    invocation.terminal.out.write(document::write_json(report::entries_json(check.result.entries)) +
                                  "\n");
  } else {
    invocation.terminal.out.write(
        report::entries_text(check.result.entries, check.result.hints, checked(check.result)));
  }
  if (!check.result.failures.empty()) {
    return 2;
  }
  return arguments.has("--check") && !check.result.entries.empty() ? 1 : 0;
}

int validate_models(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  if (arguments.has("--from") && !arguments.has("--force-clean")) {
    throw Error(codes::ERR_USAGE, "--from is only of use with --force-clean");
  }
  if (arguments.has("--rename") && !arguments.has("--apply-renames")) {
    throw Error(codes::ERR_USAGE, "--rename is only of use with --apply-renames");
  }
  if (arguments.has("--sample") && !arguments.has("--suggest") &&
      !arguments.has("--apply-renames")) {
    throw Error(codes::ERR_USAGE, "--sample is only of use with --suggest or --apply-renames");
  }
  if (arguments.has("--apply-renames")) {
    const int exit_code = apply_renames(invocation);
    if (!arguments.has("--force-clean") || exit_code != 0) {
      return exit_code;
    }
  }
  return arguments.has("--force-clean") ? force_clean(invocation) : show_drift(invocation);
}

int ingest(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const std::optional<std::string> data_source = arguments.find("--datasource");
  if (!data_source) {
    throw Error(codes::ERR_USAGE, "ingest needs --datasource NAME");
  }
  models::IngestOptions options;
  options.schema_name = arguments.get("--schema", "");
  options.scope = {arguments.list("--include-tables"), arguments.list("--exclude-tables")};
  options.views = !arguments.has("--no-views");
  const models::IdempotentIngestResult result =
      app::ingest_models(invocation.context, *data_source, options);
  invocation.terminal.err.write(report::warnings_text(result.warnings));
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::ingest_json(result)) + "\n"
                                    : report::ingest_text(result));
  return result.errors.empty() ? 0 : 1;
}

int import_models(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::ImportModelsRequest request;
  const std::optional<std::string> from = arguments.find("--from");
  const std::optional<std::string> data_source = arguments.find("--datasource");
  if (!from || !data_source) {
    throw Error(codes::ERR_USAGE, "models import needs --from dbt|cube and --datasource NAME");
  }
  request.format = *from == "dbt" ? models::ImportFormat::Dbt : models::ImportFormat::Cube;
  request.path = arguments.positionals().at(0);
  request.data_source = *data_source;
  const app::ImportModelsResult result = app::import_models(invocation.context, request);
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::import_json(result)) + "\n"
                                    : report::import_text(result));
  return result.refused.empty() ? 0 : 1;
}

const Flag kDataSource{
    "--datasource,--data-source", FlagKind::Value, "NAME", "A connection of connections.yml", {}};

}  // namespace

std::vector<Command> model_commands() {
  return {
      {"validate-models",
       "Find what in the semantic models the database no longer has",
       {kDataSource,
        {"--deep", FlagKind::Switch, "", "Also undeclared live columns that expressions use", {}},
        {"--check", FlagKind::Switch, "", "Exit 1 when there is drift", {}},
        {"--explain",
         FlagKind::Value,
         "text|json|mermaid|dot",
         "Draw what fell because of what",
         {"text", "json", "mermaid", "dot"}},
        {"--suggest", FlagKind::Switch, "", "List columns that may have been renamed", {}},
        {"--apply-renames", FlagKind::Switch, "", "Point columns to their new live names", {}},
        {"--sample", FlagKind::Switch, "", "Compare values of keys in a bounded sample", {}},
        {"--rename", FlagKind::List, "MODEL.COLUMN=NEW", "Apply these renames only", {}},
        {"--force-clean", FlagKind::Switch, "", "Apply the deletes after a question", {}},
        {"--from", FlagKind::Value, "FILE", "Apply the entries of a JSON file instead", {}},
        {"--yes,-y", FlagKind::Switch, "", "Answer every question with yes", {}}},
       {},
       validate_models,
       "Exit code: 0 also when there is drift (1 with --check); 2 when something could not be\n"
       "checked. With --force-clean: 0 clean afterwards, 1 when errors or drift remain.",
       {"text", "json"}},
      {"ingest",
       "Add to the models what the database has and they do not",
       {kDataSource,
        {"--schema", FlagKind::Value, "NAME", "A schema other than the default one", {}},
        {"--include-tables,--include",
         FlagKind::List,
         "A,B",
         "Only these relations; * allowed",
         {}},
        {"--exclude-tables,--exclude", FlagKind::List, "A,B", "Not these relations; * allowed", {}},
        {"--no-views", FlagKind::Switch, "", "Leave views out", {}}},
       {},
       ingest,
       "Only ever adds; a second run changes nothing. Exit code: 0, 1 when a model could not be\n"
       "extended, 2 when the database could not be read (then nothing is written).",
       {"text", "json"}},
      {"models import",
       "Write models for those of dbt or Cube",
       {kDataSource,
        {"--from", FlagKind::Value, "dbt|cube", "What the files are written for", {"dbt", "cube"}}},
       {{"PATH", "A YAML file, or a folder of them", true, false}},
       import_models,
       "Lists with its place whatever has no counterpart. Never writes over a model that exists.\n"
       "Exit code: 0, 1 when a model exists already, 2 when nothing could be read.",
       {"text", "json"}},
  };
}

}  // namespace kedge::cli
