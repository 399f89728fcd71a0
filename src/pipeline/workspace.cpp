#include "pipeline/workspace.h"

#include <algorithm>

#include "kedge/codes.h"

namespace kedge::pipeline {

const project::Connection& Workspace::connection(const std::string& name) const {
  const project::Connection* found = connections.find(name);
  if (found == nullptr) {
    throw Error(codes::PZ0500, "connection '" + name + "' is not known");
  }
  return *found;
}

std::optional<std::size_t> Workspace::find_pipeline(const std::string& name) const {
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    if (pipelines[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Workspace::find_read(const std::string& label) const {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].label == label) {
      return i;
    }
  }
  return std::nullopt;
}

std::string Workspace::hide(std::string text) const {
  return project::hide_secrets(std::move(text), secrets);
}

}  // namespace kedge::pipeline
