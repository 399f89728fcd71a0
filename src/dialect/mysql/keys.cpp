// Indexes, foreign keys and CHECKs.
#include <algorithm>

#include "base/text.h"
#include "dialect/mysql/catalog.h"

namespace kedge::dialect::mysql {
namespace {

enum Field : std::size_t {
  kSchema,
  kTable,
  kIndex,
  kNotUnique,
  kColumn,
  kOrder,
  kPrefix,
  kMethod,
  kComment,
  kExpression,
  kIgnored
};

class IndexReader {
 public:
  explicit IndexReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    schema::Table* table = catalog_.table(row.text(kSchema), row.text(kTable));
    if (table == nullptr) {
      return;
    }
    if (row.text(kIndex) == "PRIMARY") {
      read_key(row, *table);
      return;
    }
    if (table != table_ || table->indexes.empty() ||
        table->indexes.back().name.text() != row.text(kIndex)) {
      open(row, *table);
    }
    table_ = table;
    read_part(row, table->indexes.back());
  }

 private:
  static void read_key(const RowView& row, schema::Table& table) {
    if (!table.primary_key) {
      table.primary_key = schema::PrimaryKey{};
      table.primary_key->name = Identifier("PRIMARY");
      table.primary_key->comment = row.text(kComment);
    }
    table.primary_key->columns.emplace_back(row.text(kColumn));
  }

  void open(const RowView& row, schema::Table& table) const {
    schema::Index& index = table.indexes.emplace_back();
    index.name = Identifier(row.text(kIndex));
    index.unique = row.integer(kNotUnique) == 0;
    index.comment = row.text(kComment);
    const std::string& method = row.text(kMethod);
    index.method = method == "BTREE" ? "" : base::to_lower(method);
    const bool hidden =
        catalog_.is_mariadb ? row.text(kIgnored) == "YES" : row.text(kIgnored) == "NO";
    if (hidden) {
      index.options[catalog_.is_mariadb ? "ignored" : "invisible"] = "true";
    }
  }

  void read_part(const RowView& row, schema::Index& index) const {
    schema::IndexPart& part = index.parts.emplace_back();
    part.column = Identifier(row.text(kColumn));
    part.expression =
        std::string(without_outer_parentheses(catalog_.expression(row.text(kExpression))));
    part.descending = row.text(kOrder) == "D";
    if (!row.is_null(kPrefix) && index.method.empty()) {
      part.prefix = static_cast<int>(row.integer(kPrefix));
    }
  }

  Catalog& catalog_;
  const schema::Table* table_ = nullptr;
};

schema::ReferentialAction action_of(const std::string& text) {
  using schema::ReferentialAction;
  return text == "CASCADE"       ? ReferentialAction::Cascade
         : text == "RESTRICT"    ? ReferentialAction::Restrict
         : text == "SET NULL"    ? ReferentialAction::SetNull
         : text == "SET DEFAULT" ? ReferentialAction::SetDefault
                                 : ReferentialAction::NoAction;
}

// The server makes an index for a foreign key that has none, under the key's name.
void drop_implied_index(schema::Table& table, const schema::ForeignKey& key) {
  std::erase_if(table.indexes, [&](const schema::Index& index) {
    return index.name == key.name && !index.unique && index.parts.size() == key.columns.size() &&
           std::equal(index.parts.begin(), index.parts.end(), key.columns.begin(),
                      [](const schema::IndexPart& part, const Identifier& column) {
                        return part.column == column && !part.prefix;
                      });
  });
}

// MariaDB's json is longtext with this CHECK of the column itself, which keeps the column's first
// name when that is renamed.
bool make_json(schema::Table& table, const std::string& clause) {
  const Dialect& dialect = get_dialect(schema::Dialect::Mysql);
  for (schema::Column& column : table.columns) {
    if (column.type.native == "longtext" &&
        clause == "json_valid(" + dialect.quote(column.name) + ")") {
      column.type = dialect.parse_type("json");
      column.collation.clear();
      column.options.erase("charset");
      return true;
    }
  }
  return false;
}

void add_check(const RowView& row, const Catalog& catalog, schema::Table& table) {
  schema::Check& check = table.checks.emplace_back();
  check.name = Identifier(row.text(2));
  check.expression = std::string(without_outer_parentheses(catalog.expression(row.text(4))));
  check.enforced = row.text(5) != "NO";
  if (auto membership = sql::find_membership(check.expression, schema::Dialect::Mysql)) {
    check.column = Identifier(membership->column);
    check.members = std::move(membership->members);
  }
}

}  // namespace

void read_indexes(db::Connection& connection, Catalog& catalog) {
  IndexReader reader(catalog);
  const std::string own = catalog.is_mariadb ? "NULL, IGNORED" : "EXPRESSION, IS_VISIBLE";
  read_rows(connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, COLLATION, "
            "SUB_PART, INDEX_TYPE, INDEX_COMMENT, " +
                own + " FROM information_schema.STATISTICS WHERE TABLE_SCHEMA IN (" +
                catalog.schemas + ") ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX",
            [&](const RowView& row) { reader.read(row); });
}

void read_foreign_keys(db::Connection& connection, Catalog& catalog) {
  read_rows(connection,
            "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, "
            "k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, "
            "r.UPDATE_RULE, r.DELETE_RULE FROM information_schema.KEY_COLUMN_USAGE k JOIN "
            "information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = "
            "k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = "
            "k.TABLE_NAME WHERE k.TABLE_SCHEMA IN (" +
                catalog.schemas + ") AND r.CONSTRAINT_SCHEMA IN (" + catalog.schemas +
                ") AND k.REFERENCED_TABLE_NAME IS NOT NULL ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, "
                "k.CONSTRAINT_NAME, k.ORDINAL_POSITION",
            [&](const RowView& row) {
              schema::Table* table = catalog.table(row.text(0), row.text(1));
              if (table == nullptr) {
                return;
              }
              auto& keys = table->foreign_keys;
              if (keys.empty() || keys.back().name.text() != row.text(2)) {
                schema::ForeignKey& key = keys.emplace_back();
                key.name = Identifier(row.text(2));
                key.referenced_table = catalog.name_of(row.text(4), row.text(5));
                key.on_update = action_of(row.text(7));
                key.on_delete = action_of(row.text(8));
              }
              keys.back().columns.emplace_back(row.text(3));
              keys.back().referenced_columns.emplace_back(row.text(6));
            });
  for (schema::Table& table : catalog.schema.tables) {
    for (const schema::ForeignKey& key : table.foreign_keys) {
      drop_implied_index(table, key);
    }
  }
}

void read_checks(db::Connection& connection, Catalog& catalog) {
  const std::string sql =
      catalog.is_mariadb
          ? "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, LEVEL, CHECK_CLAUSE, 'YES' "
            "FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA IN ("
          : "SELECT c.CONSTRAINT_SCHEMA, t.TABLE_NAME, c.CONSTRAINT_NAME, 'Table', "
            "c.CHECK_CLAUSE, t.ENFORCED FROM information_schema.CHECK_CONSTRAINTS c JOIN "
            "information_schema.TABLE_CONSTRAINTS t ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA "
            "AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK' WHERE "
            "c.CONSTRAINT_SCHEMA IN (";
  read_rows(connection, sql + catalog.schemas + ")", [&](const RowView& row) {
    schema::Table* table = catalog.table(row.text(0), row.text(1));
    if (table == nullptr) {
      return;
    }
    const bool is_column = row.text(3) == "Column";
    if (!is_column || !make_json(*table, row.text(4))) {
      add_check(row, catalog, *table);
    }
  });
}

}  // namespace kedge::dialect::mysql
