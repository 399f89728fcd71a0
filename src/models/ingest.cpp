#include "models/ingest.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "dialect/buckets.h"
#include "dialect/dialect.h"
#include "document/edit.h"
#include "kedge/codes.h"
#include "models/ingest_joins.h"
#include "models/ingest_relations.h"
#include "models/live.h"
#include "sql/analysis.h"

namespace kedge::models {
namespace {

using document::Json;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Json column_json(const IngestColumn& column, const IngestRelation& relation,
                 const IngestInput& input) {
  const SqlDialect dialect = input.dialect;
  const std::string name = column_name_of(column.name);
  const std::string written = written_name(column.name, dialect);
  Json json;
  json.set("name", name);
  if (written != name) {
    json.set("sql", written);
  }
  json.set("type", column_type_of(column.type, input.schema.engine.dialect, dialect));
  if (std::find(relation.primary_key.begin(), relation.primary_key.end(), column.name) !=
      relation.primary_key.end()) {
    json.set("primary_key", true);
  }
  if (!column.comment.empty()) {
    json.set("description", column.comment);
  }
  return json;
}

Json join_json(const NewJoin& join) {
  Json json;
  json.set("target_model", join.target_model);
  Json pairs = Json::array();
  for (const auto& [local, target] : join.pairs) {
    Json pair = Json::array();
    pair.push(local);
    pair.push(target);
    pairs.push(std::move(pair));
  }
  json.set("join_pairs", std::move(pairs));
  if (!join.name.empty()) {
    json.set("name", join.name);
  }
  return json;
}

class Planner {
 public:
  explicit Planner(const IngestInput& input)
      : input_(input), relations_(find_relations(input)), table_models_(find_table_models(input)) {
    for (const auto& [id, path] : input.store.files) {
      if (id.first == input.data_source) {
        files_.emplace(id.second);
        folded_files_.emplace(base::to_lower(id.second));
      }
    }
    for (const LoadedModel& loaded : input.store.set.models) {
      if (loaded.model.data_source == input.data_source) {
        readable_.emplace(loaded.model.name, &loaded);
      }
    }
  }

  IngestPlan plan() {
    // Who has the very name goes before who would take it: a_b before a__b.
    for (const bool exact : {true, false}) {
      for (IngestRelation& relation : relations_) {
        if ((model_name_of(relation.name.name.text()) == relation.name.name.text()) == exact) {
          assign_model(relation);
        }
      }
    }
    for (const IngestRelation& relation : relations_) {
      by_key_.emplace(relation_keys(input_).of(relation.name), &relation);
    }
    for (const IngestRelation& relation : relations_) {
      if (relation.model.empty()) {
        continue;
      }
      const auto found = readable_.find(relation.model);
      if (found == readable_.end()) {
        create(relation);
      } else {
        extend(relation, *found->second);
      }
    }
    warn_unknown();
    std::sort(plan_.changes.begin(), plan_.changes.end(),
              [](const IngestChange& a, const IngestChange& b) {
                return a.addition.model_name < b.addition.model_name;
              });
    std::sort(plan_.errors.begin(), plan_.errors.end(),
              [](const IngestError& a, const IngestError& b) {
                return std::pair(a.model_name, a.error) < std::pair(b.model_name, b.error);
              });
    return std::move(plan_);
  }

 private:
  void fail(const std::string& model, Code code, std::string message) {
    plan_.errors.push_back(
        {model, input_.data_source, std::string(code.name()), std::move(message)});
  }

  // Which model stands for the relation, if any may be written.
  void assign_model(IngestRelation& relation) {
    const std::string name = model_name_of(relation.name.name.text());
    const std::string key = relation_keys(input_).of(relation.name);
    const auto over = table_models_.find(key);
    if (over != table_models_.end() && base::equals_ignoring_case(over->second->model.name, name)) {
      relation.model = over->second->model.name;
      return;
    }
    const auto same_name = readable_.find(name);
    if (same_name != readable_.end()) {
      if (same_name->second->model.mode() == SourceMode::Table) {
        fail(name, codes::model_name_taken,
             "model '" + name + "' stands for '" + same_name->second->model.sql_table +
                 "', so relation '" + to_string(relation.name) + "' has no model");
      }
      return;
    }
    if (files_.contains(name)) {
      fail(name, codes::model_invalid,
           "the file of model '" + name + "' does not load; it is left as it is");
      return;
    }
    if (folded_files_.contains(base::to_lower(name)) ||
        !created_.insert(base::to_lower(name)).second) {
      fail(name, codes::name_conflict,
           "relation '" + to_string(relation.name) + "' would become model '" + name +
               "', a name that is taken");
      return;
    }
    relation.model = name;
  }

  std::string sql_table_of(const IngestRelation& relation) const {
    const std::string table = written_name(relation.name.name.text(), input_.dialect);
    if (relation.name.schema.empty()) {
      return table;
    }
    return written_name(relation.name.schema.text(), input_.dialect) + "." + table;
  }

  JoinContext join_context() const { return {input_, by_key_, table_models_, readable_}; }

  void create(const IngestRelation& relation) {
    IngestChange change;
    change.addition = {relation.model, input_.data_source, true, {}, {}};
    Json json;
    json.set("name", relation.model);
    json.set("data_source", input_.data_source);
    json.set("sql_table", sql_table_of(relation));
    if (!relation.comment.empty()) {
      json.set("description", relation.comment);
    }
    std::set<std::string> names;
    for (const IngestColumn& column : relation.columns) {
      const std::string name = column_name_of(column.name);
      if (!names.insert(name).second) {
        fail(relation.model, codes::name_conflict,
             "column '" + column.name + "' would become a second column '" + name + "'");
        continue;
      }
      Json* columns = json.find("columns");
      if (!columns) {
        json.set("columns", Json::array());
        columns = json.find("columns");
      }
      columns->push(column_json(column, relation, input_));
      change.addition.new_columns.push_back(name);
    }
    const std::vector<NewJoin> joins = find_new_joins(join_context(), relation, nullptr);
    if (!joins.empty()) {
      Json list = Json::array();
      for (const NewJoin& join : joins) {
        list.push(join_json(join));
        change.addition.new_joins.push_back(join.hop());
      }
      json.set("joins", std::move(list));
    }
    change.text = document::write_yaml(json);
    accept(std::move(change));
  }

  std::vector<IngestColumn> find_new_columns(const IngestRelation& relation, const Model& model) {
    std::unordered_set<std::string> known;
    for (const Column& column : model.columns) {
      known.insert(live_key(input_.dialect, column.name));
      known.insert(written_key(input_.dialect, column.name, false));
      if (column.physical && !column.filter) {
        known.insert(written_key(input_.dialect, column.physical->text,
                                 column.physical->quoted || !column.sql));
      }
    }
    std::vector<IngestColumn> columns;
    for (const IngestColumn& column : relation.columns) {
      const std::string name = column_name_of(column.name);
      if (known.contains(live_key(input_.dialect, column.name))) {
        continue;
      }
      if (find_measure(model, name)) {
        fail(model.name, codes::name_conflict,
             "live column '" + column.name + "' is named like measure '" + name +
                 "'; rename the measure or declare the column under another name");
      } else if (find_column(model, name) || !known.insert(live_key(input_.dialect, name)).second) {
        fail(model.name, codes::name_conflict,
             "live column '" + column.name + "' would become a second column '" + name + "'");
      } else {
        columns.push_back(column);
      }
    }
    return columns;
  }

  void extend(const IngestRelation& relation, const LoadedModel& loaded) {
    const std::vector<IngestColumn> columns = find_new_columns(relation, loaded.model);
    const std::vector<NewJoin> joins = find_new_joins(join_context(), relation, &loaded.model);
    if (columns.empty() && joins.empty()) {
      return;
    }
    IngestChange change;
    change.addition = {loaded.model.name, input_.data_source, false, {}, {}};
    const document::Document document = document::read_document(
        loaded.model.file, input_.texts.at(loaded.model.name), document::Format::Yaml);
    document::Editor editor(document);
    for (const IngestColumn& column : columns) {
      editor.append({std::string("columns")}, column_json(column, relation, input_));
      change.addition.new_columns.push_back(column_name_of(column.name));
    }
    for (const NewJoin& join : joins) {
      editor.append({std::string("joins")}, join_json(join));
      change.addition.new_joins.push_back(join.hop());
    }
    try {
      change.text = editor.apply();
    } catch (const Error& error) {
      fail(loaded.model.name, codes::model_invalid,
           "the file cannot be extended: " + error.problem().message);
      return;
    }
    accept(std::move(change));
  }

  // Nothing is written that would not load.
  void accept(IngestChange change) {
    const std::string& name = change.addition.model_name;
    const LoadedFile loaded = load_model_text("models/" + input_.data_source + "/" + name + ".yml",
                                              change.text, input_.data_source, input_.dialect);
    if (!loaded.model) {
      fail(name, codes::model_invalid,
           "the extended model would not load: " + loaded.errors.front().message);
      return;
    }
    plan_.changes.push_back(std::move(change));
  }

  void warn(const std::string& name, std::string message) {
    Finding finding;
    finding.problem = {codes::unknown_table, std::move(message), std::nullopt, "", {}};
    finding.severity = Severity::Warning;
    finding.subject = {"table", input_.data_source, "", name};
    finding.guard = "models";
    plan_.warnings.push_back(std::move(finding));
  }

  std::vector<schema::Name> live_names() const {
    std::vector<schema::Name> names;
    for (const schema::Table& table : input_.schema.tables) {
      names.push_back(table.name);
    }
    for (const schema::View& view : input_.schema.views) {
      names.push_back(view.name);
    }
    for (schema::Name& name : names) {
      if (name.schema.empty()) {
        name.schema = input_.schema.default_schema;
      }
    }
    return names;
  }

  bool is_model(const std::string& name) const {
    const Scope only{{name}, {}};
    const LiveSource live{
        input_.dialect, {}, {}, input_.sight, input_.schema.default_schema.text()};
    return files_.contains(name) ||
           std::any_of(
               input_.store.set.models.begin(), input_.store.set.models.end(),
               [&](const LoadedModel& loaded) {
                 return loaded.model.name == name ||
                        (loaded.model.mode() == SourceMode::Table && in_scope(only, loaded, live));
               });
  }

  // What is excluded exists all the same, and what another schema has was not asked for.
  void warn_unknown() {
    const bool named = !input_.options.schema_name.empty();
    const std::string& schema =
        named ? input_.options.schema_name : input_.schema.default_schema.text();
    std::vector<schema::Name> live = live_names();
    std::erase_if(live, [&](const schema::Name& name) { return name.schema.text() != schema; });
    if (named && live.empty()) {
      warn(schema, "schema '" + schema + "' does not exist or has no relation");
    }
    for (const std::string& name : input_.options.scope.include_tables) {
      const bool relation = std::any_of(live.begin(), live.end(), [&](const schema::Name& one) {
        return in_scope({{name}, {}}, one.schema.text(), one.name.text());
      });
      if (!relation && !is_model(name)) {
        const bool pattern = name.find('*') != std::string::npos;
        const std::string where = schema.empty() ? "" : " of schema '" + schema + "'";
        warn(name, (pattern ? "included tables '" + name + "' match neither a relation"
                            : "included table '" + name + "' is neither a relation") +
                       where + " nor a model");
      }
    }
  }

  const IngestInput& input_;
  std::vector<IngestRelation> relations_;
  std::unordered_map<std::string, const IngestRelation*> by_key_;
  std::unordered_map<std::string, const LoadedModel*> table_models_;
  std::unordered_map<std::string, const LoadedModel*> readable_;
  std::set<std::string> files_;
  std::set<std::string> folded_files_;
  std::set<std::string> created_;
  IngestPlan plan_;
};

}  // namespace

std::string column_name_of(const std::string& live) {
  if (live == "_count") {
    return "count_col";
  }
  std::string name;
  for (const char c : live) {
    name += is_word_character(c) ? c : '_';
  }
  return name.empty() ? "_" : name;
}

std::string model_name_of(const std::string& relation) {
  std::string name;
  for (const char c : relation) {
    const char kept = is_word_character(c) && static_cast<unsigned char>(c) < 0x80 ? c : '_';
    if (kept != '_' || name.empty() || name.back() != '_') {
      name += kept;
    }
  }
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
    name.insert(name.begin(), '_');
  }
  return name;
}

IngestPlan plan_ingest(const IngestInput& input) {
  return Planner(input).plan();
}

}  // namespace kedge::models
