#include <algorithm>
#include <map>
#include <set>

#include "app/check.h"
#include "app/guard_models.h"
#include "app/impact.h"
#include "app/models.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

using models::LiveColumns;
using models::LiveShape;

// One relation before and after: its columns, or nothing when it is gone.
struct RelationChange {
  schema::Name name;
  std::set<std::string> lost;               // columns
  std::map<std::string, schema::Type> set;  // new or retyped columns
  std::map<std::string, schema::Type> was;  // of retyped columns
  bool gone = false;
};

// `at` gives the entry of a relation; one that stays as it was gets none.
template <class Relation, class At>
void compare(const Relation& before, const Relation* after, const At& at) {
  if (after == nullptr) {
    at(before.name).gone = true;
    return;
  }
  const auto find = [](const Relation& relation, const Identifier& name) {
    const auto found = std::find_if(relation.columns.begin(), relation.columns.end(),
                                    [&](const auto& one) { return one.name == name; });
    return found == relation.columns.end() ? nullptr : &*found;
  };
  for (const auto& column : before.columns) {
    const auto* now = find(*after, column.name);
    if (now == nullptr) {
      at(before.name).lost.insert(column.name.text());
    } else if (now->type != column.type) {
      at(before.name).set[column.name.text()] = now->type;
      at(before.name).was[column.name.text()] = column.type;
    }
  }
  for (const auto& column : after->columns) {
    if (find(before, column.name) == nullptr) {
      at(before.name).set[column.name.text()] = column.type;
    }
  }
}

std::map<schema::Name, RelationChange> relation_changes(const ShapeChange& change) {
  std::map<schema::Name, RelationChange> changes;
  const auto at = [&](const schema::Name& name) -> RelationChange& {
    changes[name].name = name;
    return changes[name];
  };
  for (const schema::Table& before : change.before.tables) {
    const schema::Table* after = schema::find_table(change.after, before.name);
    compare(before, after, at);
  }
  for (const schema::View& before : change.before.views) {
    const schema::View* after = schema::find_view(change.after, before.name);
    compare(before, after, at);
  }
  return changes;
}

class LiveAfter {
 public:
  LiveAfter(const ModelCheck& check, const ShapeChange& change)
      : check_(check), change_(change), changes_(relation_changes(change)) {}

  // Tables of models that the database then lists and refuses: no guard can look at them.
  const std::vector<const models::LoadedModel*>& refused() const { return refused_; }

  models::LiveShapes shapes() {
    models::LiveShapes live = check_.live;
    const auto found = live.find(change_.connection);
    if (found == live.end()) {
      return live;
    }
    models::LiveSource& source = found->second;
    for (models::LiveRelation& relation : source.relations) {
      if (const RelationChange* changed = find(relation.name)) {
        relation.columns = changed->gone ? std::make_shared<const LiveColumns>()
                                         : edited(*relation.columns, *changed);
      }
    }
    std::erase_if(source.relations, [&](const models::LiveRelation& relation) {
      const RelationChange* changed = find(relation.name);
      return changed != nullptr && changed->gone;
    });
    for (const models::LoadedModel& loaded : check_.store.set.models) {
      if (loaded.model.data_source == change_.connection) {
        edit_shape(loaded, source.models[loaded.model.name]);
      }
    }
    return live;
  }

 private:
  const RelationChange* find(const schema::Name& name) const {
    const schema::Name plain =
        name.schema == change_.before.default_schema ? schema::Name{Identifier(), name.name} : name;
    const auto found = changes_.find(plain);
    return found == changes_.end() ? nullptr : &found->second;
  }

  // By the names that a person wrote, folded as the dialect folds them.
  const RelationChange* find_written(const std::optional<std::string>& schema_name,
                                     const std::string& name) const {
    const dialect::Dialect& dialect = dialect::get_dialect(change_.before.engine.dialect);
    const std::string wanted = schema_name.value_or(change_.before.default_schema.text());
    const RelationChange* elsewhere = nullptr;
    for (const auto& [key, changed] : changes_) {
      if (!dialect.same_name(key.name.text(), name, false)) {
        continue;
      }
      const std::string& own =
          key.schema.empty() ? change_.before.default_schema.text() : key.schema.text();
      if (dialect.same_name(own, wanted, false)) {
        return &changed;
      }
      elsewhere = &changed;
    }
    // A name without a schema may lead further down the search path, past the default schema.
    return schema_name || in_default_schema(name) ? nullptr : elsewhere;
  }

  bool in_default_schema(const std::string& name) const {
    const dialect::Dialect& dialect = dialect::get_dialect(change_.before.engine.dialect);
    const auto fits = [&](const auto& relation) {
      return relation.name.schema.empty() &&
             dialect.same_name(relation.name.name.text(), name, false);
    };
    return std::any_of(change_.before.tables.begin(), change_.before.tables.end(), fits) ||
           std::any_of(change_.before.views.begin(), change_.before.views.end(), fits);
  }

  std::shared_ptr<const LiveColumns> edited(const LiveColumns& columns,
                                            const RelationChange& changed) const {
    LiveColumns result;
    for (const models::LiveColumn& column : columns) {
      if (!changed.lost.contains(column.name) && !changed.set.contains(column.name)) {
        result.push_back(column);
      }
    }
    for (const auto& [name, type] : changed.set) {
      result.push_back(live_column(name, type));
    }
    return std::make_shared<const LiveColumns>(std::move(result));
  }

  // A view that no longer works goes along on PostgreSQL. The others keep it in their catalog and
  // refuse it.
  bool is_kept(const schema::Name& name) const {
    const schema::Dialect dialect = change_.before.engine.dialect;
    const auto plain = [&](const schema::Name& view) {
      return view.schema == change_.before.default_schema ? schema::Name{Identifier(), view.name}
                                                          : view;
    };
    return dialect != schema::Dialect::Postgres && dialect != schema::Dialect::Ansi &&
           std::any_of(change_.broken_views.begin(), change_.broken_views.end(),
                       [&](const BrokenView& broken) { return plain(broken.view) == plain(name); });
  }

  void edit_shape(const models::LoadedModel& loaded, LiveShape& shape) {
    const bool is_sql = loaded.model.mode() == models::SourceMode::Sql;
    if (shape.state != LiveShape::State::Present &&
        !(is_sql && shape.state == LiveShape::State::Opaque)) {
      return;  // a sql model of which nothing is known still has a text that names columns
    }
    if (loaded.model.mode() == models::SourceMode::Table) {
      const auto name = models::parse_relation(loaded.model.sql_table, loaded.dialect);
      const RelationChange* changed =
          name ? find_written(name->schema ? std::optional(name->schema->text) : std::nullopt,
                              name->name.text)
               : nullptr;
      if (changed != nullptr && changed->gone && is_kept(changed->name)) {
        shape = {LiveShape::State::Opaque, nullptr, ""};
        refused_.push_back(&loaded);
      } else if (changed != nullptr && changed->gone) {
        shape = {LiveShape::State::Missing, nullptr, ""};
      } else if (changed != nullptr) {
        shape.columns = edited(*shape.columns, *changed);
      }
    } else if (loaded.model.mode() == models::SourceMode::Sql) {
      edit_query(loaded, shape);
    }
  }

  // A sql model breaks when its text names what is gone; a star only loses the column.
  void edit_query(const models::LoadedModel& loaded, LiveShape& shape) const {
    const sql::QueryFacts facts =
        sql::analyse_query(loaded.model.sql, models::analysed_as(loaded.dialect));
    for (const std::vector<sql::NamePart>& parts : facts.relations) {
      const RelationChange* changed = find_written(
          parts.size() > 1 ? std::optional(parts[parts.size() - 2].text) : std::nullopt,
          parts.back().text);
      if (changed == nullptr) {
        continue;
      }
      if (changed->gone) {
        shape = {LiveShape::State::Broken, nullptr, "no such table: " + parts.back().text};
        return;
      }
      for (const std::string& lost : changed->lost) {
        if (names(facts, parts.back().text, lost)) {
          shape = {LiveShape::State::Broken, nullptr, "no such column: " + lost};
          return;
        }
      }
      if (facts.has_star && shape.columns) {
        shape.columns = edited(*shape.columns, *changed);
      } else if (shape.columns) {
        shape.columns = retyped(*shape.columns, facts, parts.back().text, *changed);
      }
    }
  }

  // A column that the text hands on has its new type.
  std::shared_ptr<const LiveColumns> retyped(const LiveColumns& columns,
                                             const sql::QueryFacts& facts,
                                             const std::string& relation,
                                             const RelationChange& changed) const {
    const dialect::Dialect& dialect = dialect::get_dialect(change_.before.engine.dialect);
    LiveColumns result = columns;
    for (std::size_t i = 0; i < facts.handed_on.size() && i < facts.outputs.size(); ++i) {
      for (const auto& [name, was] : changed.was) {
        if (!facts.outputs[i] || !hands_on(facts, i, relation, name)) {
          continue;
        }
        for (models::LiveColumn& column : result) {
          if (dialect.same_name(column.name, *facts.outputs[i], false) &&
              column.bucket == live_column(name, was).bucket) {
            column = live_column(column.name, changed.set.at(name));
          }
        }
      }
    }
    return std::make_shared<const LiveColumns>(std::move(result));
  }

  bool hands_on(const sql::QueryFacts& facts, std::size_t output, const std::string& relation,
                const std::string& column) const {
    sql::QueryFacts one;
    for (const sql::ColumnReference& reference : facts.references) {
      if (facts.handed_on[output] && reference.begin == *facts.handed_on[output]) {
        one.references.push_back(reference);
      }
    }
    return names(one, relation, column);
  }

  models::LiveColumn live_column(const std::string& name, const schema::Type& type) const {
    return {name, dialect::bucket_of(change_.before.engine.dialect, type),
            type.native.empty() ? to_string(type) : type.native};
  }

  bool names(const sql::QueryFacts& facts, const std::string& relation,
             const std::string& column) const {
    const dialect::Dialect& dialect = dialect::get_dialect(change_.before.engine.dialect);
    for (const sql::ColumnReference& reference : facts.references) {
      if (!dialect.same_name(column, reference.parts.back().text, false)) {
        continue;
      }
      if (facts.opaque || reference.parts.size() < 2) {
        return true;
      }
      const std::string& qualifier = reference.parts[reference.parts.size() - 2].text;
      for (const sql::ColumnReference::Scope& scope : reference.scopes) {
        for (std::size_t i = 0; i < scope.relation_aliases.size(); ++i) {
          if (dialect.same_name(scope.relation_aliases[i], qualifier, false) &&
              dialect.same_name(scope.relations[i].back().text, relation, false)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  const ModelCheck& check_;
  const ShapeChange& change_;
  std::map<schema::Name, RelationChange> changes_;
  std::vector<const models::LoadedModel*> refused_;
};

// What `kedge check` cannot look at afterwards (it ends with 2), in its words.
void add_refused(const ModelCheck& check, const std::vector<const models::LoadedModel*>& refused,
                 ImpactResult& result) {
  for (const models::LoadedModel* loaded : refused) {
    const models::Model& model = loaded->model;
    Impact impact;
    impact.part = "models";
    impact.code = codes::introspection_failed;
    impact.message = "model '" + model.name + "': the catalog lists '" + model.sql_table +
                     "' but the database refuses it";
    impact.subject = {"model", model.data_source, "", model.name};
    impact.where = position_of(check.store, {model.data_source, model.name}, "model:" + model.name);
    for (std::size_t i = 0; i < result.impacts.size(); ++i) {
      const Impact& cause = result.impacts[i];
      if (cause.part == "database" && cause.subject.kind == "view" &&
          base::equals_ignoring_case(cause.subject.name, model.sql_table)) {
        impact.cause = i;
      }
    }
    result.impacts.push_back(std::move(impact));
  }
}

// The reason belongs to it: a column of another type, once gone, is a new fault.
using DropKey = std::tuple<models::ModelId, std::string, std::string, std::string>;
DropKey key_of(const models::ExplainedDrop& drop) {
  return {drop.model, drop.reason.target, drop.reason.code, drop.reason.reason};
}

}  // namespace

void models_impact(Context& context, const ShapeChange& change, ImpactResult& result) {
  if (!folder_has_files(context, "models")) {
    return;
  }
  const std::map<std::string, models::SqlDialect> known = find_dialects(context);
  if (!known.contains(change.connection)) {
    return;  // a URL that connections.yml does not name has no models
  }
  ModelCheck check;
  if (!change.offline) {
    check = check_models(context, {change.connection, {}});
  }
  if (!check.live.contains(change.connection)) {
    check = check_models_against(context, change.connection, change.before);
  }
  std::set<DropKey> before;
  for (const models::ExplainedDrop& drop : explain_drops(check)) {
    before.insert(key_of(drop));
  }
  LiveAfter judged(check, change);
  const models::LiveShapes after = judged.shapes();
  add_refused(check, judged.refused(), result);
  std::map<std::size_t, std::size_t> numbers;  // drop -> impact
  const std::vector<models::ExplainedDrop> drops =
      models::explain_drops(check.store.set, after, check.cascade);
  for (std::size_t i = 0; i < drops.size(); ++i) {
    if (!before.contains(key_of(drops[i]))) {
      const Finding finding = model_finding(check.store, drops[i].model, drops[i].reason);
      numbers[i] = result.impacts.size();
      result.impacts.push_back({"models", Effect::Breaks, finding.problem.code,
                                finding.problem.message, finding.subject, finding.problem.where,
                                std::nullopt});
    }
  }
  for (const auto& [drop, impact] : numbers) {
    if (drops[drop].cause && numbers.contains(*drops[drop].cause)) {
      result.impacts[impact].cause = numbers.at(*drops[drop].cause);
    }
  }
}

}  // namespace kedge::app
