// From dead nodes to delete entries with one reason per item (models.md 9, 10).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kedge/models.h"
#include "models/drop_graph.h"

namespace kedge::models {

class DropReasons {
 public:
  DropReasons(const SourceIndex& index, const DropGraph& graph, const std::vector<char>& dead);

  // Nothing when the model stays as it is.
  std::optional<ToDeleteEntry> entry(Number model) const;
  // The reason of a dead node.
  DeleteReason reason(NodeId id) const;
  // The dependency that the reason names; null for a direct drop.
  const Dependency* cause(NodeId id) const;

 private:
  struct Choice {
    std::string code;
    const Dependency* dependency = nullptr;
  };

  bool is_dead(NodeId id) const { return dead_[id] != 0; }
  std::string target(const DropNode& node) const;
  Choice choose(const DropNode& node) const;
  Choice choose_text(const DropNode& node) const;
  Choice choose_join(const DropNode& node) const;
  std::optional<Code> code_of(const Dependency& dependency) const;
  std::string sentence(const Choice& choice) const;
  std::string name_of(const Dependency& dependency) const;
  std::optional<ToDeleteEntry> edit(Number model) const;

  const SourceIndex& index_;
  const DropGraph& graph_;
  const std::vector<char>& dead_;
  std::unordered_map<NodeId, const DirectDrop*> direct_;
};

}  // namespace kedge::models
