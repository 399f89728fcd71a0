// `kedge init`: the two files that make a folder a project. Nothing that is there is touched, apart
// from the line that keeps .kedge/ out of the repository.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"

namespace kedge::app {

struct InitRequest {
  std::string name;        // of the project; empty: the folder's name
  std::string connection;  // URL or path of a first database; empty: a commented example
};

struct InitResult {
  std::vector<std::string> written;  // relative to the project folder, sorted
  std::vector<std::string> kept;     // were there already
};

// Throws ERR_SOURCE for a connection that is no URL.
InitResult init_project(const Context& context, const InitRequest& request);

}  // namespace kedge::app
