#include "query/compile.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/live_reader.h"

namespace kedge::query {
namespace {

// Strongest first.
using VariableChain = std::vector<const Variables*>;

class Compiler {
 public:
  explicit Compiler(const CompileRequest& request) : request_(request) {
    statement_.dialect = request.dialect;
    statement_.now_milliseconds = request.now_milliseconds;
  }

  CompiledQuery run() {
    const StageSql last = request_.model.empty() ? run_stages() : run_model();
    CompiledQuery compiled;
    for (const auto& [table, select] : statement_.tables) {
      compiled.sql += (compiled.sql.empty() ? "WITH " : ",\n") + table + " AS (\n" + select + "\n)";
    }
    compiled.sql += (compiled.sql.empty() ? "" : "\n") + last.select;
    compiled.outputs = last.outputs;
    compiled.touched.assign(statement_.touched.begin(), statement_.touched.end());
    return compiled;
  }

 private:
  // The stages of one list; each becomes a table when something first asks for it.
  struct StageList {
    const std::vector<models::Query>* stages = nullptr;
    VariableChain outer;  // after the stage's own
    std::map<std::string, RelationPointer> done;
    std::vector<std::string> open;  // being compiled
    FindRelation find;
  };

  StageSql run_stages() {
    StageList list;
    list.stages = &request_.stages;
    return result_of(list, Naming::Keys);
  }

  StageSql run_model() {
    const models::LoadedModel* loaded = find_loaded(request_.model);
    if (loaded == nullptr) {
      unknown_model(request_.model);
    }
    if (loaded->model.mode() != models::SourceMode::Queries) {
      throw Error(codes::not_query_backed,
                  "model '" + request_.model + "' has no source_queries, so it cannot run by name",
                  "give a query with source_model: " + request_.model);
    }
    statement_.touched.insert(request_.model);
    StageList list;
    list.stages = &loaded->model.source_queries;
    list.outer = {&loaded->model.query_variables};
    return result_of(list, Naming::Keys);
  }

  StageSql result_of(StageList& list, Naming naming) {
    check_names(*list.stages);
    list.find = [this, &list](const std::string& name) { return find_in(list, name); };
    const models::Query& last = list.stages->back();
    list.open.push_back(last.name);
    return compile_one(list, last, naming);
  }

  static void check_names(const std::vector<models::Query>& stages) {
    if (stages.empty()) {
      throw Error(codes::bad_value, "the query list is empty");
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const std::string& name = stages[i].name;
      if (name.empty() && i + 1 < stages.size()) {
        throw Error(codes::invalid_name, "every stage but the last needs a name");
      }
      if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end()) {
        throw Error(codes::duplicate_name, "two stages are named '" + name + "'");
      }
      names.push_back(name);
    }
  }

  // A stage hides a model of its name; inside itself the name means the model.
  RelationPointer find_in(StageList& list, const std::string& name) {
    const auto done = list.done.find(name);
    if (done != list.done.end()) {
      return done->second;
    }
    const auto stage = std::find_if(list.stages->begin(), list.stages->end(),
                                    [&](const models::Query& one) { return one.name == name; });
    const bool self = !list.open.empty() && list.open.back() == name;
    if (name.empty() || stage == list.stages->end() || self) {
      return model(name);
    }
    if (std::find(list.open.begin(), list.open.end(), name) != list.open.end()) {
      throw Error(codes::stage_cycle, "stages use each other: " + cycle_text(list.open, name));
    }
    list.open.push_back(name);
    const StageSql sql = compile_one(list, *stage, Naming::Columns);
    list.open.pop_back();
    return list.done[name] = as_relation(name, sql, {});
  }

  RelationPointer as_relation(const std::string& name, const StageSql& sql, models::Model model) {
    model.name = name;
    model.columns.clear();
    for (const Output& output : sql.outputs) {
      models::Column column;
      column.name = output.column;
      column.type = output.type.value_or(ColumnType::Double);
      column.physical = models::PhysicalName{stage_column(sql.outputs, output), false};
      column.label = output.label;
      column.format = output.format;
      model.columns.push_back(std::move(column));
    }
    auto relation = std::make_shared<Relation>();
    relation->name = name;
    relation->source = statement_.add_table(base::to_lower(name), sql.select);
    relation->model = std::move(model);
    return relation;
  }

  StageSql compile_one(StageList& list, const models::Query& stage, Naming naming) {
    models::Query query = stage;
    VariableChain chain{&request_.variables, &stage.variables};
    chain.insert(chain.end(), list.outer.begin(), list.outer.end());
    const FindVariable find = [&chain](const std::string& name) -> const document::Json* {
      for (const Variables* variables : chain) {
        const auto found = variables->find(name);
        if (found != variables->end()) {
          return &found->second;
        }
      }
      return nullptr;
    };
    for (models::Filter& filter : query.filters) {
      filter.text = substitute(filter.text, find);
    }
    const VariableChain before = std::exchange(outer_, {&stage.variables});
    outer_.insert(outer_.end(), list.outer.begin(), list.outer.end());
    StageSql sql = compile_stage(statement_, list.find, root_of(list, query.source), query, naming);
    outer_ = before;
    return sql;
  }

  RelationPointer root_of(StageList& list, const models::QuerySource& source) {
    if (source.kind == models::QuerySource::Kind::Inline) {
      return relation_of(source.inline_model[0]);
    }
    RelationPointer base = list.find(source.name);
    if (!base) {
      unknown_model(source.name);
    }
    if (source.kind == models::QuerySource::Kind::Name) {
      return base;
    }
    auto extended = std::make_shared<Relation>(*base);
    models::Model& model = extended->model;
    model.columns.insert(model.columns.end(), source.columns.begin(), source.columns.end());
    model.measures.insert(model.measures.end(), source.measures.begin(), source.measures.end());
    model.joins.insert(model.joins.end(), source.joins.begin(), source.joins.end());
    return extended;
  }

  const models::LoadedModel* find_loaded(const std::string& name) const {
    for (const models::LoadedModel& loaded : request_.models.models) {
      if (loaded.model.name == name && loaded.model.data_source == request_.data_source) {
        return &loaded;
      }
    }
    return nullptr;
  }

  [[noreturn]] void unknown_model(const std::string& name) const {
    std::vector<std::string> known;
    for (const models::LoadedModel& loaded : request_.models.models) {
      if (loaded.model.data_source == request_.data_source) {
        known.push_back(loaded.model.name);
      }
    }
    throw Error(codes::unknown_model, "data source '" + request_.data_source + "' has no model '" +
                                          name + "'" + base::did_you_mean(name, known));
  }

  // Null when the data source has no such model. A path into another data source is said so.
  RelationPointer model(const std::string& name) {
    const auto known = models_.find(name);
    if (known != models_.end()) {
      return known->second;
    }
    const models::LoadedModel* loaded = find_loaded(name);
    if (loaded == nullptr) {
      refuse_elsewhere(name);
      return nullptr;
    }
    return models_[name] = relation_of(loaded->model);
  }

  void refuse_elsewhere(const std::string& name) const {
    for (const auto& [source, other] : request_.models.existing) {
      if (other == name && source != request_.data_source) {
        throw Error(codes::cross_data_source_path, "model '" + name + "' belongs to data source '" +
                                                       source + "', the query to '" +
                                                       request_.data_source + "'");
      }
    }
  }

  RelationPointer relation_of(const models::Model& model) {
    if (model.mode() == models::SourceMode::Queries) {
      return query_backed(model);
    }
    auto relation = std::make_shared<Relation>();
    relation->name = model.name;
    relation->model = model;
    relation->models = {model.name};
    relation->source = model.mode() == models::SourceMode::Table
                           ? std::string(base::trim(model.sql_table))
                           : "(" + models::inner_sql(model.sql, request_.dialect) + "\n)";
    return relation;
  }

  RelationPointer query_backed(const models::Model& model) {
    if (std::find(building_.begin(), building_.end(), model.name) != building_.end()) {
      throw Error(codes::stage_cycle,
                  "query-backed models use each other: " + cycle_text(building_, model.name));
    }
    building_.push_back(model.name);
    StageList list;
    list.stages = &model.source_queries;
    list.outer = outer_;
    list.outer.push_back(&model.query_variables);
    const StageSql sql = result_of(list, Naming::Columns);
    building_.pop_back();
    statement_.touched.insert(model.name);
    return as_relation(model.name, sql, model);
  }

  const CompileRequest& request_;
  Statement statement_;
  std::map<std::string, RelationPointer> models_;
  std::vector<std::string> building_;
  VariableChain outer_;
};

}  // namespace

CompiledQuery compile(const CompileRequest& request) {
  return Compiler(request).run();
}

}  // namespace kedge::query
