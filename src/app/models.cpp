#include "app/models.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "app/project_folder.h"
#include "db/connection.h"
#include "kedge/codes.h"
#include "models/apply.h"
#include "models/cascade.h"
#include "models/entry_json.h"
#include "models/ingest.h"
#include "models/renames.h"

namespace kedge::app {
namespace {

constexpr std::size_t kMostConnections = 8;

std::vector<std::string> sources_to_read(const models::ModelStore& store,
                                         const ModelProject& project) {
  std::set<std::string> names;
  for (const models::LoadedModel& loaded : store.set.models) {
    if (project.sources.contains(loaded.model.data_source)) {
      names.insert(loaded.model.data_source);
    }
  }
  return {names.begin(), names.end()};
}

bool needs_database(const models::ModelSet& models, const std::string& data_source) {
  return std::any_of(models.models.begin(), models.models.end(),
                     [&](const models::LoadedModel& loaded) {
                       return loaded.model.data_source == data_source &&
                              loaded.model.mode() != models::SourceMode::Queries;
                     });
}

enum class Database { Opened, Untouched };  // Untouched: what is known must do

struct ReadOptions {
  const models::ValidateOptions& validate;
  const schema::Schema* known = nullptr;  // of the one data source that is read
  Database database = Database::Opened;
};

// Several data sources at once; each result stands at its source's place.
std::vector<models::LiveReading> read_sources(const Context& context, const ModelProject& project,
                                              const models::ModelSet& set,
                                              const std::vector<std::string>& names,
                                              const ReadOptions& options) {
  std::vector<models::LiveReading> readings(names.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t number = next++; number < names.size(); number = next++) {
      const models::DataSource& source = project.sources.at(names[number]);
      readings[number].source.dialect = source.dialect;
      if (needs_database(set, names[number])) {
        const models::ReadRequest request{
            source,
            set,
            options.validate.scope.value_or(models::Scope{}),
            options.validate.deep ? models::Depth::Deep : models::Depth::Declared,
            options.known,
            context.catalogs};
        readings[number] = options.database == Database::Untouched
                               ? models::read_known(request)
                               : models::read_live(context.registry, request);
      }
    }
  };
  std::vector<std::jthread> pool;
  for (std::size_t thread = 1; thread < std::min(names.size(), kMostConnections); ++thread) {
    pool.emplace_back(work);
  }
  work();
  pool.clear();
  return readings;
}

void add_broken_files(const models::ModelStore& store, models::ValidateResult& result) {
  for (const Finding& finding : store.problems) {
    if (finding.severity == Severity::Error) {
      const Problem& problem = finding.problem;
      result.failures.push_back(
          {finding.subject.connection, finding.subject.name, std::string(problem.code.name()),
           (problem.where ? to_string(*problem.where) + ": " : "") + problem.message});
    }
  }
}

void sort_failures(std::vector<models::CheckFailure>& failures) {
  std::sort(failures.begin(), failures.end(),
            [](const models::CheckFailure& a, const models::CheckFailure& b) {
              return std::tie(a.data_source, a.model_name, a.code, a.message) <
                     std::tie(b.data_source, b.model_name, b.code, b.message);
            });
}

std::string trash_stamp(const Context& context) {
  return base::format_utc_compact(context.clock.now_milliseconds());
}

models::ApplyRequest apply_request(const Context& context, const ModelProject& project) {
  return {context.folder, project.dialects, trash_stamp(context), {}};
}

// The second look after an apply (models.md 11).
void validate_again(const Context& context, const ModelProject& project,
                    std::span<const models::ToDeleteEntry> entries, bool deep,
                    models::ApplyDriftResult& result) {
  std::set<std::string> names;
  for (const models::ToDeleteEntry& entry : entries) {
    if (project.sources.contains(models::data_source(entry))) {
      names.insert(models::data_source(entry));
    }
  }
  for (const std::string& name : names) {
    models::ValidateResult again = validate_models(context, {name, {deep, std::nullopt}});
    for (const models::CheckFailure& failure : again.failures) {
      if (failure.model_name.empty()) {
        result.errors.push_back({{"validate_models", "", name}, failure.code, failure.message});
      }
    }
    std::move(again.entries.begin(), again.entries.end(), std::back_inserter(result.residual));
  }
}

std::map<std::string, std::string> read_texts(const Context& context,
                                              const models::ModelStore& store) {
  std::map<std::string, std::string> texts;
  for (const models::LoadedModel& loaded : store.set.models) {
    texts.emplace(
        loaded.model.name,
        context.files.read(base::join_path(context.folder, loaded.model.file)).value_or(""));
  }
  return texts;
}

models::IngestPlan merge_live(const Context& context, const ModelProject& project,
                              const std::string& data_source, const models::LiveReading& reading,
                              const models::IngestOptions& options) {
  const ProjectLock lock(context);
  const models::ModelStore store =
      models::load_models(context.files, {context.folder, project.dialects, data_source});
  models::IngestPlan plan =
      models::plan_ingest({data_source, project.dialects.at(data_source), reading.schema, store,
                           read_texts(context, store), options, reading.source.sight});
  for (const models::IngestChange& change : plan.changes) {
    const models::ModelId id{data_source, change.addition.model_name};
    context.files.write(models::find_model_file(context.files, context.folder, id)
                            .value_or(models::model_path(context.folder, id)),
                        change.text);
  }
  return plan;
}

void compute_result(ModelCheck& check) {
  models::ValidateResult& result = check.result;
  result.entries = models::compute_drops(check.store.set, check.live, check.cascade);
  result.hints = models::find_rename_hints(check.store.set, check.live, result.entries);
  for (const models::LoadedModel& loaded : check.store.set.models) {
    result.file_hashes.emplace(loaded.id(), loaded.hash);
  }
  result.problems = check.store.problems;
  add_broken_files(check.store, result);
  sort_failures(result.failures);
}

}  // namespace

namespace {

ModelCheck check_against(const Context& context, const ValidateModelsRequest& request,
                         const schema::Schema* known, Database database = Database::Opened) {
  ModelCheck check;
  check.project = open_model_project(context);
  if (request.data_source) {
    require_data_source(check.project, *request.data_source);
  }
  check.store = models::load_models(context.files,
                                    {context.folder, check.project.dialects, request.data_source});
  const std::vector<std::string> names = sources_to_read(check.store, check.project);
  std::vector<models::LiveReading> readings = read_sources(
      context, check.project, check.store.set, names, {request.options, known, database});
  check.cascade.depth = request.options.deep ? models::Depth::Deep : models::Depth::Declared;
  check.cascade.scope = request.options.scope.value_or(models::Scope{});
  for (std::size_t number = 0; number < names.size(); ++number) {
    models::LiveReading& reading = readings[number];
    std::move(reading.failures.begin(), reading.failures.end(),
              std::back_inserter(check.result.failures));
    if (!reading.failed) {
      std::move(reading.accepted.begin(), reading.accepted.end(),
                std::back_inserter(check.cascade.accepted));
      check.live.emplace(names[number], std::move(reading.source));
      check.schemas.emplace(names[number], std::move(reading.schema));
    }
  }
  std::sort(check.cascade.accepted.begin(), check.cascade.accepted.end());
  compute_result(check);
  return check;
}

}  // namespace

ModelCheck check_models(const Context& context, const ValidateModelsRequest& request) {
  require_project_folder(context);
  return check_against(context, request, nullptr);
}

ModelCheck check_models_against(const Context& context, const std::string& data_source,
                                const schema::Schema& shape) {
  return check_against(context, {data_source, {}}, &shape, Database::Untouched);
}

models::ValidateResult validate_models(const Context& context,
                                       const ValidateModelsRequest& request) {
  return check_models(context, request).result;
}

std::vector<models::ExplainedDrop> explain_drops(const ModelCheck& check) {
  return models::explain_drops(check.store.set, check.live, check.cascade);
}

namespace {

// A probe that fails says nothing; the others go on.
std::vector<models::ValueOverlap> read_overlaps(const Context& context, const ModelCheck& check) {
  constexpr double kSeconds = 5;
  std::vector<models::ValueOverlap> overlaps;
  std::map<std::string, std::unique_ptr<db::Connection>> connections;
  for (models::ValueProbe& probe :
       models::find_value_probes(check.store.set, check.live, check.result.entries)) {
    try {
      std::unique_ptr<db::Connection>& connection = connections[probe.model.first];
      if (!connection) {
        connection = context.registry.connect(check.project.sources.at(probe.model.first).settings);
      }
      const db::Transaction snapshot(*connection);
      const db::ResultSet counts = connection->query(probe.sql, {}, {kSeconds});
      if (!counts.rows.empty()) {
        const db::Row& row = counts.rows.front();
        overlaps.push_back({std::move(probe), db::to_integer(row[0]).value_or(0),
                            db::to_integer(row[1]).value_or(0)});
      }
    } catch (const Error&) {
      continue;
    }
  }
  return overlaps;
}

}  // namespace

std::vector<models::RenameCandidate> suggest_renames(const Context& context,
                                                     const ModelCheck& check, Values values,
                                                     int least_score) {
  models::RenameEvidence evidence;
  for (const auto& [name, schema] : check.schemas) {
    evidence.schemas.emplace(name, &schema);
  }
  if (values == Values::Read) {
    evidence.overlaps = read_overlaps(context, check);
  }
  return models::find_rename_candidates(check.store.set, check.live, check.result.entries, evidence,
                                        least_score);
}

RenameResult apply_renames(const Context& context, const ModelCheck& check,
                           std::span<const models::RenameCandidate> renames) {
  const ProjectLock lock(context);
  RenameResult result;
  std::map<models::ModelId, std::string> expected = check.result.file_hashes;
  for (const models::RenameCandidate& rename : renames) {
    const models::ModelId& id = rename.model;
    try {
      const std::optional<std::string> path =
          models::find_model_file(context.files, context.folder, id);
      const std::string text = path ? context.files.read(*path).value_or("") : "";
      if (!path || expected[id] != models::content_hash(text)) {
        throw Error(codes::model_changed,
                    "model '" + id.second + "' was changed after the drift was computed");
      }
      const std::string shown = "models/" + id.first + "/" + base::file_name(*path);
      const std::string changed =
          models::rename_in_text(shown, text, rename, check.project.dialects.at(id.first));
      context.files.write(*path, changed);
      expected[id] = models::content_hash(changed);
      result.applied.push_back(rename);
    } catch (const Error& error) {
      result.errors.push_back({{"rename_column", id.second, id.first},
                               std::string(error.code().name()),
                               error.problem().message});
    }
  }
  return result;
}

models::ApplyDriftResult apply_drift_deletes(const Context& context,
                                             std::span<const models::ToDeleteEntry> entries,
                                             const models::ApplyOptions& options) {
  const ModelProject project = open_model_project(context);
  models::ApplyDriftResult result;
  {
    const ProjectLock lock(context);
    models::ApplyRequest request = apply_request(context, project);
    request.file_hashes = options.file_hashes;
    models::ApplyOutcome outcome = models::apply_entries(context.files, request, entries);
    result.applied = std::move(outcome.applied);
    result.errors = std::move(outcome.errors);
  }
  validate_again(context, project, entries, options.deep, result);
  return result;
}

std::vector<models::AppliedEntry> complete_interrupted_apply(const Context& context) {
  if (!models::has_pending(context.files, context.folder)) {
    return {};
  }
  const ModelProject project = open_model_project(context);
  const ProjectLock lock(context);
  return models::complete_pending(context.files, apply_request(context, project)).applied;
}

models::IdempotentIngestResult ingest_models(const Context& context, const std::string& data_source,
                                             const models::IngestOptions& options) {
  const ModelProject project = open_model_project(context);
  require_data_source(project, data_source);
  const models::DataSource& source = project.sources.at(data_source);
  models::LiveReading reading = models::read_live(
      context.registry, {source, models::ModelSet{}, {}, models::Depth::Declared});
  if (reading.failed) {
    const models::CheckFailure& failure = reading.failures.front();
    const CodeEntry* entry = find_code(failure.code);
    throw Error(entry ? entry->code : codes::introspection_failed, failure.message);
  }
  models::IngestPlan plan = merge_live(context, project, data_source, reading, options);
  models::IdempotentIngestResult result;
  for (models::IngestChange& change : plan.changes) {
    result.additions.push_back(std::move(change.addition));
  }
  result.errors = std::move(plan.errors);
  result.warnings = std::move(plan.warnings);
  models::ValidateResult validated =
      check_against(context, {data_source, {false, options.scope}}, &reading.schema).result;
  result.to_delete = std::move(validated.entries);
  for (const models::CheckFailure& failure : validated.failures) {
    const bool known = std::any_of(
        result.errors.begin(), result.errors.end(),
        [&](const models::IngestError& error) { return error.model_name == failure.model_name; });
    if (!known && !failure.model_name.empty()) {
      result.errors.push_back(
          {failure.model_name, failure.data_source, failure.code, failure.message});
    }
  }
  return result;
}

std::vector<models::ToDeleteEntry> read_delete_entries(const Context& context,
                                                       const std::string& path) {
  const std::optional<std::string> text = context.files.read(base::join_path(context.folder, path));
  if (!text) {
    throw Error(codes::ERR_USAGE, "there is no file '" + path + "'");
  }
  return models::read_entries(path, *text);
}

}  // namespace kedge::app
