#include "pipeline/push_down.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/graph.h"
#include "pipeline/remote_schema.h"
#include "pipeline/render.h"
#include "pipeline/source.h"
#include "pipeline/write.h"

namespace kedge::pipeline {
namespace {

class PushDownRules {
 public:
  PushDownRules(const Workspace& workspace, std::vector<Problem>& problems)
      : workspace_(workspace), problems_(problems) {}

  void check(std::size_t index) {
    const PipelineSpec& pipeline = workspace_.pipelines[index];
    const project::Connection* connection = workspace_.connections.find(pipeline.run_in);
    if (connection == nullptr) {
      refuse(pipeline, "there is no connection '" + pipeline.run_in + "'" +
                           base::did_you_mean(pipeline.run_in, workspace_.connections.names()));
      return;
    }
    if (connection->connector != "postgres") {
      refuse(pipeline, "connection '" + pipeline.run_in + "' has connector " +
                           connection->connector +
                           "; push-down needs one that speaks the protocol "
                           "of postgres");
    }
    for (const std::size_t read : reads_of(workspace_, index)) {
      check_read(pipeline, workspace_.reads[read]);
    }
    for (const std::size_t ref : pipeline.refs) {
      const PipelineSpec& other = workspace_.pipelines[ref];
      if (other.run_in != pipeline.run_in && other.materialization != Materialization::Ephemeral) {
        refuse(pipeline, "it refers to '" + other.name + "', which does not run there");
      }
    }
    for (const std::size_t write : pipeline.writes) {
      if (workspace_.writes[write].connection != pipeline.run_in) {
        refuse(pipeline, "its target '" + workspace_.writes[write].target + "' is not there");
      }
    }
    if (!pipeline.watermarks.empty()) {
      refuse(pipeline, "it uses watermark()");
    }
  }

 private:
  void refuse(const PipelineSpec& pipeline, const std::string& why) {
    problems_.push_back({codes::PZ0402,
                         "pipeline '" + pipeline.name + "' cannot be pushed down: " + why,
                         pipeline.run_in_where,
                         "",
                         {}});
  }

  void check_read(const PipelineSpec& pipeline, const ReadSpec& read) {
    if (read.connection != pipeline.run_in) {
      refuse(pipeline, "it reads '" + read.label + "', which is not there");
    }
    if (read.cursor || read.change_capture) {
      refuse(pipeline, "it reads '" + read.label + "' incrementally");
    }
    const bool away =
        std::any_of(read.checks.begin(), read.checks.end(), [](const contracts::Check& check) {
          return check.on_violation == contracts::OnViolation::Quarantine;
        });
    if (away) {
      refuse(pipeline, "rows of '" + read.label + "' would go into quarantine");
    }
  }

  const Workspace& workspace_;
  std::vector<Problem>& problems_;
};

// Declared columns must be there with their types: nothing is converted inside the database.
void compare_columns(const ReadSpec& read, const contracts::FetchedShape& shape) {
  std::vector<std::string> missing;
  std::vector<std::string> present;
  std::vector<std::string> different;
  for (const contracts::FetchedColumn& column : shape.columns) {
    present.push_back(column.name);
  }
  for (const contracts::ContractColumn& column : read.contract.columns) {
    const auto found =
        std::find_if(shape.columns.begin(), shape.columns.end(),
                     [&](const contracts::FetchedColumn& c) { return c.name == column.source; });
    if (found == shape.columns.end()) {
      missing.push_back(column.source);
    } else if (contracts::compare_types(contracts::underlying_type(column.type),
                                        contracts::underlying_type(found->type)) !=
               contracts::TypeVerdict::Equal) {
      different.push_back("column '" + column.name + "' is declared " +
                          contracts::type_name(column.type) + ", the source has " +
                          contracts::type_name(found->type));
    }
  }
  if (!missing.empty()) {
    fail_missing_columns(read, missing, present, "");
  }
  if (!different.empty()) {
    throw Error(codes::PZ0804, "entity '" + read.label + "': " + base::join(different, "; "),
                "a pushed-down read converts nothing");
  }
}

std::string projection(const ReadSpec& read) {
  std::string list;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    list +=
        (list.empty() ? "" : ", ") + quote_name(column.source) + " AS " + quote_name(column.name);
  }
  return list.empty() ? "*" : list;
}

}  // namespace

bool is_pushed_down(const Workspace& workspace, std::size_t read) {
  bool used = false;
  for (std::size_t i = 0; i < workspace.pipelines.size(); ++i) {
    const PipelineSpec& pipeline = workspace.pipelines[i];
    if (pipeline.materialization == Materialization::Ephemeral) {
      continue;
    }
    const std::vector<std::size_t> reads = reads_of(workspace, i);
    const bool reads_it = std::find(reads.begin(), reads.end(), read) != reads.end();
    if (reads_it && pipeline.run_in.empty()) {
      return false;
    }
    used = used || reads_it;
  }
  return used;
}

void check_push_down(const Workspace& workspace, std::vector<Problem>& problems) {
  PushDownRules rules(workspace, problems);
  for (std::size_t i = 0; i < workspace.pipelines.size(); ++i) {
    if (!workspace.pipelines[i].run_in.empty()) {
      rules.check(i);
    }
  }
}

Landed observe_remote(const Engine& engine, const ReadSpec& read) {
  const Engine::Held connection = engine.open(read.connection, Engine::Use::Write);
  const contracts::FetchedShape shape = describe_entity(*connection, read);
  compare_columns(read, shape);
  const std::string from = read.query.empty() ? quote_entity(*connection, read.entity)
                                              : "(" + read.query + "\n) AS kedge_query";
  make_remote_schema(engine, *connection);
  connection->execute("CREATE OR REPLACE VIEW " + remote_table(engine, read.staging) +
                      " AS SELECT " + projection(read) + " FROM " + from);
  Landed landed;
  landed.rows =
      query_count(*connection, "SELECT count(*) FROM " + remote_table(engine, read.staging));
  landed.columns = contracts::shape_of(shape);
  return landed;
}

std::int64_t transform_remote(const Engine& engine, std::size_t index) {
  const PipelineSpec& pipeline = engine.workspace().pipelines[index];
  const Engine::Held connection = engine.open(pipeline.run_in, Engine::Use::Write);
  RenderContext context{engine.workspace(),
                        engine.world().environment,
                        engine.run_id(),
                        engine.started_at(),
                        {},
                        EnvironmentValues::Real,
                        [&](const std::string& name) { return remote_table(engine, name); }};
  const std::string table = remote_table(engine, pipeline.name);
  try {
    make_remote_schema(engine, *connection);
    connection->execute("CREATE TABLE " + table +
                        " AS SELECT kedge_query.*, row_number() OVER () AS _kedge_row FROM (\n" +
                        render_pipeline(context, index) + "\n) AS kedge_query");
  } catch (const db::DatabaseError& error) {
    if (error.failure() == db::FailureClass::Cancelled ||
        error.failure() == db::FailureClass::Connection) {
      throw;
    }
    throw Error(codes::PZ0402, "pipeline '" + pipeline.name +
                                   "' cannot be pushed down: " + engine.workspace().said(error));
  }
  return query_count(*connection, "SELECT count(*) FROM " + table);
}

CheckTable remote_check_table(const Engine& engine, db::Connection& connection,
                              const std::string& name) {
  ReadSpec read;
  read.label = name;
  read.entity = remote_schema(engine) + "." + name;
  CheckTable table{remote_table(engine, name), {}, CheckDialect::Postgres};
  table.columns = contracts::shape_of(describe_entity(connection, read));
  return table;
}

WriteRecord write_remote(const Engine& engine, const WriteSpec& write) {
  const PipelineSpec& pipeline = engine.workspace().pipelines[write.pipeline];
  const Engine::Held connection = engine.open(pipeline.run_in, Engine::Use::Write);
  ReadSpec staged;
  staged.label = pipeline.name;
  staged.entity = remote_schema(engine) + "." + pipeline.name;
  std::vector<contracts::WriteColumn> columns;
  for (const contracts::FetchedColumn& column : describe_entity(*connection, staged).columns) {
    if (column.name != "_kedge_row") {
      columns.push_back({column.name, contracts::underlying_type(column.type)});
    }
  }
  WriteRecord record = write_from_remote(engine, write, *connection,
                                         {remote_table(engine, pipeline.name), std::move(columns)});
  record.target = write.target;
  record.strategy = contracts::to_string(write.strategy);
  record.policy = contracts::to_string(write.policy);
  return record;
}

}  // namespace kedge::pipeline
