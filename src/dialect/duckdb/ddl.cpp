#include "base/text.h"
#include "dialect/ddl_table.h"

namespace kedge::dialect {
namespace {

using schema::Column;
using schema::Identity;

class DuckdbDdl : public Ddl {
 public:
  schema::Dialect id() const override { return schema::Dialect::Duckdb; }
  KeyPlace key_place() const override { return KeyPlace::Inside; }

  std::string column(const Column& column, const schema::Table& table) const override {
    std::string sql = quote(column.name) + " " + type(column.type);
    sql += column.collation.empty() ? "" : " COLLATE " + column.collation;
    if (column.generated) {
      sql += " GENERATED ALWAYS AS (" + column.generated->expression + ")";
    } else if (column.identity && column.identity->kind == Identity::Kind::Uuid) {
      sql += " DEFAULT uuid()";
    } else if (column.identity) {
      sql += " DEFAULT nextval(" + literal(counter(column, table)) + ")";
    } else if (column.default_value) {
      sql += " DEFAULT " + default_value(*column.default_value, column.type);
    }
    return sql + (column.nullable ? "" : " NOT NULL");
  }

  // nextval() reads a name in a text: quoted where it would be read as another one.
  std::string counter(const Column& column, const schema::Table& table) const {
    std::string sequence = column.identity->sequence;
    if (sequence.empty()) {
      sequence = table.name.name.text() + "_" + column.name.text() + "_seq";
    }
    sequence =
        base::replace_all(std::move(sequence), "\"", "");  // nextval() knows no doubled quote
    if (sequence.find('.') != std::string::npos) {
      sequence = quote(sequence);
    }
    const std::string& space = table.name.schema.text();
    return space.empty() ? sequence : space + "." + sequence;
  }

  std::string index(const schema::Index& index, const schema::Name& table) const override {
    return std::string("CREATE ") + (index.unique ? "UNIQUE " : "") + "INDEX " + quote(index.name) +
           " ON " + name(table) + " " + parts(index);
  }
  std::string table_options(const schema::Table&) const override { return ""; }
  std::string drop_index(const schema::Index& index, const schema::Name& table,
                         std::string_view if_exists) const override {
    return "DROP INDEX " + std::string(if_exists) + name({table.schema, index.name});
  }

  // Names of keys and checks are the engine's own.
  std::string primary_key(const schema::PrimaryKey& key, const schema::Name&) const override {
    return "PRIMARY KEY " + columns(key.columns);
  }
  std::string unique(const schema::Index& index) const override {
    schema::Index plain = index;
    plain.name = Identifier();
    return Ddl::unique(plain);
  }

 private:
  std::string parts(const schema::Index& index) const {
    schema::Index plain = index;
    for (schema::IndexPart& part : plain.parts) {
      part.descending = false;
      part.nulls = schema::NullsOrder::Default;
    }
    return index_parts(plain);
  }
};

}  // namespace

const Ddl& duckdb_ddl() {
  static const DuckdbDdl ddl;
  return ddl;
}

}  // namespace kedge::dialect
