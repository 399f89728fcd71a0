#include <algorithm>
#include <future>

#include "app/check.h"
#include "app/guard_metadata.h"
#include "app/metadata_model.h"
#include "app/verify.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "metadata/expected.h"

namespace kedge::app {
namespace {

bool has_entities(const Context& context) {
  const MetadataModel loaded = load_metadata_model(context);
  return !loaded.model.objects.empty() || !loaded.errors.empty();
}

bool has_target(const Context& context) {
  const project::ProjectLoad loaded =
      project::load_project(context.files, context.environment, context.folder);
  return loaded.project.migrate.target.has_value() ||
         context.environment.get("DATABASE_URL").has_value();
}

Finding drift_finding(const DriftLine& line) {
  Finding finding;
  if (line.problem) {
    finding.problem = *line.problem;
    finding.subject = {line.noun, "", "", line.migration};
    return finding;
  }
  finding.problem.code = codes::schema_difference;
  finding.problem.message = "the database is not as declared: " + std::string(1, line.sign) + " " +
                            line.noun + " " + line.detail;
  finding.problem.hint = "kedge migrate writes what brings it in line";
  finding.subject.kind = line.noun;
  if (line.change) {
    const std::string part = part_of(*line.change);
    const std::string whole = to_string(subject_of(*line.change));
    finding.subject.container = part.empty() ? "" : whole;
    finding.subject.name = part.empty() ? whole : part;
  }
  return finding;
}

void take(const VerifyResult& result, GuardReport& report) {
  report.findings.insert(report.findings.end(), result.warnings.begin(), result.warnings.end());
  for (const Problem& problem : result.problems) {
    if (exit_code_of(problem.code) == 2) {
      report.failures.push_back(problem);
    } else {
      Finding finding;
      finding.problem = problem;
      report.findings.push_back(std::move(finding));
    }
  }
  report.message = result.summary;
}

}  // namespace

namespace {

// "": migrate.target, else $DATABASE_URL.
std::vector<std::string> databases_of(const project::Project& project) {
  std::vector<std::string> names = {""};
  for (const project::Text& name : project.migrate.check) {
    const bool is_target = project.migrate.target && project.migrate.target->text == name.text;
    if (!is_target && std::find(names.begin(), names.end(), name.text) == names.end()) {
      names.push_back(name.text);
    }
  }
  return names;
}

// One that cannot be reached is a failure of its own and hides nothing of the others.
GuardReport check_database(Context& context, const metadata::Model& model,
                           const std::string& name) {
  GuardReport report;
  try {
    VerifyDatabaseRequest request;
    request.database.db = name;
    const VerifyResult result = verify_database(context, request);
    const std::optional<schema::Dialect> dialect = schema::find_dialect(result.dialect);
    const metadata::Expected expected =
        metadata::build_expected(model, dialect.value_or(schema::Dialect::Postgres));
    for (const DriftLine& line : result.drift) {
      Finding finding = drift_finding(line);
      finding.subject.connection = result.target;
      if (line.change) {
        finding.problem.where = declared_at(model, expected, *line.change);
      }
      report.findings.push_back(std::move(finding));
    }
    take(result, report);
  } catch (const Error& error) {
    report.failures.push_back(error.problem());
  }
  return report;
}

}  // namespace

std::optional<Position> declared_at(const metadata::Model& model,
                                    const metadata::Expected& expected, const Change& change) {
  const auto owner = expected.owners.find(subject_of(change));
  if (owner == expected.owners.end()) {
    return std::nullopt;
  }
  const std::string part = part_of(change);
  const metadata::Object* object = metadata::find_object(model, owner->second.object);
  if (object != nullptr && !part.empty()) {
    for (const metadata::Field& field : object->fields) {
      if (metadata::column_of(field) == part) {
        return field.place.where;
      }
    }
  }
  return owner->second.place.where;
}

Guard metadata_guard() {
  Guard guard;
  guard.name = "metadata";
  guard.reads_databases = true;
  guard.summary = "the live database against the metadata, the snapshot and the ledger";
  guard.inputs = {"metadata/", "migrations/", "project.yml", "connections.yml"};
  guard.present = [](const Context& context) {
    return has_entities(context) && has_target(context);
  };
  guard.run = [](Context& context, GuardReport& report) {
    const MetadataModel loaded = load_metadata_model(context);
    std::vector<std::future<GuardReport>> databases;
    for (const std::string& name : databases_of(loaded.project)) {
      databases.push_back(std::async(
          std::launch::async, [&, name] { return check_database(context, loaded.model, name); }));
    }
    std::vector<std::string> summaries;
    for (std::future<GuardReport>& each : databases) {
      GuardReport one = each.get();
      std::move(one.findings.begin(), one.findings.end(), std::back_inserter(report.findings));
      std::move(one.failures.begin(), one.failures.end(), std::back_inserter(report.failures));
      summaries.push_back(one.message);
    }
    std::erase(summaries, "");
    report.message = base::join(summaries, "; ");
  };
  return guard;
}

Guard replay_guard() {
  Guard guard;
  guard.name = "replay";
  guard.summary = "the committed migrations, replayed into an empty throw-away database";
  guard.inputs = {"migrations/", "project.yml"};
  guard.present = [](const Context& context) {
    const project::ProjectLoad loaded =
        project::load_project(context.files, context.environment, context.folder);
    const std::optional<project::Text>& dialect = loaded.project.migrate.dialect;
    const std::string dir = loaded.project.migrate.dir.text;
    return dialect && dialect->text != "d1" && loaded.project.migrate.format != "flyway" &&
           folder_has_files(context, dir);
  };
  guard.run = [](Context& context, GuardReport& report) {
    VerifyReplayRequest request;
    take(verify_replay(context, request), report);
  };
  return guard;
}

}  // namespace kedge::app
