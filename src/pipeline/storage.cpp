#include "pipeline/storage.h"

#include <algorithm>
#include <string_view>

#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

bool says(const Problem& problem, std::string_view words) {
  return problem.message.find(words) != std::string::npos ||
         std::any_of(problem.notes.begin(), problem.notes.end(),
                     [&](const Note& note) { return note.text.find(words) != std::string::npos; });
}

}  // namespace

Problem storage_problem(Problem problem, StorageUse use) {
  for (const std::string_view words :
       {"No space left on device", "Disk quota exceeded", "File too large", "disk is full",
        "Disk full", "' is full"}) {
    if (says(problem, words)) {
      problem.code = codes::PZ0532;
    }
  }
  for (const std::string_view words : {"Permission denied", "Read-only file system"}) {
    if (use == StorageUse::Own && says(problem, words)) {
      problem.code = codes::PZ0531;
    }
  }
  return problem;
}

}  // namespace kedge::pipeline
