#include "cli/contract_outcome.h"

#include <algorithm>

#include "kedge/codes.h"
#include "report/contracts.h"

namespace kedge::cli {

int report_problems(Invocation& invocation, const std::vector<Problem>& problems) {
  int exit_code = 1;
  for (const Problem& problem : problems) {
    invocation.terminal.err.write(report::contract_line(problem, Severity::Error));
    const int own = exit_code_of(problem.code);
    exit_code = std::max(exit_code, own == 0 ? 2 : own);
  }
  if (invocation.json()) {
    invocation.terminal.out.write(
        document::write_json(report::contract_failure_json(problems, exit_code)) + "\n");
  }
  return exit_code;
}

void report_warnings(Invocation& invocation, const std::vector<Finding>& warnings) {
  for (const Finding& warning : warnings) {
    invocation.terminal.err.write(report::contract_line(warning.problem, warning.severity));
  }
}

std::function<int(Invocation&)> guarded(int (*run)(Invocation&)) {
  return [run](Invocation& invocation) {
    try {
      return run(invocation);
    } catch (const Error& error) {
      return report_problems(invocation, {error.problem()});
    }
  };
}

}  // namespace kedge::cli
