// Whether a folder is a project at all.
#pragma once

#include "app/context.h"

namespace kedge::app {

// A folder with one part is a project; one with none is most likely the wrong folder, in which all
// would seem well. Throws ERR_USAGE for that.
void require_project_folder(const Context& context);

}  // namespace kedge::app
