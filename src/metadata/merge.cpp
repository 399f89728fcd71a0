#include "metadata/merge.h"

#include <algorithm>
#include <optional>

namespace kedge::metadata {
namespace {

std::string label(const TreeNode& node) {
  return node.name.empty() ? node.kind() : node.kind() + " '" + node.name + "'";
}

// identity.primary has a name of its own when none is given.
std::string merge_name(const TreeNode& node) {
  return node.name.empty() && node.kind() == "identity.primary" ? "primary" : node.name;
}

bool merges_unnamed(const TreeNode& child, MergeMode mode) {
  if (mode == MergeMode::SameDeclaration) {
    return false;
  }
  return child.type == "source" || child.type == "origin" ||
         (child.type == "validator" && mode == MergeMode::Inherit);
}

TreeNode* find_counterpart(TreeNode& parent, const TreeNode& child, MergeMode mode) {
  const std::string name = merge_name(child);
  for (TreeNode& each : parent.children) {
    if (each.type != child.type) {
      continue;
    }
    if (name.empty()) {
      if (merge_name(each).empty() && each.subtype == child.subtype &&
          merges_unnamed(child, mode)) {
        return &each;
      }
    } else if (merge_name(each) == name) {
      return &each;
    }
  }
  return nullptr;
}

Note other_place(const Place& place, std::string text) {
  return {std::move(text), place.where};
}

void merge_attribute(TreeNode& target, const Attribute& attribute, const Place& place,
                     MergeMode mode, Diagnostics& diagnostics) {
  const auto found =
      std::find_if(target.attributes.begin(), target.attributes.end(),
                   [&](const Attribute& each) { return each.name == attribute.name; });
  if (found == target.attributes.end()) {
    target.attributes.push_back(attribute);
    return;
  }
  if (mode == MergeMode::Plain || mode == MergeMode::SameDeclaration) {
    const Place first{found->document->position(*found->key), ""};
    if (same_value(*found->value, *attribute.value)) {
      diagnostics
          .warning(codes::WARN_DUPLICATE_DECLARATION,
                   "'@" + attribute.name + "' of " + label(target) + " is declared twice", place)
          .finding.problem.notes.push_back(other_place(first, "first declared here"));
      return;
    }
    diagnostics
        .error(codes::ERR_MERGE_CONFLICT,
               "'@" + attribute.name + "' of " + label(target) + " has two different values", place,
               "mark one declaration with overlay: true")
        .finding.problem.notes.push_back(other_place(first, "the other value is here"));
    return;
  }
  *found = attribute;
}

void merge_structure(TreeNode& target, const TreeNode& source, MergeMode mode,
                     Diagnostics& diagnostics) {
  const bool strict = mode == MergeMode::Plain || mode == MergeMode::SameDeclaration;
  if (!source.extends.empty()) {
    if (strict && !target.extends.empty() && target.extends != source.extends) {
      diagnostics
          .error(codes::ERR_MERGE_CONFLICT,
                 "'extends' of " + label(target) + " has two different values",
                 source.extends_place)
          .finding.problem.notes.push_back(
              other_place(target.extends_place, "the other value is here"));
    }
    target.extends = source.extends;
    target.extends_place = source.extends_place;
  }
  if (source.is_array) {
    target.is_array = source.is_array;
  }
  target.is_abstract = target.is_abstract || source.is_abstract;
}

}  // namespace

void merge_node(TreeNode& target, TreeNode source, MergeMode mode, Diagnostics& diagnostics) {
  merge_structure(target, source, mode, diagnostics);
  for (const Attribute& attribute : source.attributes) {
    merge_attribute(target, attribute, source.place_of(attribute), mode, diagnostics);
  }
  const bool own_origin = mode == MergeMode::Inherit &&
                          std::any_of(source.children.begin(), source.children.end(),
                                      [](const TreeNode& child) { return child.type == "origin"; });
  if (own_origin) {
    std::erase_if(target.children, [](const TreeNode& child) { return child.type == "origin"; });
  }
  for (TreeNode& child : source.children) {
    merge_child(target, std::move(child), mode, diagnostics);
  }
  if (mode == MergeMode::Inherit) {
    target.place = source.place;
    target.owner = source.owner;
    target.package = source.package;
    target.document = source.document;
  }
}

void merge_child(TreeNode& parent, TreeNode child, MergeMode mode, Diagnostics& diagnostics) {
  TreeNode* counterpart = find_counterpart(parent, child, mode);
  if (counterpart == nullptr) {
    if (child.is_overlay && mode != MergeMode::SameDeclaration && mode != MergeMode::Inherit) {
      diagnostics.error(codes::ERR_OVERLAY_NO_TARGET,
                        "overlay of " + label(child) + ": " + label(parent) + " has no such child",
                        child.place);
      return;
    }
    parent.children.push_back(std::move(child));
    return;
  }
  if (counterpart->subtype != child.subtype) {
    const bool inherited = mode == MergeMode::Inherit;
    diagnostics
        .error(inherited ? codes::ERR_EXTENDS_TARGET_MISMATCH : codes::ERR_DUPLICATE_NAME,
               label(child) + ": there is also a " + counterpart->kind() + " of that name",
               child.place)
        .finding.problem.notes.push_back(other_place(counterpart->place, "declared here"));
    return;
  }
  merge_node(*counterpart, std::move(child), mode, diagnostics);
}

namespace {

class FileMerge {
 public:
  explicit FileMerge(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void plain(TreeNode node) {
    const std::string key = key_of(node);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      index_.emplace(key, nodes_.size());
      nodes_.push_back(std::move(node));
      return;
    }
    TreeNode& target = nodes_[found->second];
    if (target.subtype != node.subtype || node.type == "template") {
      diagnostics_
          .error(codes::ERR_DUPLICATE_NAME,
                 label(node) + ": there is also a " + target.kind() + " of that name", node.place)
          .finding.problem.notes.push_back(other_place(target.place, "declared here"));
      return;
    }
    if (target.document != node.document) {
      diagnostics_
          .warning(codes::WARN_OVERLAY_IMPLICIT, label(node) + " is declared in another file too",
                   node.place, "write overlay: true if it is an amendment")
          .finding.problem.notes.push_back(other_place(target.place, "declared here"));
    }
    merge_node(target, std::move(node), MergeMode::Plain, diagnostics_);
  }

  void overlay(TreeNode node) {
    const auto found = index_.find(key_of(node));
    if (found == index_.end()) {
      diagnostics_.error(codes::ERR_OVERLAY_NO_TARGET,
                         "overlay of " + label(node) + ": nothing of that name is declared in '" +
                             node.package + "'",
                         node.place);
      return;
    }
    TreeNode& target = nodes_[found->second];
    if (target.subtype != node.subtype) {
      diagnostics_.error(codes::ERR_DUPLICATE_NAME,
                         "overlay of " + label(node) + ": the target is a " + target.kind(),
                         node.place);
      return;
    }
    merge_node(target, std::move(node), MergeMode::Overlay, diagnostics_);
  }

  std::vector<TreeNode> take() { return std::move(nodes_); }

 private:
  static std::string key_of(const TreeNode& node) {
    return node.type + "|" + qualified_name(node.package, node.name);
  }
  Diagnostics& diagnostics_;
  std::vector<TreeNode> nodes_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace

std::vector<TreeNode> merge_files(std::vector<TreeNode> nodes, Diagnostics& diagnostics) {
  FileMerge merge(diagnostics);
  std::vector<TreeNode> overlays;
  for (TreeNode& node : nodes) {
    if (node.name.empty()) {
      if (node.type == "object" || node.type == "template" || node.type == "field") {
        diagnostics.error(codes::ERR_MISSING_REQUIRED_ATTR, node.kind() + " needs a name",
                          node.place);
      }
      continue;
    }
    if (node.is_overlay) {
      overlays.push_back(std::move(node));
    } else {
      merge.plain(std::move(node));
    }
  }
  for (TreeNode& node : overlays) {
    merge.overlay(std::move(node));
  }
  return merge.take();
}

}  // namespace kedge::metadata
