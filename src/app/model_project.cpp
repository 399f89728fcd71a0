#include "app/model_project.h"

#include "app/connections.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

constexpr double kLockSeconds = 30;

models::SqlDialect dialect_of(const project::Connection& connection,
                              const std::map<std::string, std::string>& options) {
  if (connection.connector == "odbc") {
    const auto found = options.find("dialect");
    return found == options.end()
               ? models::SqlDialect::Generic
               : models::find_sql_dialect(found->second).value_or(models::SqlDialect::Generic);
  }
  if (connection.connector == "localfiles") {
    return models::SqlDialect::Duckdb;
  }
  return models::find_sql_dialect(connection.connector).value_or(models::SqlDialect::Generic);
}

std::string lock_path(const Context& context) {
  context.files.make_folder(base::join_path(context.folder, ".kedge"));
  return base::join_path(context.folder, ".kedge/lock");
}

}  // namespace

ModelProject open_model_project(const Context& context) {
  const project::ProjectLoad loaded =
      project::load_project(context.files, context.environment, context.folder);
  project::throw_problems(loaded.problems);
  const project::ConnectionsLoad connections =
      project::load_connections(context.files, context.environment, context.folder);
  project::throw_problems(connections.problems);
  ModelProject result;
  for (const project::Connection& connection : connections.connections.connections) {
    models::DataSource source;
    source.name = connection.name;
    source.settings = settings_of(context, connection, db::AccessMode::ReadOnly);
    source.dialect = dialect_of(connection, source.settings.options);
    result.dialects.emplace(source.name, source.dialect);
    result.sources.emplace(source.name, std::move(source));
  }
  for (const project::Text& name : loaded.project.data_source_priority) {
    result.priority.push_back(name.text);
  }
  return result;
}

std::map<std::string, models::SqlDialect> find_dialects(const Context& context) {
  std::map<std::string, models::SqlDialect> dialects;
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  for (const project::Connection& connection : loaded.connections.connections) {
    dialects.emplace(connection.name, dialect_of(connection, connection.settings(context.folder)));
  }
  return dialects;
}

void require_data_source(const ModelProject& project, const std::string& name) {
  if (project.sources.contains(name)) {
    return;
  }
  std::vector<std::string> known;
  for (const auto& [source, settings] : project.sources) {
    known.push_back(source);
  }
  throw Error(
      codes::unknown_data_source,
      "connections.yml has no connection '" + name + "'" + base::did_you_mean(name, known),
      known.empty() ? "write a connections.yml first" : "known: " + base::join(known, ", "));
}

ProjectLock::ProjectLock(const Context& context)
    : lock_(lock_path(context), kLockSeconds, codes::locked) {}

}  // namespace kedge::app
