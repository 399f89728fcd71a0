#include "pipeline/record.h"

#include <gtest/gtest.h>

#include "pipeline/state.h"

namespace kedge::pipeline {
namespace {

RunRecord sample() {
  RunRecord record;
  record.run_id = "20270314T081502117Z-9a3e";
  record.status = RunStatus::CompletedWithFailures;
  record.started_at = "2027-03-14T08:15:02.117Z";
  record.selection = "--all";
  NodeRecord node;
  node.id = "i";
  node.kind = "source";
  node.name = "src_c__e";
  node.status = NodeStatus::Failed;
  node.connection = "c";
  node.entity = "e";
  node.rows = 4;
  node.error = ErrorRecord{"PZ0331", "drift"};
  node.observed = contracts::Shape{{{"x", "BIGINT", "bigint"}}, "h"};
  node.drift = DriftRecord{"fail", {}};
  node.watermark = WatermarkRecord{"x", "BIGINT", "4"};
  record.nodes = {node};
  return record;
}

TEST(RecordTest, ComesBackAsItWasWritten) {
  const std::string text = document::write_json(to_json(sample()));
  EXPECT_EQ(document::write_json(to_json(read_record("run.json", text))), text);
}

TEST(RecordTest, LeavesOutWhatDoesNotApply) {
  RunRecord record = sample();
  record.nodes[0] = NodeRecord{};
  const std::string text = document::write_json(to_json(record));
  for (const char* member : {"error", "observed_schema", "drift", "watermark", "provenance",
                             "connection", "finished_at"}) {
    EXPECT_EQ(text.find(std::string("\"") + member + "\""), std::string::npos) << member;
  }
}

TEST(StateTest, FindsTheNewestFinishedRun) {
  const auto files = base::make_memory_file_system();
  State state(*files, "/p", ".kedge/state");
  RunRecord record = sample();
  state.store(record);
  record.run_id = "20270315T000000000Z-0000";
  record.status = RunStatus::Running;
  state.store(record);
  EXPECT_EQ(state.latest()->status, RunStatus::Running);
  EXPECT_EQ(state.latest_finished()->run_id, "20270314T081502117Z-9a3e");
  EXPECT_FALSE(state.record("../x"));
}

TEST(StateTest, RefusesACursorFileThatIsNone) {
  const auto files = base::make_memory_file_system();
  files->write("/p/.kedge/state/watermarks.json", "[");
  EXPECT_THROW(State(*files, "/p", ".kedge/state").cursors(), Error);
}

}  // namespace
}  // namespace kedge::pipeline
