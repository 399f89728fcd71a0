// How the contract and pipeline commands show failures (spec/contracts.md 15, 19): problems go to
// stderr as text, and with --format json the one document on stdout says them too.
#pragma once

#include <functional>
#include <vector>

#include "cli/command.h"
#include "kedge/finding.h"

namespace kedge::cli {

int report_problems(Invocation& invocation, const std::vector<Problem>& problems);
void report_warnings(Invocation& invocation, const std::vector<Finding>& warnings);
// Runs a command; an Error is shown the contract way.
std::function<int(Invocation&)> guarded(int (*run)(Invocation&));

}  // namespace kedge::cli
