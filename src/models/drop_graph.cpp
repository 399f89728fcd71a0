#include "models/drop_graph.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "kedge/codes.h"
#include "models/direct.h"
#include "models/stage_references.h"
#include "models/stages.h"

namespace kedge::models {
namespace {

class GraphBuilder {
 public:
  GraphBuilder(const SourceIndex& index, Depth depth, const std::vector<DeepCandidate>& accepted)
      : index_(index), depth_(depth), accepted_(accepted) {}

  DropGraph build() {
    add_nodes();
    add_direct();
    for (Number model = 0; model < index_.models().size(); ++model) {
      // What could not be checked is left alone, and so is everything on it.
      if (!index_.models()[model].is_opaque()) {
        add_model(model);
      }
    }
    std::sort(graph_.candidates.begin(), graph_.candidates.end());
    return std::move(graph_);
  }

 private:
  NodeId node(Number model, NodeKind kind, Number item) const {
    return node_of(graph_, index_, model, kind, item);
  }

  void add_nodes() {
    for (Number model = 0; model < index_.models().size(); ++model) {
      const Model& values = index_.models()[model].model();
      graph_.first_node.push_back(static_cast<NodeId>(graph_.nodes.size()));
      graph_.nodes.push_back({NodeKind::Model, model, kNone, 0, 0, false});
      const auto add = [&](NodeKind kind, std::size_t count) {
        for (Number item = 0; item < count; ++item) {
          graph_.nodes.push_back({kind, model, item, 0, 0, false});
        }
      };
      add(NodeKind::Column, values.columns.size());
      add(NodeKind::Measure, values.measures.size());
      add(NodeKind::Aggregation, values.aggregations.size());
      add(NodeKind::Join, values.joins.size());
      add(NodeKind::Filter, values.filters.size());
      for (Number item = 0; item < values.columns.size(); ++item) {
        graph_.nodes[node(model, NodeKind::Column, item)].spares_users =
            values.columns[item].primary_key && depth_ == Depth::Declared;
      }
    }
  }

  void add_direct() {
    for (Number model = 0; model < index_.models().size(); ++model) {
      for (DirectFinding& finding : find_direct_drift(index_.models()[model])) {
        const NodeId id = finding.column == kNone ? node(model, NodeKind::Model, kNone)
                                                  : node(model, NodeKind::Column, finding.column);
        direct_.insert(id);
        graph_.direct.push_back({id, std::string(finding.code.name()), std::move(finding.reason)});
      }
    }
  }

  void add_model(Number model) {
    const Model& values = index_.models()[model].model();
    for (Number item = 0; item < values.columns.size(); ++item) {
      add_column(model, item);
    }
    for (Number item = 0; item < values.measures.size(); ++item) {
      add_item(node(model, NodeKind::Measure, item), [&] {
        for (const FormulaReference& reference :
             index_.models()[model].facts().measures[item].references) {
          add(resolve_formula(index_, model, reference));
        }
      });
    }
    for (Number item = 0; item < values.aggregations.size(); ++item) {
      add_aggregation(model, item);
    }
    for (Number item = 0; item < values.joins.size(); ++item) {
      add_item(node(model, NodeKind::Join, item), [&] { add_join(model, values.joins[item]); });
    }
    for (Number item = 0; item < values.filters.size(); ++item) {
      add_item(node(model, NodeKind::Filter, item), [&] {
        add_sql(model, kNone, index_.models()[model].facts().filters[item],
                values.filters[item].text);
      });
    }
    add_item(node(model, NodeKind::Model, kNone), [&] { add_stages(model); });
  }

  template <typename AddReferences>
  void add_item(NodeId id, AddReferences&& add_references) {
    graph_.nodes[id].dependencies_begin = static_cast<std::uint32_t>(graph_.dependencies.size());
    add_references();
    graph_.nodes[id].dependencies_end = static_cast<std::uint32_t>(graph_.dependencies.size());
  }

  void add_column(Number model, Number item) {
    const IndexedModel& indexed = index_.models()[model];
    const Column& column = indexed.model().columns[item];
    const ColumnFacts& facts = indexed.facts().columns[item];
    add_item(node(model, NodeKind::Column, item), [&] {
      add_sql(model, item, facts.sql, column.expression());
      // In its filter a column's own name means the column, not a live one.
      const std::size_t first = graph_.dependencies.size();
      add_sql(model, kNone, facts.filter, column.filter.value_or(""));
      for (std::size_t number = first; number < graph_.dependencies.size(); ++number) {
        graph_.dependencies[number].in_filter = true;
      }
    });
  }

  void add_aggregation(Number model, Number item) {
    const IndexedModel& indexed = index_.models()[model];
    const Aggregation& aggregation = indexed.model().aggregations[item];
    const AggregationFacts& facts = indexed.facts().aggregations[item];
    add_item(node(model, NodeKind::Aggregation, item), [&] {
      add_sql(model, kNone, facts.formula, aggregation.formula.value_or(""));
      for (std::size_t number = 0; number < facts.params.size(); ++number) {
        add_sql(model, kNone, facts.params[number], aggregation.params[number].sql);
      }
    });
  }

  void add_sql(Number model, Number self, const sql::ExpressionFacts& facts,
               const std::string& text) {
    std::vector<std::optional<Resolved>> resolved;
    for (const sql::ColumnReference& reference : facts.references) {
      resolved.push_back(resolve_sql(index_, model, self, facts, reference));
    }
    for (std::size_t number = 0; number < resolved.size(); ++number) {
      if (!resolved[number]) {
        continue;
      }
      const Dependency::Missing missing = find_missing(*resolved[number], facts);
      add(resolved[number]);
      if (missing != Dependency::Missing::No) {
        DeepCandidate candidate = make_candidate(model, facts, resolved, number, text);
        const bool works = std::binary_search(accepted_.begin(), accepted_.end(), candidate);
        graph_.dependencies.back().missing = works ? Dependency::Missing::No : missing;
        graph_.candidates.push_back(std::move(candidate));
      }
    }
  }

  // models.md 8.5: undeclared columns and hops that are not there by their names.
  Dependency::Missing find_missing(const Resolved& resolved,
                                   const sql::ExpressionFacts& facts) const {
    if (depth_ == Depth::Declared || facts.opaque || !resolved.outermost) {
      return Dependency::Missing::No;
    }
    if (resolved.leaf == Resolved::Leaf::NoSuchHop) {
      return Dependency::Missing::Hop;
    }
    if (resolved.leaf != Resolved::Leaf::Physical) {
      return Dependency::Missing::No;
    }
    const IndexedModel& model = index_.models()[resolved.model];
    const bool there = !model.is_known_live() || model.live.contains(resolved.physical_key) ||
                       is_pseudo_column(model.dialect(), resolved.physical_key);
    return there ? Dependency::Missing::No : Dependency::Missing::Column;
  }

  DeepCandidate make_candidate(Number model, const sql::ExpressionFacts& facts,
                               const std::vector<std::optional<Resolved>>& resolved,
                               std::size_t number, const std::string& text) const {
    const sql::ColumnReference& reference = facts.references[number];
    DeepCandidate candidate;
    candidate.source_model = index_.models()[resolved[number]->model].model().name;
    candidate.text_model = index_.models()[model].model().name;
    candidate.reference = text.substr(reference.begin, reference.end - reference.begin);
    if (resolved[number]->leaf == Resolved::Leaf::Physical) {
      const std::size_t dot = candidate.reference.rfind('.');
      candidate.reference.erase(0, dot == std::string::npos ? 0 : dot + 1);
    }
    std::size_t from = 0;
    for (std::size_t other = 0; other < resolved.size(); ++other) {
      const sql::ColumnReference& place = facts.references[other];
      if (other != number && resolved[other] && place.scopes.empty() && place.begin >= from) {
        candidate.text += text.substr(from, place.begin - from) + "NULL";
        from = place.end;
      }
    }
    candidate.text += text.substr(from);
    return candidate;
  }

  void add(const std::optional<Resolved>& resolved,
           Dependency::Role role = Dependency::Role::Text) {
    if (!resolved) {
      return;
    }
    Dependency dependency;
    dependency.role = role;
    dependency.path_begin = static_cast<std::uint32_t>(graph_.path_nodes.size());
    for (const JoinStep& step : resolved->path) {
      graph_.path_nodes.push_back(node(step.model, NodeKind::Join, step.join));
      if (step.target != kNone) {
        graph_.path_nodes.push_back(node(step.target, NodeKind::Model, kNone));
      }
    }
    dependency.path_end = static_cast<std::uint32_t>(graph_.path_nodes.size());
    dependency.leaf = leaf_of(*resolved);
    if (resolved->aggregation != kNone) {
      dependency.aggregation =
          node(resolved->aggregation_model, NodeKind::Aggregation, resolved->aggregation);
    }
    dependency.name = static_cast<std::uint32_t>(graph_.names.size());
    graph_.names.push_back(resolved->name);
    graph_.dependencies.push_back(dependency);
  }

  NodeId leaf_of(const Resolved& resolved) const {
    switch (resolved.leaf) {
      case Resolved::Leaf::Column:
        return node(resolved.model, NodeKind::Column, resolved.item);
      case Resolved::Leaf::Measure:
        return node(resolved.model, NodeKind::Measure, resolved.item);
      case Resolved::Leaf::Physical:
        // Only a column that is gone from its source takes the source's name along.
        for (const Number column : resolved.physical_columns) {
          const NodeId id = node(resolved.model, NodeKind::Column, column);
          if (direct_.contains(id)) {
            return id;
          }
        }
        return kNoNode;
      case Resolved::Leaf::None:
      case Resolved::Leaf::NoSuchHop:
        return kNoNode;
    }
    return kNoNode;
  }

  void add_join(Number model, const Join& join) {
    const SourceIndex::Existence existence = index_.existence(join.target_model);
    if (existence == SourceIndex::Existence::Elsewhere) {
      return;
    }
    for (const auto& [local, target] : join.join_pairs) {
      add_key(model, local, Dependency::Role::LocalKey);
    }
    if (existence != SourceIndex::Existence::Here) {
      Dependency dependency;
      dependency.role = Dependency::Role::Target;
      dependency.missing = existence == SourceIndex::Existence::Nowhere ? Dependency::Missing::Hop
                                                                        : Dependency::Missing::No;
      push(dependency, join.target_model);
      return;
    }
    const Number target_model = index_.find_model(join.target_model);
    Dependency dependency;
    dependency.role = Dependency::Role::Target;
    dependency.leaf = node(target_model, NodeKind::Model, kNone);
    push(dependency, join.target_model);
    for (const auto& [local, target] : join.join_pairs) {
      add_key(target_model, target, Dependency::Role::TargetKey);
    }
  }

  void push(Dependency dependency, const std::string& name) {
    dependency.name = static_cast<std::uint32_t>(graph_.names.size());
    graph_.names.push_back(name);
    graph_.dependencies.push_back(dependency);
  }

  void add_key(Number model, const std::string& name, Dependency::Role role) {
    const IndexedModel& indexed = index_.models()[model];
    Dependency dependency;
    dependency.role = role;
    const Number declared = find_declared(indexed, name, false);
    if (declared != kNone) {
      dependency.leaf = node(model, NodeKind::Column, declared);
    } else if (lacks_source_column(indexed, name)) {
      dependency.missing = Dependency::Missing::Column;
    }
    push(dependency, name);
  }

  static bool lacks_source_column(const IndexedModel& model, const std::string& name) {
    if (model.model().mode() == SourceMode::Queries) {
      return lacks_output(model.model(), name);
    }
    return model.is_known_live() && find_live_name(model, name) == kNone &&
           !is_pseudo_column(model.dialect(), name);
  }

  void add_stages(Number model) {
    const Model& values = index_.models()[model].model();
    for (std::size_t stage = 0; stage < values.source_queries.size(); ++stage) {
      for (const StageReference& reference : find_stage_references(index_, model, stage)) {
        if (reference.is_source) {
          Dependency dependency;
          dependency.role = Dependency::Role::StageSource;
          dependency.leaf =
              reference.source == kNone ? kNoNode : node(reference.source, NodeKind::Model, kNone);
          dependency.missing =
              reference.source == kNone ? Dependency::Missing::Hop : Dependency::Missing::No;
          push(dependency, reference.name);
        } else {
          add(reference.resolved);
        }
      }
    }
  }

  const SourceIndex& index_;
  Depth depth_;
  const std::vector<DeepCandidate>& accepted_;
  DropGraph graph_;
  std::unordered_set<NodeId> direct_;
};

}  // namespace

NodeId node_of(const DropGraph& graph, const SourceIndex& index, Number model, NodeKind kind,
               Number item) {
  const NodeId first = graph.first_node[model];
  const Model& values = index.models()[model].model();
  std::size_t offset = 1;
  switch (kind) {
    case NodeKind::Model:
      return first;
    case NodeKind::Column:
      return static_cast<NodeId>(first + offset + item);
    case NodeKind::Measure:
      offset += values.columns.size();
      break;
    case NodeKind::Aggregation:
      offset += values.columns.size() + values.measures.size();
      break;
    case NodeKind::Join:
      offset += values.columns.size() + values.measures.size() + values.aggregations.size();
      break;
    case NodeKind::Filter:
      offset += values.columns.size() + values.measures.size() + values.aggregations.size() +
                values.joins.size();
      break;
  }
  return static_cast<NodeId>(first + offset + item);
}

DropGraph build_drop_graph(const SourceIndex& index, Depth depth,
                           const std::vector<DeepCandidate>& accepted) {
  return GraphBuilder(index, depth, accepted).build();
}

}  // namespace kedge::models
