// What one node of a run does: load, transform, check or write (spec/contracts.md 8.1). Throws for
// what makes the node fail.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "pipeline/check_run.h"
#include "pipeline/engine.h"
#include "pipeline/graph.h"
#include "pipeline/record.h"
#include "pipeline/run.h"

namespace kedge::pipeline {

// What nodes of a run share beside the engine.
struct RunMemory {
  contracts::Baselines baselines;  // as they were at the start
  Cursors cursors;
  Refresh refresh = Refresh::Incremental;
  std::optional<RunRecord> retry_of;
  RunMode mode = RunMode::Run;
  State& state;
  std::mutex mutex;
  std::map<std::size_t, WatermarkRecord> candidates;  // by read
  std::vector<CheckRecord> checks;
  std::vector<WriteRecord> writes;
};

class NodeRun {
 public:
  NodeRun(const Engine& engine, RunMemory& memory, const GraphNode& node, NodeRecord& record)
      : engine_(engine), memory_(memory), node_(node), record_(record) {}
  void run();

 private:
  void load();
  bool stages_view(db::Connection& staging, const std::string& sql) const;
  void transform();
  void check();
  void write();
  bool reuse_load(const ReadSpec& read);
  bool reuse_table(const std::string& table, std::int64_t rows);
  void watch(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& landed);
  void offer(const WatermarkRecord& candidate);
  CheckTable check_table(db::Connection& staging, const std::string& name) const;
  void offer_cursor(const ReadSpec& read);
  std::optional<StoredCursor> stored(const ReadSpec& read) const;
  CheckRequest check_request() const;
  std::string remote_of_check() const;
  template <class Work>
  void with_retry(const project::Retry& retry, Work work);

  const Engine& engine_;
  RunMemory& memory_;
  const GraphNode& node_;
  NodeRecord& record_;
};

}  // namespace kedge::pipeline
