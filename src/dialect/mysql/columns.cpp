// Columns of tables and views.
#include <algorithm>

#include "base/text.h"
#include "dialect/mysql/catalog.h"

namespace kedge::dialect::mysql {
namespace {

using schema::Default;
using schema::TypeKind;

enum Field : std::size_t {
  kSchema,
  kTable,
  kName,
  kType,
  kNullable,
  kDefault,
  kCharset,
  kCollation,
  kExtra,
  kExpression,
  kComment,
  kPrivileges
};

std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

Default binary_default(const std::string& digits, bool is_padded) {
  std::string bytes = bytes_of(digits);
  if (is_padded) {
    bytes.erase(bytes.find_last_not_of('\0') + 1);
  }
  const bool is_plain =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain ? Default{Default::Kind::Literal, std::move(bytes)}
                  : Default{Default::Kind::Expression, "X'" + digits + "'"};
}

bool is_binary(const std::string& type) {
  return type.starts_with("binary") || type.starts_with("varbinary");
}

// MySQL: bits as b'1', bytes as 0x6162, the rest as it is.
Default bare_default(const std::string& text, const std::string& type) {
  if (type.starts_with("bit")) {
    return {Default::Kind::Expression, text};
  }
  if (is_binary(type) && text.starts_with("0x")) {
    return binary_default(base::to_upper(text.substr(2)), type.starts_with("binary"));
  }
  return {Default::Kind::Literal, text};
}

// MariaDB prints SQL; MySQL the bare value, or SQL where the column's extra says so.
std::optional<Default> default_of(const RowView& row, const Catalog& catalog) {
  const bool is_sql =
      catalog.is_mariadb || row.text(kExtra).find("DEFAULT_GENERATED") != std::string::npos;
  if (!is_sql) {
    return bare_default(row.text(kDefault), base::to_lower(row.text(kType)));
  }
  // MariaDB writes the database before a sequence; another one of the same shape has its own.
  const std::string text = without_database(catalog.expression(row.text(kDefault)),
                                            catalog.schema.default_schema.text());
  if (text == "NULL") {
    return std::nullopt;
  }
  std::string content;
  const std::string_view bare = without_outer_parentheses(text);
  if (read_literal(bare, content)) {
    return Default{Default::Kind::Literal, std::move(content)};
  }
  // An expression keeps its parentheses: without them only a few functions may stand there.
  return is_number(bare) ? Default{Default::Kind::Literal, std::string(bare)}
                         : Default{Default::Kind::Expression, text};
}

bool is_uuid_default(const Default& value, const schema::Type& type) {
  return value.kind == Default::Kind::Expression && base::to_lower(value.value) == "uuid()" &&
         (type.kind == TypeKind::Uuid || type.kind == TypeKind::Char ||
          type.kind == TypeKind::Text);
}

void read_extra(const RowView& row, schema::Column& column) {
  const std::string extra = base::to_lower(row.text(kExtra));
  if (extra.find("auto_increment") != std::string::npos) {
    column.identity = schema::Identity{};
  }
  if (const std::size_t at = extra.find("on update "); at != std::string::npos) {
    const std::string clock(base::trim(extra.substr(at + 10)));
    column.options["on_update"] = base::replace_all(clock, "()", "");  // as MariaDB adds them
  }
  if (extra.find("invisible") != std::string::npos) {
    column.options["invisible"] = "true";
  }
  if (extra.find("without system versioning") != std::string::npos) {
    column.options["unversioned"] = "true";
  }
}

void read_value(const RowView& row, const Catalog& catalog, schema::Column& column) {
  const std::string expression = catalog.expression(row.text(kExpression));
  if (expression == "ROW START" || expression == "ROW END") {
    column.options["row"] = expression == "ROW END" ? "end" : "start";
  } else if (!expression.empty()) {
    const bool stored = row.text(kExtra).find("STORED") != std::string::npos ||
                        row.text(kExtra).find("PERSISTENT") != std::string::npos;
    column.generated =
        schema::Generated{std::string(without_outer_parentheses(expression)), stored};
  } else if (!row.is_null(kDefault)) {
    column.default_value = default_of(row, catalog);
    if (column.default_value && is_uuid_default(*column.default_value, column.type)) {
      column.default_value.reset();
      column.identity = schema::Identity{};
      column.identity->kind = schema::Identity::Kind::Uuid;
    }
  }
}

void add_column(Catalog& catalog, const RowView& row, const Relation& relation) {
  const schema::Type type = get_dialect(schema::Dialect::Mysql).parse_type(row.text(kType));
  if (relation.is_view) {
    catalog.schema.views[relation.place].columns.push_back({Identifier(row.text(kName)), type, ""});
    return;
  }
  schema::Table& table = catalog.schema.tables[relation.place];
  schema::Column& column = table.columns.emplace_back();
  column.name = Identifier(row.text(kName));
  column.type = type;
  column.nullable = row.text(kNullable) == "YES";
  column.comment = row.text(kComment);
  if (!row.is_null(kCollation) && row.text(kCollation) != table.options["collation"]) {
    column.collation = row.text(kCollation);
    if (row.text(kCharset) != relation.charset) {
      column.options["charset"] = row.text(kCharset);
    }
  }
  read_extra(row, column);
  read_value(row, catalog, column);
}

// MariaDB's catalog shows the bytes of a binary default as text of its own encoding, and loses
// them; the table itself tells them.
struct BinaryDefault {
  std::size_t table;
  std::size_t column;
  std::string type;
  std::string sql;  // gives it in hexadecimal digits
};

// Nothing where the column just added has no such default, or where its table may not be read.
void note_binary_default(const Catalog& catalog, const RowView& row, const Relation& relation,
                         std::vector<BinaryDefault>& found) {
  const std::string type = base::to_lower(row.text(kType));
  const bool is_readable = row.text(kPrivileges).find("select") != std::string::npos;
  if (!catalog.is_mariadb || relation.is_view || !is_readable || !is_binary(type)) {
    return;
  }
  const std::vector<schema::Column>& columns = catalog.schema.tables[relation.place].columns;
  const std::optional<Default>& value = columns.back().default_value;
  if (!value || value->kind != Default::Kind::Literal) {
    return;
  }
  const Dialect& dialect = get_dialect(schema::Dialect::Mysql);
  const std::string table = dialect.quote(Identifier(row.text(kSchema))) + "." +
                            dialect.quote(Identifier(row.text(kTable)));
  // No row is read: an outer join that never matches gives one of no values.
  found.push_back({relation.place, columns.size() - 1, type,
                   "HEX(DEFAULT(t." + dialect.quote(columns.back().name) +
                       ")) FROM (SELECT 1) one LEFT JOIN " + table + " t ON FALSE"});
}

void read_binary_defaults(db::Connection& connection, Catalog& catalog,
                          const std::vector<BinaryDefault>& columns) {
  std::string sql;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sql += (i == 0 ? "" : " UNION ALL ") + ("SELECT " + std::to_string(i) + ", " + columns[i].sql);
  }
  if (sql.empty()) {
    return;
  }
  read_rows(connection, sql, [&](const RowView& row) {
    const BinaryDefault& each = columns[static_cast<std::size_t>(row.integer(0))];
    schema::Column& column = catalog.schema.tables[each.table].columns[each.column];
    const bool is_padded = each.type.starts_with("binary");
    column.default_value = binary_default(row.text(1), is_padded);
  });
}

}  // namespace

void read_columns(db::Connection& connection, Catalog& catalog) {
  std::vector<BinaryDefault> binary;
  read_rows(connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, "
            "COLUMN_DEFAULT, CHARACTER_SET_NAME, COLLATION_NAME, EXTRA, GENERATION_EXPRESSION, "
            "COLUMN_COMMENT, PRIVILEGES FROM information_schema.COLUMNS WHERE TABLE_SCHEMA IN (" +
                catalog.schemas + ") ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION",
            [&](const RowView& row) {
              if (const Relation* relation = catalog.find(row.text(kSchema), row.text(kTable))) {
                add_column(catalog, row, *relation);
                note_binary_default(catalog, row, *relation, binary);
              }
            });
  read_binary_defaults(connection, catalog, binary);
}

}  // namespace kedge::dialect::mysql
