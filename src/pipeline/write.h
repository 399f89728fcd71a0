// Moving a staged result into its target (spec/contracts.md 12, 13). Everything is judged before
// the target is touched; a failed write leaves the target as it was.
#pragma once

#include <string>
#include <vector>

#include "pipeline/engine.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

WriteRecord write_target(const Engine& engine, const WriteSpec& write);

// The columns of staging."name" as a write schema.
std::vector<contracts::WriteColumn> staged_columns(db::Connection& staging,
                                                   const std::string& name);
// What a write hands over: the staged columns, without the delete flag, with the lengths that
// `write: columns:` promises. PZ0805 when the result is not what was promised.
std::vector<contracts::WriteColumn> write_columns(
    const WriteSpec& write, const std::vector<contracts::WriteColumn>& staged);
contracts::WriteRequest judge_request(const WriteSpec& write,
                                      std::vector<contracts::WriteColumn> columns);

WriteRecord write_files(const Engine& engine, const WriteSpec& write, db::Connection& staging);
WriteRecord write_database(const Engine& engine, const WriteSpec& write, db::Connection& staging);

// The staged result of a pushed-down pipeline: a table of the target's own database.
struct RemoteStage {
  std::string table;  // quoted
  std::vector<contracts::WriteColumn> columns;
};
WriteRecord write_from_remote(const Engine& engine, const WriteSpec& write,
                              db::Connection& connection, const RemoteStage& stage);

}  // namespace kedge::pipeline
