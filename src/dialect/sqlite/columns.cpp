// Columns of tables and views, from pragma_table_xinfo joined with sqlite_master: one statement
// for all tables.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "dialect/sqlite/catalog.h"

namespace kedge::dialect::sqlite {
namespace {

enum Field : std::size_t { kTable, kName, kType, kNotNull, kDefault, kKey, kHidden };

// What table_xinfo says in its column "hidden".
constexpr std::int64_t kVirtualColumn = 2;
constexpr std::int64_t kStoredColumn = 3;

const std::string* find_fact(const std::vector<std::pair<std::string, std::string>>& facts,
                             const std::string& column) {
  for (const auto& [name, value] : facts) {
    if (base::equals_ignoring_case(name, column)) {
      return &value;
    }
  }
  return nullptr;
}

struct KeyColumn {
  std::int64_t order;
  Identifier name;
};

class ColumnReader {
 public:
  explicit ColumnReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    if (source_ == nullptr || row.text(kTable) != name_) {
      close();
      name_ = row.text(kTable);
      const auto found = catalog_.tables.find(name_);
      source_ = found == catalog_.tables.end() ? nullptr : &found->second;
    }
    if (source_ != nullptr) {
      read_column(row);
    }
  }

  void close() {
    if (source_ != nullptr && !key_.empty()) {
      std::sort(key_.begin(), key_.end(),
                [](const KeyColumn& a, const KeyColumn& b) { return a.order < b.order; });
      schema::PrimaryKey key;
      key.name = Identifier(source_->facts.primary_key_name);
      for (KeyColumn& column : key_) {
        key.columns.push_back(std::move(column.name));
      }
      schema::Table& table = catalog_.schema.tables[source_->place];
      table.primary_key = std::move(key);
      if (!source_->facts.primary_key_conflict.empty()) {
        table.options["key_on_conflict"] = source_->facts.primary_key_conflict;
      }
    }
    key_.clear();
  }

 private:
  void read_column(const RowView& row) {
    static const Dialect& dialect = get_dialect(schema::Dialect::Sqlite);
    schema::Column& column = catalog_.schema.tables[source_->place].columns.emplace_back();
    column.name = Identifier(row.text(kName));
    column.type = dialect.parse_type(row.text(kType));
    column.nullable = row.integer(kNotNull) == 0;
    const sql::CreateTableFacts& facts = source_->facts;
    if (const std::string* collation = find_fact(facts.collations, row.text(kName));
        collation != nullptr && !base::equals_ignoring_case(*collation, "BINARY")) {
      column.collation = *collation;
    }
    if (const std::string* action = find_fact(facts.not_null_conflicts, row.text(kName))) {
      column.options["on_conflict"] = *action;
    }
    const std::int64_t hidden = row.integer(kHidden);
    if (hidden == kVirtualColumn || hidden == kStoredColumn) {
      const std::string* expression = find_fact(facts.generated, row.text(kName));
      column.generated = schema::Generated{
          expression == nullptr ? "" : std::string(without_outer_parentheses(*expression)),
          hidden == kStoredColumn};
    } else if (!row.text(kDefault).empty()) {
      read_default(row.text(kDefault), column);
    }
    if (base::equals_ignoring_case(facts.autoincrement_column, row.text(kName))) {
      column.identity = schema::Identity{};
    }
    if (row.integer(kKey) > 0) {
      key_.push_back({row.integer(kKey), column.name});
    }
  }

  // The generated key of spec/metadata.md 3.4 is identity, not a default.
  static void read_default(const std::string& text, schema::Column& column) {
    column.default_value = default_of(text);
    if (column.default_value && column.default_value->value == "lower(hex(randomblob(16)))") {
      column.default_value.reset();
      column.identity = schema::Identity{};
      column.identity->kind = schema::Identity::Kind::Uuid;
    }
  }

  Catalog& catalog_;
  TableSource* source_ = nullptr;
  std::string name_;
  std::vector<KeyColumn> key_;
};

void read_view_row(Catalog& catalog, const RowView& row) {
  const auto found = catalog.views.find(row.text(kTable));
  if (found != catalog.views.end()) {
    schema::Type type = get_dialect(schema::Dialect::Sqlite).parse_type(row.text(kType));
    catalog.schema.views[found->second].columns.push_back(
        {Identifier(row.text(kName)), std::move(type), ""});
  }
}

// A view over a table that is gone fails; the others still have their columns.
void read_views_one_by_one(db::Connection& connection, Catalog& catalog) {
  for (schema::View& view : catalog.schema.views) {
    view.columns.clear();
    const db::Row parameters = {view.name.name.text()};
    try {
      const db::ResultSet set =
          connection.query("SELECT name, type FROM pragma_table_info(?)", parameters);
      for (const db::Row& row : set.rows) {
        view.columns.push_back(
            {Identifier(db::to_text(row.at(0))),
             get_dialect(schema::Dialect::Sqlite).parse_type(db::to_text(row.at(1))), ""});
      }
    } catch (const db::DatabaseError& error) {
      if (error.failure() == db::FailureClass::Connection) {
        throw;
      }
      catalog.schema.unmodelled.push_back({schema::kBrokenView, view.name});
    }
  }
}

// A default reads no column: SQLite takes "x" for 'x' there.
bool read_quoted_word(std::string_view text, std::string& content) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    return false;
  }
  const std::string_view inner = text.substr(1, text.size() - 2);
  const std::string plain = base::replace_all(std::string(inner), "\"\"", "");
  content = base::replace_all(std::string(inner), "\"\"", "\"");
  return plain.find('"') == std::string::npos;
}

// 0x10 is 16; what is wider than 64 bits, or fills them, stays as it is written.
std::optional<std::string> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const bool marked =
      text.size() > 2 && text.size() < 18 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* end = text.data() + text.size();
  if (!marked) {
    return std::nullopt;
  }
  const auto [stop, fault] = std::from_chars(text.data() + 2, end, value, 16);
  return fault == std::errc() && stop == end ? std::optional(std::to_string(value)) : std::nullopt;
}

}  // namespace

std::optional<schema::Default> default_of(const std::string& text) {
  using schema::Default;
  const std::string_view bare = without_outer_parentheses(text);
  std::string content;
  if (base::equals_ignoring_case(bare, "NULL")) {
    return std::nullopt;
  }
  if (read_string_literal(bare, content)) {
    return Default{Default::Kind::Literal, std::move(content)};
  }
  if (read_quoted_word(bare, content)) {
    return Default{Default::Kind::Literal, std::move(content)};
  }
  if (const std::optional<std::string> number = hexadecimal(bare)) {
    return Default{Default::Kind::Literal, *number};
  }
  const bool truth =
      base::equals_ignoring_case(bare, "true") || base::equals_ignoring_case(bare, "false");
  if (is_number(bare) || truth) {
    return Default{Default::Kind::Literal, std::string(bare)};
  }
  return Default{Default::Kind::Expression, std::string(bare)};
}

// D1 answers with objects by column name, so no two columns of a statement share one.
void read_columns(const Statements& statements, Catalog& catalog) {
  ColumnReader reader(catalog);
  statements.read(kColumns, [&](const RowView& row) { reader.read(row); });
  reader.close();
}

void read_view_columns(const Statements& statements, Catalog& catalog) {
  if (catalog.schema.views.empty()) {
    return;
  }
  try {
    statements.read(kViewColumns, [&](const RowView& row) { read_view_row(catalog, row); });
  } catch (const db::DatabaseError& error) {
    if (error.failure() == db::FailureClass::Connection) {
      throw;
    }
    read_views_one_by_one(statements.connection(), catalog);
  }
}

}  // namespace kedge::dialect::sqlite
