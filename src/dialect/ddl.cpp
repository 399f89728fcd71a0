#include "dialect/ddl.h"

#include <cctype>

#include "base/text.h"
#include "dialect/dialect.h"

namespace kedge::dialect {

using schema::TypeKind;

const char* action_text(schema::ReferentialAction action) {
  switch (action) {
    case schema::ReferentialAction::NoAction:
      return "NO ACTION";
    case schema::ReferentialAction::Restrict:
      return "RESTRICT";
    case schema::ReferentialAction::Cascade:
      return "CASCADE";
    case schema::ReferentialAction::SetNull:
      return "SET NULL";
    case schema::ReferentialAction::SetDefault:
      return "SET DEFAULT";
  }
  return "NO ACTION";
}

bool is_numeric_type(const schema::Type& type) {
  return type.kind >= TypeKind::Int8 && type.kind <= TypeKind::Numeric;
}

bool is_plain_default(std::string_view sql) {
  if (sql.empty()) {
    return false;
  }
  const std::string lower = base::to_lower(sql);
  for (const char* word :
       {"null", "true", "false", "current_timestamp", "current_date", "current_time"}) {
    if (lower == word) {
      return true;
    }
  }
  std::string_view rest = sql;
  if (rest.size() > 2 && (rest[0] == 'x' || rest[0] == 'X') && rest[1] == '\'') {
    rest.remove_prefix(1);
  }
  if (rest.front() == '\'') {
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == '\'' && (i + 1 == rest.size() || rest[i + 1] != '\'')) {
        return i + 1 == rest.size();
      }
      i += rest[i] == '\'' ? 1 : 0;
    }
    return false;
  }
  if (rest.front() == '-' || rest.front() == '+') {
    rest.remove_prefix(1);
  }
  return !rest.empty() && rest.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string Ddl::default_value(const schema::Default& value, const schema::Type& type) const {
  if (value.kind == schema::Default::Kind::Expression) {
    return value.value;
  }
  const std::string word = base::to_upper(value.value);
  if (type.kind == schema::TypeKind::Boolean && (word == "TRUE" || word == "FALSE")) {
    return word;
  }
  return is_numeric_type(type) && is_plain_default(value.value) ? value.value
                                                                : literal(value.value);
}

std::string Ddl::quote(std::string_view identifier) const {
  return "\"" + base::replace_all(std::string(identifier), "\"", "\"\"") + "\"";
}

std::string Ddl::literal(std::string_view text) const {
  return "'" + base::replace_all(std::string(text), "'", "''") + "'";
}

std::string Ddl::name(const schema::Name& name) const {
  return name.schema.empty() ? quote(name.name) : quote(name.schema) + "." + quote(name.name);
}

std::string Ddl::columns(std::span<const Identifier> columns) const {
  std::vector<std::string> names;
  for (const Identifier& column : columns) {
    names.push_back(quote(column));
  }
  return "(" + base::join(names, ", ") + ")";
}

std::string Ddl::type(const schema::Type& type) const {
  if (!type.native.empty()) {
    return type.native;
  }
  // A declared type is written the way spec/metadata.md 3.1 spells it.
  std::string name = base::to_upper(get_dialect(id()).type_name(type));
  for (const auto& [server, written] :
       {std::pair("CHARACTER VARYING", "VARCHAR"), std::pair(" WITHOUT TIME ZONE", ""),
        std::pair("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")}) {
    name = base::replace_all(std::move(name), server, written);
  }
  return name;
}

std::string Ddl::primary_key(const schema::PrimaryKey& key, const schema::Name&) const {
  std::string sql = key.name.empty() ? "" : "CONSTRAINT " + quote(key.name) + " ";
  sql += "PRIMARY KEY " + columns(key.columns);
  if (!key.include.empty()) {
    sql += " INCLUDE " + columns(key.include);
  }
  if (key.deferrable) {
    sql += key.initially_deferred ? " DEFERRABLE INITIALLY DEFERRED" : " DEFERRABLE";
  }
  return sql;
}

std::string Ddl::unique(const schema::Index& index) const {
  std::string sql =
      index.name.empty() || index.generated_name ? "" : "CONSTRAINT " + quote(index.name) + " ";
  if (index.constraint == schema::Index::Constraint::Exclude) {
    return sql + index.exclusion;
  }
  std::vector<Identifier> names;
  for (const schema::IndexPart& part : index.parts) {
    names.push_back(part.column);
  }
  sql += std::string("UNIQUE ") + (index.nulls_not_distinct ? "NULLS NOT DISTINCT " : "") +
         columns(names);
  if (!index.include.empty()) {
    sql += " INCLUDE " + columns(index.include);
  }
  if (index.deferrable) {
    sql += index.initially_deferred ? " DEFERRABLE INITIALLY DEFERRED" : " DEFERRABLE";
  }
  return sql;
}

std::string Ddl::foreign_key_tail(const schema::ForeignKey& key) const {
  std::string sql;
  if (key.on_delete != schema::ReferentialAction::NoAction) {
    sql += std::string(" ON DELETE ") + action_text(key.on_delete);
    sql += key.set_columns.empty() ? "" : " " + columns(key.set_columns);
  }
  if (key.on_update != schema::ReferentialAction::NoAction) {
    sql += std::string(" ON UPDATE ") + action_text(key.on_update);
  }
  if (key.deferrable) {
    sql += key.initially_deferred ? " DEFERRABLE INITIALLY DEFERRED" : " DEFERRABLE";
  }
  return sql;
}

std::string Ddl::foreign_key(const schema::ForeignKey& key) const {
  std::string sql = key.name.empty() ? "" : "CONSTRAINT " + quote(key.name) + " ";
  sql += "FOREIGN KEY " + columns(key.columns) + " REFERENCES " + name(key.referenced_table);
  if (!key.referenced_columns.empty()) {
    sql += " " + columns(key.referenced_columns);
  }
  return sql + (key.match_full ? " MATCH FULL" : "") + foreign_key_tail(key);
}

std::string Ddl::check_tail(const schema::Check& check) const {
  return check.no_inherit ? " NO INHERIT" : "";
}

std::string Ddl::check(const schema::Check& check) const {
  return (check.name.empty() ? "" : "CONSTRAINT " + quote(check.name) + " ") + "CHECK (" +
         check.expression + ")" + check_tail(check);
}

bool Ddl::key_in_column(const schema::Table&) const {
  return false;
}

bool Ddl::is_inline(const schema::Index& index, const schema::Table&) const {
  return key_place() == KeyPlace::Inside && index.constraint == schema::Index::Constraint::Unique;
}

std::string Ddl::table_key(const schema::Table& table) const {
  return primary_key(*table.primary_key, table.name);
}

std::string Ddl::period(const schema::Table&) const {
  return "";
}

std::string Ddl::create_table(const schema::Table& table) const {
  std::vector<std::string> items;
  for (const schema::Column& one : table.columns) {
    if (!one.options.contains("inherited") || table.inherits.empty()) {
      items.push_back(column(one, table));
    }
  }
  if (const std::string clause = period(table); !clause.empty()) {
    items.push_back(clause);
  }
  if (table.primary_key && !key_in_column(table)) {
    items.push_back(table_key(table));
  }
  for (const schema::Index& index : table.indexes) {
    if (is_inline(index, table)) {
      items.push_back(unique(index));
    }
  }
  for (const schema::Check& one : table.checks) {
    items.push_back(check(one));
  }
  if (key_place() == KeyPlace::Inside) {
    for (const schema::ForeignKey& key : table.foreign_keys) {
      items.push_back(foreign_key(key));
    }
  }
  return std::string("CREATE ") + (table.unlogged ? "UNLOGGED " : "") + "TABLE " +
         name(table.name) + (items.empty() ? " (" : " (\n  ") + base::join(items, ",\n  ") +
         (items.empty() ? ")" : "\n)") + table_options(table);
}

std::string Ddl::index_part(const schema::IndexPart& part) const {
  std::string sql = part.column.empty() ? "(" + part.expression + ")" : quote(part.column);
  if (part.prefix) {
    sql += "(" + std::to_string(*part.prefix) + ")";
  }
  sql += part.collation.empty() ? "" : " COLLATE " + quote(part.collation);
  sql += part.operator_class.empty() ? "" : " " + part.operator_class;
  sql += part.descending ? " DESC" : "";
  if (part.nulls != schema::NullsOrder::Default) {
    sql += part.nulls == schema::NullsOrder::First ? " NULLS FIRST" : " NULLS LAST";
  }
  return sql;
}

std::string Ddl::index_parts(const schema::Index& index) const {
  std::vector<std::string> parts;
  for (const schema::IndexPart& part : index.parts) {
    parts.push_back(index_part(part));
  }
  return "(" + base::join(parts, ", ") + ")";
}

std::string Ddl::create_view(const schema::View& view, std::string_view verb) const {
  const auto columns = view.options.find("columns");
  const std::string list = columns == view.options.end() ? "" : " (" + columns->second + ")";
  return std::string(verb) + " " + name(view.name) + list + " AS\n" + view.body;
}

}  // namespace kedge::dialect
