// The command lists of the areas; all_commands() concatenates them.
#pragma once

#include <vector>

#include "cli/command.h"

namespace kedge::cli {

std::vector<Command> check_commands();       // check, impact
std::vector<Command> connection_commands();  // connections list, connections test
std::vector<Command> general_commands();     // explain
std::vector<Command> history_commands();     // record, log
std::vector<Command> inspect_commands();     // init, inspect, snapshot
std::vector<Command> schema_file_commands();  // schema-files
std::vector<Command> server_commands();     // serve, mcp
std::vector<Command> reference_commands();   // completion, reference
std::vector<Command> contract_commands();    // validate, schema ...
std::vector<Command> metadata_commands();    // model
std::vector<Command> migrate_commands();     // migrate, migrate apply-pending, ...
std::vector<Command> query_commands();      // query, models list, models show
std::vector<Command> model_commands();       // validate-models, ingest, models import
std::vector<Command> template_commands();    // render, templates list
std::vector<Command> codegen_commands();     // gen, docs
std::vector<Command> verify_commands();      // verify
std::vector<Command> diff_commands();        // diff, migrate diff
std::vector<Command> run_state_commands();   // runs, state, clean
std::vector<Command> pipeline_commands();    // ls, run, test, ...

}  // namespace kedge::cli
