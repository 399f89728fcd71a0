#include "pipeline/fetch.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "contracts/fetched.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/capture.h"
#include "pipeline/file_format.h"
#include "pipeline/land.h"
#include "pipeline/source.h"
#include "pipeline/write.h"
#include "project/project.h"

namespace kedge::pipeline {
namespace {

using contracts::FetchedColumn;
using contracts::FetchedShape;

// What one connection gave; filled by its own thread.
struct Probe {
  const project::Connection* connection = nullptr;
  std::vector<std::size_t> reads;
  std::vector<std::size_t> writes;
  std::optional<Problem> failure;  // of the whole connection
  std::map<std::size_t, FetchedShape> shapes;
  std::map<std::size_t, Problem> unfetched;   // reads that could not be described
  std::map<std::size_t, Problem> uncaptured;  // those whose changes the server does not give
  std::map<std::size_t, contracts::Target> targets;
};

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

class Comparison {
 public:
  Comparison(const FetchRequest& request, FetchResult& result)
      : request_(request), workspace_(*request.workspace), result_(result) {}

  void run(const Probe& probe) {
    if (probe.failure) {
      add(*probe.failure, Severity::Error, {"connection", probe.connection->name, "", ""});
      return;
    }
    for (const std::size_t index : probe.reads) {
      const auto failed = probe.unfetched.find(index);
      if (failed != probe.unfetched.end()) {
        add(failed->second, Severity::Error, subject(workspace_.reads[index], ""));
      } else {
        compare_read(workspace_.reads[index], probe.shapes.at(index));
      }
      if (const auto found = probe.uncaptured.find(index); found != probe.uncaptured.end()) {
        add(found->second, Severity::Error, subject(workspace_.reads[index], ""));
      }
    }
    for (const std::size_t index : probe.writes) {
      const auto target = probe.targets.find(index);
      if (target != probe.targets.end()) {
        compare_target(workspace_.writes[index], target->second);
      }
    }
  }

 private:
  static Subject subject(const ReadSpec& read, const std::string& column) {
    return {"entity", read.connection, read.entity, column};
  }

  FetchFinding& add(Problem problem, Severity severity, Subject about) {
    FetchFinding item;
    item.finding = {std::move(problem), severity, std::move(about), "contracts"};
    result_.findings.push_back(std::move(item));
    return result_.findings.back();
  }

  void note(const ReadSpec& read, const std::string& text) {
    Problem problem;
    problem.message = "entity '" + read.label + "': " + text;
    add(std::move(problem), Severity::Note, subject(read, ""));
  }

  void compare_read(const ReadSpec& read, const FetchedShape& fetched) {
    const std::vector<contracts::ShapeColumn> shape = contracts::shape_of(fetched);
    result_.fetched[read.label] = {shape, read.read_hash};
    if (read.contract.empty()) {
      compare_baseline(read, shape);
      return;
    }
    contracts::ContractComparison comparison = contracts::compare_contract(read.contract, fetched);
    for (const contracts::ColumnDrift& drift : comparison.drift) {
      // Texts of csv and json have no type of their own: a declared one is checked while landing.
      if (drift.kind == "missing" || !is_untyped_file(read)) {
        FetchFinding& item = add({codes::PZ0331,
                                  "entity '" + read.label + "': " + drift.text,
                                  drift.where,
                                  drift.hint,
                                  {}},
                                 Severity::Error, subject(read, drift.column));
        item.kind = drift.kind;
        item.declared = drift.declared;
        item.found = drift.found;
      }
    }
    report_extra(read, comparison.extra);
    for (const std::string& absent : comparison.absent) {
      note(read, "optional column '" + absent + "' is not there");
    }
    if (!comparison.same_type.empty()) {
      note(read, "same underlying type as declared: " + base::join(comparison.same_type, "; "));
    }
    compare_remembered(read, shape);
  }

  static bool is_untyped_file(const ReadSpec& read) {
    return read.is_file() && format_of(read.file, "csv") != "parquet";
  }

  void report_extra(const ReadSpec& read, const std::vector<std::string>& extra) {
    if (extra.empty()) {
      return;
    }
    const std::string text =
        std::to_string(extra.size()) + " column(s) not in the contract: " + base::join(extra, ", ");
    if (read.extra_columns == "ignore") {
      note(read, text);
      return;
    }
    FetchFinding& item =
        add({codes::PZ0331, "entity '" + read.label + "': " + text, read.where, "", {}},
            read.extra_columns == "fail" ? Severity::Error : Severity::Warning, subject(read, ""));
    item.kind = "extra";
    item.found = base::join(extra, ", ");
  }

  void report_natives(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& before,
                      const std::vector<contracts::ShapeColumn>& now) {
    for (const contracts::ShapeChange& change : contracts::compare_natives(before, now)) {
      std::string type;
      for (const contracts::ShapeColumn& column : now) {
        type = column.name == change.column ? column.type : type;
      }
      add({codes::PZ0331,
           "entity '" + read.label + "': " + contracts::native_change_text(change, type),
           read.where,
           "",
           {}},
          Severity::Warning, subject(read, change.column));
    }
  }

  void compare_remembered(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& shape) {
    const auto before = request_.remembered.find(read.label);
    if (before != request_.remembered.end()) {
      report_natives(read, before->second.columns, shape);
    }
  }

  void compare_baseline(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& shape) {
    const auto baseline = request_.baselines.find(read.label);
    if (baseline == request_.baselines.end()) {
      return;
    }
    const auto changes = contracts::compare_shapes(baseline->second.shape.columns, shape);
    if (!changes.empty()) {
      add({codes::PZ0331,
           "entity '" + read.label +
               "': differs from the accepted baseline: " + contracts::changes_text(changes),
           read.where,
           "",
           {}},
          read.policy == project::OnSourceDrift::Fail ? Severity::Error : Severity::Warning,
          subject(read, ""));
    }
    report_natives(read, baseline->second.shape.columns, shape);
  }

  // The shape that is known to be written: promised, or what the SQL was compiled to.
  std::vector<contracts::WriteColumn> columns_of(const WriteSpec& write) const {
    std::vector<contracts::WriteColumn> columns;
    for (const contracts::ContractColumn& column : write.contract.columns) {
      columns.push_back({column.name, column.type});
    }
    const auto output = request_.outputs.find(write.pipeline);
    return columns.empty() && output != request_.outputs.end()
               ? write_columns(write, output->second)
               : columns;
  }

  void compare_target(const WriteSpec& write, const contracts::Target& target) {
    const std::vector<contracts::WriteColumn> columns = columns_of(write);
    if (columns.empty()) {
      return;
    }
    const contracts::WriteVerdict verdict =
        contracts::judge_write(judge_request(write, columns), target, {});
    for (const contracts::Mismatch& mismatch : verdict.mismatches) {
      FetchFinding& item = add(
          {verdict.code, "target '" + write.target + "': " + mismatch.text, write.where, "", {}},
          Severity::Error, {"entity", write.connection, write.entity, mismatch.column});
      item.kind = mismatch.kind;
      item.declared = mismatch.declared;
      item.found = mismatch.found;
    }
  }

  const FetchRequest& request_;
  const Workspace& workspace_;
  FetchResult& result_;
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
    Comparison(request, result).run(probe);
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
