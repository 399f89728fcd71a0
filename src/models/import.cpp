#include "models/import.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "document/edit.h"
#include "kedge/codes.h"
#include "models/import_draft.h"
#include "models/store.h"

namespace kedge::models {
namespace {

using document::Json;

void set_text(Json& json, std::string_view key, const std::string& text) {
  if (!text.empty()) {
    json.set(key, text);
  }
}

void set_meta(Json& json, const Json& meta) {
  if (meta.as_object() != nullptr) {
    json.set("meta", meta);
  }
}

Json column_json(const DraftColumn& column) {
  Json json;
  json.set("name", column.name);
  if (column.sql != column.name) {
    set_text(json, "sql", column.sql);
  }
  json.set("type", column.type.empty() ? "TEXT" : column.type);
  if (column.primary_key) {
    json.set("primary_key", true);
  }
  set_text(json, "filter", column.filter);
  set_text(json, "label", column.label);
  set_text(json, "description", column.description);
  if (!column.format.empty()) {
    Json format;
    format.set("type", column.format);
    json.set("format", std::move(format));
  }
  if (column.hidden) {
    json.set("hidden", true);
  }
  set_meta(json, column.meta);
  return json;
}

Json measure_json(const DraftMeasure& measure) {
  Json json;
  json.set("name", measure.name);
  json.set("formula", measure.formula);
  set_text(json, "label", measure.label);
  set_text(json, "description", measure.description);
  set_meta(json, measure.meta);
  return json;
}

Json join_json(const DraftJoin& join) {
  Json json;
  json.set("target_model", join.target);
  Json pairs = Json::array();
  for (const auto& [local, target] : join.pairs) {
    Json pair = Json::array();
    pair.push(local);
    pair.push(target);
    pairs.push(std::move(pair));
  }
  json.set("join_pairs", std::move(pairs));
  if (join.name != join.target) {
    set_text(json, "name", join.name);
  }
  set_text(json, "description", join.description);
  return json;
}

template <typename Items, typename ToJson>
void set_list(Json& json, std::string_view key, const Items& items, ToJson&& to_json) {
  if (items.empty()) {
    return;
  }
  Json list = Json::array();
  for (const auto& item : items) {
    list.push(to_json(item));
  }
  json.set(key, std::move(list));
}

Json draft_json(const Draft& draft, const std::string& data_source) {
  Json json;
  json.set("name", draft.name);
  json.set("data_source", data_source);
  set_text(json, "sql_table", draft.sql_table);
  set_text(json, "sql", draft.sql);
  set_text(json, "label", draft.label);
  set_text(json, "description", draft.description);
  set_list(json, "columns", draft.columns, column_json);
  set_list(json, "measures", draft.measures, measure_json);
  set_list(json, "joins", draft.joins, join_json);
  set_text(json, "default_time_dimension", draft.default_time);
  if (draft.hidden) {
    json.set("hidden", true);
  }
  set_meta(json, draft.meta);
  return json;
}

void use_known_types(const ImportInput& input, Draft& draft) {
  const std::size_t dot = draft.sql_table.rfind('.');
  const auto table = input.types.find(
      base::to_lower(dot == std::string::npos ? draft.sql_table : draft.sql_table.substr(dot + 1)));
  if (table == input.types.end()) {
    return;
  }
  for (DraftColumn& column : draft.columns) {
    const auto found =
        table->second.find(base::to_lower(column.sql.empty() ? column.name : column.sql));
    if (found != table->second.end()) {
      column.type = found->second;
    }
  }
}

}  // namespace

bool Draft::has(std::string_view wanted) const {
  return find_column(wanted) || find_measure(wanted);
}

const DraftColumn* Draft::find_column(std::string_view wanted) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const DraftColumn& column) { return column.name == wanted; });
  return found == columns.end() ? nullptr : &*found;
}

const DraftMeasure* Draft::find_measure(std::string_view wanted) const {
  const auto found =
      std::find_if(measures.begin(), measures.end(),
                   [&](const DraftMeasure& measure) { return measure.name == wanted; });
  return found == measures.end() ? nullptr : &*found;
}

std::string Draft::free_name(std::string wanted) const {
  std::string free = wanted;
  for (int number = 2; has(free); ++number) {
    free = wanted + "_" + std::to_string(number);
  }
  return free;
}

std::string Draft::column_for(const std::string& expression, const std::string& wanted,
                              const std::string& filter) {
  for (const DraftColumn& column : columns) {
    const std::string& source = column.sql.empty() ? column.name : column.sql;
    if ((source == expression || (filter.empty() && column.name == expression)) &&
        column.filter == filter) {
      return column.name;
    }
  }
  DraftColumn column;
  column.name = filter.empty() && is_identifier(expression) && !has(expression)
                    ? expression
                    : free_name(wanted + "_value");
  column.sql = expression;
  column.type = "DOUBLE";
  column.filter = filter;
  column.hidden = true;
  columns.push_back(column);
  return column.name;
}

void ImportNotes::skip(const document::Document& document, const document::Node& node,
                       std::string message, std::string hint) {
  Finding finding;
  finding.problem = {
      codes::import_skipped, std::move(message), document.position(node), std::move(hint), {}};
  finding.severity = Severity::Warning;
  finding.guard = "models";
  notes_.push_back(std::move(finding));
}

void ImportNotes::skip_key(const document::Document& document, const document::Node& node,
                           std::string_view key, const std::string& what, std::string hint) {
  if (const document::Entry* entry = node.find_entry(key)) {
    skip(document, entry->key, "'" + std::string(key) + "' of " + what + " has no counterpart",
         std::move(hint));
  }
}

void ImportNotes::skip_unknown(const document::Document& document, const document::Node& node,
                               std::span<const std::string_view> known, const std::string& what) {
  if (!node.is_mapping()) {
    skip(document, node, what + " is no mapping");
  }
  for (const document::Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) == known.end()) {
      skip(document, entry.key, "'" + entry.key.text + "' of " + what + " has no counterpart");
    }
  }
}

std::string text_of(const document::Node& node, std::string_view key) {
  const document::Node* found = node.find(key);
  return found && found->is_scalar() && found->kind != document::Kind::Null ? found->text : "";
}

bool flag_of(const document::Node& node, std::string_view key, bool fallback) {
  const document::Node* found = node.find(key);
  return found ? found->as_boolean().value_or(fallback) : fallback;
}

const std::vector<document::Node>& items_of(const document::Node& node, std::string_view key) {
  static const std::vector<document::Node> kNoItems;
  const document::Node* found = node.find(key);
  return found && found->is_sequence() ? found->items : kNoItems;
}

bool holds_definitions(const ImportInput& input) {
  const auto has = [](const document::Document& document, std::string_view key) {
    return !items_of(document.root, key).empty();
  };
  return std::any_of(input.documents.begin(), input.documents.end(),
                     [&](const document::Document& document) {
                       return input.format == ImportFormat::Dbt
                                  ? has(document, "semantic_models") || has(document, "metrics")
                                  : has(document, "cubes") || has(document, "views");
                     });
}

document::Json meta_of(const document::Node& node) {
  const document::Node* meta = node.find("meta");
  const document::Node* config = node.find("config");
  if (!meta && config) {
    meta = config->find("meta");
  }
  return meta && meta->is_mapping() ? document::to_json(*meta) : document::Json();
}

ImportResult import_models(const ImportInput& input) {
  ImportNotes notes;
  std::vector<Draft> drafts =
      input.format == ImportFormat::Dbt ? read_dbt(input, notes) : read_cube(input, notes);
  ImportResult result;
  result.skipped = notes.take();
  for (Draft& draft : drafts) {
    use_known_types(input, draft);
    ImportedModel model{draft.name, document::write_yaml(draft_json(draft, input.data_source)),
                        draft.origin};
    const LoadedFile loaded =
        load_model_text("models/" + input.data_source + "/" + draft.name + ".yml", model.text,
                        input.data_source, input.dialect);
    if (loaded.model) {
      for (const Problem& warning : loaded.warnings) {
        Finding finding;
        finding.problem = {codes::import_skipped,
                           "model '" + draft.name + "': " + warning.message,
                           draft.origin,
                           "look at the imported model",
                           {}};
        finding.severity = Severity::Warning;
        finding.guard = "models";
        result.skipped.push_back(std::move(finding));
      }
      result.models.push_back(std::move(model));
      continue;
    }
    Finding finding;
    finding.problem = {codes::import_skipped,
                       "model '" + draft.name +
                           "' would not load, so it is left out: " + loaded.errors.front().message,
                       draft.origin,
                       "",
                       {}};
    finding.severity = Severity::Warning;
    finding.guard = "models";
    result.skipped.push_back(std::move(finding));
  }
  std::sort(result.models.begin(), result.models.end(),
            [](const ImportedModel& a, const ImportedModel& b) { return a.name < b.name; });
  std::stable_sort(
      result.skipped.begin(), result.skipped.end(),
      [](const Finding& a, const Finding& b) { return a.problem.where < b.problem.where; });
  return result;
}

}  // namespace kedge::models
