#include "metadata/expected.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/graph.h"
#include "base/text.h"
#include "metadata/build.h"
#include "metadata/check.h"
#include "metadata/expected_table.h"
#include "metadata/view_sql.h"

namespace kedge::metadata {
namespace {

bool is_default_schema(const std::string& name, schema::Dialect dialect) {
  return name.empty() || (dialect == schema::Dialect::Postgres && name == "public") ||
         ((dialect == schema::Dialect::Duckdb || schema::is_sqlite(dialect)) && name == "main");
}

class ExpectedBuilder {
 public:
  ExpectedBuilder(const Model& model, schema::Dialect dialect, CommentPolicy comments)
      : model_(model), writer_(dialect), comments_(comments) {}

  Expected run() {
    out_.schema.engine.dialect = writer_.dialect();
    for (const Object& object : model_.objects) {
      if (!object.is_abstract) {
        add_object(object);
      }
    }
    namespaces();
    index_names();
    if (writer_.is_duckdb()) {
      constraints_under_references();
      refuse_circles();
    }
    schema::normalise(out_.schema);
    out_.diagnostics = diagnostics_.take_sorted();
    return std::move(out_);
  }

 private:
  void add_object(const Object& object) {
    for (const Source& source : object.sources) {
      schema_supported(source);
    }
    if (object.table_owner == object.qualified_name) {
      table(object);
    }
    if (object.kind == Object::Kind::Projection || object.kind == Object::Kind::Entity) {
      for (const Source& source : object.sources) {
        view(object, source);
      }
    }
  }

  void schema_supported(const Source& source) {
    if (writer_.is_too_long(source.schema)) {
      diagnostics_.error(codes::ERR_NAME_TOO_LONG,
                         "'" + source.schema + "' is longer than " + writer_.limit_words(),
                         source.place);
    }
    if (writer_.is_sqlite() && !is_default_schema(source.schema, writer_.dialect())) {
      diagnostics_.error(
          codes::ERR_SCHEMA_UNSUPPORTED,
          schema::to_string(writer_.dialect()) + " has no schema '" + source.schema + "'",
          source.place);
    }
  }

  // False when another declaration has the name already.
  bool claim(const schema::Name& name, const Object& object, const Place& place) {
    const schema::Name folded = {name.schema, Identifier(writer_.is_sqlite() || writer_.is_duckdb()
                                                             ? base::to_lower(name.name.text())
                                                             : name.name.text())};
    const auto [first, fresh] = claimed_.emplace(folded, Owner{object.qualified_name, place});
    if (!fresh) {
      diagnostics_
          .error(codes::ERR_DUPLICATE_SQL_NAME,
                 "'" + object.qualified_name + "' and '" + first->second.object +
                     "' are both called '" + schema::to_string(name) + "' in the database",
                 place)
          .finding.problem.notes.push_back({"the other one", first->second.place.where});
      return false;
    }
    out_.owners.emplace(name, Owner{object.qualified_name, place});
    return true;
  }

  void table(const Object& object) {
    const Source& source = *primary_source(object);
    const schema::Name name = table_name(object, source, writer_.dialect());
    if (!claim(name, object, source.place)) {
      return;
    }
    if (source.unmanaged && source.own) {
      out_.external.push_back(name);
      return;
    }
    out_.schema.tables.push_back(build_table(model_, object, writer_, comments_, diagnostics_));
    const ColumnMap columns(model_, object, writer_);
    LeftAlone leave{{source.leave.begin(), source.leave.end()}, {}};
    for (const PhysicalColumn& column : columns.columns()) {
      if (column.field->leave) {
        leave.columns.insert(Identifier(column.name));
      }
    }
    if (!leave.parts.empty() || !leave.columns.empty()) {
      out_.leave.emplace(name, std::move(leave));
    }
    former(object, name, columns);
  }

  void former(const Object& object, const schema::Name& name, const ColumnMap& columns) {
    for (const std::string& old : object.former_names) {
      out_.former_tables.push_back({{name.schema, Identifier(old)}, name});
    }
    for (const PhysicalColumn& column : columns.columns()) {
      for (const std::string& old : column.field->former_names) {
        if (!column.flattened) {
          out_.former_columns.push_back({name, Identifier(old), Identifier(column.name)});
        }
      }
    }
  }

  void view(const Object& object, const Source& source) {
    const bool is_view =
        source.kind == Source::Kind::View || source.kind == Source::Kind::MaterializedView;
    if (!is_view || (object.kind == Object::Kind::Entity && !source.own)) {
      return;
    }
    const schema::Name name = table_name(object, source, writer_.dialect());
    if (source.has_physical_name && writer_.is_too_long(source.physical)) {
      diagnostics_.error(codes::ERR_NAME_TOO_LONG,
                         "'" + source.physical + "' is longer than " + writer_.limit_words(),
                         source.place);
    }
    if (source.sql && source.kind == Source::Kind::MaterializedView && !writer_.is_postgres()) {
      diagnostics_.error(codes::ERR_SQL_BODY_KIND_UNSUPPORTED,
                         schema::to_string(writer_.dialect()) + " has no materialized views",
                         source.place);
    }
    const std::string problem =
        source.sql ? sql_part_problem(*source.sql, SqlPart::Body, writer_.dialect()) : "";
    if (!problem.empty()) {
      diagnostics_.error(codes::ERR_BAD_ATTR_VALUE, "'@sql' " + problem, source.place);
      return;
    }
    if (!claim(name, object, source.place)) {
      return;
    }
    auto built =
        source.unmanaged ? std::nullopt : build_view(model_, object, source, writer_, diagnostics_);
    if (!built) {
      out_.external.push_back(name);
      return;
    }
    if (comments_ == CommentPolicy::Keep && (writer_.is_postgres() || writer_.is_duckdb())) {
      built->comment = object.documentation.description;
    }
    out_.schema.views.push_back(std::move(*built));
  }

  void namespaces() {
    std::set<Identifier> names;
    for (const schema::Table& table : out_.schema.tables) {
      names.insert(table.name.schema);
    }
    for (const schema::View& view : out_.schema.views) {
      names.insert(view.name.schema);
    }
    for (const Identifier& name : names) {
      if (!name.empty()) {
        out_.schema.namespaces.push_back({name, ""});
      }
    }
  }

  // A reference of DuckDB stands on a constraint of the table, never on an index.
  void constraints_under_references() {
    std::map<schema::Name, schema::Table*> tables;
    for (schema::Table& table : out_.schema.tables) {
      tables.emplace(table.name, &table);
    }
    for (const schema::Table& child : out_.schema.tables) {
      for (const schema::ForeignKey& key : child.foreign_keys) {
        const auto parent = tables.find(key.referenced_table);
        if (parent == tables.end()) {
          continue;
        }
        for (schema::Index& index : parent->second->indexes) {
          if (is_unique_over(index, key.referenced_columns)) {
            index.constraint = schema::Index::Constraint::Unique;
          }
        }
      }
    }
  }
  // DuckDB makes a reference with its table only, so each table must be there before those that
  // name it (spec/migrate.md 8.6).
  void refuse_circles() {
    const std::vector<schema::Table>& tables = out_.schema.tables;
    std::map<schema::Name, std::size_t> places;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      places.emplace(tables[i].name, i);
    }
    base::Graph graph(tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const schema::ForeignKey& key : tables[i].foreign_keys) {
        const auto parent = places.find(key.referenced_table);
        if (parent != places.end() && parent->second != i) {
          graph.add_edge(parent->second, i);
        }
      }
    }
    for (const std::vector<std::size_t>& circle : base::strong_components(graph)) {
      if (circle.size() < 2) {
        continue;
      }
      std::vector<std::string> names;
      for (const std::size_t table : circle) {
        names.push_back(schema::to_string(tables[table].name));
      }
      const auto owner = out_.owners.find(tables[circle.front()].name);
      diagnostics_.error(codes::ERR_UNSUPPORTED,
                         "the tables " + base::join(names, ", ") +
                             " reference one another: duckdb makes a reference with its table only",
                         owner == out_.owners.end() ? Place() : owner->second.place,
                         "write enforce: false on one of the references");
    }
  }
  static bool is_unique_over(const schema::Index& index, const std::vector<Identifier>& columns) {
    return index.unique && index.where.empty() &&
           std::is_permutation(
               index.parts.begin(), index.parts.end(), columns.begin(), columns.end(),
               [](const auto& a, const auto& b) { return column_of(a) == column_of(b); });
  }
  static const Identifier& column_of(const schema::IndexPart& part) { return part.column; }
  static const Identifier& column_of(const Identifier& column) { return column; }

  // One namespace for the tables, views and indexes of a postgres or sqlite schema, keys included
  // on postgres; one for the indexes of a table on mysql. Names of constraints per table.
  void index_names() {
    std::map<std::string, std::string> seen;
    if (writer_.is_postgres() || writer_.is_sqlite()) {
      for (const auto& [name, owner] : out_.owners) {
        seen.emplace(name.schema.text() + "|" + folded(name.name), schema::to_string(name));
      }
    }
    for (const schema::Table& table : out_.schema.tables) {
      if (writer_.is_postgres() && table.primary_key) {
        duplicate(seen, table.name.schema.text() + "|" + table.primary_key->name.text(), table,
                  "index '" + table.primary_key->name.text() + "'");
      }
    }
    for (const schema::Table& table : out_.schema.tables) {
      for (const schema::Index& index : table.indexes) {
        const std::string scope =
            writer_.is_mysql() ? schema::to_string(table.name) : table.name.schema.text();
        duplicate(seen, scope + "|" + folded(index.name), table,
                  "index '" + index.name.text() + "'");
      }
      std::map<std::string, std::string> own;
      for (const schema::Check& check : table.checks) {
        duplicate(own, check.name.text(), table, "constraint '" + check.name.text() + "'");
      }
      for (const schema::ForeignKey& key : table.foreign_keys) {
        if (own.contains(key.name.text())) {
          duplicate(own, key.name.text(), table, "constraint '" + key.name.text() + "'");
        }
      }
    }
  }

  std::string folded(const Identifier& name) const {
    return writer_.is_sqlite() ? base::to_lower(name.text()) : name.text();
  }

  void duplicate(std::map<std::string, std::string>& seen, const std::string& key,
                 const schema::Table& table, const std::string& what) {
    const auto [first, fresh] = seen.emplace(key, schema::to_string(table.name));
    if (fresh) {
      return;
    }
    const auto owner = out_.owners.find(table.name);
    Diagnostic& diagnostic =
        diagnostics_.error(codes::ERR_DUPLICATE_SQL_NAME,
                           what + " is a name twice in the database: of '" + first->second +
                               "' and of '" + schema::to_string(table.name) + "'",
                           owner == out_.owners.end() ? Place{} : owner->second.place);
    for (const auto& [name, other] : out_.owners) {
      if (schema::to_string(name) == first->second && name != table.name) {
        diagnostic.finding.problem.notes.push_back({"the other one", other.place.where});
      }
    }
  }

  const Model& model_;
  Writer writer_;
  CommentPolicy comments_;
  Diagnostics diagnostics_;
  Expected out_;
  std::map<schema::Name, Owner> claimed_;
};

}  // namespace

std::string label_of(const schema::Check& check) {
  return check.name.empty() ? check.expression : check.name.text();
}

std::string label_of(const schema::ForeignKey& key) {
  std::vector<std::string> columns;
  for (const Identifier& column : key.columns) {
    columns.push_back(column.text());
  }
  return key.name.empty() ? "(" + base::join(columns, ", ") + ")" : key.name.text();
}

bool Expected::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.is_error(); });
}

std::string view_fingerprint(std::string_view body) {
  std::string out;
  char quote = 0;
  for (const char c : body) {
    if (quote != 0) {
      out += c;
      quote = c == quote ? '\0' : quote;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!out.empty() && out.back() != ' ') {
        out += ' ';
      }
      continue;
    }
    quote = c == '\'' || c == '"' || c == '`' ? c : '\0';
    out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ';')) {
    out.pop_back();
  }
  return base::sha256_hex(out);
}

Expected build_expected(const Model& model, schema::Dialect dialect, CommentPolicy comments) {
  return ExpectedBuilder(model, dialect, comments).run();
}

}  // namespace kedge::metadata
