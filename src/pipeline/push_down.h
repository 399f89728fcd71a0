// Push-down (`engine: {run_in: <connection>}` of a pipeline): its SQL runs inside a database that
// speaks the protocol of postgres, where all its sources and its target live. No row leaves it.
#pragma once

#include <cstdint>

#include "pipeline/check_run.h"
#include "pipeline/engine.h"
#include "pipeline/land.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

// Is every reader of this read pushed down?
bool is_pushed_down(const Workspace& workspace, std::size_t read);
// What cannot be pushed down (PZ0402), with positions.
void check_push_down(const Workspace& workspace, std::vector<Problem>& problems);

// The shape of a source as the database describes it; its contract is compared, nothing lands.
Landed observe_remote(const Engine& engine, const ReadSpec& read);
// Runs the pipeline's SELECT into a table of the database's own staging schema.
std::int64_t transform_remote(const Engine& engine, std::size_t pipeline);
WriteRecord write_remote(const Engine& engine, const WriteSpec& write);
CheckTable remote_check_table(const Engine& engine, db::Connection& connection,
                              const std::string& name);

}  // namespace kedge::pipeline
