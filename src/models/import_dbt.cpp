// The dbt semantic layer: semantic_models with entities, dimensions and measures. Metrics have a
// file of their own.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
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

class DbtReader {
 public:
  DbtReader(const ImportInput& input, ImportNotes& notes) : input_(input), notes_(notes) {}

  DbtModels read() {
    for (const Document& document : input_.documents) {
      for (const Node& node : items_of(document.root, "semantic_models")) {
        read_model(document, node);
      }
    }
    for (const auto& [document, node, draft] : foreign_) {
      add_join(*document, *node, models_.drafts[draft]);
    }
    for (const Document& document : input_.documents) {
      static constexpr std::array<std::string_view, 3> kTop{"version", "semantic_models",
                                                            "metrics"};
      notes_.skip_unknown(document, document.root, kTop, "the file");
    }
    return std::move(models_);
  }

 private:
  struct Foreign {
    const Document* document;
    const Node* node;
    std::size_t draft;
  };

  void read_model(const Document& document, const Node& node) {
    static constexpr std::array<std::string_view, 10> kKeys{
        "name",     "description", "label",    "model", "defaults",
        "entities", "dimensions",  "measures", "meta",  "config"};
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
    skip_config(document, node, what);
    draft.description = text_of(node, "description");
    draft.label = text_of(node, "label");
    draft.meta = meta_of(node);
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
      static constexpr std::array<std::string_view, 1> kDefaults{"agg_time_dimension"};
      notes_.skip_unknown(document, *defaults, kDefaults, "defaults of " + what);
      const std::string time = text_of(*defaults, "agg_time_dimension");
      if (draft.find_column(time)) {
        draft.default_time = time;
      } else {
        notes_.skip_key(document, *defaults, "agg_time_dimension", "defaults of " + what,
                        "it names no dimension of the model");
      }
    }
    models_.drafts.push_back(std::move(draft));
  }

  // `config` is carried for its meta only.
  void skip_config(const Document& document, const Node& node, const std::string& what) {
    static constexpr std::array<std::string_view, 1> kConfig{"meta"};
    if (const Node* config = node.find("config")) {
      notes_.skip_unknown(document, *config, kConfig, "config of " + what);
    }
  }

  void read_entity(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 7> kKeys{"name",  "type", "expr",  "description",
                                                           "label", "meta", "config"};
    const std::string what = "entity '" + text_of(node, "name") + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    skip_config(document, node, what);
    DraftColumn column;
    column.name = text_of(node, "name");
    column.sql = text_of(node, "expr");
    column.type = "INT";
    column.description = text_of(node, "description");
    column.label = text_of(node, "label");
    column.meta = meta_of(node);
    const std::string type = text_of(node, "type");
    column.primary_key = type == "primary";
    if (column.name.empty() || draft.has(column.name)) {
      notes_.skip(document, node, what + " has no name of its own");
      return;
    }
    models_.entities.push_back({column.name, column.name, draft.name});
    if (type == "primary" || type == "unique" || type == "natural") {
      models_.keys.push_back({column.name, column.name, draft.name});
    } else {
      foreign_.push_back({&document, &node, models_.drafts.size()});
    }
    draft.columns.push_back(std::move(column));
  }

  void read_dimension(const Document& document, const Node& node, Draft& draft) {
    static constexpr std::array<std::string_view, 8> kKeys{
        "name", "type", "expr", "label", "description", "type_params", "meta", "config"};
    const std::string what = "dimension '" + text_of(node, "name") + "'";
    notes_.skip_unknown(document, node, kKeys, what);
    skip_config(document, node, what);
    DraftColumn column;
    column.name = text_of(node, "name");
    column.sql = text_of(node, "expr");
    column.type = text_of(node, "type") == "time" ? "TIMESTAMP" : "TEXT";
    column.description = text_of(node, "description");
    column.label = text_of(node, "label");
    column.meta = meta_of(node);
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
    // create_metric asks for what every measure is here: something to query by its name.
    static constexpr std::array<std::string_view, 9> kKeys{"name",          "agg",   "expr",
                                                           "description",   "label", "agg_params",
                                                           "create_metric", "meta",  "config"};
    const std::string original = text_of(node, "name");
    const std::string what = "measure '" + original + "'";
    if (const std::string changed = changed_meaning(node); !changed.empty()) {
      notes_.skip(document, node, what + " is left out: '" + changed + "' has no counterpart",
                  "without it the numbers would be other ones; write it as a measure by hand");
      return;
    }
    notes_.skip_unknown(document, node, kKeys, what);
    skip_config(document, node, what);
    const std::string agg = base::to_lower(text_of(node, "agg"));
    std::string expression = text_of(node, "expr");
    expression = expression.empty() ? original : expression;
    DraftMeasure measure{original, "", text_of(node, "description"), text_of(node, "label"),
                         meta_of(node)};
    if (!is_identifier(original)) {
      notes_.skip(document, node, what + " is not named by an identifier");
      return;
    }
    DbtMeasure known{draft.name, original, aggregation_of(document, node, agg), expression};
    if (expression == "1" || expression == "*") {
      known = {draft.name, original, agg == "sum" || agg == "count" ? ":count" : "", "1"};
    }
    if (known.aggregation.empty()) {
      notes_.skip(document, node, what + ": aggregation '" + agg + "' has no counterpart");
      return;
    }
    if (agg == "sum_boolean") {
      known.expression = "CASE WHEN " + expression + " THEN 1 ELSE 0 END";
    }
    measure.formula = known.expression == "1"
                          ? "*:count"
                          : draft.column_for(known.expression, original, "") + known.aggregation;
    // Columns and measures share their names here, not there.
    if (draft.has(measure.name)) {
      measure.name = draft.free_name(original + "_" + agg);
      notes_.skip(document, node,
                  what + " is named like a column; it is imported as '" + measure.name + "'");
    }
    known.name = measure.name;
    models_.measures.emplace(original, std::move(known));
    draft.measures.push_back(std::move(measure));
  }

  // The key that makes a measure another one than its aggregation says; empty when none does.
  static std::string changed_meaning(const Node& node) {
    if (node.find("non_additive_dimension")) {
      return "non_additive_dimension";
    }
    const Node* parameters = node.find("agg_params");
    for (const std::string_view key : {"use_discrete_percentile", "use_approximate_percentile"}) {
      if (parameters && flag_of(*parameters, key, false)) {
        return std::string(key);
      }
    }
    return "";
  }

  // ":sum"; nothing when there is no counterpart.
  std::string aggregation_of(const Document& document, const Node& node, const std::string& agg) {
    static const std::map<std::string, std::string> kAggregations{
        {"sum", ":sum"},         {"min", ":min"},
        {"max", ":max"},         {"avg", ":avg"},
        {"average", ":avg"},     {"count", ":count"},
        {"median", ":median"},   {"count_distinct", ":count_distinct"},
        {"sum_boolean", ":sum"},
    };
    const Node* parameters = node.find("agg_params");
    const std::string what = "agg_params of measure '" + text_of(node, "name") + "'";
    if (parameters) {
      static constexpr std::array<std::string_view, 1> kPercentile{"percentile"};
      static constexpr std::span<const std::string_view> kNone;
      notes_.skip_unknown(
          document, *parameters,
          agg == "percentile" ? std::span<const std::string_view>(kPercentile) : kNone, what);
    }
    if (agg == "percentile") {
      const std::string p = parameters ? text_of(*parameters, "percentile") : "";
      return p.empty() ? "" : ":percentile(p=" + p + ")";
    }
    const auto found = kAggregations.find(agg);
    return found == kAggregations.end() ? "" : found->second;
  }

  void add_join(const Document& document, const Node& node, Draft& draft) {
    const std::string name = text_of(node, "name");
    const std::vector<DbtEntity>& keys = models_.keys;
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const DbtEntity& entity) {
      return entity.name == name && entity.model != draft.name;
    });
    if (key == keys.end()) {
      notes_.skip(document, node,
                  "foreign entity '" + name + "' leads to no semantic model with that key",
                  "the column is imported, a join is not");
      return;
    }
    const bool taken =
        std::any_of(draft.joins.begin(), draft.joins.end(),
                    [&](const DraftJoin& join) { return join.target == key->model; });
    draft.joins.push_back({key->model, taken ? name : "", {{name, key->column}}, ""});
  }

  const ImportInput& input_;
  ImportNotes& notes_;
  DbtModels models_;
  std::vector<Foreign> foreign_;
};

}  // namespace

std::vector<Draft> read_dbt(const ImportInput& input, ImportNotes& notes) {
  DbtModels models = DbtReader(input, notes).read();
  read_dbt_metrics(input, models, notes);
  return std::move(models.drafts);
}

}  // namespace kedge::models
