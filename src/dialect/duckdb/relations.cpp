// Schemas, tables, views, sequences, types and macros of a DuckDB database.
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "dialect/dialects.h"
#include "dialect/duckdb/catalog.h"
#include "dialect/view_graph.h"
#include "dialect/view_stamp.h"

namespace kedge::dialect::duckdb {
namespace {

std::string_view without_semicolon(std::string_view text) {
  text = base::trim(text);
  return text.ends_with(';') ? base::trim(text.substr(0, text.size() - 1)) : text;
}

void add_table(Catalog& catalog, const RowView& row) {
  Relation& relation = catalog.relations[Catalog::key(row.text(1), row.text(2))];
  relation.place = catalog.schema.tables.size();
  relation.facts = sql::analyse_create_table(row.text(4), schema::Dialect::Duckdb);
  schema::Table& table = catalog.schema.tables.emplace_back();
  table.name = catalog.name_of(row.text(1), row.text(2));
  table.comment = row.text(3);
  table.definition.text = std::string(without_semicolon(row.text(4)));
  table.rows_estimate = row.integer(5);
}

void add_view(Catalog& catalog, const RowView& row) {
  Relation& relation = catalog.relations[Catalog::key(row.text(1), row.text(2))];
  relation.is_view = true;
  relation.place = catalog.schema.views.size();
  schema::View& view = catalog.schema.views.emplace_back();
  view.name = catalog.name_of(row.text(1), row.text(2));
  view.definition.text = std::string(without_semicolon(row.text(4)));
  view.body = sql::view_body(view.definition.text, schema::Dialect::Duckdb);
  read_view_columns(view.definition.text, schema::Dialect::Duckdb, view);
  read_comment_stamp(row.text(3), view);
}

void add_sequence(Catalog& catalog, const RowView& row) {
  schema::Sequence sequence;
  sequence.name = catalog.name_of(row.text(1), row.text(2));
  sequence.type = get_dialect(schema::Dialect::Duckdb).parse_type("BIGINT");
  sequence.comment = row.text(3);
  sequence.start = row.integer(4);
  sequence.increment = row.integer(5);
  const std::int64_t minimum = row.integer(6);
  const std::int64_t maximum = row.integer(7);
  const bool up = sequence.increment > 0;
  if (minimum != (up ? 1 : std::numeric_limits<std::int64_t>::min())) {
    sequence.minimum = minimum;
  }
  if (maximum != (up ? std::numeric_limits<std::int64_t>::max() : -1)) {
    sequence.maximum = maximum;
  }
  sequence.cycle = row.flag(8);
  catalog.sequences[Catalog::key(row.text(1), row.text(2))] = std::move(sequence);
}

void add_type(Catalog& catalog, const RowView& row) {
  const schema::Name name = catalog.name_of(row.text(1), row.text(2));
  if (row.text(9) == "ENUM") {
    catalog.schema.enums.push_back({name, split_list(row.text(10)), row.text(3)});
    return;
  }
  // An alias is used up when a column is made with it: the column keeps the type behind it.
  schema::DomainType alias;
  alias.name = name;
  alias.comment = row.text(3);
  catalog.schema.domains.push_back(std::move(alias));
}

// The macros, tables and views that a macro names: each must be there before it.
void find_macro_dependencies(schema::Schema& schema) {
  std::multimap<std::string, schema::Name> known;
  const auto know = [&](const schema::Name& name) {
    known.emplace(base::to_lower(name.name.text()), name);
  };
  for (const schema::Table& table : schema.tables) {
    know(table.name);
  }
  for (const schema::View& view : schema.views) {
    know(view.name);
  }
  for (const schema::DefinedObject& macro : schema.objects) {
    know(macro.name);
  }
  for (schema::DefinedObject& macro : schema.objects) {
    std::set<schema::Name> named;
    const std::string_view text = macro.definition;
    for (const sql::Token& token : sql::tokenize(text, schema::Dialect::Duckdb)) {
      std::string word(text.substr(token.begin, token.end - token.begin));
      if (word.size() > 1 && word.front() == '"') {
        word = base::replace_all(word.substr(1, word.size() - 2), "\"\"", "\"");
      }
      const auto [first, last] = known.equal_range(base::to_lower(word));
      for (auto found = first; found != last; ++found) {
        named.insert(found->second);
      }
    }
    named.erase(macro.name);
    macro.depends_on.assign(named.begin(), named.end());
  }
}

// The catalog tells the kind of the type behind an alias (STRUCT, DECIMAL), not the type.
void find_aliased_types(db::Connection& connection, std::vector<schema::DomainType>& aliases) {
  if (aliases.empty()) {
    return;
  }
  const Dialect& dialect = get_dialect(schema::Dialect::Duckdb);
  std::vector<std::string> types;
  types.reserve(aliases.size());
  for (const schema::DomainType& alias : aliases) {
    types.push_back("typeof(NULL::" + quote_name(dialect, alias.name) + ")");
  }
  std::size_t at = 0;
  read_rows(connection, "SELECT unnest([" + base::join(types, ", ") + "])",
            [&](const RowView& row) { aliases.at(at++).base = dialect.parse_type(row.text(0)); });
}

}  // namespace

schema::Name Catalog::name_of(const std::string& space, const std::string& name) const {
  const bool is_default = space == schema.default_schema.text();
  return {is_default ? Identifier() : Identifier(space), Identifier(name)};
}

std::string Catalog::key(const std::string& space, const std::string& name) {
  return space + kListSeparator + name;
}

Relation* Catalog::find(const std::string& space, const std::string& name) {
  const auto found = relations.find(key(space, name));
  return found == relations.end() ? nullptr : &found->second;
}

void read_relations(db::Connection& connection, const NameFilter& filter, Catalog& catalog) {
  static constexpr std::string_view kSql = R"(
SELECT 'schema', schema_name, current_schema(), comment, NULL, 0 FROM duckdb_schemas()
WHERE database_name = current_database() AND NOT internal
UNION ALL
SELECT 'table', schema_name, table_name, comment, sql, estimated_size FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL
SELECT 'view', schema_name, view_name, comment, sql, 0 FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal AND NOT temporary)";
  catalog.schema.default_schema = Identifier("main");
  read_rows(connection, kSql, [&](const RowView& row) {
    if (row.text(0) == "schema") {
      if (row.text(1) != "main" && filter.takes_schema(row.text(1))) {
        catalog.schema.namespaces.push_back({Identifier(row.text(1)), row.text(3)});
      }
    } else if (filter.takes_table(row.text(1), row.text(2))) {
      row.text(0) == "table" ? add_table(catalog, row) : add_view(catalog, row);
    }
  });
}

void read_sequences_and_types(db::Connection& connection, const NameFilter& filter,
                              Catalog& catalog) {
  static constexpr std::string_view kSql = R"(
SELECT 'sequence', schema_name, sequence_name, comment, start_value, increment_by, min_value,
       max_value, cycle, NULL, NULL
FROM duckdb_sequences() WHERE database_name = current_database() AND NOT temporary
UNION ALL
SELECT 'type', schema_name, type_name, comment, 0, 0, 0, 0, false, logical_type,
       array_to_string(labels, chr(31))
FROM duckdb_types() WHERE database_name = current_database() AND NOT internal)";
  read_rows(connection, kSql, [&](const RowView& row) {
    if (filter.takes_schema(row.text(1))) {
      row.text(0) == "sequence" ? add_sequence(catalog, row) : add_type(catalog, row);
    }
  });
  find_aliased_types(connection, catalog.schema.domains);
}

// One macro may have several forms: rows of one name and kind. The catalog does not tell the
// default values of parameters.
void read_macros(db::Connection& connection, const NameFilter& filter, Catalog& catalog) {
  static constexpr std::string_view kSql = R"(
SELECT schema_name, function_name, function_type, array_to_string(parameters, ', '),
       macro_definition, comment
FROM duckdb_functions() WHERE database_name = current_database() AND NOT internal
  AND function_type IN ('macro', 'table_macro')
ORDER BY schema_name, function_name, function_type, len(parameters))";
  const Dialect& dialect = get_dialect(schema::Dialect::Duckdb);
  std::string last;
  read_rows(connection, kSql, [&](const RowView& row) {
    if (!filter.takes_schema(row.text(0))) {
      return;
    }
    const std::string signature = "(" + row.text(3) + ")";
    const std::string body(without_semicolon(row.text(4)));
    const std::string form =
        signature + " AS " + (row.text(2) == "table_macro" ? "TABLE (" + body + ")" : body);
    const std::string key = row.text(2) + kListSeparator + Catalog::key(row.text(0), row.text(1));
    if (key == last) {
      catalog.schema.objects.back().signature += ", " + signature;
      catalog.schema.objects.back().definition += ", " + form;
      return;
    }
    last = key;
    schema::DefinedObject& macro = catalog.schema.objects.emplace_back();
    macro.kind = schema::ObjectKind::Macro;
    macro.name = catalog.name_of(row.text(0), row.text(1));
    macro.signature = signature;
    macro.definition = "CREATE MACRO " + quote_name(dialect, macro.name) + form;
    macro.options = row.text(2) == "table_macro"
                        ? std::map<std::string, std::string>{{"table", "true"}}
                        : std::map<std::string, std::string>{};
    macro.comment = row.text(5);
  });
  find_macro_dependencies(catalog.schema);
}

}  // namespace kedge::dialect::duckdb
