// What the stages of a query-backed model refer to (models.md 9.6). Names of an earlier stage are
// that stage's outputs, never columns of the model below it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/resolve.h"

namespace kedge::models {

struct StageReference {
  bool is_source = false;            // the root, or the target of an extension's join
  Number source = kNone;             // is_source: the model; kNone when there is none of the name
  std::string name;                  // is_source: as written
  std::optional<Resolved> resolved;  // otherwise
};

// In the order dimensions, time dimensions, measures, filters, order, extension.
std::vector<StageReference> find_stage_references(const SourceIndex& index, Number model,
                                                  std::size_t stage);

// Does the last stage of a query-backed model surely give no such column?
bool lacks_output(const Model& model, const std::string& name);

}  // namespace kedge::models
