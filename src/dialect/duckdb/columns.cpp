// Columns, constraints and indexes of a DuckDB database.
#include <algorithm>

#include "base/text.h"
#include "dialect/duckdb/catalog.h"

namespace kedge::dialect::duckdb {
namespace {

const std::string* find_fact(const std::vector<std::pair<std::string, std::string>>& facts,
                             const std::string& column) {
  for (const auto& [name, value] : facts) {
    if (base::equals_ignoring_case(name, column)) {
      return &value;
    }
  }
  return nullptr;
}

// CAST('x' AS TYPE) of a literal: what is between.
bool read_cast(std::string_view text, std::string& content, std::string& type) {
  const std::size_t as = text.rfind(" AS ");
  if (!text.starts_with("CAST(") || !text.ends_with(')') || as == std::string_view::npos) {
    return false;
  }
  type = std::string(text.substr(as + 4, text.size() - as - 5));
  return read_string_literal(base::trim(text.substr(5, as - 5)), content);
}

class ColumnReader {
 public:
  explicit ColumnReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    const Relation* relation = catalog_.find(row.text(0), row.text(1));
    if (relation == nullptr) {
      return;
    }
    const schema::Type type = get_dialect(schema::Dialect::Duckdb).parse_type(row.text(3));
    if (relation->is_view) {
      catalog_.schema.views[relation->place].columns.push_back(
          {Identifier(row.text(2)), type, row.text(6)});
      return;
    }
    schema::Table& table = catalog_.schema.tables[relation->place];
    schema::Column& column = table.columns.emplace_back();
    column.name = Identifier(row.text(2));
    column.type = type;
    column.nullable = row.flag(5);
    column.comment = row.text(6);
    if (const std::string* collation = find_fact(relation->facts.collations, row.text(2))) {
      column.collation = *collation;
    }
    if (const std::string* expression = find_fact(relation->facts.generated, row.text(2))) {
      column.generated =
          schema::Generated{std::string(without_outer_parentheses(*expression)), false};
    } else if (!row.is_null(4)) {
      read_default(row.text(4), row.text(0), table, column);
    }
  }

 private:
  void read_default(const std::string& text, const std::string& space, const schema::Table& table,
                    schema::Column& column) {
    const std::string own =
        base::replace_all(table.name.name.text() + "_" + column.name.text() + "_seq", "\"", "");
    const auto sequence = catalog_.sequences.find(Catalog::key(space, own));
    const bool is_uuid = text == "uuid()" || text == "gen_random_uuid()";
    if (sequence != catalog_.sequences.end() && is_next_value(text, own, space)) {
      column.identity = identity_of(sequence->second);
      catalog_.sequences.erase(sequence);
    } else if (is_uuid && column.type.kind == schema::TypeKind::Uuid) {
      column.identity = schema::Identity{};
      column.identity->kind = schema::Identity::Kind::Uuid;
    } else {
      column.default_value = default_of(text);
    }
  }

  static bool is_next_value(const std::string& text, const std::string& own,
                            const std::string& space) {
    std::string content;
    const bool call = text.starts_with("nextval(") && text.ends_with(')') &&
                      read_string_literal(text.substr(8, text.size() - 9), content);
    content = base::replace_all(std::move(content), "\"", "");
    return call && (content == own || content == space + "." + own);
  }

  static schema::Identity identity_of(const schema::Sequence& sequence) {
    schema::Identity identity;
    identity.sequence = sequence.name.name.text();
    identity.minimum = sequence.minimum;
    identity.maximum = sequence.maximum;
    identity.cycle = sequence.cycle;
    if (sequence.start !=
        (sequence.increment > 0 ? sequence.minimum.value_or(1) : sequence.maximum.value_or(-1))) {
      identity.start = sequence.start;
    }
    if (sequence.increment != 1) {
      identity.increment = sequence.increment;
    }
    return identity;
  }

  Catalog& catalog_;
};

std::vector<Identifier> identifiers(const std::string& list) {
  std::vector<Identifier> names;
  for (const std::string& name : split_list(list)) {
    names.emplace_back(name);
  }
  return names;
}

void add_constraint(Catalog& catalog, const RowView& row, schema::Table& table) {
  const std::string& type = row.text(2);
  const Identifier name(row.text(3));
  if (type == "PRIMARY KEY") {
    table.primary_key = schema::PrimaryKey{};
    table.primary_key->name = name;
    table.primary_key->columns = identifiers(row.text(4));
  } else if (type == "UNIQUE") {
    schema::Index& index = table.indexes.emplace_back();
    index.name = name;
    index.unique = true;
    index.constraint = schema::Index::Constraint::Unique;
    for (Identifier& column : identifiers(row.text(4))) {
      index.parts.emplace_back().column = std::move(column);
    }
  } else if (type == "FOREIGN KEY") {
    schema::ForeignKey& key = table.foreign_keys.emplace_back();
    key.name = name;
    key.columns = identifiers(row.text(4));
    key.referenced_table = catalog.name_of(row.text(0), row.text(6));
    key.referenced_columns = identifiers(row.text(7));
  } else if (type == "CHECK") {
    schema::Check& check = table.checks.emplace_back();
    check.name = name;
    check.expression = std::string(without_outer_parentheses(row.text(5)));
    if (auto membership = sql::find_membership(check.expression, schema::Dialect::Duckdb)) {
      check.column = Identifier(membership->column);
      check.members = std::move(membership->members);
    }
  }
}

}  // namespace

std::optional<schema::Default> default_of(const std::string& text) {
  using schema::Default;
  const std::string_view bare = without_outer_parentheses(text);
  std::string content;
  std::string type;
  if (bare.empty() || base::equals_ignoring_case(bare, "NULL")) {
    return std::nullopt;
  }
  if (read_string_literal(bare, content)) {
    return Default{Default::Kind::Literal, std::move(content)};
  }
  if (read_cast(bare, content, type)) {
    if (type == "BOOLEAN") {
      content = content == "t" ? "true" : content == "f" ? "false" : content;
    }
    return Default{Default::Kind::Literal, std::move(content)};
  }
  if (is_number(bare)) {
    return Default{Default::Kind::Literal, std::string(bare)};
  }
  return Default{Default::Kind::Expression, std::string(bare)};
}

void read_columns(db::Connection& connection, Catalog& catalog) {
  ColumnReader reader(catalog);
  read_rows(connection,
            "SELECT schema_name, table_name, column_name, data_type, column_default, is_nullable, "
            "comment FROM duckdb_columns() WHERE database_name = current_database() AND NOT "
            "internal ORDER BY schema_name, table_name, column_index",
            [&](const RowView& row) { reader.read(row); });
}

void read_constraints(db::Connection& connection, Catalog& catalog) {
  read_rows(connection,
            "SELECT schema_name, table_name, constraint_type, constraint_name, "
            "array_to_string(constraint_column_names, chr(31)), expression, referenced_table, "
            "array_to_string(referenced_column_names, chr(31)) FROM duckdb_constraints() WHERE "
            "database_name = current_database()",
            [&](const RowView& row) {
              const Relation* relation = catalog.find(row.text(0), row.text(1));
              if (relation != nullptr && !relation->is_view) {
                add_constraint(catalog, row, catalog.schema.tables[relation->place]);
              }
            });
}

void read_indexes(db::Connection& connection, Catalog& catalog) {
  read_rows(connection,
            "SELECT schema_name, table_name, index_name, is_unique, comment, sql FROM "
            "duckdb_indexes() WHERE database_name = current_database()",
            [&](const RowView& row) {
              const Relation* relation = catalog.find(row.text(0), row.text(1));
              if (relation == nullptr || relation->is_view) {
                return;
              }
              schema::Index& index = catalog.schema.tables[relation->place].indexes.emplace_back();
              index.name = Identifier(row.text(2));
              index.unique = row.flag(3);
              index.comment = row.text(4);
              index.definition.text = row.text(5);
              const sql::CreateIndexFacts facts =
                  sql::analyse_create_index(row.text(5), schema::Dialect::Duckdb);
              index.where = facts.where;
              for (const std::string& text : facts.all_parts) {
                schema::IndexPart& part = index.parts.emplace_back();
                const std::string bare(without_outer_parentheses(text));
                if (const auto name = sql::as_identifier(bare, schema::Dialect::Duckdb)) {
                  part.column = Identifier(name->text);
                } else {
                  part.expression = bare;
                }
              }
            });
}

}  // namespace kedge::dialect::duckdb
