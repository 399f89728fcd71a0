// Direct drift (models.md 8.1, 8.2): a model against the live shape of its own source.
#pragma once

#include <string>
#include <vector>

#include "models/index.h"

namespace kedge::models {

struct DirectFinding {
  Number column = kNone;  // kNone: the whole model
  Code code;
  std::string reason;
};

// In declared order. Nothing for a shape that is unknown or opaque.
std::vector<DirectFinding> find_direct_drift(const IndexedModel& model);

}  // namespace kedge::models
