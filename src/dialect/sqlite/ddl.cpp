#include "base/text.h"
#include "dialect/ddl_table.h"

namespace kedge::dialect {
namespace {

using schema::Column;
using schema::Identity;

class SqliteDdl : public Ddl {
 public:
  schema::Dialect id() const override { return schema::Dialect::Sqlite; }
  KeyPlace key_place() const override { return KeyPlace::Inside; }

  // The engine gives expressions without their parentheses: they are put back.
  std::string default_value(const schema::Default& value, const schema::Type& type) const override {
    if (value.kind == schema::Default::Kind::Expression) {
      return is_plain_default(value.value) ? value.value : "(" + value.value + ")";
    }
    if (type.kind == schema::TypeKind::Boolean) {
      const std::string lower = base::to_lower(value.value);
      return lower == "true" || lower == "1" ? "1" : "0";
    }
    return is_numeric_type(type) && is_plain_default(value.value) ? value.value
                                                                  : literal(value.value);
  }

  std::string column(const Column& column, const schema::Table& table) const override {
    const std::string declared = type(column.type);
    std::string sql = quote(column.name) + (declared.empty() ? "" : " " + declared);
    const bool key = key_in_column(table) && table.primary_key->columns[0] == column.name;
    if (key) {
      if (!table.primary_key->name.empty() && !table.definition.text.empty()) {
        sql += " CONSTRAINT " + quote(table.primary_key->name);
      }
      sql += " PRIMARY KEY" + conflict(table.options, "key_on_conflict");
      sql += is_counted(column) ? " AUTOINCREMENT" : "";
    }
    if (column.generated) {
      sql += " GENERATED ALWAYS AS (" + column.generated->expression + ")" +
             (column.generated->stored ? " STORED" : " VIRTUAL");
    } else if (column.identity && column.identity->kind == Identity::Kind::Uuid) {
      sql += " DEFAULT (lower(hex(randomblob(16))))";
    } else if (column.default_value && !is_counted(column)) {
      sql += " DEFAULT " + default_value(*column.default_value, column.type);
    }
    sql += column.nullable ? "" : " NOT NULL" + conflict(column.options, "on_conflict");
    return sql + (column.collation.empty() ? "" : " COLLATE " + quote(column.collation));
  }

  std::string index(const schema::Index& index, const schema::Name& table) const override {
    return std::string("CREATE ") + (index.unique ? "UNIQUE " : "") + "INDEX " + quote(index.name) +
           " ON " + quote(table.name) + " " + index_parts(index) +
           (index.where.empty() ? "" : " WHERE " + index.where);
  }

  std::string table_options(const schema::Table& table) const override {
    std::vector<std::string> options;
    if (table.options.contains("without_rowid")) {
      options.emplace_back("WITHOUT ROWID");
    }
    if (table.options.contains("strict")) {
      options.emplace_back("STRICT");
    }
    return options.empty() ? "" : " " + base::join(options, ", ");
  }

  std::string drop_index(const schema::Index& index, const schema::Name&,
                         std::string_view if_exists) const override {
    return "DROP INDEX " + std::string(if_exists) + quote(index.name);
  }

  std::string primary_key(const schema::PrimaryKey& key, const schema::Name&) const override {
    return (key.name.empty() ? "" : "CONSTRAINT " + quote(key.name) + " ") + "PRIMARY KEY " +
           columns(key.columns);
  }

  std::string unique(const schema::Index& index) const override {
    const bool named = !index.name.empty() && !index.generated_name;
    return (named ? "CONSTRAINT " + quote(index.name) + " " : std::string()) + "UNIQUE " +
           index_parts(index) + conflict(index.options, "on_conflict");
  }

 protected:
  std::string table_key(const schema::Table& table) const override {
    return Ddl::table_key(table) + conflict(table.options, "key_on_conflict");
  }
  bool key_in_column(const schema::Table& table) const override {
    return table.primary_key && table.primary_key->columns.size() == 1;
  }

 private:
  static std::string conflict(const std::map<std::string, std::string>& options, const char* key) {
    const auto action = options.find(key);
    return action == options.end() ? "" : " ON CONFLICT " + base::to_upper(action->second);
  }
  static bool is_counted(const Column& column) {
    return column.identity && column.identity->kind != Identity::Kind::Uuid;
  }
};

}  // namespace

const Ddl& sqlite_ddl() {
  static const SqliteDdl ddl;
  return ddl;
}

}  // namespace kedge::dialect
