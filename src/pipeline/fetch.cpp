#include "pipeline/fetch.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "contracts/fetched.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/capture.h"
#include "pipeline/fetch_compare.h"
#include "pipeline/file_format.h"
#include "pipeline/land.h"
#include "pipeline/source.h"
#include "project/project.h"

namespace kedge::pipeline {
namespace {

using contracts::FetchedColumn;
using contracts::FetchedShape;

class Fetcher {
 public:
  Fetcher(const FetchRequest& request, const Engine& engine, Probe& probe)
      : workspace_(*request.workspace), world_(request.world), engine_(engine), probe_(probe) {}

  void run() {
    try {
      if (probe_.connection->connector == "localfiles") {
        fetch_files();
      } else {
        fetch_database();
      }
    } catch (const Error& error) {
      Problem problem = error.problem();
      const bool unknown = problem.code == codes::PZ0305;
      problem.code = unknown ? codes::PZ0305 : codes::PZ0330;
      problem.message = workspace_.hide(problem.message);
      problem.notes.clear();
      problem.where = unknown ? probe_.connection->connector_where : probe_.connection->where;
      probe_.failure = std::move(problem);
    }
  }

 private:
  void fetch_files() {
    const std::string root = probe_.connection->settings(world_.folder).at("root");
    if (world_.files.kind(root) != base::EntryKind::Folder && !probe_.reads.empty()) {
      throw Error(codes::PZ0330,
                  "connection '" + probe_.connection->name + "': its folder does not exist");
    }
    if (probe_.reads.empty()) {
      return;
    }
    const std::unique_ptr<db::Connection> duckdb = open_duckdb(world_, workspace_, ":memory:");
    for (const std::size_t index : probe_.reads) {
      try {
        FetchedShape shape;
        for (const contracts::ShapeColumn& column :
             describe_files(world_, workspace_, *duckdb, workspace_.reads[index])) {
          shape.columns.push_back({column.name, contracts::duckdb_type(column.type), "", true});
        }
        probe_.shapes[index] = std::move(shape);
      } catch (const Error& error) {
        fail_read(index, error);
      }
    }
  }

  void fail_read(std::size_t index, const Error& error) {
    Problem problem = error.problem();
    problem.code = codes::PZ0330;
    problem.message = workspace_.hide(problem.message);
    problem.notes.clear();
    problem.where = workspace_.reads[index].where;
    probe_.unfetched[index] = std::move(problem);
  }

  // A database file that only writes use is made by the first of them.
  bool is_unmade() const {
    const auto options = probe_.connection->settings(world_.folder);
    const auto path = options.find("path");
    const bool file =
        probe_.connection->connector == "sqlite" || probe_.connection->connector == "duckdb";
    return file && probe_.reads.empty() && path != options.end() &&
           world_.files.kind(base::parent_path(path->second)) && !world_.files.kind(path->second);
  }

  void fetch_database() {
    if (is_unmade()) {
      return;
    }
    const Engine::Held connection = engine_.open(probe_.connection->name, Engine::Use::Read);
    connection->query("SELECT 1");
    const schema::Schema schema = introspect(*connection);
    for (const std::size_t index : probe_.reads) {
      const ReadSpec& read = workspace_.reads[index];
      try {
        probe_.shapes[index] = fetch_read(*connection, schema, read);
        const auto refused =
            read.change_capture ? refuse_capture(*connection, read) : std::optional<Problem>();
        if (refused) {
          probe_.uncaptured[index] = *refused;
        }
      } catch (const Error& error) {
        fail_read(index, error);
      }
    }
    for (const std::size_t index : probe_.writes) {
      if (auto target = target_in(schema, workspace_.writes[index])) {
        probe_.targets[index] = std::move(*target);
      }
    }
    std::map<std::string, contracts::Target*> evolving;
    for (auto& [index, target] : probe_.targets) {
      if (workspace_.writes[index].policy == contracts::SchemaPolicy::Evolve) {
        evolving[workspace_.writes[index].entity] = &target;
      }
    }
    lock_viewed_columns(*connection, evolving);
  }

  schema::Schema introspect(db::Connection& connection) const {
    dialect::IntrospectScope scope;
    scope.definitions = false;
    for (const std::size_t index : probe_.reads) {
      if (workspace_.reads[index].query.empty()) {
        scope.tables.push_back(workspace_.reads[index].entity);
      }
    }
    for (const std::size_t index : probe_.writes) {
      scope.tables.push_back(workspace_.writes[index].entity);
    }
    if (scope.tables.empty() || connection.dialect() == schema::Dialect::Ansi) {
      return {};
    }
    if (world_.catalogs != nullptr) {
      return *world_.catalogs->read(connection, engine_.settings(probe_.connection->name),
                                    dialect::Detail::Shapes);
    }
    return dialect::get_dialect(connection.dialect()).introspect(connection, scope);
  }

  static FetchedShape fetch_read(db::Connection& connection, const schema::Schema& schema,
                                 const ReadSpec& read) {
    if (read.query.empty()) {
      const schema::Name name = entity_name(read.entity);
      for (const schema::Table& table : schema.tables) {
        if (same_entity(schema, table.name, name)) {
          return fetched_of(connection.dialect(), table);
        }
      }
      for (const schema::View& view : schema.views) {
        // sqlite types the columns of a view only when it is asked for them.
        if (connection.dialect() == schema::Dialect::Postgres &&
            same_entity(schema, view.name, name) && !view.columns.empty()) {
          return fetched_of(connection.dialect(), view);
        }
      }
    }
    return describe_entity(connection, read);
  }

  static bool same_entity(const schema::Schema& schema, const schema::Name& found,
                          const schema::Name& wanted) {
    const Identifier& a = found.schema.empty() ? schema.default_schema : found.schema;
    const Identifier& b = wanted.schema.empty() ? schema.default_schema : wanted.schema;
    return a == b && found.name == wanted.name;
  }

  const Workspace& workspace_;
  const World& world_;
  const Engine& engine_;
  Probe& probe_;
};

std::vector<Probe> probes_of(const Workspace& workspace) {
  std::vector<Probe> probes;
  for (const project::Connection& connection : workspace.connections.connections) {
    Probe probe;
    probe.connection = &connection;
    for (std::size_t i = 0; i < workspace.reads.size(); ++i) {
      if (workspace.reads[i].connection == connection.name) {
        probe.reads.push_back(i);
      }
    }
    for (std::size_t i = 0; i < workspace.writes.size(); ++i) {
      if (workspace.writes[i].connection == connection.name && !workspace.writes[i].is_file()) {
        probe.writes.push_back(i);
      }
    }
    probes.push_back(std::move(probe));
  }
  return probes;
}

}  // namespace

FetchResult fetch_and_compare(const FetchRequest& request) {
  const Engine engine(request.world, request.workspace, "validate");
  std::vector<Probe> probes = probes_of(*request.workspace);
  std::vector<std::thread> threads;
  for (Probe& probe : probes) {
    threads.emplace_back([&] { Fetcher(request, engine, probe).run(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  FetchResult result;
  result.fetched = request.remembered;
  result.connections = probes.size();
  for (const Probe& probe : probes) {
    compare_probe(request, probe, result);
  }
  return result;
}

namespace {

FetchedShape fetch_openly(const World& world, const std::shared_ptr<const Workspace>& workspace,
                          std::size_t read) {
  const ReadSpec& spec = workspace->reads[read];
  if (spec.is_file()) {
    const std::unique_ptr<db::Connection> duckdb = open_duckdb(world, *workspace, ":memory:");
    FetchedShape shape;
    for (const contracts::ShapeColumn& column : describe_files(world, *workspace, *duckdb, spec)) {
      shape.columns.push_back({column.name, contracts::duckdb_type(column.type), "", true});
    }
    return shape;
  }
  const Engine engine(world, workspace, "infer");
  const Engine::Held connection = engine.open(spec.connection, Engine::Use::Read);
  return describe_entity(*connection, spec);
}

}  // namespace

FetchedShape fetch_shape(const World& world, std::shared_ptr<const Workspace> workspace,
                         std::size_t read) {
  try {
    return fetch_openly(world, workspace, read);
  } catch (const Error& error) {
    Problem problem = error.problem();
    problem.message = workspace->hide(problem.message);
    problem.notes.clear();
    throw Error(std::move(problem));
  }
}

}  // namespace kedge::pipeline
