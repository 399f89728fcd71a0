#include <algorithm>

#include "app/impact.h"
#include "app/pipeline.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "pipeline/workspace.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

struct Loss {
  schema::Name relation;
  std::string column;  // empty: the relation itself
  bool retyped = false;
  std::string from;
  std::string to;
};

std::vector<Loss> losses(const ShapeChange& change) {
  std::vector<Loss> found;
  for (const schema::Table& before : change.before.tables) {
    const schema::Table* after = schema::find_table(change.after, before.name);
    if (after == nullptr) {
      found.push_back({before.name, "", false, "", ""});
      continue;
    }
    for (const schema::Column& column : before.columns) {
      const schema::Column* now = schema::find_column(*after, column.name);
      if (now == nullptr) {
        found.push_back({before.name, column.name.text(), false, "", ""});
      } else if (now->type != column.type) {
        const schema::Dialect dialect = change.before.engine.dialect;
        const std::string from = to_string(dialect::to_duckdb(dialect, column.type));
        const std::string to = to_string(dialect::to_duckdb(dialect, now->type));
        if (from != to) {
          found.push_back({before.name, column.name.text(), true, from, to});
        }
      }
    }
  }
  for (const schema::View& before : change.before.views) {
    if (schema::find_view(change.after, before.name) == nullptr) {
      found.push_back({before.name, "", false, "", ""});
    }
  }
  return found;
}

bool is_entity(const ShapeChange& change, const std::string& entity, const schema::Name& relation) {
  const std::string full = change.before.default_schema.text() + "." + relation.name.text();
  return entity == to_string(relation) || (relation.schema.empty() && entity == full);
}

Impact impact_of(const pipeline::ReadSpec& read, const Loss& loss, Code code) {
  Impact impact;
  impact.part = "contracts";
  impact.code = code;
  impact.subject = {"column", read.connection, read.entity, loss.column};
  impact.where = read.where;
  return impact;
}

void judge_read(const pipeline::ReadSpec& read, const Loss& loss, ImpactResult& result) {
  if (loss.column.empty()) {
    Impact impact = impact_of(read, loss, codes::PZ0330);
    impact.subject.kind = "entity";
    impact.message = "entity '" + read.label + "': its table is gone";
    result.impacts.push_back(std::move(impact));
    return;
  }
  if (read.contract.empty()) {
    return;
  }
  for (const contracts::ContractColumn& column : read.contract.columns) {
    if (column.source != loss.column) {
      continue;
    }
    Impact impact = impact_of(read, loss, codes::PZ0331);
    impact.where = column.where;
    impact.effect = column.optional && !loss.retyped ? Effect::Changes : Effect::Breaks;
    impact.message =
        loss.retyped ? "entity '" + read.label + "': column '" + column.name + "' changes from " +
                           loss.from + " to " + loss.to
                     : "entity '" + read.label + "': declared column '" + column.name + "' is gone";
    result.impacts.push_back(std::move(impact));
  }
}

// The pipeline's text with each marker as what it stands for in the staging database.
std::string staged_sql(const pipeline::Workspace& workspace,
                       const pipeline::PipelineSpec& pipeline) {
  std::string sql;
  for (const pipeline::Segment& segment : pipeline.text.segments) {
    if (segment.calls.empty()) {
      sql += pipeline.text.source.substr(segment.begin, segment.end - segment.begin);
      continue;
    }
    const pipeline::Call& call = segment.calls.front();
    if (call.function == "source" && call.positional().size() >= 2) {
      const std::string label =
          call.positional()[0]->value.text + "." + call.positional()[1]->value.text;
      const auto read = workspace.find_read(label);
      sql += read ? workspace.reads[*read].staging : "kedge_source";
    } else if (call.function == "ref" && !call.positional().empty()) {
      sql += call.positional()[0]->value.text;
    } else if (call.function == "sink" || segment.list) {
      sql.clear();  // INSERT INTO {{ sink() }} stands before the SELECT
    } else {
      sql += "NULL";
    }
  }
  return sql;
}

void judge_pipelines(const pipeline::Workspace& workspace, std::size_t read_number,
                     const Loss& loss, std::size_t cause, ImpactResult& result) {
  const pipeline::ReadSpec& read = workspace.reads[read_number];
  for (const pipeline::PipelineSpec& pipeline : workspace.pipelines) {
    if (std::find(pipeline.reads.begin(), pipeline.reads.end(), read_number) ==
        pipeline.reads.end()) {
      continue;
    }
    Impact impact;
    impact.part = "pipelines";
    impact.subject = {"pipeline", read.connection, "", pipeline.name};
    impact.where = Position{"pipelines/" + pipeline.name + ".sql", 1, 1};
    impact.message = "pipeline '" + pipeline.name + "' reads '" + read.label + "'";
    if (cause != static_cast<std::size_t>(-1)) {
      impact.cause = cause;
    }
    const sql::QueryFacts facts =
        sql::analyse_query(staged_sql(workspace, pipeline), schema::Dialect::Duckdb);
    const bool named = std::any_of(
        facts.references.begin(), facts.references.end(), [&](const sql::ColumnReference& one) {
          return base::equals_ignoring_case(one.parts.back().text, loss.column);
        });
    if (!loss.column.empty() && !named) {
      impact.effect = facts.has_star ? Effect::Changes : Effect::Safe;
    }
    if (!loss.column.empty() && named) {
      impact.message += " and names its column '" + loss.column + "'";
      impact.effect = loss.retyped ? Effect::Changes : Effect::Breaks;
    }
    result.impacts.push_back(std::move(impact));
  }
}

// A read with a query of its own breaks when the query names what is gone.
bool query_names(const ShapeChange& change, const pipeline::ReadSpec& read, const Loss& loss) {
  schema::View view;
  view.body = read.query;
  for (const ViewRead& one : reads_of(change.before, view)) {
    if (one.relation != loss.relation) {
      continue;
    }
    const Identifier column(loss.column);
    return loss.column.empty() || (one.everything && one.columns.empty()) ||
           std::find(one.columns.begin(), one.columns.end(), column) != one.columns.end();
  }
  return false;
}

}  // namespace

void contracts_impact(Context& context, const ShapeChange& change, ImpactResult& result) {
  const pipeline::Compilation compilation = compile_workspace(context, std::nullopt);
  if (!compilation.workspace || !compilation.ok()) {
    return;  // broken declarations are validate's to tell
  }
  const pipeline::Workspace& workspace = *compilation.workspace;
  for (const Loss& loss : losses(change)) {
    for (std::size_t i = 0; i < workspace.reads.size(); ++i) {
      const pipeline::ReadSpec& read = workspace.reads[i];
      if (read.connection != change.connection) {
        continue;
      }
      const bool touched = read.query.empty() ? is_entity(change, read.entity, loss.relation)
                                              : query_names(change, read, loss);
      if (!touched) {
        continue;
      }
      const std::size_t before = result.impacts.size();
      if (read.query.empty()) {
        judge_read(read, loss, result);
      } else if (!loss.retyped) {
        Impact impact = impact_of(read, loss, codes::PZ0330);
        impact.message = "entity '" + read.label + "': its query names what is gone";
        result.impacts.push_back(std::move(impact));
      }
      const bool caused = result.impacts.size() > before;
      judge_pipelines(workspace, i, loss, caused ? before : static_cast<std::size_t>(-1), result);
    }
  }
}

}  // namespace kedge::app
