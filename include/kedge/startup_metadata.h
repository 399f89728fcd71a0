// The metadata folder of a project as the model that start-up checks of generated code compare with
// (the text that `kedge model` prints). For programs that carry the metadata along and link kedge;
// others deploy that file and need only the small runtime library.
#pragma once

#include <string>

namespace kedge {

// Throws kedge::Error when there is no metadata, or it does not load: with every problem.
// `target`: the target of gen whose code asks, when it takes only a part of the objects.
std::string load_startup_model(const std::string& project_folder, const std::string& target = "");

}  // namespace kedge
