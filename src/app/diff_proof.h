// Applies a plan to a copy in a throw-away engine and compares what comes out.
#pragma once

#include "app/diff.h"

namespace kedge::app {

Proof prove_plan(const Context& context, const DiffRequest& request, const Source& from,
                 const Source& to, const migrate::Plan& plan, const diff::Options& options);

}  // namespace kedge::app
