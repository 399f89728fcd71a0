// Databases, tables, views, partitions and sequences.
#include "base/text.h"
#include "dialect/mysql/catalog.h"
#include "dialect/view_stamp.h"

namespace kedge::dialect::mysql {
namespace {

std::string literal(std::string_view text) {
  return get_dialect(schema::Dialect::Mysql).literal(text);
}

std::string charset_of(const std::string& collation) {
  return collation.substr(0, collation.find('_'));
}

// "row_format=DYNAMIC partitioned": options as the table was made with; partitions have their own
// place. Aria tells of what is so without a word.
void read_create_options(const std::string& text, std::map<std::string, std::string>& options) {
  for (const std::string& item : base::split(text, ' ')) {
    if (!item.empty() && item != "partitioned" && item != "page_checksum=1" &&
        item != "transactional=1") {
      auto [name, value] = split_option(item);
      options[base::to_lower(name)] = std::move(value);
    }
  }
}

enum Field : std::size_t { kSchema, kName, kKind, kEngine, kRows, kCollation, kOptions, kComment };

void add_table(Catalog& catalog, const RowView& row) {
  Relation& relation = catalog.relations[Catalog::key(row.text(kSchema), row.text(kName))];
  relation.place = catalog.schema.tables.size();
  relation.charset = charset_of(row.text(kCollation));
  schema::Table& table = catalog.schema.tables.emplace_back();
  table.name = catalog.name_of(row.text(kSchema), row.text(kName));
  table.comment = row.text(kComment);
  table.options["engine"] = row.text(kEngine);
  table.options["charset"] = relation.charset;
  table.options["collation"] = row.text(kCollation);
  read_create_options(row.text(kOptions), table.options);
  if (row.text(kKind) == "SYSTEM VERSIONED") {
    table.options["system_versioning"] = "true";
  }
  if (!row.is_null(kRows)) {
    table.rows_estimate = row.integer(kRows);
  }
}

void add_relation(Catalog& catalog, const RowView& row) {
  const std::string& kind = row.text(kKind);
  const schema::Name name = catalog.name_of(row.text(kSchema), row.text(kName));
  if (kind == "BASE TABLE" || kind == "SYSTEM VERSIONED") {
    add_table(catalog, row);
    catalog.has_view_stamps = catalog.has_view_stamps || name.name.text() == "_kedge_views";
  } else if (kind == "VIEW") {
    Relation& relation = catalog.relations[Catalog::key(row.text(kSchema), row.text(kName))];
    relation.is_view = true;
    relation.place = catalog.schema.views.size();
    catalog.schema.views.emplace_back().name = name;
  } else if (kind == "SEQUENCE") {
    catalog.sequences.push_back(name);
  } else {
    catalog.schema.unmodelled.push_back({base::to_lower(kind), name});
  }
}

// What stands for a control character behind a backslash; anything else stands for itself.
char unescaped(char character) {
  switch (character) {
    case '0':
      return '\0';
    case 'b':
      return '\b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'Z':
      return '\x1a';
    default:
      return character;
  }
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

std::string Catalog::expression(const std::string& text) const {
  if (is_mariadb) {
    return text;
  }
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text[at] == '\\' && at + 1 < text.size();
    at += escaped ? 1 : 0;
    plain += escaped ? unescaped(text[at]) : text[at];
  }
  return plain;
}

schema::Table* Catalog::table(const std::string& space, const std::string& name) {
  const Relation* relation = find(space, name);
  return relation == nullptr || relation->is_view ? nullptr : &schema.tables[relation->place];
}

bool read_literal(std::string_view text, std::string& content) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text[at] == '\\' && at + 1 < text.size();
    if (escaped) {
      ++at;
    }
    const char character = escaped ? unescaped(text[at]) : text[at];
    plain += character;
    if (escaped && character == '\'') {
      plain += '\'';  // as the standard writes it
    }
  }
  return read_string_literal(plain, content);
}

std::string without_database(std::string_view sql, const std::string& database) {
  const std::string prefix = get_dialect(schema::Dialect::Mysql).quote(Identifier(database)) + ".";
  std::string text;
  std::size_t from = 0;
  for (const sql::Token& token : sql::tokenize(sql, schema::Dialect::Mysql)) {
    const bool is_prefix = token.kind == sql::TokenKind::QuotedIdentifier &&
                           sql.substr(token.begin).starts_with(prefix);
    if (is_prefix && token.begin >= from) {
      text += sql.substr(from, token.begin - from);
      from = token.begin + prefix.size();
    }
  }
  return text + std::string(sql.substr(from));
}

void read_database(db::Connection& connection, const IntrospectScope& scope, Catalog& catalog) {
  for (const std::string& name : scope.schemas) {
    catalog.schemas += (catalog.schemas.empty() ? "" : ", ") + literal(name);
  }
  const std::string condition =
      catalog.schemas.empty()
          ? "SCHEMA_NAME = DATABASE() OR (DATABASE() IS NULL AND SCHEMA_NAME NOT IN ('mysql', "
            "'sys', 'information_schema', 'performance_schema'))"
          : "SCHEMA_NAME IN (" + catalog.schemas + ")";
  catalog.schemas.clear();
  read_rows(connection,
            "SELECT SCHEMA_NAME, DATABASE() FROM information_schema.SCHEMATA WHERE " + condition,
            [&](const RowView& row) {
              catalog.schema.default_schema = Identifier(row.text(1));
              catalog.schemas += (catalog.schemas.empty() ? "" : ", ") + literal(row.text(0));
              if (row.text(0) != row.text(1)) {
                catalog.schema.namespaces.push_back({Identifier(row.text(0)), ""});
              }
            });
  if (catalog.schemas.empty()) {
    catalog.schemas = "''";
  }
}

void read_tables(db::Connection& connection, const NameFilter& filter, Catalog& catalog) {
  read_rows(connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_ROWS, TABLE_COLLATION, "
            "CREATE_OPTIONS, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA IN (" +
                catalog.schemas + ")",
            [&](const RowView& row) {
              if (filter.takes_table(row.text(kSchema), row.text(kName))) {
                add_relation(catalog, row);
              }
            });
}

void read_views(db::Connection& connection, Catalog& catalog) {
  const std::string algorithm = catalog.is_mariadb ? "ALGORITHM" : "NULL";
  read_rows(connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION, SECURITY_TYPE, " +
                algorithm + " FROM information_schema.VIEWS WHERE TABLE_SCHEMA IN (" +
                catalog.schemas + ")",
            [&](const RowView& row) {
              const Relation* relation = catalog.find(row.text(0), row.text(1));
              if (relation == nullptr || !relation->is_view) {
                return;
              }
              schema::View& view = catalog.schema.views[relation->place];
              view.body = without_database(row.text(2), row.text(0));
              if (row.text(3) != "NONE") {
                view.options["check_option"] = base::to_lower(row.text(3));
              }
              if (row.text(4) == "INVOKER") {
                view.options["sql_security"] = "invoker";
              }
              if (!row.is_null(5) && row.text(5) != "UNDEFINED") {
                view.options["algorithm"] = base::to_lower(row.text(5));
              }
            });
}

void read_view_stamps(db::Connection& connection, Catalog& catalog) {
  if (!catalog.has_view_stamps) {
    return;
  }
  read_rows(
      connection,
      "SELECT s.schema_name, s.view_name, s.fingerprint, s.def_hash, "
      "MD5(REPLACE(v.VIEW_DEFINITION, "
      "CONCAT('`', v.TABLE_SCHEMA, '`.'), '')) FROM _kedge_views s JOIN information_schema.VIEWS v "
      "ON v.TABLE_SCHEMA = IF(s.schema_name = '', DATABASE(), s.schema_name) AND v.TABLE_NAME = "
      "s.view_name",
      [&](const RowView& row) {
        const std::string space =
            row.text(0).empty() ? catalog.schema.default_schema.text() : row.text(0);
        const Relation* relation = catalog.find(space, row.text(1));
        if (relation == nullptr || !relation->is_view) {
          return;
        }
        schema::View& view = catalog.schema.views[relation->place];
        if (read_stamp("kedge:v1:sha256:" + row.text(2), view) && !row.text(3).empty()) {
          view.definition_hash = row.text(3);
          check_rendering(view, row.text(4));
        }
      });
}

namespace {

// "MAXVALUE", "(MAXVALUE,MAXVALUE)": how MariaDB shows a DEFAULT partition by LIST COLUMNS. Text is
// quoted there.
bool is_default_list(std::string_view values) {
  if (values.starts_with('(') && values.ends_with(')')) {
    values = values.substr(1, values.size() - 2);
  }
  for (const std::string& value : base::split(values, ',')) {
    if (value != "MAXVALUE") {
      return false;
    }
  }
  return !values.empty();
}

}  // namespace

void read_partitions(db::Connection& connection, Catalog& catalog) {
  std::string last;
  read_rows(
      connection,
      "SELECT TABLE_SCHEMA, TABLE_NAME, PARTITION_NAME, PARTITION_METHOD, PARTITION_EXPRESSION, "
      "PARTITION_DESCRIPTION, SUBPARTITION_METHOD, SUBPARTITION_EXPRESSION, PARTITION_COMMENT, "
      "COUNT(SUBPARTITION_NAME) OVER (PARTITION BY TABLE_SCHEMA, TABLE_NAME, PARTITION_NAME) FROM "
      "information_schema.PARTITIONS WHERE PARTITION_NAME IS NOT NULL AND TABLE_SCHEMA IN (" +
          catalog.schemas +
          ") ORDER BY TABLE_SCHEMA, TABLE_NAME, PARTITION_ORDINAL_POSITION, "
          "SUBPARTITION_ORDINAL_POSITION",
      [&](const RowView& row) {
        schema::Table* table = catalog.table(row.text(0), row.text(1));
        if (table == nullptr) {
          return;
        }
        if (!table->partition) {
          table->partition = schema::Partition{};
          table->partition->by = row.text(3) + " (" + row.text(4) + ")";
          if (!row.is_null(6)) {
            table->partition->by += " SUBPARTITION BY " + row.text(6) + " (" + row.text(7) +
                                    ") SUBPARTITIONS " + std::to_string(row.integer(9));
          }
          last.clear();
        }
        if (row.text(2) == last) {
          return;  // another subpartition of it
        }
        last = row.text(2);
        std::string& list = table->options["partitions"];
        const std::string name = get_dialect(schema::Dialect::Mysql).quote(Identifier(last));
        list += (list.empty() ? "" : ", ") + ("PARTITION " + name);
        if (row.text(3).starts_with("RANGE")) {
          list += row.text(5) == "MAXVALUE" ? " VALUES LESS THAN MAXVALUE"
                                            : " VALUES LESS THAN (" + row.text(5) + ")";
        } else if (row.text(3).starts_with("LIST")) {
          list += is_default_list(row.text(5)) ? " DEFAULT" : " VALUES IN (" + row.text(5) + ")";
        }
        if (!row.text(8).empty()) {
          list += " COMMENT = " + get_dialect(schema::Dialect::Mysql).literal(row.text(8));
        }
      });
}

void read_sequences(db::Connection& connection, Catalog& catalog) {
  if (catalog.sequences.empty()) {
    return;
  }
  std::string sql;
  const Dialect& dialect = get_dialect(schema::Dialect::Mysql);
  for (std::size_t i = 0; i < catalog.sequences.size(); ++i) {
    sql +=
        (i == 0 ? "SELECT " : " UNION ALL SELECT ") + std::to_string(i) +
        ", start_value, increment, minimum_value, maximum_value, cache_size, cycle_option FROM " +
        quote_name(dialect, catalog.sequences[i]);
  }
  read_rows(connection, sql, [&](const RowView& row) {
    schema::Sequence sequence;
    sequence.name = catalog.sequences.at(static_cast<std::size_t>(row.integer(0)));
    sequence.type = dialect.parse_type("bigint");
    sequence.start = row.integer(1);
    sequence.increment = row.integer(2);
    sequence.minimum = row.integer(3);
    sequence.maximum = row.integer(4);
    sequence.cache = row.integer(5);
    sequence.cycle = row.flag(6);
    catalog.schema.sequences.push_back(std::move(sequence));
  });
}

}  // namespace kedge::dialect::mysql
