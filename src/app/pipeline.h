// The pipeline commands (spec/contracts.md 7, 8): ls, run, test, retry, compile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/context.h"
#include "pipeline/compile.h"
#include "pipeline/graph.h"
#include "pipeline/record.h"

namespace kedge::app {

// Problems of the first tier that has any, and all warnings so far.
struct ProjectFailure {
  std::vector<Problem> problems;
};

pipeline::Compilation compile_workspace(Context& context, const std::optional<std::string>& vars);
std::vector<Problem> first_problems(const pipeline::Compilation& compilation);

struct ListedNode {
  std::string kind;
  std::string name;
  std::vector<std::string> tags;
};
struct ListResult {
  std::vector<ListedNode> nodes;
  std::vector<Problem> problems;
  std::vector<Finding> warnings;
};
ListResult list_nodes(Context& context, const std::vector<std::string>& select);

}  // namespace kedge::app
