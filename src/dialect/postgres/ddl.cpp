#include "base/text.h"
#include "dialect/ddl_table.h"

namespace kedge::dialect {
namespace {

using schema::Column;
using schema::Identity;

std::string identity_options(const Identity& identity) {
  std::vector<std::string> options;
  const auto number = [&](const char* word, const std::optional<std::int64_t>& value) {
    if (value) {
      options.push_back(std::string(word) + " " + std::to_string(*value));
    }
  };
  number("START WITH", identity.start);
  number("INCREMENT BY", identity.increment);
  number("MINVALUE", identity.minimum);
  number("MAXVALUE", identity.maximum);
  number("CACHE", identity.cache);
  if (identity.cycle) {
    options.emplace_back("CYCLE");
  }
  return options.empty() ? "" : " (" + base::join(options, " ") + ")";
}

class PostgresDdl : public Ddl {
 public:
  schema::Dialect id() const override { return schema::Dialect::Postgres; }
  KeyPlace key_place() const override { return KeyPlace::Outside; }

  std::string column(const Column& column, const schema::Table& table) const override {
    std::string sql = quote(column.name) + " " + type(column.type);
    sql += collate(column);
    if (column.generated) {
      sql += " GENERATED ALWAYS AS (" + column.generated->expression + ") STORED";
    } else if (column.identity && column.identity->kind != Identity::Kind::Serial) {
      sql += identity(*column.identity);
    } else if (column.default_value) {
      sql += " DEFAULT " + default_value(*column.default_value, column.type);
    } else if (column.identity && !column.identity->sequence.empty()) {
      // A column's own sequence stands in the schema of the table, always.
      const std::string sequence = name({table.name.schema, Identifier(column.identity->sequence)});
      sql += " DEFAULT nextval(" + literal(sequence) + "::regclass)";
    }
    return sql + (column.nullable ? "" : " NOT NULL");
  }

  // A number that a person gave is kept as a number there, a text as an amount with its sign.
  std::string default_value(const schema::Default& value, const schema::Type& type) const override {
    const bool is_amount = type.native == "money" && value.kind == schema::Default::Kind::Literal &&
                           is_plain_default(value.value) && value.value.front() != '\'';
    return is_amount ? value.value : Ddl::default_value(value, type);
  }

  std::string index(const schema::Index& index, const schema::Name& table) const override {
    std::string sql = std::string("CREATE ") + (index.unique ? "UNIQUE " : "") + "INDEX " +
                      quote(index.name) + " ON " + name(table);
    if (!index.method.empty() && index.method != "btree") {
      sql += " USING " + index.method;
    }
    sql += " " + index_parts(index);
    sql += index.include.empty() ? "" : " INCLUDE " + columns(index.include);
    sql += index.nulls_not_distinct ? " NULLS NOT DISTINCT" : "";
    sql += with_options(index.options);
    return sql + (index.where.empty() ? "" : " WHERE (" + index.where + ")");
  }

  std::string table_options(const schema::Table& table) const override {
    std::string sql;
    if (!table.inherits.empty() && (!table.partition || !table.partition->parent)) {
      std::vector<std::string> parents;
      for (const schema::Name& parent : table.inherits) {
        parents.push_back(name(parent));
      }
      sql += " INHERITS (" + base::join(parents, ", ") + ")";
    }
    if (table.partition && !table.partition->by.empty()) {
      sql += " PARTITION BY " + table.partition->by;
    }
    return sql + with_options(table.options);
  }

  std::string drop_index(const schema::Index& index, const schema::Name& table,
                         std::string_view if_exists) const override {
    return "DROP INDEX " + std::string(if_exists) + name({table.schema, index.name});
  }

  std::string create_view(const schema::View& view, std::string_view verb) const override {
    return std::string(verb) + " " + name(view.name) + with_options(view.options) + " AS\n" +
           view.body;
  }

 protected:
  std::string foreign_key_tail(const schema::ForeignKey& key) const override {
    return Ddl::foreign_key_tail(key) + (key.validated ? "" : " NOT VALID");
  }
  std::string check_tail(const schema::Check& check) const override {
    return Ddl::check_tail(check) + (check.validated ? "" : " NOT VALID");
  }

 private:
  std::string collate(const Column& column) const {
    if (column.collation.empty()) {
      return "";
    }
    return " COLLATE " +
           (column.collation.front() == '"' ? column.collation : quote(column.collation));
  }
  std::string identity(const Identity& identity) const {
    if (identity.kind == Identity::Kind::Uuid) {
      return " DEFAULT gen_random_uuid()";
    }
    return std::string(" GENERATED ") +
           (identity.kind == Identity::Kind::Always ? "ALWAYS" : "BY DEFAULT") + " AS IDENTITY" +
           identity_options(identity);
  }
  static std::string with_options(const std::map<std::string, std::string>& options) {
    std::vector<std::string> list;
    for (const auto& [key, value] : options) {
      if (is_storage_option(key)) {
        list.push_back(value.empty() ? key : key + "=" + value);
      }
    }
    return list.empty() ? "" : " WITH (" + base::join(list, ", ") + ")";
  }
  static bool is_storage_option(const std::string& key) {
    return key != "tablespace" && key != "access_method" && key != "replica_identity" &&
           key != "clustered" && key != "statistics" && key != "of_type";
  }
};

}  // namespace

const Ddl& postgres_ddl() {
  static const PostgresDdl ddl;
  return ddl;
}

}  // namespace kedge::dialect
