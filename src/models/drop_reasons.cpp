#include "models/drop_reasons.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "kedge/codes.h"

namespace kedge::models {
namespace {

struct RankedCode {
  Code text;   // of an item
  Code stage;  // of a query-backed model
};

// The order in which reasons are preferred.
const std::array<RankedCode, 8>& ranked_codes() {
  static const std::array<RankedCode, 8> kRanked{{
      {codes::stage_source_dropped, codes::stage_source_dropped},
      {codes::references_dropped_column, codes::stage_references_dropped_column},
      {codes::references_dropped_measure, codes::stage_references_dropped_measure},
      {codes::references_dropped_aggregation, codes::stage_references_dropped_measure},
      {codes::references_dropped_model, codes::stage_references_dropped_model},
      {codes::references_missing_column, codes::stage_references_dropped_column},
      {codes::path_dropped, codes::stage_path_dropped},
      {codes::path_missing, codes::stage_path_dropped},
  }};
  return kRanked;
}

}  // namespace

DropReasons::DropReasons(const SourceIndex& index, const DropGraph& graph,
                         const std::vector<char>& dead)
    : index_(index), graph_(graph), dead_(dead) {
  for (const DirectDrop& drop : graph.direct) {
    direct_.emplace(drop.node, &drop);
  }
}

std::string DropReasons::target(const DropNode& node) const {
  const Model& model = index_.models()[node.model].model();
  switch (node.kind) {
    case NodeKind::Model:
      return "model:" + model.name;
    case NodeKind::Column:
      return "column:" + model.columns[node.item].name;
    case NodeKind::Measure:
      return "measure:" + model.measures[node.item].name;
    case NodeKind::Aggregation:
      return "aggregation:" + model.aggregations[node.item].name;
    case NodeKind::Join:
      return "join:" + model.joins[node.item].hop();
    case NodeKind::Filter:
      return "filter:" + model.filters[node.item].text;
  }
  return "";
}

std::string DropReasons::name_of(const Dependency& dependency) const {
  return dependency.name < graph_.names.size() ? graph_.names[dependency.name] : "";
}

// What the reference is dead by, the most telling first; nothing when it is alive.
std::optional<Code> DropReasons::code_of(const Dependency& dependency) const {
  if (dependency.role == Dependency::Role::StageSource) {
    const bool dead = dependency.missing != Dependency::Missing::No ||
                      (dependency.leaf != kNoNode && is_dead(dependency.leaf));
    return dead ? std::optional(codes::stage_source_dropped) : std::nullopt;
  }
  bool model = false;
  bool path = false;
  for (std::uint32_t step = dependency.path_begin; step < dependency.path_end; ++step) {
    const NodeId id = graph_.path_nodes[step];
    if (is_dead(id)) {
      (graph_.nodes[id].kind == NodeKind::Model ? model : path) = true;
    }
  }
  if (model) {
    return codes::references_dropped_model;
  }
  if (dependency.leaf != kNoNode && is_dead(dependency.leaf) &&
      !graph_.nodes[dependency.leaf].spares_users) {
    return graph_.nodes[dependency.leaf].kind == NodeKind::Measure
               ? codes::references_dropped_measure
               : codes::references_dropped_column;
  }
  if (dependency.aggregation != kNoNode && is_dead(dependency.aggregation)) {
    return codes::references_dropped_aggregation;
  }
  if (dependency.missing == Dependency::Missing::Column) {
    return codes::references_missing_column;
  }
  if (path) {
    return codes::path_dropped;
  }
  if (dependency.missing == Dependency::Missing::Hop) {
    return codes::path_missing;
  }
  return std::nullopt;
}

DropReasons::Choice DropReasons::choose_text(const DropNode& node) const {
  const auto& ranked = ranked_codes();
  std::size_t best = ranked.size();
  const Dependency* cause = nullptr;
  for (std::uint32_t number = node.dependencies_begin; number < node.dependencies_end; ++number) {
    const Dependency& dependency = graph_.dependencies[number];
    const std::optional<Code> code = code_of(dependency);
    if (!code) {
      continue;
    }
    const auto found = std::find_if(ranked.begin(), ranked.end(),
                                    [&](const RankedCode& entry) { return entry.text == *code; });
    const auto rank = static_cast<std::size_t>(found - ranked.begin());
    if (rank < best) {
      best = rank;
      cause = &dependency;
    }
  }
  if (best == ranked.size()) {
    throw Error(codes::ERR_INTERNAL, "a dropped item has no cause: " + target(node));
  }
  const bool stage = node.kind == NodeKind::Model;
  return {std::string((stage ? ranked[best].stage : ranked[best].text).name()), cause};
}

DropReasons::Choice DropReasons::choose_join(const DropNode& node) const {
  for (std::uint32_t number = node.dependencies_begin; number < node.dependencies_end; ++number) {
    const Dependency& dependency = graph_.dependencies[number];
    const bool missing = dependency.missing != Dependency::Missing::No;
    if (!missing && (dependency.leaf == kNoNode || !is_dead(dependency.leaf))) {
      continue;
    }
    switch (dependency.role) {
      case Dependency::Role::LocalKey:
        return {std::string(codes::join_local_key_dropped.name()), &dependency};
      case Dependency::Role::TargetKey:
        return {std::string(codes::join_target_key_dropped.name()), &dependency};
      case Dependency::Role::Target:
        return {std::string(missing ? codes::join_target_missing.name()
                                    : codes::join_target_dropped.name()),
                &dependency};
      case Dependency::Role::Text:
      case Dependency::Role::StageSource:
        break;
    }
  }
  throw Error(codes::ERR_INTERNAL, "a dropped join has no cause: " + target(node));
}

DropReasons::Choice DropReasons::choose(const DropNode& node) const {
  return node.kind == NodeKind::Join ? choose_join(node) : choose_text(node);
}

std::string DropReasons::sentence(const Choice& choice) const {
  const std::string name = "'" + name_of(*choice.dependency) + "'";
  const std::string& code = choice.code;
  if (code == codes::references_dropped_aggregation.name()) {
    const DropNode& used = graph_.nodes[choice.dependency->aggregation];
    return "Uses dropped aggregation '" +
           index_.models()[used.model].model().aggregations[used.item].name + "'";
  }
  if (code == codes::references_dropped_model.name() ||
      code == codes::stage_references_dropped_model.name() || code == codes::path_dropped.name() ||
      code == codes::stage_path_dropped.name()) {
    const bool model = code.find("model") != std::string::npos;
    for (std::uint32_t step = choice.dependency->path_begin; step < choice.dependency->path_end;
         ++step) {
      const DropNode& passed = graph_.nodes[graph_.path_nodes[step]];
      const bool fits = (passed.kind == NodeKind::Model) == model;
      if (fits && is_dead(graph_.path_nodes[step])) {
        return std::string(model ? "Refers into dropped model '" : "Follows dropped join '") +
               target(passed).substr(target(passed).find(':') + 1) + "'";
      }
    }
    return "Follows a join that does not exist";
  }
  static const std::array<std::pair<Code, std::string_view>, 13> kSentences{{
      {codes::references_dropped_column, "References dropped column "},
      {codes::stage_references_dropped_column, "A stage references dropped column "},
      {codes::references_dropped_measure, "References dropped measure "},
      {codes::stage_references_dropped_measure, "A stage references dropped measure "},
      {codes::references_missing_column, "References a live column that does not exist: "},
      {codes::path_missing, "Follows a join that does not exist: "},
      {codes::stage_source_dropped, "A stage reads from a model that is gone: "},
      {codes::join_local_key_dropped, "Local key is gone: "},
      {codes::join_target_key_dropped, "Target key is gone: "},
      {codes::join_target_missing, "No model is named "},
      {codes::join_target_dropped, "Target model is dropped: "},
      {codes::stage_path_dropped, "A stage follows a dropped join to "},
      {codes::path_dropped, "Follows a dropped join to "},
  }};
  const auto found = std::find_if(kSentences.begin(), kSentences.end(),
                                  [&](const auto& entry) { return entry.first.name() == code; });
  return (found == kSentences.end() ? "Depends on " : std::string(found->second)) + name;
}

const Dependency* DropReasons::cause(NodeId id) const {
  return direct_.contains(id) ? nullptr : choose(graph_.nodes[id]).dependency;
}

DeleteReason DropReasons::reason(NodeId id) const {
  const DropNode& node = graph_.nodes[id];
  const auto direct = direct_.find(id);
  if (direct != direct_.end()) {
    return {target(node), direct->second->code, direct->second->reason};
  }
  const Choice choice = choose(node);
  return {target(node), choice.code, sentence(choice)};
}

std::optional<ToDeleteEntry> DropReasons::edit(Number model) const {
  const Model& values = index_.models()[model].model();
  EditModelDelete entry{values.name, values.data_source, {}, {}, {}};
  const auto collect = [&](NodeKind kind, std::size_t count, auto&& take) {
    for (Number item = 0; item < count; ++item) {
      const NodeId id = node_of(graph_, index_, model, kind, item);
      if (is_dead(id) && take(item)) {
        entry.reasons.push_back(reason(id));
      }
    }
  };
  const auto into = [](std::vector<std::string>& list, const std::string& name) {
    list.push_back(name);
    return true;
  };
  collect(NodeKind::Column, values.columns.size(),
          [&](Number item) { return into(entry.remove.columns, values.columns[item].name); });
  collect(NodeKind::Measure, values.measures.size(),
          [&](Number item) { return into(entry.remove.measures, values.measures[item].name); });
  collect(NodeKind::Aggregation, values.aggregations.size(), [&](Number item) {
    return into(entry.remove.aggregations, values.aggregations[item].name);
  });
  collect(NodeKind::Join, values.joins.size(),
          [&](Number item) { return into(entry.remove.joins, values.joins[item].hop()); });
  std::set<std::string> seen;
  collect(NodeKind::Filter, values.filters.size(), [&](Number item) {
    const std::string& text = values.filters[item].text;
    return seen.insert(text).second && into(entry.remove_filters, text);
  });
  if (entry.reasons.empty()) {
    return std::nullopt;
  }
  const std::string& time = values.default_time_dimension;
  if (!time.empty() && std::find(entry.remove.columns.begin(), entry.remove.columns.end(), time) !=
                           entry.remove.columns.end()) {
    entry.reasons.push_back({"default_time_dimension:" + time,
                             std::string(codes::default_cleared.name()),
                             "The default time dimension is dropped column '" + time + "'"});
  }
  return entry;
}

std::optional<ToDeleteEntry> DropReasons::entry(Number model) const {
  const Model& values = index_.models()[model].model();
  const NodeId id = node_of(graph_, index_, model, NodeKind::Model, kNone);
  if (is_dead(id)) {
    return WholeModelDelete{values.name, values.data_source, {reason(id)}};
  }
  // A query-backed model stands or falls as a whole (8.3).
  if (values.mode() == SourceMode::Queries) {
    return std::nullopt;
  }
  return edit(model);
}

}  // namespace kedge::models
