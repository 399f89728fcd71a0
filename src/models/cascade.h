// The cascade (models.md 9) as a pure function: models and live shapes in, the minimal list of
// deletes out. Linear in the number of references; the order of models and items only decides the
// order inside the lists.
#pragma once

#include <vector>

#include "kedge/models.h"
#include "models/drop_graph.h"
#include "models/live.h"
#include "models/model_set.h"

namespace kedge::models {

struct CascadeOptions {
  Depth depth = Depth::Declared;
  Scope scope;                          // empty: everything
  std::vector<DeepCandidate> accepted;  // seen to work in the database, sorted
};

std::vector<ToDeleteEntry> compute_drops(const ModelSet& models, const LiveShapes& live,
                                         const CascadeOptions& options = {});

// The deep check's candidates of a data source, sorted and unique: to be tried in the database.
std::vector<DeepCandidate> find_deep_candidates(const ModelSet& models,
                                                const std::string& data_source,
                                                const LiveSource& live);

// Which nodes are dead, as bytes parallel to graph.nodes.
std::vector<char> find_dead_nodes(const DropGraph& graph);
bool is_dead(const DropGraph& graph, const std::vector<char>& dead, const Dependency& dependency);

}  // namespace kedge::models
