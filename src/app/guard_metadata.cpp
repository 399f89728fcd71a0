#include <algorithm>

#include "app/check.h"
#include "app/guard_metadata.h"
#include "app/metadata_model.h"
#include "app/verify.h"
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
  finding.problem.code = codes::schema_difference;
  finding.problem.message = "the database is not as declared: " + std::string(1, line.sign) + " " +
                            line.noun + " " + line.detail;
  finding.problem.hint = "kedge migrate writes what brings it in line";
  finding.subject.kind = line.noun;
  finding.subject.name = line.detail;
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
  guard.summary = "the live database against the metadata, the snapshot and the ledger";
  guard.inputs = {"metadata/", "migrations/", "project.yml", "connections.yml"};
  guard.present = [](const Context& context) {
    return has_entities(context) && has_target(context);
  };
  guard.run = [](Context& context, GuardReport& report) {
    VerifyDatabaseRequest request;
    request.database.db = "";
    const VerifyResult result = verify_database(context, request);
    const MetadataModel loaded = load_metadata_model(context);
    const std::optional<schema::Dialect> dialect = schema::find_dialect(result.dialect);
    const metadata::Expected expected =
        metadata::build_expected(loaded.model, dialect.value_or(schema::Dialect::Postgres));
    for (const DriftLine& line : result.drift) {
      Finding finding = drift_finding(line);
      finding.subject.connection = result.target;
      if (line.change) {
        finding.problem.where = declared_at(loaded.model, expected, *line.change);
      }
      report.findings.push_back(std::move(finding));
    }
    take(result, report);
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
