#include "base/text.h"
#include "dialect/ddl_table.h"
#include "dialect/mysql/partition.h"

namespace kedge::dialect {
namespace {

using schema::Column;
using schema::Identity;

bool is_time_call(std::string_view sql) {
  const std::string lower = base::to_lower(sql);
  return lower.starts_with("current_timestamp") || lower.starts_with("now(") ||
         lower.starts_with("nextval(");
}

// X'00ff': a literal, and needs no parentheses.
bool is_bytes(std::string_view sql) {
  return sql.starts_with("X'") && sql.find('\'', 2) == sql.size() - 1;
}

// "2024-01-02T03:04:05Z" as the engine takes it: its columns have no zone, the connection is in
// UTC.
std::string wall_clock(std::string text) {
  if (text.size() > 10 && text[10] == 'T') {
    text[10] = ' ';
  }
  for (const std::string_view zone : {"Z", "+00:00", "+00"}) {
    if (text.size() > 16 && text.ends_with(zone)) {
      text.resize(text.size() - zone.size());
      break;
    }
  }
  return text;
}

class MysqlDdl : public Ddl {
 public:
  using Ddl::quote;
  schema::Dialect id() const override { return schema::Dialect::Mysql; }
  KeyPlace key_place() const override { return KeyPlace::Outside; }
  std::string quote(std::string_view identifier) const override {
    return "`" + base::replace_all(std::string(identifier), "`", "``") + "`";
  }
  std::string literal(std::string_view text) const override {
    std::string content = base::replace_all(std::string(text), "\\", "\\\\");
    content = base::replace_all(content, std::string(1, '\0'), "\\0");
    return "'" + base::replace_all(content, "'", "''") + "'";
  }

  std::string default_value(const schema::Default& value, const schema::Type& type) const override {
    if (value.kind == schema::Default::Kind::Expression) {
      return is_plain_default(value.value) || is_time_call(value.value) ||
                     value.value.starts_with("b'") || is_bytes(value.value)
                 ? value.value
                 : "(" + value.value + ")";
    }
    if (type.kind == schema::TypeKind::Boolean) {
      const std::string lower = base::to_lower(value.value);
      return lower == "true" || lower == "1" ? "1" : "0";
    }
    if (type.kind == schema::TypeKind::Timestamp || type.kind == schema::TypeKind::TimestampTz) {
      return literal(wall_clock(value.value));
    }
    return is_numeric_type(type) && is_plain_default(value.value) ? value.value
                                                                  : literal(value.value);
  }

  std::string column(const Column& column, const schema::Table& table) const override {
    std::string sql = quote(column.name) + " " + type(column.type);
    const auto option = [&](const char* key) {
      const auto found = column.options.find(key);
      return found == column.options.end() ? std::string() : found->second;
    };
    const std::string charset = option("charset");
    sql += charset.empty() ? "" : " CHARACTER SET " + charset;
    sql += column.collation.empty() ? "" : " COLLATE " + column.collation;
    if (!option("row").empty()) {  // it is NOT NULL, and must not say so
      sql += " GENERATED ALWAYS AS ROW " + base::to_upper(option("row"));
    } else if (column.generated) {
      sql += " GENERATED ALWAYS AS (" + column.generated->expression + ")" +
             (column.generated->stored ? " STORED" : " VIRTUAL");
    }
    if (option("row").empty()) {
      sql += column.nullable ? (needs_null(column) ? " NULL" : "") : " NOT NULL";
    }
    if (column.identity && column.identity->kind != Identity::Kind::Uuid) {
      sql += " AUTO_INCREMENT";
    } else if (column.identity) {
      sql += " DEFAULT (uuid())";
    } else if (column.default_value && !column.generated) {
      sql += " DEFAULT " + default_value(*column.default_value, column.type);
    }
    const std::string on_update = option("on_update");
    sql += on_update.empty() ? "" : " ON UPDATE " + on_update;
    sql += option("invisible").empty() ? "" : " INVISIBLE";
    sql += option("unversioned").empty() ? "" : " WITHOUT SYSTEM VERSIONING";
    sql += column.comment.empty() ? "" : " COMMENT " + literal(column.comment);
    return sql + (option("row") == "end" ? ",\n  " + row_period(column, table) : "");
  }

  std::string index(const schema::Index& index, const schema::Name& table) const override {
    const std::string kind = base::to_upper(index.method);
    const bool special = kind == "FULLTEXT" || kind == "SPATIAL";
    std::string sql = "CREATE " + std::string(index.unique ? "UNIQUE " : "") +
                      (special ? kind + " " : "") + "INDEX " + quote(index.name) + " ON " +
                      name(table) + " " + with_period(index_parts(index), index.include);
    if (!kind.empty() && !special && kind != "BTREE") {
      sql += " USING " + kind;
    }
    sql += index.comment.empty() ? "" : " COMMENT " + literal(index.comment);
    sql += index.options.contains("ignored") ? " IGNORED" : "";
    return sql + (index.options.contains("invisible") ? " INVISIBLE" : "");
  }

  std::string table_options(const schema::Table& table) const override {
    const auto option = [&](const char* key) {
      const auto found = table.options.find(key);
      return found == table.options.end() ? std::string() : found->second;
    };
    const std::string engine = option("engine");
    const std::string charset = option("charset");
    const std::string collation = option("collation");
    std::string sql = " ENGINE=" + (engine.empty() ? "InnoDB" : engine);
    if (!charset.empty() || collation.empty()) {
      sql += " DEFAULT CHARSET=" + (charset.empty() ? "utf8mb4" : charset);
    }
    sql += collation.empty() ? "" : " COLLATE=" + collation;
    const std::string format = option("row_format");
    sql += format.empty() ? "" : " ROW_FORMAT=" + format;
    for (const std::string& name : mysql::further_options(table, table)) {
      sql += " " + mysql::option_clause(name, table.options.at(name));
    }
    sql += table.comment.empty() ? "" : " COMMENT=" + literal(table.comment);
    sql += option("system_versioning").empty() ? "" : " WITH SYSTEM VERSIONING";
    const std::string partitions = mysql::partition_clause(table);
    return sql + (partitions.empty() ? "" : " " + partitions);
  }

  std::string create_view(const schema::View& view, std::string_view verb) const override {
    const auto option = [&](const char* key) {
      const auto found = view.options.find(key);
      return found == view.options.end() ? std::string() : base::to_upper(found->second);
    };
    const std::string algorithm = option("algorithm");
    const std::string security = option("sql_security");
    const std::string check = option("check_option");
    std::string words = algorithm.empty() ? "" : "ALGORITHM=" + algorithm + " ";
    words += security.empty() ? "" : "SQL SECURITY " + security + " ";
    std::string sql = Ddl::create_view(view, verb);
    sql.insert(verb.rfind("VIEW"), words);
    return sql + (check.empty() ? "" : "\nWITH " + check + " CHECK OPTION");
  }

  // A key over a period that may not overlap: `include` names it.
  std::string primary_key(const schema::PrimaryKey& key, const schema::Name&) const override {
    return "PRIMARY KEY " + with_period(columns(key.columns), key.include);
  }

  std::string drop_index(const schema::Index& index, const schema::Name& table,
                         std::string_view) const override {
    return "DROP INDEX " + quote(index.name) + " ON " + name(table);
  }

  std::string unique(const schema::Index& index) const override {
    return std::string(index.unique ? "UNIQUE " : "") + "KEY " + quote(index.name) + " " +
           index_parts(index);
  }

 protected:
  std::string period(const schema::Table& table) const override {
    const auto found = table.options.find("period");
    return found == table.options.end() ? "" : "PERIOD FOR " + found->second;
  }
  // A counted column must be keyed from the start.
  bool is_inline(const schema::Index& index, const schema::Table& table) const override {
    for (const Column& column : table.columns) {
      if (column.identity && column.identity->kind != Identity::Kind::Uuid &&
          !index.parts.empty() && index.parts[0].column == column.name) {
        return !table.primary_key || table.primary_key->columns[0] != column.name;
      }
    }
    return false;
  }
  std::string check_tail(const schema::Check& check) const override {
    return check.enforced ? "" : " NOT ENFORCED";
  }

 private:
  std::string with_period(std::string parts, const std::vector<Identifier>& period) const {
    if (!period.empty()) {
      parts.insert(parts.size() - 1,
                   (parts == "()" ? "" : ", ") + quote(period[0]) + " WITHOUT OVERLAPS");
    }
    return parts;
  }
  // A versioned table that shows when its rows came and went names both columns, after them.
  std::string row_period(const Column& end, const schema::Table& table) const {
    for (const Column& one : table.columns) {
      const auto row = one.options.find("row");
      if (row != one.options.end() && row->second == "start") {
        return "PERIOD FOR SYSTEM_TIME (" + quote(one.name) + ", " + quote(end.name) + ")";
      }
    }
    return "";
  }
  static bool needs_null(const Column& column) {
    return base::to_lower(column.type.native).starts_with("timestamp");
  }
};

}  // namespace

// Partitions by hash or key under the names that the server gives are told by their number.
static std::string numbered(const std::string& parts) {
  std::string known;
  for (std::size_t i = 0; known.size() < parts.size(); ++i) {
    known += (i == 0 ? "PARTITION `p" : ", PARTITION `p") + std::to_string(i) + "`";
    if (known == parts) {
      return " PARTITIONS " + std::to_string(i + 1);
    }
  }
  return "";
}

std::set<std::string> mysql::further_options(const schema::Table& one, const schema::Table& other) {
  // A folder is a matter of the machine.
  static const std::set<std::string> kPlaced = {
      "engine", "charset",    "collation", "row_format", "system_versioning",
      "period", "partitions", "data",      "index",      "directory"};
  std::set<std::string> names;
  for (const schema::Table* table : {&one, &other}) {
    for (const auto& [name, value] : table->options) {
      if (!kPlaced.contains(name)) {
        names.insert(name);
      }
    }
  }
  return names;
}

// Numbers go back to 0, words to DEFAULT.
std::string mysql::option_clause(const std::string& name, const std::string& value) {
  static const std::set<std::string> kWords = {"stats_persistent", "stats_auto_recalc",
                                               "stats_sample_pages", "pack_keys"};
  const bool word = kWords.contains(name) || name.starts_with('`');
  return base::to_upper(name) + "=" + (!value.empty() ? value : word ? "DEFAULT" : "0");
}

std::string mysql::partition_clause(const schema::Table& table) {
  if (!table.partition || table.partition->by.empty()) {
    return "";
  }
  const auto parts = table.options.find("partitions");
  const std::string head = "PARTITION BY " + table.partition->by;
  if (parts == table.options.end()) {
    return head;
  }
  const std::string number = numbered(parts->second);
  return head + (number.empty() ? " (" + parts->second + ")" : number);
}

const Ddl& mysql_ddl() {
  static const MysqlDdl ddl;
  return ddl;
}

}  // namespace kedge::dialect
