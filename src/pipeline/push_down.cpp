#include "pipeline/push_down.h"

#include <algorithm>

#include "kedge/codes.h"
#include "pipeline/write.h"

namespace kedge::pipeline {

bool is_pushed_down(const Workspace& workspace, std::size_t read) {
  bool used = false;
  for (const PipelineSpec& pipeline : workspace.pipelines) {
    const bool reads =
        std::find(pipeline.reads.begin(), pipeline.reads.end(), read) != pipeline.reads.end();
    if (reads && pipeline.run_in.empty()) {
      return false;
    }
    used = used || reads;
  }
  return used;
}

Landed observe_remote(const Engine& engine, const ReadSpec& read) {
  return land(engine, read, std::nullopt);
}

std::int64_t transform_remote(const Engine& engine, std::size_t pipeline) {
  throw Error(codes::PZ0402, "pipeline '" + engine.workspace().pipelines[pipeline].name +
                                 "' cannot be pushed down");
}

WriteRecord write_remote(const Engine& engine, const WriteSpec& write) {
  return write_target(engine, write);
}

}  // namespace kedge::pipeline
