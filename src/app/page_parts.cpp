#include "app/page_parts.h"

#include <algorithm>
#include <future>
#include <set>

#include "app/connections.h"
#include "app/source.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

struct Looked {
  DatabaseState state;
  std::optional<schema::Schema> schema;
};

Looked look_at(const Context& context, const std::string& connection) {
  Looked looked;
  looked.state.connection = connection;
  try {
    Source source = load_source(context, connection, {});
    looked.state.product = source.schema.engine.product;
    looked.state.version = source.schema.engine.version;
    looked.state.tables = source.schema.tables.size();
    looked.state.views = source.schema.views.size();
    looked.schema = std::move(source.schema);
  } catch (const Error& error) {
    looked.state.error = error.what();
  }
  return looked;
}

std::vector<Looked> look_at_databases(const Context& context) {
  const project::ConnectionsLoad loaded =
      project::load_connections(context.files, context.environment, context.folder);
  std::vector<std::future<Looked>> running;
  for (const project::Connection& connection : loaded.connections.connections) {
    if (connection.is_database()) {
      running.push_back(
          std::async(std::launch::async, look_at, std::cref(context), connection.name));
    }
  }
  std::vector<Looked> result;
  for (std::future<Looked>& one : running) {
    result.push_back(one.get());
  }
  return result;
}

bool is_key(const schema::Table& table, const Identifier& column) {
  return table.primary_key &&
         std::find(table.primary_key->columns.begin(), table.primary_key->columns.end(), column) !=
             table.primary_key->columns.end();
}

void draw(const schema::Schema& shape, PageParts& parts) {
  std::set<std::string> drifted_tables;
  std::set<std::pair<std::string, std::string>> drifted_columns;
  if (parts.difference) {
    for (const migrate::PlannedChange& planned : parts.difference->plan.changes) {
      const std::string table = to_string(subject_of(planned.change));
      drifted_tables.insert(table);
      drifted_columns.insert({table, part_of(planned.change)});
    }
  }
  for (const schema::Table& table : shape.tables) {
    EntityPicture picture;
    picture.name = to_string(table.name);
    picture.drifted = drifted_tables.contains(picture.name);
    for (const schema::Column& column : table.columns) {
      const std::string type =
          column.type.native.empty() ? to_string(column.type) : column.type.native;
      picture.columns.push_back({column.name.text(), type, is_key(table, column.name),
                                 drifted_columns.contains({picture.name, column.name.text()})});
    }
    parts.entities.push_back(std::move(picture));
    for (const schema::ForeignKey& key : table.foreign_keys) {
      RelationPicture relation{to_string(table.name), to_string(key.referenced_table), {}};
      for (const Identifier& column : key.columns) {
        relation.columns.push_back(column.text());
      }
      parts.relations.push_back(std::move(relation));
    }
  }
}

std::optional<schema::Schema> declared_shape(const Context& context, schema::Dialect dialect) {
  try {
    SourceOptions options;
    options.dialect = dialect;
    return load_source(context, "metadata:", options).schema;
  } catch (const Error&) {
    return std::nullopt;  // no metadata, or broken: the check says so
  }
}

}  // namespace

PageParts collect_page_parts(Context& context, const CheckResult& check) {
  PageParts parts;
  std::vector<Looked> databases = look_at_databases(context);
  const project::ProjectLoad loaded =
      project::load_project(context.files, context.environment, context.folder);
  const std::optional<project::Text>& target = loaded.project.migrate.target;
  std::optional<schema::Schema> picture;
  for (Looked& looked : databases) {
    if (target && looked.schema && looked.state.connection == target->text) {
      picture = declared_shape(context, looked.schema->engine.dialect);
      try {
        DiffRequest request;
        request.from = target->text;
        request.to = "metadata:";
        parts.difference = compare_sources(context, request);
      } catch (const Error&) {
        parts.difference.reset();
      }
    }
    parts.databases.push_back(looked.state);
  }
  for (Looked& looked : databases) {
    if (!picture && looked.schema) {
      picture = std::move(looked.schema);
    }
  }
  if (picture) {
    draw(*picture, parts);
  }
  const bool has_contracts = std::any_of(
      check.guards.begin(), check.guards.end(),
      [](const GuardReport& guard) { return guard.guard == "contracts" && guard.present; });
  if (has_contracts) {
    try {
      parts.contracts = show_schemas(context, {}).schemas;
    } catch (const Error&) {
      parts.contracts.clear();
    }
  }
  return parts;
}

}  // namespace kedge::app
