// The one Error of an operation that was stopped by several problems at once, for callers that tell
// each by itself. To all others it is an Error with the first problem, the rest as its notes.
#pragma once

#include <vector>

#include "kedge/error.h"

namespace kedge::base {

class ProblemList : public Error {
 public:
  // `problems` must not be empty.
  explicit ProblemList(std::vector<Problem> problems)
      : Error(with_notes(problems)), problems_(std::move(problems)) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  static Problem with_notes(const std::vector<Problem>& problems) {
    Problem first = problems.front();
    for (std::size_t i = 1; i < problems.size(); ++i) {
      const Problem& other = problems[i];
      first.notes.push_back(
          {"also " + std::string(other.code.name()) + ": " + other.message, other.where});
    }
    return first;
  }

  std::vector<Problem> problems_;
};

}  // namespace kedge::base
