#include "pipeline/dry_compile.h"

#include <algorithm>
#include <set>

#include "base/graph.h"
#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/cursor.h"
#include "pipeline/render.h"
#include "pipeline/write.h"

namespace kedge::pipeline {
namespace {

using contracts::ShapeColumn;

class DryRun {
 public:
  DryRun(const World& world, const Workspace& workspace, const State& state)
      : world_(world),
        workspace_(workspace),
        baselines_(state.baselines()),
        latest_(state.latest_finished()) {}

  DryCompile run() {
    duckdb_ = open_duckdb(world_, workspace_, ":memory:");
    duckdb_->execute("CREATE SCHEMA staging");
    for (std::size_t i = 0; i < workspace_.reads.size(); ++i) {
      prepare_read(i);
    }
    for (const std::size_t index : order()) {
      compile(index);
    }
    note_unknown();
    return std::move(result_);
  }

 private:
  std::vector<std::size_t> order() const {
    base::Graph graph(workspace_.pipelines.size());
    for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
      for (const std::size_t ref : workspace_.pipelines[i].refs) {
        graph.add_edge(ref, i);
      }
    }
    return base::sort_topologically(graph).order;
  }

  std::vector<ShapeColumn> known_shape(const ReadSpec& read) const {
    std::vector<ShapeColumn> columns;
    for (const contracts::ContractColumn& column : read.contract.columns) {
      columns.push_back({column.name, contracts::type_name(contracts::underlying_type(column.type)),
                         std::nullopt});
    }
    if (!columns.empty()) {
      return columns;
    }
    if (const auto found = baselines_.find(read.label); found != baselines_.end()) {
      return found->second.shape.columns;
    }
    const NodeRecord* node = latest_ ? latest_->find(read.staging) : nullptr;
    return node != nullptr && node->observed ? node->observed->columns : columns;
  }

  void prepare_read(std::size_t index) {
    const ReadSpec& read = workspace_.reads[index];
    std::string list;
    for (const ShapeColumn& column : known_shape(read)) {
      list += (list.empty() ? "" : ", ") + quote_name(column.name) + " " + column.type;
    }
    if (list.empty()) {
      unknown_.insert(index);
      return;
    }
    if (read.change_capture) {
      list += ", " + quote_name(kDeletedColumn) + " BOOLEAN";
    }
    duckdb_->execute("CREATE TABLE " + staging_table(read.staging) + " (" + list + ")");
  }

  bool is_known(std::size_t index) {
    const PipelineSpec& pipeline = workspace_.pipelines[index];
    const std::vector<std::size_t> reads = reads_of(workspace_, index);
    const bool reads_known = std::none_of(reads.begin(), reads.end(),
                                          [&](std::size_t r) { return unknown_.contains(r); });
    return reads_known &&
           std::all_of(pipeline.refs.begin(), pipeline.refs.end(), [&](std::size_t ref) {
             return workspace_.pipelines[ref].materialization == Materialization::Ephemeral ||
                    result_.outputs.contains(ref);
           });
  }

  std::string literal(const PipelineSpec& pipeline, std::size_t use) {
    const WatermarkUse& watermark = pipeline.watermarks[use];
    std::string type = "TIMESTAMP";
    for (const ShapeColumn& column : known_shape(workspace_.reads[watermark.read])) {
      type = column.name == watermark.column ? column.type : type;
    }
    return watermark_literal(std::nullopt, type, watermark.comparison);
  }

  void compile(std::size_t index) {
    const PipelineSpec& pipeline = workspace_.pipelines[index];
    if (pipeline.materialization == Materialization::Ephemeral || !pipeline.run_in.empty()) {
      return;
    }
    if (!is_known(index)) {
      skipped_.insert(index);
      return;
    }
    RenderContext context{
        workspace_,
        world_.environment,
        "20000101T000000000Z-0000",
        "2000-01-01T00:00:00.000Z",
        [&](const PipelineSpec& used, std::size_t use) { return literal(used, use); },
        EnvironmentValues::Real,
        {}};
    try {
      duckdb_->execute("CREATE TABLE " + staging_table(pipeline.name) + " AS SELECT * FROM (\n" +
                       render_pipeline(context, index) + "\n) LIMIT 0");
      result_.outputs[index] = staged_columns(*duckdb_, pipeline.name);
      check_writes(index);
    } catch (const db::DatabaseError& error) {
      add_failure(pipeline, error);
    } catch (const Error& error) {
      result_.problems.push_back(error.problem());
    }
  }

  void add_failure(const PipelineSpec& pipeline, const db::DatabaseError& error) {
    Problem problem;
    problem.code = codes::PZ0401;
    const std::string text = workspace_.hide(error.driver_message());
    problem.message =
        "pipeline '" + pipeline.name + "' does not compile: " + text.substr(0, text.find('\n'));
    problem.where = Position{pipeline.text.file, 1, 1};
    const std::size_t line = text.find("LINE ");
    if (line != std::string::npos) {
      problem.notes.push_back(
          {"rendered SQL, " + text.substr(line, text.find('\n', line) - line), std::nullopt});
    }
    result_.problems.push_back(std::move(problem));
  }

  void check_writes(std::size_t index) {
    for (const std::size_t number : workspace_.pipelines[index].writes) {
      const WriteSpec& write = workspace_.writes[number];
      try {
        const auto columns = write_columns(write, result_.outputs[index]);
        for (const std::string& key : write.keys) {
          const bool there =
              std::any_of(columns.begin(), columns.end(),
                          [&](const contracts::WriteColumn& c) { return c.name == key; });
          if (!there) {
            result_.problems.push_back(
                {codes::PZ0209,
                 "write to '" + write.target + "': key '" + key + "' is not a column of the result",
                 write.where,
                 "",
                 {}});
          }
        }
      } catch (const Error& error) {
        Problem problem = error.problem();
        problem.where = write.where;
        result_.problems.push_back(std::move(problem));
      }
    }
  }

  void note_unknown() {
    for (const std::size_t read : unknown_) {
      const auto affected = std::count_if(
          skipped_.begin(), skipped_.end(),
          [&](std::size_t pipeline) { return all_reads_of(workspace_, pipeline).contains(read); });
      if (affected > 0) {
        result_.notes.push_back("entity '" + workspace_.reads[read].label +
                                "' has no columns: contract and no known shape — " +
                                std::to_string(affected) + " pipeline(s) not compiled");
      }
    }
  }

  const World& world_;
  const Workspace& workspace_;
  contracts::Baselines baselines_;
  std::optional<RunRecord> latest_;
  std::unique_ptr<db::Connection> duckdb_;
  std::set<std::size_t> unknown_;
  std::set<std::size_t> skipped_;
  DryCompile result_;
};

}  // namespace

DryCompile dry_compile(const World& world, const Workspace& workspace, const State& state) {
  return workspace.pipelines.empty() ? DryCompile{} : DryRun(world, workspace, state).run();
}

}  // namespace kedge::pipeline
