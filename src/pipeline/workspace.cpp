#include "pipeline/workspace.h"

#include <algorithm>
#include <array>

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

namespace {

// Where engines quote a value of a row in what they say.
std::string without_values(std::string text) {
  constexpr std::array<std::string_view, 6> kBefore = {
      "string '", "value: '", "value '", "entry '", "syntax for type", "Duplicate key \""};
  for (const std::string_view before : kBefore) {
    for (std::size_t at = text.find(before); at != std::string::npos;
         at = text.find(before, at + before.size())) {
      const std::size_t begin = text.find_first_of("'\"", at + before.size() - 1);
      const std::size_t end =
          begin == std::string::npos ? begin : text.find(text[begin], begin + 1);
      if (end != std::string::npos) {
        text.replace(begin + 1, end - begin - 1, "***");
      }
    }
  }
  return text;
}

}  // namespace

std::string Workspace::hide(std::string text) const {
  text = project::hide_secrets(std::move(text), secrets);
  return project.engine.check_samples ? text : without_values(text);
}

}  // namespace kedge::pipeline
