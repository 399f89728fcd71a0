// What the guards of `kedge check` read. Each function adds to a guard's inputs.
#pragma once

#include "app/context.h"
#include "app/revision_changes.h"
#include "project/project.h"

namespace kedge::app {

project::Project project_of(const Context& context);
// The same for a guard that asks whether it has anything to guard: what stands in a project.yml
// that cannot be read is not known, and its problems are thrown.
project::Project readable_project(const Context& context);

void add_metadata(Inputs& inputs, const project::Project& project);
void add_connections(Inputs& inputs, const Context& context);  // and the files that they open
void add_code(Inputs& inputs, const project::Project& project);

}  // namespace kedge::app
