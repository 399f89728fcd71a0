// Several declarations of one node become one (spec/metadata.md 1.5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metadata/diagnostics.h"
#include "metadata/tree.h"

namespace kedge::metadata {

enum class MergeMode {
  SameDeclaration,  // two children of one list
  Plain,            // another plain declaration
  Overlay,          // replaces
  Inherit           // a child of a subtype over the inherited one
};

// Merges `source` into `target`, both of one type and name.
void merge_node(TreeNode& target, TreeNode source, MergeMode mode, Diagnostics& diagnostics);
// Adds a child or merges it into the one of the same type and name.
void merge_child(TreeNode& parent, TreeNode child, MergeMode mode, Diagnostics& diagnostics);

// All top-level nodes of all files, in load order, as one list without overlays.
std::vector<TreeNode> merge_files(std::vector<TreeNode> nodes, Diagnostics& diagnostics);

}  // namespace kedge::metadata
