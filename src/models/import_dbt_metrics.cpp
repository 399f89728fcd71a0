// The metrics of dbt as measures. A metric over measures of one semantic model becomes a formula;
// a filter becomes a hidden column with that filter, where it names columns of the model or of one
// that it joins. Everything else is listed.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "models/formula.h"
#include "models/import_draft.h"

namespace kedge::models {
namespace {

using document::Document;
using document::Node;

class MetricReader {
 public:
  MetricReader(const ImportInput& input, DbtModels& models, ImportNotes& notes)
      : input_(input), models_(models), notes_(notes) {}

  void read() {
    std::vector<std::pair<const Document*, const Node*>> waiting;
    for (const Document& document : input_.documents) {
      for (const Node& node : items_of(document.root, "metrics")) {
        waiting.emplace_back(&document, &node);
      }
    }
    // A metric may use one that stands further down.
    for (std::size_t before = waiting.size() + 1; before != waiting.size();) {
      before = waiting.size();
      std::erase_if(waiting, [this](const auto& item) {
        return !uses_unread(*item.second) && read_metric(*item.first, *item.second);
      });
    }
    for (const auto& [document, node] : waiting) {
      read_metric(*document, *node);
    }
  }

 private:
  // What one input of a metric stands for, as part of a formula.
  struct Operand {
    std::string formula;
    std::string model;
  };

  bool uses_unread(const Node& node) const {
    std::set<std::string> unread;
    for (const Document& document : input_.documents) {
      for (const Node& other : items_of(document.root, "metrics")) {
        const std::string name = text_of(other, "name");
        if (&other != &node && !done_.contains(name) && !models_.measures.contains(name)) {
          unread.insert(name);
        }
      }
    }
    const Node* parameters = node.find("type_params");
    std::vector<std::string> used;
    if (parameters) {
      for (const Node& metric : items_of(*parameters, "metrics")) {
        used.push_back(metric.is_scalar() ? metric.text : text_of(metric, "name"));
      }
      for (const std::string_view key : {"numerator", "denominator"}) {
        const Node* found = parameters->find(key);
        used.push_back(!found ? "" : found->is_scalar() ? found->text : text_of(*found, "name"));
      }
    }
    return std::any_of(used.begin(), used.end(),
                       [&](const std::string& name) { return unread.contains(name); });
  }

  // Always true: what cannot be carried over is listed.
  bool read_metric(const Document& document, const Node& node) {
    static constexpr std::array<std::string_view, 8> kKeys{
        "name", "label", "description", "type", "type_params", "filter", "meta", "config"};
    const std::string name = text_of(node, "name");
    done_.insert(name);
    const std::string what = "metric '" + name + "'";
    const Node* parameters = node.find("type_params");
    notes_.skip_unknown(document, node, kKeys, what);
    if (const Node* config = node.find("config")) {
      static constexpr std::array<std::string_view, 1> kConfig{"meta"};
      notes_.skip_unknown(document, *config, kConfig, "config of " + what);
    }
    problem_.clear();
    const std::optional<Operand> metric = parameters && parameters->is_mapping()
                                              ? formula_of(document, node, *parameters)
                                              : std::nullopt;
    if (!metric) {
      notes_.skip(document, node,
                  what + " of type '" + text_of(node, "type") + "' has no counterpart" +
                      (problem_.empty() ? "" : ": " + problem_),
                  "write it as a measure, with a filtered column where it has a filter");
      return true;
    }
    Draft& draft = *find_draft(metric->model);
    if (draft.find_measure(name) && metric->formula == name) {
      metrics_[name] = {name, draft.name};
      return true;  // a simple metric of the measure's own name says nothing new
    }
    if (!is_identifier(name) || draft.has(name) || parse_formula(metric->formula).error) {
      notes_.skip(document, node,
                  what + " cannot be said as a formula of its own: " + metric->formula);
      return true;
    }
    metrics_[name] = {name, draft.name};
    draft.measures.push_back({name, metric->formula, text_of(node, "description"),
                              text_of(node, "label"), meta_of(node)});
    return true;
  }

  std::optional<Operand> formula_of(const Document& document, const Node& node,
                                    const Node& parameters) {
    const std::string type = text_of(node, "type");
    const std::optional<std::vector<std::string>> filters = filters_of(node);
    if (!filters) {
      return std::nullopt;
    }
    const std::string what = "metric '" + text_of(node, "name") + "'";
    if (type == "simple" || type == "cumulative") {
      static constexpr std::array<std::string_view, 1> kKeys{"measure"};
      if (type == "cumulative" && (has_window(parameters) || has_window(node))) {
        problem_ = "it has a window";
        return std::nullopt;
      }
      notes_.skip_unknown(document, parameters, kKeys, what);
      std::optional<Operand> measure = operand(document, parameters.find("measure"), *filters);
      if (measure && type == "cumulative") {
        measure->formula = "cumsum(" + measure->formula + ")";
      }
      return measure;
    }
    if (type == "ratio") {
      static constexpr std::array<std::string_view, 2> kKeys{"numerator", "denominator"};
      notes_.skip_unknown(document, parameters, kKeys, what);
      const std::optional<Operand> top = operand(document, parameters.find("numerator"), *filters);
      const std::optional<Operand> below =
          operand(document, parameters.find("denominator"), *filters);
      if (!top || !below || top->model != below->model) {
        problem_ = top && below ? "it spans several semantic models" : problem_;
        return std::nullopt;
      }
      return Operand{top->formula + " / " + below->formula, top->model};
    }
    return type == "derived" ? derived(document, parameters, *filters, what) : std::nullopt;
  }

  static bool has_window(const Node& node) {
    const Node* more = node.find("cumulative_type_params");
    return node.find("window") || node.find("grain_to_date") || more;
  }

  // The expression of a derived metric, its aliases replaced by what they stand for.
  std::optional<Operand> derived(const Document& document, const Node& parameters,
                                 const std::vector<std::string>& filters, const std::string& what) {
    static constexpr std::array<std::string_view, 2> kKeys{"expr", "metrics"};
    notes_.skip_unknown(document, parameters, kKeys, what);
    std::map<std::string, std::string> words;
    std::string model;
    for (const Node& metric : items_of(parameters, "metrics")) {
      if (metric.find("offset_window") || metric.find("offset_to_grain")) {
        problem_ = "it has an offset";
        return std::nullopt;
      }
      const std::optional<Operand> one = operand(document, &metric, filters);
      if (!one || (!model.empty() && model != one->model)) {
        problem_ = one ? "it spans several semantic models" : problem_;
        return std::nullopt;
      }
      model = one->model;
      const std::string alias = metric.is_scalar() ? "" : text_of(metric, "alias");
      words[alias.empty() ? name_of(metric) : alias] = "(" + one->formula + ")";
      if (is_identifier(one->formula)) {
        words[alias.empty() ? name_of(metric) : alias] = one->formula;
      }
    }
    if (model.empty()) {
      return std::nullopt;
    }
    return Operand{replace_words(text_of(parameters, "expr"), words), model};
  }

  static std::string replace_words(const std::string& expression,
                                   const std::map<std::string, std::string>& words) {
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
      const auto found = words.find(word);
      formula += found == words.end() ? word : found->second;
      at = end;
    }
    return formula;
  }

  static std::string name_of(const Node& node) {
    return node.is_scalar() ? node.text : text_of(node, "name");
  }

  // A measure or metric: a name, or a mapping with a name, an alias and a filter.
  std::optional<Operand> operand(const Document& document, const Node* node,
                                 std::vector<std::string> filters) {
    if (!node) {
      return std::nullopt;
    }
    if (node->is_mapping()) {
      static constexpr std::array<std::string_view, 3> kKeys{"name", "alias", "filter"};
      notes_.skip_unknown(document, *node, kKeys, "'" + name_of(*node) + "'");
      const std::optional<std::vector<std::string>> own = filters_of(*node);
      if (!own) {
        return std::nullopt;
      }
      filters.insert(filters.end(), own->begin(), own->end());
    }
    const std::string name = name_of(*node);
    const auto measure = models_.measures.find(name);
    if (measure == models_.measures.end()) {
      const auto metric = metrics_.find(name);
      if (metric == metrics_.end() || !filters.empty()) {
        problem_ = "'" + name + "' is " +
                   (metric == metrics_.end() ? "no measure or metric that was carried over"
                                             : "a metric, which cannot be filtered once more");
        return std::nullopt;
      }
      return metric->second;
    }
    return filters.empty() ? Operand{measure->second.name, measure->second.model}
                           : filtered(measure->second, filters);
  }

  std::optional<Operand> filtered(const DbtMeasure& measure,
                                  const std::vector<std::string>& filters) {
    Draft& draft = *find_draft(measure.model);
    std::string text;
    for (const std::string& filter : filters) {
      const std::optional<std::string> sql = filter_sql(filter, draft);
      if (!sql) {
        problem_ = "its filter names what is no dimension of the model or of one that it joins";
        return std::nullopt;
      }
      text += (text.empty() ? "" : " AND ") + (filters.size() > 1 ? "(" + *sql + ")" : *sql);
    }
    return Operand{draft.column_for(measure.expression, measure.name, text) + measure.aggregation,
                   draft.name};
  }

  // `filter`: a text or a list of texts; nothing when it is anything else.
  static std::optional<std::vector<std::string>> filters_of(const Node& node) {
    std::vector<std::string> filters;
    const Node* found = node.find("filter");
    if (!found) {
      return filters;
    }
    if (found->is_scalar()) {
      return std::vector<std::string>{std::string(base::trim(found->text))};
    }
    for (const Node& item : found->items) {
      if (!item.is_scalar()) {
        return std::nullopt;
      }
      filters.emplace_back(base::trim(item.text));
    }
    return found->is_sequence() ? std::optional(filters) : std::nullopt;
  }

  // "{{ Dimension('order__state') }} = 'paid'" as "state = 'paid'".
  std::optional<std::string> filter_sql(const std::string& filter, const Draft& draft) const {
    std::string sql;
    for (std::size_t at = 0; at < filter.size();) {
      const std::size_t begin = filter.find("{{", at);
      if (begin == std::string::npos) {
        sql += filter.substr(at);
        break;
      }
      const std::size_t end = filter.find("}}", begin);
      if (end == std::string::npos) {
        return std::nullopt;
      }
      const std::optional<std::string> column =
          column_of(base::trim(std::string_view(filter).substr(begin + 2, end - begin - 2)), draft);
      if (!column) {
        return std::nullopt;
      }
      sql += filter.substr(at, begin - at) + *column;
      at = end + 2;
    }
    return sql.find("{%") == std::string::npos ? std::optional(sql) : std::nullopt;
  }

  // Dimension('entity__name'), Entity('name') and TimeDimension without a grain.
  std::optional<std::string> column_of(std::string_view call, const Draft& draft) const {
    const std::size_t open = call.find('(');
    const std::string_view function = base::trim(call.substr(0, std::min(open, call.size())));
    if (open == std::string_view::npos || !call.ends_with(")")) {
      return std::nullopt;
    }
    std::string_view argument = base::trim(call.substr(open + 1, call.size() - open - 2));
    const bool quoted = argument.size() > 2 && (argument[0] == '\'' || argument[0] == '"') &&
                        argument.find(argument[0], 1) == argument.size() - 1;
    if (!quoted ||
        (function != "Dimension" && function != "Entity" && function != "TimeDimension")) {
      return std::nullopt;
    }
    argument = argument.substr(1, argument.size() - 2);
    const std::size_t split = argument.find("__");
    if (split == std::string_view::npos) {
      return draft.find_column(argument) ? std::optional(std::string(argument)) : std::nullopt;
    }
    return dimension_of(argument.substr(0, split), argument.substr(split + 2), draft);
  }

  std::optional<std::string> dimension_of(std::string_view entity, std::string_view name,
                                          const Draft& draft) const {
    const bool own = std::any_of(models_.keys.begin(), models_.keys.end(), [&](const auto& key) {
      return key.model == draft.name && key.name == entity;
    });
    if (own) {
      return draft.find_column(name) ? std::optional(std::string(name)) : std::nullopt;
    }
    for (const DraftJoin& join : draft.joins) {
      const Draft* target = find_draft(join.target);
      if (join.pairs[0].first == entity && target && target->find_column(name)) {
        return (join.name.empty() ? join.target : join.name) + "." + std::string(name);
      }
    }
    return std::nullopt;
  }

  Draft* find_draft(const std::string& name) const {
    const auto found = std::find_if(models_.drafts.begin(), models_.drafts.end(),
                                    [&](const Draft& draft) { return draft.name == name; });
    return found == models_.drafts.end() ? nullptr : &*found;
  }

  const ImportInput& input_;
  DbtModels& models_;
  ImportNotes& notes_;
  std::set<std::string> done_;
  std::map<std::string, Operand> metrics_;
  std::string problem_;
};

}  // namespace

void read_dbt_metrics(const ImportInput& input, DbtModels& models, ImportNotes& notes) {
  MetricReader(input, models, notes).read();
}

}  // namespace kedge::models
