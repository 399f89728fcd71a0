#include "models/ingest_relations.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::models {
namespace {

bool is_wanted(const IngestInput& input, const schema::Name& name) {
  const std::string& wanted = input.options.schema_name;
  const std::string& schema = name.schema.text();
  const bool is_default = schema.empty();
  const bool here =
      wanted.empty()
          ? is_default
          : schema == wanted || (is_default && input.schema.default_schema.text() == wanted);
  return here && !schema::is_bookkeeping(name.name.text()) &&
         in_scope(input.options.scope, is_default ? input.schema.default_schema.text() : schema,
                  name.name.text());
}

std::vector<std::string> texts_of(const std::vector<Identifier>& identifiers) {
  std::vector<std::string> texts;
  for (const Identifier& identifier : identifiers) {
    texts.push_back(identifier.text());
  }
  return texts;
}

IngestRelation relation_of(const schema::Table& table) {
  IngestRelation relation;
  relation.name = table.name;
  relation.comment = table.comment;
  for (const schema::Column& column : table.columns) {
    relation.columns.push_back({column.name.text(), column.type, column.comment});
  }
  if (table.primary_key) {
    relation.primary_key = texts_of(table.primary_key->columns);
  }
  relation.foreign_keys = table.foreign_keys;
  return relation;
}

IngestRelation relation_of(const schema::View& view) {
  IngestRelation relation;
  relation.name = view.name;
  relation.comment = view.comment;
  for (const schema::ViewColumn& column : view.columns) {
    relation.columns.push_back({column.name.text(), column.type, column.comment});
  }
  return relation;
}

}  // namespace

std::vector<IngestRelation> find_relations(const IngestInput& input) {
  std::vector<IngestRelation> relations;
  for (const schema::Table& table : input.schema.tables) {
    const bool part = table.partition && table.partition->parent;
    if (!part && is_wanted(input, table.name)) {
      relations.push_back(relation_of(table));
    }
  }
  for (const schema::View& view : input.schema.views) {
    if (input.options.views && is_wanted(input, view.name)) {
      relations.push_back(relation_of(view));
    }
  }
  std::sort(relations.begin(), relations.end(),
            [](const IngestRelation& a, const IngestRelation& b) { return a.name < b.name; });
  return relations;
}

RelationKeys relation_keys(const IngestInput& input) {
  return {input.dialect, input.schema.default_schema.text(), input.sight};
}

std::unordered_map<std::string, const LoadedModel*> find_table_models(const IngestInput& input) {
  std::unordered_map<std::string, const LoadedModel*> models;
  const auto add = [&](bool own_name) {
    for (const LoadedModel& loaded : input.store.set.models) {
      if (loaded.model.data_source != input.data_source ||
          loaded.model.mode() != SourceMode::Table) {
        continue;
      }
      const std::optional<RelationName> relation =
          parse_relation(loaded.model.sql_table, input.dialect);
      if (relation && (!own_name || base::equals_ignoring_case(model_name_of(relation->name.text),
                                                               loaded.model.name))) {
        models.emplace(relation_keys(input).of(*relation), &loaded);
      }
    }
  };
  add(true);
  add(false);
  return models;
}

}  // namespace kedge::models
