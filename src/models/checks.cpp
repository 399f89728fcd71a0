#include "models/checks.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/graph.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/drop_graph.h"

namespace kedge::models {
namespace {

// Transforms that no SQL dialect has as a window function of its own.
constexpr std::array<std::string_view, 5> kOnlyTransforms{"cumsum", "time_shift", "change",
                                                          "change_pct", "consecutive_periods"};

std::string_view word_of(std::string_view text, const sql::Token& token) {
  return text.substr(token.begin, token.end - token.begin);
}

class TextChecker {
 public:
  TextChecker(const Model& model, const ModelFacts& facts, SqlDialect dialect)
      : model_(model), facts_(facts), dialect_(dialect) {
    for (const Join& join : model.joins) {
      hops_.insert(join.hop());
    }
  }

  TextProblems check() {
    for (std::size_t number = 0; number < model_.columns.size(); ++number) {
      check_column(model_.columns[number], facts_.columns[number]);
    }
    for (std::size_t number = 0; number < model_.filters.size(); ++number) {
      const Filter& filter = model_.filters[number];
      check_sql(filter.text, facts_.filters[number], "filter '" + filter.text + "'", filter.place);
      check_filter(facts_.filters[number], "filter '" + filter.text + "'", filter.place);
    }
    for (std::size_t number = 0; number < model_.aggregations.size(); ++number) {
      check_aggregation(model_.aggregations[number], facts_.aggregations[number]);
    }
    for (std::size_t number = 0; number < model_.measures.size(); ++number) {
      const Measure& measure = model_.measures[number];
      check_formula(facts_.measures[number], "measure '" + measure.name + "'",
                    measure.formula_place);
    }
    for (std::size_t number = 0; number < model_.source_queries.size(); ++number) {
      check_stage(model_.source_queries[number], facts_.stages[number]);
    }
    return std::move(problems_);
  }

 private:
  Problem make(Code code, std::string message, Place place) const {
    Problem problem{code, std::move(message), std::nullopt, "", {}};
    if (!model_.file.empty()) {
      problem.where = Position{model_.file, place.line, place.column};
    }
    return problem;
  }
  void error(Code code, std::string message, Place place) {
    problems_.errors.push_back(make(code, std::move(message), place));
  }
  void warning(Code code, std::string message, Place place) {
    problems_.warnings.push_back(make(code, std::move(message), place));
  }

  void check_column(const Column& column, const ColumnFacts& facts) {
    const std::string what = "column '" + column.name + "'";
    if (!column.is_base()) {
      check_sql(*column.sql, facts.sql, "sql of " + what, column.sql_place);
    }
    if (column.filter) {
      check_sql(*column.filter, facts.filter, "filter of " + what, column.filter_place);
      check_filter(facts.filter, "filter of " + what, column.filter_place);
    }
  }

  void check_aggregation(const Aggregation& aggregation, const AggregationFacts& facts) {
    const std::string what = "aggregation '" + aggregation.name + "'";
    if (aggregation.formula) {
      check_sql(*aggregation.formula, facts.formula, what, aggregation.place);
    }
    for (std::size_t number = 0; number < aggregation.params.size(); ++number) {
      check_sql(aggregation.params[number].sql, facts.params[number], "a parameter of " + what,
                aggregation.params[number].place);
    }
  }

  void check_filter(const sql::ExpressionFacts& facts, const std::string& what, Place place) {
    if (facts.has_window && !facts.opaque) {
      error(codes::window_in_filter, what + " holds a window function", place);
    }
  }

  void check_sql(std::string_view text, const sql::ExpressionFacts& facts, const std::string& what,
                 Place place) {
    if (const std::optional<std::string> word = find_formula_language(text)) {
      error(codes::dsl_in_sql,
            what + " uses '" + *word + "', which belongs into a measure: it must be plain SQL",
            place);
      return;
    }
    if (facts.opaque) {
      warning(codes::sql_unparsed,
              what + " could not be parsed; only the names of declared columns are followed",
              place);
      return;
    }
    for (const sql::ColumnReference& reference : facts.references) {
      check_qualifier(reference, what, place);
    }
  }

  void check_qualifier(const sql::ColumnReference& reference, const std::string& what,
                       Place place) {
    if (reference.parts.size() < 2 || !reference.scopes.empty()) {
      return;
    }
    const std::string& qualifier = reference.parts.front().text;
    const std::string hop = qualifier.substr(0, qualifier.find("__"));
    const bool own = base::equals_ignoring_case(qualifier, model_.name);
    if (!own && !hops_.contains(hop) && !hops_.contains(qualifier)) {
      if (reference.parts.size() == 2) {
        warning(codes::unknown_qualifier,
                what + ": '" + qualifier + "' is no join of the model; '" + qualifier + "." +
                    reference.parts.back().text + "' is left as written",
                place);
      }
    } else if (reference.parts.size() > 2 && !own) {
      std::vector<std::string> parts;
      for (const sql::NamePart& part : reference.parts) {
        parts.push_back(part.text);
      }
      const std::string written = base::join(parts, ".");
      const std::string leaf = parts.back();
      parts.pop_back();
      warning(
          codes::multi_dot_rewritten,
          what + ": '" + written + "' is read as '" + base::join(parts, "__") + "." + leaf + "'",
          place);
    }
  }

  // `amount:sum`, `*:count` or `cumsum(` outside literals and comments.
  std::optional<std::string> find_formula_language(std::string_view text) const {
    std::vector<sql::Token> tokens = sql::tokenize(text, analysed_as(dialect_));
    std::erase_if(tokens, [](const sql::Token& token) {
      return token.kind == sql::TokenKind::Comment || token.kind == sql::TokenKind::End;
    });
    const auto word = [&](std::size_t number) { return word_of(text, tokens[number]); };
    for (std::size_t number = 0; number < tokens.size(); ++number) {
      if (tokens[number].kind == sql::TokenKind::Identifier && number + 1 < tokens.size() &&
          word(number + 1) == "(" &&
          std::find(kOnlyTransforms.begin(), kOnlyTransforms.end(), word(number)) !=
              kOnlyTransforms.end()) {
        return std::string(word(number)) + "(";
      }
      const std::string_view aggregation = colon_aggregation(text, tokens, number);
      if (!aggregation.empty()) {
        return std::string(word(number - 1)) + ":" + std::string(aggregation);
      }
    }
    return std::nullopt;
  }

  // `sum` of `kg:sum` when the colon is token `number`, or begins it: to SQLite and DuckDB `:sum`
  // is a parameter.
  std::string_view colon_aggregation(std::string_view text, const std::vector<sql::Token>& tokens,
                                     std::size_t number) const {
    const auto word = [&](std::size_t at) { return word_of(text, tokens[at]); };
    if (number == 0 || !word(number).starts_with(':') ||
        tokens[number - 1].end != tokens[number].begin) {
      return {};
    }
    std::string_view name = word(number).substr(1);
    if (name.empty() && number + 1 < tokens.size() &&
        tokens[number + 1].begin == tokens[number].end &&
        tokens[number + 1].kind == sql::TokenKind::Identifier) {
      name = word(number + 1);
    }
    const sql::Token& before = tokens[number - 1];
    const bool operand = before.kind == sql::TokenKind::Identifier ||
                         before.kind == sql::TokenKind::QuotedIdentifier || word(number - 1) == "*";
    const bool known =
        is_builtin_aggregation(fold_aggregation(name)) || find_aggregation(model_, name) != nullptr;
    return operand && known ? name : std::string_view();
  }

  void check_formula(const FormulaFacts& facts, const std::string& what, Place place) {
    if (facts.error) {
      Problem problem = *facts.error;
      problem.message = what + ": " + problem.message;
      if (!model_.file.empty()) {
        problem.where = Position{model_.file, place.line, place.column};
      }
      problems_.errors.push_back(std::move(problem));
    } else if (facts.function_style) {
      warning(codes::function_style,
              what + ": write column:aggregation instead of aggregation(column)", place);
    }
  }

  void check_stage(const Query& stage, const StageFacts& facts) {
    const std::string what = "stage '" + stage.name + "'";
    for (std::size_t number = 0; number < stage.measures.size(); ++number) {
      check_formula(facts.measures[number], what, stage.measures[number].place);
    }
    for (std::size_t number = 0; number < stage.filters.size(); ++number) {
      check_formula(facts.filters[number], what, stage.filters[number].place);
    }
    for (std::size_t number = 0; number < stage.order.size(); ++number) {
      check_formula(facts.order[number], what, stage.order[number].place);
    }
    for (std::size_t number = 0; number < stage.source.measures.size(); ++number) {
      check_formula(facts.extension_measures[number], what,
                    stage.source.measures[number].formula_place);
    }
  }

  const Model& model_;
  const ModelFacts& facts_;
  SqlDialect dialect_;
  std::set<std::string> hops_;
  TextProblems problems_;
};

std::string item_name(const SourceIndex& index, const DropNode& node) {
  const Model& model = index.models()[node.model].model();
  return model.name + "." +
         (node.kind == NodeKind::Column ? model.columns[node.item].name
                                        : model.measures[node.item].name);
}

Place item_place(const SourceIndex& index, const DropNode& node) {
  const Model& model = index.models()[node.model].model();
  return node.kind == NodeKind::Column ? model.columns[node.item].sql_place
                                       : model.measures[node.item].formula_place;
}

// The shortest chain "a.x -> b.y -> a.x" from the first node of a component back to it; nodes
// without a name are left out.
std::string chain_text(const base::Graph& edges, const std::vector<std::size_t>& component,
                       const std::function<std::string(std::size_t)>& name_of) {
  const std::size_t first = component.front();
  const std::set<std::size_t> members(component.begin(), component.end());
  std::map<std::size_t, std::size_t> previous;
  std::vector<std::size_t> reached{first};
  for (std::size_t at = 0; at < reached.size() && !previous.contains(first); ++at) {
    std::vector<std::size_t> next = edges.successors(reached[at]);
    std::sort(next.begin(), next.end());
    for (const std::size_t node : next) {
      if (members.contains(node) && previous.emplace(node, reached[at]).second) {
        reached.push_back(node);
      }
    }
  }
  std::string text = name_of(first);
  std::size_t node = first;
  do {
    node = previous.at(node);
    const std::string name = name_of(node);
    text.insert(0, name.empty() ? name : name + " -> ");
  } while (node != first);
  return text;
}

bool is_cycle(const base::Graph& edges, const std::vector<std::size_t>& component) {
  if (component.size() > 1) {
    return true;
  }
  const std::vector<std::size_t>& next = edges.successors(component.front());
  return std::find(next.begin(), next.end(), component.front()) != next.end();
}

base::Graph reference_edges(const SourceIndex& index, const DropGraph& graph) {
  base::Graph edges(graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const DropNode& node = graph.nodes[id];
    if (node.kind != NodeKind::Column && node.kind != NodeKind::Measure) {
      continue;
    }
    // A base column is not expanded any further; a filter is no part of a value.
    if (node.kind == NodeKind::Column &&
        index.models()[node.model].model().columns[node.item].is_base()) {
      continue;
    }
    for (std::uint32_t number = node.dependencies_begin; number < node.dependencies_end; ++number) {
      const NodeId leaf = graph.dependencies[number].leaf;
      if (leaf != kNoNode && graph.nodes[leaf].kind == node.kind &&
          !graph.dependencies[number].in_filter) {
        edges.add_edge(id, leaf);
      }
    }
  }
  return edges;
}

void check_item_cycles(const SourceIndex& index, const DropGraph& graph,
                       std::vector<std::pair<ModelId, Problem>>& problems) {
  const base::Graph edges = reference_edges(index, graph);
  for (const std::vector<std::size_t>& component : base::strong_components(edges)) {
    if (!is_cycle(edges, component)) {
      continue;
    }
    const bool columns = graph.nodes[component.front()].kind == NodeKind::Column;
    const std::string chain = chain_text(
        edges, component, [&](std::size_t node) { return item_name(index, graph.nodes[node]); });
    std::set<Number> seen;
    for (const std::size_t id : component) {
      const DropNode& node = graph.nodes[id];
      if (!seen.insert(node.model).second) {
        continue;
      }
      const Model& model = index.models()[node.model].model();
      const Place place = item_place(index, node);
      Problem problem{columns ? codes::column_cycle : codes::measure_cycle,
                      std::string(columns ? "derived columns" : "measures") +
                          " refer to each other in a circle: " + chain,
                      Position{model.file, place.line, place.column},
                      "break the circle at one of them",
                      {}};
      problems.emplace_back(ModelId{model.data_source, model.name}, std::move(problem));
    }
  }
}

// What has to be put together where a thing is used: the joins on the way to a name and what their
// keys need, the filters of a model, the texts of derived columns, the stages of a query-backed
// model.
base::Graph use_edges(const SourceIndex& index, const DropGraph& graph) {
  base::Graph edges(graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const DropNode& node = graph.nodes[id];
    if (node.kind == NodeKind::Filter) {
      edges.add_edge(graph.first_node[node.model], id);
    }
    if (node.kind == NodeKind::Column &&
        index.models()[node.model].model().columns[node.item].is_base()) {
      continue;
    }
    for (std::uint32_t number = node.dependencies_begin; number < node.dependencies_end; ++number) {
      const Dependency& dependency = graph.dependencies[number];
      if (dependency.in_filter) {
        continue;
      }
      for (const NodeId used : {dependency.leaf, dependency.aggregation}) {
        if (used != kNoNode) {
          edges.add_edge(id, used);
        }
      }
      for (std::uint32_t step = dependency.path_begin; step < dependency.path_end; ++step) {
        edges.add_edge(id, graph.path_nodes[step]);
      }
    }
  }
  return edges;
}

// Query-backed models whose stages come back to them, over whatever stands between.
void check_stage_cycles(const SourceIndex& index, const DropGraph& graph,
                        std::vector<std::pair<ModelId, Problem>>& problems) {
  const base::Graph edges = use_edges(index, graph);
  const auto is_backed = [&](std::size_t id) {
    return graph.nodes[id].kind == NodeKind::Model &&
           index.models()[graph.nodes[id].model].model().mode() == SourceMode::Queries;
  };
  for (std::vector<std::size_t> component : base::strong_components(edges)) {
    const auto others = std::stable_partition(component.begin(), component.end(), is_backed);
    if (others == component.begin() || !is_cycle(edges, component)) {
      continue;
    }
    const std::string chain = chain_text(edges, component, [&](std::size_t id) {
      return is_backed(id) ? index.models()[graph.nodes[id].model].model().name : std::string();
    });
    for (auto id = component.begin(); id != others; ++id) {
      const Model& model = index.models()[graph.nodes[*id].model].model();
      const Place place = model.source_queries.front().place;
      problems.emplace_back(ModelId{model.data_source, model.name},
                            Problem{codes::stage_cycle,
                                    "query-backed models use each other in a circle: " + chain,
                                    Position{model.file, place.line, place.column},
                                    "break the circle at one of them",
                                    {}});
    }
  }
}

}  // namespace

TextProblems check_texts(const Model& model, const ModelFacts& facts, SqlDialect dialect) {
  return TextChecker(model, facts, dialect).check();
}

std::vector<std::pair<ModelId, Problem>> check_cycles(const ModelSet& models) {
  std::set<std::string> data_sources;
  for (const LoadedModel& loaded : models.models) {
    data_sources.insert(loaded.model.data_source);
  }
  std::vector<std::pair<ModelId, Problem>> problems;
  for (const std::string& data_source : data_sources) {
    const SourceIndex index(data_source, models, nullptr);
    const DropGraph graph = build_drop_graph(index, Depth::Declared, {});
    check_item_cycles(index, graph, problems);
    check_stage_cycles(index, graph, problems);
  }
  return problems;
}

}  // namespace kedge::models
