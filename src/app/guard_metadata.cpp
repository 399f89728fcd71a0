#include <algorithm>
#include <future>
#include <set>

#include "app/adopted.h"
#include "app/check.h"
#include "app/connections.h"
#include "app/guard_inputs.h"
#include "app/guard_metadata.h"
#include "app/metadata_model.h"
#include "app/verify.h"
#include "base/problem_list.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "metadata/expected.h"
#include "project/connections.h"

namespace kedge::app {
namespace {

bool has_entities(const Context& context) {
  const MetadataModel loaded = load_metadata_model(context);
  return !loaded.model.objects.empty() || !loaded.errors.empty();
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

// The databases of connections.yml, those that metadata can be about.
std::vector<std::string> declared_databases(const Context& context,
                                            const project::Project& project) {
  std::vector<std::string> names;
  const std::string dialect = project.migrate.dialect ? project.migrate.dialect->text : "";
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  for (const project::Connection& connection : loaded.connections.connections) {
    const std::string spoken = connection.connector == "mariadb" ? "mysql" : connection.connector;
    if (schema::find_dialect(spoken) && (dialect.empty() || dialect == spoken)) {
      names.push_back(connection.name);
    }
  }
  return names;
}

bool declares_tables(const metadata::Model& model) {
  return !metadata::build_expected(model, schema::Dialect::Postgres).declares_nothing();
}

// "": migrate.target, else $DATABASE_URL. Where none is named, the only one that there is.
std::vector<std::string> databases_of(const Context& context, const MetadataModel& loaded) {
  const project::Project& project = loaded.project;
  std::vector<std::string> names;
  if (project.migrate.target || context.environment.get("DATABASE_URL")) {
    names.emplace_back("");
  }
  for (const project::Text& name : project.migrate.check) {
    const bool is_target = project.migrate.target && project.migrate.target->text == name.text;
    if (!is_target && std::find(names.begin(), names.end(), name.text) == names.end()) {
      names.push_back(name.text);
    }
  }
  if (names.empty() && declares_tables(loaded.model)) {
    names = declared_databases(context, project);
    if (names.size() != 1) {
      names.clear();
    }
  }
  return names;
}

// Metadata that no database is known for: what that leaves unguarded is said, not passed over.
std::string unguarded(const Context& context, const project::Project& project) {
  const std::vector<std::string> known = declared_databases(context, project);
  return "no database is compared with the metadata: " +
         (known.empty()
              ? std::string("name one in migrate.target or migrate.check")
              : "migrate.target or migrate.check chooses among " + base::join(known, ", "));
}

// One that cannot be reached is a failure of its own and hides nothing of the others.
GuardReport check_database(Context& context, const MetadataModel& loaded, const std::string& name) {
  GuardReport report;
  const metadata::Model& model = loaded.model;
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
  } catch (const base::ProblemList& error) {
    report.failures = error.problems();
  } catch (const Error& error) {
    report.failures.push_back(error.problem());
    const std::optional<project::Text>& target = loaded.project.migrate.target;
    std::optional<Position>& where = report.failures.back().where;
    where = where ? where : app::declared_at(context, name.empty() && target ? target->text : name);
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
  guard.inputs = [](const Context& context) {
    Inputs inputs;
    const project::Project project = project_of(context);
    add_connections(inputs, context);
    add_metadata(inputs, project);
    inputs.files.push_back(project.migrate.dir.text);
    return inputs;
  };
  guard.present = [](const Context& context) { return has_entities(context); };
  guard.run = [](Context& context, GuardReport& report) {
    const MetadataModel loaded = load_metadata_model(context);
    project::throw_problems(loaded.errors);
    const std::vector<std::string> names = databases_of(context, loaded);
    if (names.empty()) {
      report.present = false;
      report.message = declares_tables(loaded.model) ? unguarded(context, loaded.project) : "";
      return;
    }
    std::vector<std::future<GuardReport>> databases;
    for (const std::string& name : names) {
      databases.push_back(std::async(std::launch::async,
                                     [&, name] { return check_database(context, loaded, name); }));
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

namespace {

// Of a database that was adopted: how many objects of the snapshot no migration makes. Nothing
// when something else differs.
std::optional<std::size_t> count_never_made(const std::vector<DriftLine>& drift,
                                            const std::set<std::string>& adopted) {
  std::set<std::string> whole;
  for (const DriftLine& line : drift) {
    if (line.change && line.sign == '+' && part_of(*line.change).empty()) {
      whole.insert(schema::to_string(subject_of(*line.change)));
    }
  }
  const bool all = std::all_of(drift.begin(), drift.end(), [&](const DriftLine& line) {
    const std::string name = line.change ? schema::to_string(subject_of(*line.change)) : "";
    return line.change && line.sign == '+' && whole.contains(name) && adopted.contains(name);
  });
  return all ? std::optional(whole.size()) : std::nullopt;
}

}  // namespace

Guard replay_guard() {
  Guard guard;
  guard.name = "replay";
  guard.summary = "the committed migrations, replayed into an empty throw-away database";
  guard.inputs = [](const Context& context) {
    return Inputs{{"project.yml", project_of(context).migrate.dir.text}, {}};
  };
  guard.present = [](const Context& context) {
    const project::MigrateSettings migrate = readable_project(context).migrate;
    return migrate.dialect && migrate.dialect->text != "d1" && migrate.format != "flyway" &&
           folder_has_files(context, migrate.dir.text);
  };
  guard.run = [](Context& context, GuardReport& report) {
    VerifyReplayRequest request;
    request.against_snapshot = true;
    const VerifyResult result = verify_replay(context, request);
    take(result, report);
    const std::set<std::string> adopted = read_adopted(context, make_setup(context, {}));
    for (Finding& finding : report.findings) {
      if (finding.problem.code != codes::ERR_REPLAY_SNAPSHOT_MISMATCH) {
        continue;
      }
      if (const auto count = count_never_made(result.drift, adopted)) {
        finding.severity = Severity::Warning;
        report.message = "the chain leads to the snapshot, but for " + std::to_string(*count) +
                         " object(s) that were there before it";
      }
    }
  };
  return guard;
}

}  // namespace kedge::app
