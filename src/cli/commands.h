// The command lists of the areas; all_commands() concatenates them.
#pragma once

#include <vector>

#include "cli/command.h"

namespace kedge::cli {

std::vector<Command> general_commands();  // explain, version

}  // namespace kedge::cli
