// Where the metadata declares what a change of the database is about: for check and impact.
#pragma once

#include <optional>

#include "kedge/change.h"
#include "kedge/metadata.h"
#include "metadata/expected.h"

namespace kedge::app {

// The field, else the object; nothing when no declaration owns the table or view.
std::optional<Position> declared_at(const metadata::Model& model,
                                    const metadata::Expected& expected, const Change& change);

}  // namespace kedge::app
