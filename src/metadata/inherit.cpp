#include "metadata/inherit.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "metadata/merge.h"

namespace kedge::metadata {

NodeIndex::NodeIndex(std::vector<TreeNode>& nodes) {
  for (TreeNode& node : nodes) {
    nodes_[node.type + "|" + qualified_name(node.package, node.name)] = &node;
  }
}

TreeNode* NodeIndex::find(const std::string& type, const std::string& qualified) {
  const auto found = nodes_.find(type + "|" + qualified);
  return found == nodes_.end() ? nullptr : found->second;
}

TreeNode* NodeIndex::resolve(const std::string& type, const std::string& reference,
                             const std::string& package) {
  if (reference.find("::") != std::string::npos) {
    return find(type, reference);
  }
  if (TreeNode* node = find(type, qualified_name(package, reference))) {
    return node;
  }
  return find(type, reference);
}

std::vector<std::string> NodeIndex::names(const std::string& type) const {
  std::vector<std::string> names;
  for (const auto& [key, node] : nodes_) {
    if (node->type == type) {
      names.push_back(qualified_name(node->package, node->name));
    }
  }
  return names;
}

namespace {

enum class State { Fresh, Running, Done };

bool is_never_inherited(const Attribute& attribute) {
  return attribute.name == "dbColumnType" || attribute.name == "unmanaged";
}

// The base's effective content under the node's own, for a node-level extends.
void inherit_node(TreeNode& node, const TreeNode& base_node, Diagnostics& diagnostics) {
  TreeNode effective = base_node;
  std::erase_if(effective.attributes, is_never_inherited);
  if (node.type == "object") {
    // Inherited children are the base's own nodes; a source's @unmanaged counts for its owner only.
    for (TreeNode& child : effective.children) {
      if (child.type == "source") {
        std::erase_if(child.attributes, is_never_inherited);
      }
    }
    std::erase_if(effective.attributes, [](const Attribute& attribute) {
      return attribute.name == "discriminatorValue" || attribute.name == "formerName";
    });
  } else {
    std::erase_if(effective.children, [](const TreeNode& child) { return child.type == "origin"; });
    std::erase_if(effective.attributes, [](const Attribute& attribute) {
      return attribute.name == "column" || attribute.name == "formerName" ||
             attribute.name == "leave";
    });
  }
  effective.name = node.name;
  effective.is_abstract = node.is_abstract;
  effective.extends.clear();
  TreeNode own = std::move(node);
  node = std::move(effective);
  const bool is_abstract = own.is_abstract;
  merge_node(node, std::move(own), MergeMode::Inherit, diagnostics);
  node.is_abstract = is_abstract;
}

class Inheritance {
 public:
  Inheritance(std::vector<TreeNode>& nodes, Diagnostics& diagnostics)
      : nodes_(nodes), index_(nodes), diagnostics_(diagnostics) {}

  void run() {
    for (TreeNode& node : nodes_) {
      visit(node);
    }
    for (TreeNode& node : nodes_) {
      for (TreeNode& child : node.children) {
        visit_child(node, child);
      }
    }
  }

 private:
  std::string cycle_text(const TreeNode& node) const {
    std::string text;
    const auto start = std::find(stack_.begin(), stack_.end(), &node);
    for (auto each = start; each != stack_.end(); ++each) {
      text += (*each)->name + " -> ";
    }
    return text + node.name;
  }

  void unresolved(TreeNode& node, const std::string& what) {
    diagnostics_.error(codes::ERR_UNRESOLVED_SUPER, what, node.extends_place);
    node.extends.clear();
    node.refused.emplace_back("extends");
  }

  // Top-level nodes, whose extends names another top-level node.
  void visit(TreeNode& node) {
    State& state = states_[&node];
    if (state == State::Done) {
      return;
    }
    state = State::Running;
    stack_.push_back(&node);
    if (!node.extends.empty()) {
      extend(node);
    }
    stack_.pop_back();
    states_[&node] = State::Done;
  }

  void extend(TreeNode& node) {
    if (node.extends.find('.') != std::string::npos) {
      return;  // a nested target of a shared field: with the children
    }
    TreeNode* target = index_.resolve(node.type, node.extends, node.package);
    if (target == nullptr) {
      unresolved(node, node.kind() + " '" + node.name + "' extends '" + node.extends +
                           "', which does not exist" +
                           base::did_you_mean(node.extends, index_.names(node.type)));
      return;
    }
    if (states_[target] == State::Running) {
      unresolved(node, "extends leads in a circle: " + cycle_text(*target));
      return;
    }
    visit(*target);
    if (target->subtype != node.subtype) {
      mismatch(node, *target);
      return;
    }
    const std::string qualified = qualified_name(target->package, target->name);
    inherit_node(node, *target, diagnostics_);
    node.extends = qualified;
  }

  void mismatch(TreeNode& node, const TreeNode& target) {
    diagnostics_
        .error(codes::ERR_EXTENDS_TARGET_MISMATCH,
               node.kind() + " '" + node.name + "' extends a " + target.kind(), node.extends_place)
        .finding.problem.notes.push_back({"the target is declared here", target.place.where});
  }

  // A child's extends: "Berth.code" or, for a field, a shared top-level field.
  void visit_child(TreeNode& parent, TreeNode& child) {
    if (child.extends.empty() || states_[&child] == State::Done) {
      return;
    }
    if (states_[&child] == State::Running) {
      return;
    }
    states_[&child] = State::Running;
    extend_child(parent, child);
    states_[&child] = State::Done;
  }

  void extend_child(const TreeNode& parent, TreeNode& child) {
    const std::size_t dot = child.extends.rfind('.');
    TreeNode* holder = nullptr;
    TreeNode* target = nullptr;
    if (dot == std::string::npos) {
      target = index_.resolve(child.type, child.extends, child.package);
    } else {
      holder = index_.resolve("object", child.extends.substr(0, dot), child.package);
      if (holder != nullptr) {
        target = member(*holder, child, child.extends.substr(dot + 1));
      }
    }
    if (target == nullptr) {
      unresolved(child, child.kind() + " '" + parent.name + "." + child.name + "' extends '" +
                            child.extends + "', which does not exist");
      return;
    }
    if (target == &child || states_[target] == State::Running) {
      unresolved(child, "extends leads in a circle: " + child.name + " -> " + target->name);
      return;
    }
    if (holder != nullptr) {
      visit_child(*holder, *target);
    }
    if (target->subtype != child.subtype) {
      mismatch(child, *target);
      return;
    }
    const std::string qualified =
        holder != nullptr
            ? qualified_name(holder->package, holder->name) + "." + child.extends.substr(dot + 1)
            : qualified_name(target->package, target->name);
    check_shared_enum(child, *target);
    inherit_node(child, *target, diagnostics_);
    child.extends = qualified;
  }

  void check_shared_enum(const TreeNode& child, const TreeNode& target) {
    if (child.kind() != "field.enum" || target.find("values") == nullptr) {
      return;
    }
    for (const char* name : {"values", "intValueMap"}) {
      if (const Attribute* own = child.find(name)) {
        diagnostics_.error(codes::ERR_ENUM_EXTENDS_VALUES_CONFLICT,
                           "field '" + child.name + "' extends '" + child.extends +
                               "' and cannot have '@" + name + "' of its own",
                           child.place_of(*own));
      }
    }
  }

  static TreeNode* member(TreeNode& holder, const TreeNode& child, const std::string& name) {
    for (TreeNode& each : holder.children) {
      const bool unnamed_primary = each.kind() == "identity.primary" && each.name.empty();
      if (each.type == child.type &&
          (each.name == name || (unnamed_primary && name == "primary"))) {
        return &each;
      }
    }
    return nullptr;
  }

  std::vector<TreeNode>& nodes_;
  NodeIndex index_;
  Diagnostics& diagnostics_;
  std::map<const TreeNode*, State> states_;
  std::vector<const TreeNode*> stack_;
};

}  // namespace

void resolve_inheritance(std::vector<TreeNode>& nodes, Diagnostics& diagnostics) {
  Inheritance(nodes, diagnostics).run();
}

}  // namespace kedge::metadata
