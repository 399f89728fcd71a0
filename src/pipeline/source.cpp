#include "pipeline/source.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "dialect/ddl.h"
#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

using contracts::FetchedColumn;
using contracts::FetchedShape;

contracts::ActualSide side_of(schema::Dialect dialect) {
  return schema::is_sqlite(dialect) ? contracts::ActualSide::IntegerAffinity
                                    : contracts::ActualSide::Typed;
}

// Where rows are: the dialect of the connection, and what the project knows beyond it.
struct Place {
  schema::Dialect dialect;
  contracts::System system = contracts::System::Generic;
};

schema::Type duckdb_type_of(const Place& place, const schema::Type& type,
                            const std::string& native) {
  const schema::Dialect dialect = place.dialect;
  if (place.system == contracts::System::SqlServer) {
    return contracts::duckdb_type(contracts::type_name(dialect::sqlserver_to_duckdb(type)));
  }
  if (dialect == schema::Dialect::Duckdb) {
    return contracts::duckdb_type(native.empty() ? contracts::type_name(type) : native);
  }
  return contracts::duckdb_type(contracts::type_name(dialect::to_duckdb(dialect, type)));
}

// `native` may be empty where the driver gives only a canonical type.
FetchedColumn fetched_column(const Place& place, const std::string& name, const schema::Type& type,
                             const std::string& native) {
  FetchedColumn column;
  column.name = name;
  column.native = native.empty() ? type.native : native;
  column.type = duckdb_type_of(place, type, column.native);
  return column;
}

std::vector<std::string> names_of(const std::vector<Identifier>& columns) {
  std::vector<std::string> names;
  for (const Identifier& column : columns) {
    names.push_back(column.text());
  }
  return names;
}

void add_keys(const schema::Table& table, contracts::Target& target) {
  if (table.primary_key) {
    target.unique_keys.push_back(names_of(table.primary_key->columns));
  }
  for (const schema::Index& index : table.indexes) {
    target.has_index = target.has_index || index.constraint == schema::Index::Constraint::None;
    std::vector<std::string> columns;
    for (const schema::IndexPart& part : index.parts) {
      columns.push_back(part.column.text());
    }
    const bool plain = index.unique && index.where.empty() &&
                       std::find(columns.begin(), columns.end(), "") == columns.end();
    if (plain) {
      target.unique_keys.push_back(std::move(columns));
    }
  }
}

std::string lock_of(const schema::Table& table, const Identifier& column) {
  const auto in = [&](const std::vector<Identifier>& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (table.primary_key && in(table.primary_key->columns)) {
    return "the primary key";
  }
  for (const schema::Index& index : table.indexes) {
    const bool part = std::any_of(index.parts.begin(), index.parts.end(),
                                  [&](const schema::IndexPart& p) { return p.column == column; });
    if (index.unique && part) {
      return "a unique key";
    }
  }
  for (const schema::ForeignKey& key : table.foreign_keys) {
    if (in(key.columns)) {
      return "a foreign key";
    }
  }
  return "";
}

// What MySQL and SQL Server forget of a column whose type is said anew without it.
std::string clauses_of(const schema::Table& table, const schema::Column& column, const Place& at) {
  if (at.system == contracts::System::SqlServer) {
    return column.nullable ? "" : " NOT NULL";
  }
  if (at.dialect != schema::Dialect::Mysql) {
    return "";
  }
  const dialect::Ddl& ddl = dialect::get_ddl(at.dialect);
  const std::string head = ddl.quote(column.name) + " " + ddl.type(column.type);
  return ddl.column(column, table).substr(head.size());
}

// Digits of a second that a column keeps, where it keeps fewer than the six of DuckDB.
std::optional<int> fraction_of(const schema::Type& type, schema::Dialect dialect) {
  const bool moment = type.kind == schema::TypeKind::Timestamp ||
                      type.kind == schema::TypeKind::TimestampTz ||
                      type.kind == schema::TypeKind::Time;
  constexpr int kAll = 6;
  int digits = kAll;
  if (dialect == schema::Dialect::Postgres) {
    digits = type.precision.value_or(kAll);
  } else if (dialect == schema::Dialect::Mysql) {
    digits = type.precision.value_or(0);
  }
  return moment && digits < kAll ? std::optional(digits) : std::nullopt;
}

contracts::Target target_of(const schema::Schema& schema, const schema::Table& table,
                            contracts::System system) {
  contracts::Target target;
  add_keys(table, target);
  for (const schema::Column& column : table.columns) {
    const FetchedColumn fetched = fetched_column(
        {schema.engine.dialect, system}, column.name.text(), column.type, column.type.native);
    contracts::TargetColumn found;
    found.name = fetched.name;
    found.type = fetched.type;
    found.native = fetched.native.empty()
                       ? dialect::get_dialect(schema.engine.dialect).type_name(column.type)
                       : fetched.native;
    found.nullable = column.nullable;
    found.has_default = column.default_value || column.identity || column.generated;
    found.generated = column.generated.has_value();
    found.locked_by = lock_of(table, column.name);
    found.fraction = fraction_of(column.type, schema.engine.dialect);
    found.clauses = clauses_of(table, column, {schema.engine.dialect, system});
    target.columns.push_back(std::move(found));
  }
  return target;
}

}  // namespace

namespace {

// Names as the database compares them where a statement names them unquoted.
bool is_entity(const schema::Schema& schema, const schema::Name& found,
               const schema::Name& wanted) {
  const auto same = [&](const Identifier& a, const Identifier& b) {
    return schema.engine.dialect == schema::Dialect::Postgres
               ? a == b
               : base::equals_ignoring_case(a.text(), b.text());
  };
  const bool here = same(found.schema, wanted.schema) ||
                    (found.schema.empty() && same(schema.default_schema, wanted.schema)) ||
                    (wanted.schema.empty() && same(schema.default_schema, found.schema));
  return here && same(found.name, wanted.name);
}

}  // namespace

const schema::Table* find_entity(const schema::Schema& schema, const schema::Name& wanted) {
  const auto found = std::find_if(
      schema.tables.begin(), schema.tables.end(),
      [&](const schema::Table& table) { return is_entity(schema, table.name, wanted); });
  return found == schema.tables.end() ? nullptr : &*found;
}

const schema::View* find_entity_view(const schema::Schema& schema, const schema::Name& wanted) {
  const auto found =
      std::find_if(schema.views.begin(), schema.views.end(),
                   [&](const schema::View& view) { return is_entity(schema, view.name, wanted); });
  return found == schema.views.end() ? nullptr : &*found;
}

schema::Name entity_name(const std::string& entity) {
  const std::size_t dot = entity.find('.');
  if (dot == std::string::npos) {
    return {Identifier(), Identifier(entity)};
  }
  return {Identifier(entity.substr(0, dot)), Identifier(entity.substr(dot + 1))};
}

std::string quote_entity(const db::Connection& connection, const std::string& entity) {
  return dialect::quote_name(dialect::get_dialect(connection.dialect()), entity_name(entity));
}

std::string quote_column(const db::Connection& connection, const std::string& column) {
  return dialect::get_dialect(connection.dialect()).quote(Identifier(column));
}

FetchedShape fetched_of(schema::Dialect dialect, const schema::Table& table) {
  FetchedShape shape;
  shape.side = side_of(dialect);
  for (const schema::Column& column : table.columns) {
    shape.columns.push_back(
        fetched_column({dialect}, column.name.text(), column.type, column.type.native));
    shape.columns.back().nullable = column.nullable;
  }
  return shape;
}

FetchedShape fetched_of(schema::Dialect dialect, const schema::View& view) {
  FetchedShape shape;
  shape.side = side_of(dialect);
  for (const schema::ViewColumn& column : view.columns) {
    shape.columns.push_back(
        fetched_column({dialect}, column.name.text(), column.type, column.type.native));
  }
  return shape;
}

namespace {

// D1 hands rows over without types: a table's are in its catalog.
std::optional<FetchedShape> declared_shape(db::Connection& connection, const ReadSpec& read) {
  if (connection.dialect() != schema::Dialect::D1 || !read.query.empty()) {
    return std::nullopt;
  }
  const schema::Name name = entity_name(read.entity);
  dialect::IntrospectScope scope;
  scope.definitions = false;
  scope.tables = {schema::to_string(name)};
  const schema::Schema schema =
      dialect::get_dialect(schema::Dialect::D1).introspect(connection, scope);
  const schema::Table* table = find_entity(schema, name);
  return table == nullptr ? std::nullopt : std::optional(fetched_of(connection.dialect(), *table));
}

}  // namespace

FetchedShape describe_entity(db::Connection& connection, const ReadSpec& read) {
  const std::string from = read.query.empty() ? quote_entity(connection, read.entity)
                                              : "(" + read.query + "\n) AS kedge_query";
  FetchedShape shape;
  shape.side = side_of(connection.dialect());
  try {
    if (std::optional<FetchedShape> declared = declared_shape(connection, read)) {
      return std::move(*declared);
    }
    for (const db::ResultColumn& column : connection.describe("SELECT * FROM " + from)) {
      shape.columns.push_back(fetched_column({connection.dialect(), read.system}, column.name,
                                             column.type, column.native_type));
    }
  } catch (const db::DatabaseError& error) {
    throw db::DatabaseError(
        {codes::PZ0330,
         "entity '" + read.label + "': cannot fetch its schema: " + error.driver_message(),
         read.where,
         "",
         {{error.driver_message(), std::nullopt}}},
        error.failure(), error.native_code());
  }
  return shape;
}

std::optional<contracts::Target> target_in(const schema::Schema& schema, const WriteSpec& write) {
  const schema::Name name = entity_name(write.entity);
  if (const schema::Table* table = find_entity(schema, name)) {
    return target_of(schema, *table, write.system);
  }
  if (find_entity_view(schema, name) != nullptr) {
    contracts::Target target;
    target.is_view = true;
    return target;
  }
  return std::nullopt;
}

void lock_viewed_columns(db::Connection& connection,
                         const std::map<std::string, contracts::Target*>& targets) {
  if (connection.dialect() != schema::Dialect::Postgres || targets.empty()) {
    return;
  }
  std::string list;
  std::vector<db::Value> names;
  std::vector<contracts::Target*> asked;
  for (const auto& [entity, target] : targets) {
    asked.push_back(target);
    names.emplace_back(quote_entity(connection, entity));
    list += (list.empty() ? "(" : ", (") + std::to_string(asked.size() - 1) + ", $" +
            std::to_string(asked.size()) + ")";
  }
  const db::ResultSet rows = connection.query(
      "SELECT DISTINCT t.n, a.attname FROM (VALUES " + list +
          ") AS t (n, name) JOIN pg_catalog.pg_depend d ON d.refobjid = "
          "pg_catalog.to_regclass(t.name) "
          "JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid "
          "JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid "
          "WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass "
          "AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass "
          "AND r.ev_class <> d.refobjid",
      names);
  for (const db::Row& row : rows.rows) {
    const auto index = static_cast<std::size_t>(db::to_integer(row[0]).value_or(0));
    for (contracts::TargetColumn& column : asked.at(index)->columns) {
      if (column.name == db::to_text(row[1]) && column.locked_by.empty()) {
        column.locked_by = "a view";
      }
    }
  }
}

std::optional<contracts::Target> find_target(db::Connection& connection, const WriteSpec& write) {
  const schema::Name name = entity_name(write.entity);
  dialect::IntrospectScope scope;
  scope.definitions = false;
  scope.tables = {schema::to_string(name)};
  const schema::Schema schema =
      dialect::get_dialect(connection.dialect()).introspect(connection, scope);
  std::optional<contracts::Target> target = target_in(schema, write);
  if (target) {
    lock_viewed_columns(connection, {{write.entity, &*target}});
  }
  return target;
}

}  // namespace kedge::pipeline
