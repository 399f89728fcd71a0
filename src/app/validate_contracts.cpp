// What `kedge validate` finds in contracts and pipelines: tiers 1 to 4 offline, tier 5 with
// --connect (spec/contracts.md 9).
#include "app/contracts.h"
#include "app/pipeline.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

void add_tier(const std::vector<Problem>& problems, Validation& result) {
  for (const Problem& problem : problems) {
    result.add(problem);
    result.items.back().finding.guard = "contracts";
  }
}

}  // namespace

void check_contracts(Context& context, const ValidateRequest& request, Validation& result) {
  const pipeline::Compilation compilation = compile_workspace(context, request.vars);
  for (const Finding& warning : compilation.warnings) {
    result.items.push_back({warning, "", "", ""});
  }
  add_tier(first_problems(compilation), result);
  if (!compilation.ok()) {
    return;
  }
  result.pipelines += compilation.workspace->pipelines.size();
}

}  // namespace kedge::app
