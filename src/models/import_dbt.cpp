// The dbt semantic layer: semantic_models with entities, dimensions and measures; metrics.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "models/formula.h"
#include "models/import_draft.h"

namespace kedge::models {
namespace {

using document::Document;
using document::Node;

// ref('a'), ref('package', 'a') and source('s', 't'), with or without {{ }}.
std::optional<std::string> table_of(std::string_view model) {
  std::vector<std::string> words;
  for (std::size_t at = model.find_first_of("'\""); at != std::string_view::npos;) {
    const std::size_t end = model.find(model[at], at + 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    words.emplace_back(model.substr(at + 1, end - at - 1));
    at = model.find_first_of("'\"", end + 1);
  }
  if (words.empty()) {
    return std::nullopt;
  }
  const bool source = model.find("source") != std::string_view::npos;
  return source && words.size() == 2 ? words[0] + "." + words[1] : words.back();
}

struct Entity {
  std::string name;
  std::string column;
  std::string model;
};

class DbtReader {
 public:
  DbtReader(const ImportInput& input, ImportNotes& notes) : input_(input), notes_(notes) {}

  std::vector<Draft> read() {
    for (const Document& document : input_.documents) {
      for (const Node& node : items_of(document.root, "semantic_models")) {
        read_model(document, node);
      }
    }
    for (const auto& [document, node, draft] : foreign_) {
      add_join(*document, *node, drafts_[draft]);
    }
    for (const Document& document : input_.documents) {
      for (const Node& node : items_of(document.root, "metrics")) {
        read_metric(document, node);
      }
      static constexpr std::array<std::string_view, 3> kTop{"version", "semantic_models",
                                                            "metrics"};
      notes_.skip_unknown(document, document.root, kTop, "the file");
    }
    return std::move(drafts_);
  }

 private:
  struct Foreign {
    const Document* document;
    const Node* node;
    std::size_t draft;
  };

  void read_model(const Document& document, const Node& node) {
    static constexpr std::array<std::string_view, 9> kKeys{
        "name",     "description", "label",    "model",         "defaults",
        "entities", "dimensions",  "measures", "primary_entity"};
    Draft draft;
    draft.origin = document.position(node);
    draft.name = text_of(node, "name");
    if (!is_identifier(draft.name) || draft.name.find("__") != std::string::npos) {
      notes_.skip(document, node, "semantic model '" + draft.name + "' has no usable name",
                  "model names are identifiers without '__'");
      return;
    }
    const std::string what = "semantic model '" + draft.name + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    draft.description = text_of(node, "description");
    draft.label = text_of(node, "label");
    const std::optional<std::string> table = table_of(text_of(node, "model"));
    if (!table) {
      notes_.skip(document, node, "the `model` of " + what + " is no ref() or source()",
                  "sql_table is set to '" + draft.name + "'");
    }
    draft.sql_table = table.value_or(draft.name);
    for (const Node& entity : items_of(node, "entities")) {
      read_entity(document, entity, draft);
    }
    for (const Node& dimension : items_of(node, "dimensions")) {
      read_dimension(document, dimension, draft);
    }
    for (const Node& measure : items_of(node, "measures")) {
      read_measure(document, measure, draft);
    }
    if (const Node* defaults = node.find("defaults")) {
      const std::string time = text_of(*defaults, "agg_time_dimension");
      if (draft.find_column(time)) {
        draft.default_time = time;
      }
    }
    drafts_.push_back(std::move(draft));
  }

  void read_entity(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 5> kKeys{"name", "type", "expr", "description",
                                                           "label"};
    const std::string what = "entity '" + text_of(node, "name") + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    DraftColumn column;
    column.name = text_of(node, "name");
    column.sql = text_of(node, "expr");
    column.type = "INT";
    column.description = text_of(node, "description");
    column.label = text_of(node, "label");
    const std::string type = text_of(node, "type");
    column.primary_key = type == "primary";
    if (column.name.empty() || draft.has(column.name)) {
      notes_.skip(document, node, what + " has no name of its own");
      return;
    }
    if (type == "primary" || type == "unique" || type == "natural") {
      keys_.push_back({column.name, column.name, draft.name});
    } else {
      foreign_.push_back({&document, &node, drafts_.size()});
    }
    draft.columns.push_back(std::move(column));
  }

  void read_dimension(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 7> kKeys{
        "name", "type", "expr", "label", "description", "type_params", "is_partition"};
    const std::string what = "dimension '" + text_of(node, "name") + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    DraftColumn column;
    column.name = text_of(node, "name");
    column.sql = text_of(node, "expr");
    column.type = text_of(node, "type") == "time" ? "TIMESTAMP" : "TEXT";
    column.description = text_of(node, "description");
    column.label = text_of(node, "label");
    if (const Node* parameters = node.find("type_params")) {
      for (const document::Entry& entry : parameters->entries) {
        notes_.skip(document, entry.key,
                    "'" + entry.key.text + "' of " + what + " has no counterpart",
                    "choose the granularity in the query");
      }
    }
    if (column.name.empty() || draft.has(column.name)) {
      notes_.skip(document, node, what + " has no name of its own");
      return;
    }
    draft.columns.push_back(std::move(column));
  }

  void read_measure(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 7> kKeys{
        "name", "agg", "expr", "description", "label", "agg_params", "create_metric"};
    const std::string original = text_of(node, "name");
    const std::string what = "measure '" + original + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    const std::string agg = base::to_lower(text_of(node, "agg"));
    std::string expression = text_of(node, "expr");
    expression = expression.empty() ? original : expression;
    DraftMeasure measure{original, "", text_of(node, "description"), text_of(node, "label")};
    if (!is_identifier(original)) {
      notes_.skip(document, node, what + " is not named by an identifier");
      return;
    }
    if (expression == "1" || expression == "*") {
      measure.formula = agg == "sum" || agg == "count" ? "*:count" : "";
    } else {
      measure.formula = aggregate(document, node, draft, {original, expression, agg});
    }
    if (measure.formula.empty()) {
      notes_.skip(document, node, what + ": aggregation '" + agg + "' has no counterpart");
      return;
    }
    // Columns and measures share their names here, not there.
    if (draft.has(measure.name)) {
      measure.name = draft.free_name(original + "_" + agg);
      notes_.skip(document, node,
                  what + " is named like a column; it is imported as '" + measure.name + "'");
    }
    measures_.emplace(original, std::pair(draft.name, measure.name));
    draft.measures.push_back(std::move(measure));
  }

  struct Aggregate {
    std::string name;
    std::string expression;
    std::string agg;
  };

  std::string aggregate(const Document& document, const Node& node, Draft& draft,
                        const Aggregate& wanted) {
    static const std::map<std::string, std::string> kAggregations{
        {"sum", "sum"},       {"min", "min"},
        {"max", "max"},       {"avg", "avg"},
        {"average", "avg"},   {"count", "count"},
        {"median", "median"}, {"count_distinct", "count_distinct"},
    };
    if (wanted.agg == "sum_boolean") {
      return draft.column_for("CASE WHEN " + wanted.expression + " THEN 1 ELSE 0 END", wanted.name,
                              "") +
             ":sum";
    }
    if (wanted.agg == "percentile") {
      const Node* parameters = node.find("agg_params");
      const std::string p = parameters ? text_of(*parameters, "percentile") : "";
      if (p.empty()) {
        notes_.skip(document, node, "a percentile without agg_params.percentile");
        return "";
      }
      return draft.column_for(wanted.expression, wanted.name, "") + ":percentile(p=" + p + ")";
    }
    const auto found = kAggregations.find(wanted.agg);
    return found == kAggregations.end()
               ? ""
               : draft.column_for(wanted.expression, wanted.name, "") + ":" + found->second;
  }

  void add_join(const Document& document, const Node& node, Draft& draft) {
    const std::string name = text_of(node, "name");
    const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const Entity& entity) {
      return entity.name == name && entity.model != draft.name;
    });
    if (key == keys_.end()) {
      notes_.skip(document, node,
                  "foreign entity '" + name + "' leads to no semantic model with that key",
                  "the column is imported, a join is not");
      return;
    }
    const bool taken =
        std::any_of(draft.joins.begin(), draft.joins.end(),
                    [&](const DraftJoin& join) { return join.target == key->model; });
    draft.joins.push_back({key->model, taken ? name : "", {{name, key->column}}});
  }

  Draft* find_draft(const std::string& name) {
    const auto found = std::find_if(drafts_.begin(), drafts_.end(),
                                    [&](const Draft& draft) { return draft.name == name; });
    return found == drafts_.end() ? nullptr : &*found;
  }

  // The name of a measure: a text, or a mapping with a name and no filter.
  std::optional<std::string> measure_name(const Node& parameters, std::string_view key) {
    const Node* found = parameters.find(key);
    if (!found) {
      return std::nullopt;
    }
    if (found->is_scalar()) {
      return found->text;
    }
    return found->find("filter") ? std::nullopt : std::optional(text_of(*found, "name"));
  }

  void read_metric(const Document& document, const Node& node) {
    static constexpr std::array<std::string_view, 5> kKeys{"name", "label", "description", "type",
                                                           "type_params"};
    const std::string name = text_of(node, "name");
    const std::string what = "metric '" + name + "'";
    const Node* parameters = node.find("type_params");
    if (node.find("filter") || !parameters) {
      notes_.skip(document, node, what + " has a filter or no type_params",
                  "write it as a column with a filter and a measure over it");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    std::vector<std::string> used;
    const std::string formula = metric_formula(*parameters, text_of(node, "type"), used);
    const std::optional<std::string> owner = owner_of(used);
    if (formula.empty() || !owner) {
      notes_.skip(document, node,
                  what +
                      (formula.empty() ? " of type '" + text_of(node, "type") + "'"
                                       : std::string(" over several semantic models")) +
                      " has no counterpart");
      return;
    }
    Draft& draft = *find_draft(*owner);
    metrics_.emplace(name, std::pair(*owner, name));
    if (draft.find_measure(name) && formula == name) {
      return;  // a simple metric of the measure's own name says nothing new
    }
    if (!is_identifier(name) || draft.has(name) || parse_formula(formula).error) {
      notes_.skip(document, node, what + " cannot be said as a formula: " + formula);
      return;
    }
    draft.measures.push_back({name, formula, text_of(node, "description"), text_of(node, "label")});
  }

  std::string metric_formula(const Node& parameters, const std::string& type,
                             std::vector<std::string>& used) {
    const auto take = [&](std::string_view key) -> std::string {
      const std::optional<std::string> name = measure_name(parameters, key);
      if (!name) {
        return "";
      }
      used.push_back(*name);
      return imported_name(*name);
    };
    if (type == "simple") {
      return take("measure");
    }
    if (type == "cumulative" && !parameters.find("window") && !parameters.find("grain_to_date")) {
      const std::string measure = take("measure");
      return measure.empty() ? "" : "cumsum(" + measure + ")";
    }
    if (type == "ratio") {
      const std::string numerator = take("numerator");
      const std::string denominator = take("denominator");
      return numerator.empty() || denominator.empty() ? "" : numerator + " / " + denominator;
    }
    return type == "derived" ? derived_formula(parameters, used) : "";
  }

  // The expression of a derived metric, its aliases replaced by the measures they stand for.
  std::string derived_formula(const Node& parameters, std::vector<std::string>& used) {
    std::map<std::string, std::string> names;
    for (const Node& metric : items_of(parameters, "metrics")) {
      if (metric.find("offset_window") || metric.find("offset_to_grain") || metric.find("filter")) {
        return "";
      }
      const std::string name = metric.is_scalar() ? metric.text : text_of(metric, "name");
      const std::string alias = metric.is_scalar() ? "" : text_of(metric, "alias");
      used.push_back(name);
      names.emplace(alias.empty() ? name : alias, imported_name(name));
    }
    const std::string expression = text_of(parameters, "expr");
    std::string formula;
    for (std::size_t at = 0; at < expression.size();) {
      std::size_t end = at;
      while (end < expression.size() && is_identifier("_" + expression.substr(at, end - at + 1))) {
        ++end;
      }
      if (end == at) {
        formula += expression[at++];
        continue;
      }
      const std::string word = expression.substr(at, end - at);
      const auto found = names.find(word);
      formula += found == names.end() ? word : found->second;
      at = end;
    }
    return formula;
  }

  std::string imported_name(const std::string& name) const {
    const auto measure = measures_.find(name);
    if (measure != measures_.end()) {
      return measure->second.second;
    }
    return name;
  }

  // The one model that all the measures and metrics belong to.
  std::optional<std::string> owner_of(const std::vector<std::string>& names) const {
    std::optional<std::string> owner;
    for (const std::string& name : names) {
      const auto measure = measures_.find(name);
      const auto metric = metrics_.find(name);
      if (measure == measures_.end() && metric == metrics_.end()) {
        return std::nullopt;
      }
      const std::string& model =
          measure != measures_.end() ? measure->second.first : metric->second.first;
      if (owner && *owner != model) {
        return std::nullopt;
      }
      owner = model;
    }
    return owner;
  }

  const ImportInput& input_;
  ImportNotes& notes_;
  std::vector<Draft> drafts_;
  std::vector<Entity> keys_;
  std::vector<Foreign> foreign_;
  std::map<std::string, std::pair<std::string, std::string>> measures_;  // -> model, name
  std::map<std::string, std::pair<std::string, std::string>> metrics_;
};

}  // namespace

std::vector<Draft> read_dbt(const ImportInput& input, ImportNotes& notes) {
  return DbtReader(input, notes).read();
}

}  // namespace kedge::models
