#include "db/odbc/catalog.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "db/failure.h"

namespace kedge::db::odbc {
namespace {

constexpr std::array<std::string_view, 6> kSystemSchemas = {
    "information_schema", "pg_catalog", "pg_toast", "sys", "system", "performance_schema"};

// Where a table lies: how the driver names it, and under which name it goes into the shape.
struct Place {
  std::string catalog;
  std::string schema;
  std::string table;
};

std::string text(const Row& row, std::size_t i) {
  return i < row.size() ? std::string(base::trim(to_text(row[i]))) : "";
}
std::int64_t integer(const Row& row, std::size_t i) {
  return i < row.size() ? to_integer(row[i]).value_or(0) : 0;
}

// An absent argument is a null pointer; an empty text would mean "without one".
struct Argument {
  explicit Argument(const std::string& value) : text(to_wide(value)) {}
  SQLWCHAR* data() { return text.empty() ? nullptr : text.data(); }
  SQLSMALLINT size() const { return static_cast<SQLSMALLINT>(text.size()); }
  Wide text;
};

schema::ReferentialAction action_of(std::int64_t rule) {
  switch (rule) {
    case SQL_CASCADE:
      return schema::ReferentialAction::Cascade;
    case SQL_RESTRICT:
      return schema::ReferentialAction::Restrict;
    case SQL_SET_NULL:
      return schema::ReferentialAction::SetNull;
    case SQL_SET_DEFAULT:
      return schema::ReferentialAction::SetDefault;
    default:
      return schema::ReferentialAction::NoAction;
  }
}

class Reader {
 public:
  Reader(Session& session, const CatalogScope& scope) : session_(session), scope_(scope) {}

  schema::Schema read() {
    read_tables();
    choose_default_schema();
    name_relations();
    read_columns();
    for (std::size_t i = 0; i < shape_.tables.size(); ++i) {
      read_primary_key(i);
      read_foreign_keys(i);
      read_indexes(i);
    }
    schema::normalise(shape_);
    return std::move(shape_);
  }

 private:
  template <class Call, class Use>
  void rows(const Call& call, const Use& use) {
    Statement statement(session_, 0);
    statement.check(call(statement.raw()));
    statement.columns();
    Row row;
    while (statement.fetch(row)) {
      use(row);
    }
  }

  bool is_wanted_schema(const std::string& schema) const {
    if (!scope_.schemas.empty()) {
      return std::find(scope_.schemas.begin(), scope_.schemas.end(), schema) !=
             scope_.schemas.end();
    }
    const std::string lower = base::to_lower(schema);
    return std::find(kSystemSchemas.begin(), kSystemSchemas.end(), lower) == kSystemSchemas.end();
  }

  void read_tables() {
    Argument types("TABLE,VIEW,BASE TABLE,MATERIALIZED VIEW");
    rows(
        [&](SQLHSTMT statement) {
          return session_.api().SQLTablesW(statement, nullptr, 0, nullptr, 0, nullptr, 0,
                                           types.data(), types.size());
        },
        [&](const Row& row) {
          Place place{text(row, 0), text(row, 1), text(row, 2)};
          const std::string kind = base::to_upper(text(row, 3));
          if (is_wanted_schema(place.schema) && !place.table.starts_with("sqlite_")) {
            (kind.ends_with("VIEW") ? views_ : tables_).push_back(std::move(place));
          }
        });
  }

  // What an unqualified name means is no catalog function's matter: the option says it, or there
  // is only one schema.
  void choose_default_schema() {
    std::string chosen = option_of(session_.settings(), "schema");
    if (chosen.empty()) {
      std::set<std::string> seen;
      for (const auto* places : {&tables_, &views_}) {
        for (const Place& place : *places) {
          seen.insert(place.schema);
        }
      }
      for (const char* usual : {"public", "dbo", "main"}) {
        chosen = chosen.empty() && seen.contains(usual) ? usual : chosen;
      }
      chosen = seen.size() == 1 ? *seen.begin() : chosen;
    }
    shape_.default_schema = Identifier(chosen);
  }

  schema::Name name_of(const std::string& schema, const std::string& table) const {
    const bool is_default = schema == shape_.default_schema.text();
    return {Identifier(is_default ? std::string() : schema), Identifier(table)};
  }

  void name_relations() {
    const auto keep_wanted = [&](std::vector<Place>& places) {
      std::erase_if(places, [&](const Place& place) {
        return !scope_.wanted(name_of(place.schema, place.table));
      });
    };
    keep_wanted(tables_);
    keep_wanted(views_);
    for (const Place& place : tables_) {
      index_[{place.schema, place.table}] = shape_.tables.size();
      shape_.tables.emplace_back().name = name_of(place.schema, place.table);
    }
    for (const Place& place : views_) {
      view_index_[{place.schema, place.table}] = shape_.views.size();
      shape_.views.emplace_back().name = name_of(place.schema, place.table);
    }
  }

  // One call for all of them.
  void read_columns() {
    Argument all("%");  // without a schema some drivers only look at the search path
    rows(
        [&](SQLHSTMT statement) {
          return session_.api().SQLColumnsW(statement, nullptr, 0, all.data(), all.size(),
                                            all.data(), all.size(), nullptr, 0);
        },
        [&](const Row& row) {
          const std::pair key(text(row, 1), text(row, 2));
          schema::Type type =
              type_of(static_cast<SQLSMALLINT>(integer(row, 4)),
                      static_cast<SQLULEN>(std::max<std::int64_t>(integer(row, 6), 0)),
                      static_cast<SQLSMALLINT>(integer(row, 8)), text(row, 5));
          if (const auto table = index_.find(key); table != index_.end()) {
            shape_.tables[table->second].columns.push_back(column_of(row, std::move(type)));
          } else if (const auto view = view_index_.find(key); view != view_index_.end()) {
            shape_.views[view->second].columns.push_back(
                {Identifier(text(row, 3)), std::move(type), text(row, 11)});
          }
        });
  }

  static schema::Column column_of(const Row& row, schema::Type type) {
    schema::Column column;
    column.name = Identifier(text(row, 3));
    column.type = std::move(type);
    column.nullable = integer(row, 10) != SQL_NO_NULLS;
    column.comment = text(row, 11);
    const std::string expression = text(row, 12);
    if (!expression.empty() && !base::equals_ignoring_case(expression, "null")) {
      column.default_value = schema::Default{schema::Default::Kind::Expression, expression};
    }
    return column;
  }

  void read_primary_key(std::size_t i) {
    Argument catalog(tables_[i].catalog);
    Argument schema(tables_[i].schema);
    Argument table(tables_[i].table);
    std::map<std::int64_t, std::string> columns;
    std::string name;
    rows(
        [&](SQLHSTMT statement) {
          return session_.api().SQLPrimaryKeysW(statement, catalog.data(), catalog.size(),
                                                schema.data(), schema.size(), table.data(),
                                                table.size());
        },
        [&](const Row& row) {
          columns[integer(row, 4)] = text(row, 3);
          name = text(row, 5);
        });
    if (columns.empty()) {
      return;
    }
    schema::PrimaryKey key;
    key.name = Identifier(name);
    for (const auto& [place, column] : columns) {
      key.columns.emplace_back(column);
    }
    shape_.tables[i].primary_key = std::move(key);
  }

  // A key begins at sequence number 1; drivers name it or not.
  void read_foreign_keys(std::size_t i) {
    Argument catalog(tables_[i].catalog);
    Argument schema(tables_[i].schema);
    Argument table(tables_[i].table);
    std::vector<schema::ForeignKey>& keys = shape_.tables[i].foreign_keys;
    rows(
        [&](SQLHSTMT statement) {
          return session_.api().SQLForeignKeysW(statement, nullptr, 0, nullptr, 0, nullptr, 0,
                                                catalog.data(), catalog.size(), schema.data(),
                                                schema.size(), table.data(), table.size());
        },
        [&](const Row& row) {
          if (keys.empty() || integer(row, 8) <= 1) {
            schema::ForeignKey key;
            key.name = Identifier(text(row, 11));
            key.referenced_table = name_of(text(row, 1), text(row, 2));
            key.on_update = action_of(integer(row, 9));
            key.on_delete = action_of(integer(row, 10));
            keys.push_back(std::move(key));
          }
          keys.back().columns.emplace_back(text(row, 7));
          keys.back().referenced_columns.emplace_back(text(row, 3));
        });
  }

  void read_indexes(std::size_t i) {
    Argument catalog(tables_[i].catalog);
    Argument schema(tables_[i].schema);
    Argument table(tables_[i].table);
    std::map<std::string, schema::Index> indexes;
    rows(
        [&](SQLHSTMT statement) {
          return session_.api().SQLStatisticsW(statement, catalog.data(), catalog.size(),
                                               schema.data(), schema.size(), table.data(),
                                               table.size(), SQL_INDEX_ALL, SQL_QUICK);
        },
        [&](const Row& row) {
          if (integer(row, 6) == SQL_TABLE_STAT || text(row, 5).empty()) {
            return;
          }
          schema::Index& index = indexes[text(row, 5)];
          index.name = Identifier(text(row, 5));
          index.unique = integer(row, 3) == SQL_FALSE;
          index.where = text(row, 12);
          schema::IndexPart part;
          part.column = Identifier(text(row, 8));
          part.descending = text(row, 9) == "D";
          index.parts.push_back(std::move(part));
        });
    for (auto& [name, index] : indexes) {
      if (!is_primary_key(shape_.tables[i], index)) {
        shape_.tables[i].indexes.push_back(std::move(index));
      }
    }
  }

  static bool is_primary_key(const schema::Table& table, const schema::Index& index) {
    if (!table.primary_key || !index.unique) {
      return false;
    }
    std::vector<Identifier> columns;
    for (const schema::IndexPart& part : index.parts) {
      columns.push_back(part.column);
    }
    return columns == table.primary_key->columns;
  }

  Session& session_;
  const CatalogScope& scope_;
  schema::Schema shape_;
  std::vector<Place> tables_;
  std::vector<Place> views_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::map<std::pair<std::string, std::string>, std::size_t> view_index_;
};

}  // namespace

schema::Schema read_catalog(Session& session, const CatalogScope& scope) {
  return Reader(session, scope).read();
}

}  // namespace kedge::db::odbc
