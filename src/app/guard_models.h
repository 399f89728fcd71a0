// Drops of the model cascade as findings with the place of the item in its file: for check and
// impact.
#pragma once

#include <optional>
#include <string>

#include "kedge/finding.h"
#include "kedge/models.h"
#include "models/store.h"

namespace kedge::app {

// `target`: "column:kg", "measure:x", "model:y". Nothing when the model was not read.
std::optional<Position> position_of(const models::ModelStore& store, const models::ModelId& id,
                                    const std::string& target);
Finding model_finding(const models::ModelStore& store, const models::ModelId& id,
                      const models::DeleteReason& reason);

}  // namespace kedge::app
