#include <algorithm>
#include <tuple>

#include "kedge/error.h"
#include "kedge/finding.h"

namespace kedge {

std::string to_string(const Position& position) {
  std::string text = position.file;
  if (position.line > 0) {
    text += ":" + std::to_string(position.line);
    if (position.column > 0) {
      text += ":" + std::to_string(position.column);
    }
  }
  return text;
}

void sort_findings(std::vector<Finding>& findings) {
  const auto key = [](const Finding& finding) {
    const Problem& problem = finding.problem;
    return std::tuple(problem.where.value_or(Position{}), problem.code, finding.subject,
                      std::string_view(problem.message));
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

}  // namespace kedge
