// The cascade drawn as chains: from the live change through derived columns, measures and joins to
// whatever falls with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cascade.h"

namespace kedge::models {

struct ExplainedDrop {
  ModelId model;
  DeleteReason reason;
  std::optional<std::size_t> cause;  // index of the item that took it along; nothing: itself
};

// By data source and model, items in declared order; every dropped item once.
std::vector<ExplainedDrop> explain_drops(const ModelSet& models, const LiveShapes& live,
                                         const CascadeOptions& options);

}  // namespace kedge::models
