#include "query/relation.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::query {

std::string cycle_text(const std::vector<std::string>& open, const std::string& again) {
  std::vector<std::string> circle(std::find(open.begin(), open.end(), again), open.end());
  circle.push_back(again);
  return base::join(circle, " -> ");
}

}  // namespace kedge::query
