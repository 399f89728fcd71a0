// A projection's view (spec/metadata.md 7): the body as a pure function of the metadata, its output
// columns and what it reads. To-many paths are computed in derived tables of their own, so no
// aggregate is multiplied by another path's rows.
#pragma once

#include <optional>

#include "metadata/diagnostics.h"
#include "metadata/expected.h"
#include "metadata/physical.h"

namespace kedge::metadata {

// nullopt when the object has no view that kedge writes.
std::optional<schema::View> build_view(const Model& model, const Object& object,
                                       const Source& source, const Writer& writer,
                                       Diagnostics& diagnostics);

}  // namespace kedge::metadata
