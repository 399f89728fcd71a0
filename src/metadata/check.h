// The rules that need more than one node (spec/metadata.md 2-7), one file a concern. Each reports
// everything it finds. finish_model() also fills what only the whole model tells: table owners,
// entities that are projections, base entities.
#pragma once

#include "metadata/diagnostics.h"
#include "metadata/paths.h"

namespace kedge::metadata {

void finish_model(Model& model, Diagnostics& diagnostics);  // first
void check_sources(const Model& model, Diagnostics& diagnostics);
void check_keys(const Model& model, Diagnostics& diagnostics);
void check_references(const Model& model, Diagnostics& diagnostics);
void check_relationships(const Model& model, Diagnostics& diagnostics);
void check_subtypes(const Model& model, Diagnostics& diagnostics);
void check_validators(const Model& model, Diagnostics& diagnostics);
void check_projections(Model& model, Diagnostics& diagnostics);
void check_templates(const Model& model, Diagnostics& diagnostics);

// The filter's fields and values against the fields of `object`; `what` names the place.
void check_filter(const Filter& filter, const Object& object, Diagnostics& diagnostics);

// The referential actions of a reference after all rules of spec 5.
struct Actions {
  Action on_delete = Action::NoAction;
  Action on_update = Action::NoAction;
};
Actions effective_actions(const Model& model, const Object& owner, const Reference& reference);

}  // namespace kedge::metadata
