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

std::string type_text(const schema::Column& column) {
  return (column.type.native.empty() ? to_string(column.type) : column.type.native) +
         (column.nullable ? "" : " NOT NULL");
}

// describe() without the sign that opens it.
std::string unsigned_text(const Change& change) {
  const std::string text = describe(change);
  return text.size() > 2 && text[1] == ' ' ? text.substr(2) : text;
}

LineState state_of(const Change& change) {
  const char sign = sign_of(change);
  return sign == '+' ? LineState::Added : sign == '-' ? LineState::Removed : LineState::Changed;
}

SideLine line_of(const Change& change) {
  const LineState state = state_of(change);
  return {state == LineState::Added ? "" : unsigned_text(reverse(change)),
          state == LineState::Removed ? "" : unsigned_text(change), state};
}

// Every column of a table that is on both sides, so that a change stands in its surroundings.
std::vector<SideLine> column_lines(const schema::Table& live, const schema::Table& declared,
                                   const std::set<std::string>& drifted) {
  std::vector<SideLine> lines;
  for (const schema::Column& column : declared.columns) {
    const schema::Column* there = schema::find_column(live, column.name);
    const std::string right = column.name.text() + "  " + type_text(column);
    if (there == nullptr) {
      lines.push_back({"", right, LineState::Added});
    } else if (drifted.contains(column.name.text())) {
      lines.push_back({column.name.text() + "  " + type_text(*there), right, LineState::Changed});
    } else {
      lines.push_back({right, right, LineState::Same});
    }
  }
  for (const schema::Column& column : live.columns) {
    if (schema::find_column(declared, column.name) == nullptr) {
      lines.push_back({column.name.text() + "  " + type_text(column), "", LineState::Removed});
    }
  }
  return lines;
}

std::vector<ObjectSides> sides_of(const schema::Schema& live, const schema::Schema& declared,
                                  const std::vector<migrate::PlannedChange>& changes) {
  std::vector<ObjectSides> sides;
  std::set<schema::Name> done;
  for (const migrate::PlannedChange& planned : changes) {
    const schema::Name name = subject_of(planned.change);
    if (!done.insert(name).second) {
      continue;
    }
    const schema::Table* left = schema::find_table(live, name);
    const schema::Table* right = schema::find_table(declared, name);
    const bool both = left != nullptr && right != nullptr;
    ObjectSides object{to_string(name), both ? LineState::Changed : state_of(planned.change), {}};
    std::set<std::string> drifted;
    std::vector<SideLine> others;
    for (const migrate::PlannedChange& other : changes) {
      if (subject_of(other.change) != name) {
        continue;
      }
      const Identifier part(part_of(other.change));
      const bool is_column = both && (schema::find_column(*left, part) != nullptr ||
                                      schema::find_column(*right, part) != nullptr);
      if (is_column) {
        drifted.insert(part.text());
      } else {
        others.push_back(line_of(other.change));
      }
    }
    if (both) {
      object.lines = column_lines(*left, *right, drifted);
    }
    object.lines.insert(object.lines.end(), others.begin(), others.end());
    sides.push_back(std::move(object));
  }
  return sides;
}

// Columns of the live database that the declaration of a drifted entity does not have.
void draw_undeclared(const schema::Schema& live, PageParts& parts) {
  for (EntityPicture& picture : parts.entities) {
    for (const schema::Table& table : live.tables) {
      if (!picture.drifted || to_string(table.name) != picture.name) {
        continue;
      }
      for (const schema::Column& column : table.columns) {
        const bool declared =
            std::any_of(picture.columns.begin(), picture.columns.end(),
                        [&](const EntityColumn& each) { return each.name == column.name.text(); });
        if (!declared) {
          picture.columns.push_back(
              {column.name.text(), "not declared", is_key(table, column.name), true, true});
        }
      }
    }
  }
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
                                 drifted_columns.contains({picture.name, column.name.text()}),
                                 false});
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

// Entities that connections.yml declares and no run has left a trace of.
std::vector<std::string> declared_only(const Context& context,
                                       const std::vector<ShownSchema>& known) {
  std::vector<std::string> names;
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  for (const project::Connection& connection : loaded.connections.connections) {
    for (const project::Entity& entity : connection.entities) {
      const std::string name = connection.name + "." + entity.name;
      if (std::none_of(known.begin(), known.end(),
                       [&](const ShownSchema& one) { return one.entity == name; })) {
        names.push_back(name);
      }
    }
  }
  return names;
}

}  // namespace

PageParts collect_page_parts(Context& asked, const CheckResult& check) {
  dialect::Catalogs catalogs(dialect::Detail::Definitions);  // the comparison reads the same shapes
  Context context = asked;
  context.catalogs = &catalogs;
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
        if (picture) {
          parts.sides = sides_of(*looked.schema, *picture, parts.difference->plan.changes);
        }
      } catch (const Error&) {
        parts.difference.reset();
      }
    }
    parts.databases.push_back(looked.state);
  }
  for (Looked& looked : databases) {
    if (!picture && looked.schema) {
      picture = looked.schema;
    }
  }
  if (picture) {
    draw(*picture, parts);
  }
  for (const Looked& looked : databases) {
    if (target && looked.schema && looked.state.connection == target->text) {
      draw_undeclared(*looked.schema, parts);
    }
  }
  const bool has_contracts = std::any_of(
      check.guards.begin(), check.guards.end(),
      [](const GuardReport& guard) { return guard.guard == "contracts" && guard.present; });
  if (has_contracts) {
    try {
      parts.contracts = show_schemas(context, {}).schemas;
      parts.declared = declared_only(context, parts.contracts);
    } catch (const Error&) {
      parts.contracts.clear();
    }
  }
  return parts;
}

}  // namespace kedge::app
