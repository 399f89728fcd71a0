// extends: every node becomes its effective node, base first (spec/metadata.md 2.1).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metadata/diagnostics.h"
#include "metadata/tree.h"

namespace kedge::metadata {

// The merged top-level nodes by type and qualified name, and how bare names resolve (1.6).
class NodeIndex {
 public:
  explicit NodeIndex(std::vector<TreeNode>& nodes);
  TreeNode* find(const std::string& type, const std::string& qualified);
  // In `package` first, then among package-less nodes; a qualified name is exact.
  TreeNode* resolve(const std::string& type, const std::string& reference,
                    const std::string& package);
  std::vector<std::string> names(const std::string& type) const;

 private:
  std::map<std::string, TreeNode*> nodes_;
};

// Replaces each node by its effective form. A nested extends ("Berth.code") is kept as resolved
// text in TreeNode::extends: "harbour::Berth.code"; a top-level one as the qualified name.
void resolve_inheritance(std::vector<TreeNode>& nodes, Diagnostics& diagnostics);

}  // namespace kedge::metadata
