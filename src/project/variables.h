// ${NAME} in the scalars of project files (contracts.md 3.5).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/environment.h"
#include "document/node.h"

namespace kedge::project {

struct Unset {
  std::string variable;
  const document::Node* node;  // where
  bool empty = false;          // set, but to an empty text
};

// Expands the scalars below `node` in place. `key` is the key that the node stands under. `values`
// collects every text that came out of a variable, `unset` what could not be expanded.
class Expander {
 public:
  explicit Expander(const base::Environment& environment) : environment_(environment) {}
  void expand(document::Node& node, std::string_view key = {});
  bool is_unresolved(const document::Node& node) const {
    return unresolved_.contains(node.range.begin);
  }
  bool is_expanded(const document::Node& node) const {
    return expanded_.contains(node.range.begin);
  }

  std::vector<Unset> unset;
  std::vector<std::string> values;

 private:
  void expand_scalar(document::Node& node, std::string_view key);

  const base::Environment& environment_;
  std::set<std::size_t> unresolved_;  // byte offsets of values
  std::set<std::size_t> expanded_;
};

}  // namespace kedge::project
