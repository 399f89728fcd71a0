// One run of the program: arguments in, exit code out; everything for people and scripts goes
// through the terminal. main() adds the real streams, tests add their own.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "db/connection.h"

namespace kedge::cli {

int run_program(const std::vector<std::string>& argv, Terminal& terminal,
                const db::Registry& registry);

}  // namespace kedge::cli
