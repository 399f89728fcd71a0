// Application-time periods of MariaDB. Its catalog tells of one as a CHECK that its start is before
// its end, and of a key WITHOUT OVERLAPS as one over both columns (information_schema.PERIODS came
// with 11.4): only SHOW CREATE TABLE tells what they are. It is asked about tables that have such a
// CHECK, all of them in one go.
#include <algorithm>

#include "base/text.h"
#include "dialect/mysql/catalog.h"

namespace kedge::dialect::mysql {
namespace {

using schema::TypeKind;
using sql::Token;
using sql::TokenKind;

std::string name_at(std::string_view sql, const Token& token) {
  const std::string text(sql.substr(token.begin, token.end - token.begin));
  return token.kind == TokenKind::QuotedIdentifier
             ? base::replace_all(text.substr(1, text.size() - 2), "``", "`")
             : text;
}

const schema::Column* find_column(const schema::Table& table, const std::string& name) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const schema::Column& column) { return column.name.text() == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

// "`a` < `b`", over two columns that could be a period.
bool could_be_period(const schema::Table& table, const schema::Check& check) {
  const std::vector<Token> tokens = sql::tokenize(check.expression, schema::Dialect::Mysql);
  if (tokens.size() < 3 || (tokens.size() > 3 && tokens[3].kind != TokenKind::End) ||
      name_at(check.expression, tokens[1]) != "<") {
    return false;
  }
  const schema::Column* start = find_column(table, name_at(check.expression, tokens[0]));
  const schema::Column* end = find_column(table, name_at(check.expression, tokens[2]));
  return start != nullptr && end != nullptr && !start->nullable && !end->nullable &&
         start->type == end->type &&
         (start->type.kind == TypeKind::Date || start->type.kind == TypeKind::Timestamp ||
          start->type.kind == TypeKind::TimestampTz);
}

// Reads one CREATE TABLE as the server writes it.
class Statement {
 public:
  explicit Statement(std::string_view sql)
      : sql_(sql), tokens_(sql::tokenize(sql, schema::Dialect::Mysql)) {}

  // Periods, the keys that have one without overlaps, and the names of real CHECKs.
  void read() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (is_word(i, "PERIOD") && is_word(i + 1, "FOR") && !is_word(i + 2, "SYSTEM_TIME")) {
        read_period(i + 2);
      } else if (is_word(i, "KEY")) {
        key_ = is_name(i + 1) ? name(i + 1) : "PRIMARY";
      } else if (is_word(i, "WITHOUT") && is_word(i + 1, "OVERLAPS") && i > 0) {
        keys[key_] = name(i - 1);
      } else if (is_word(i, "CONSTRAINT") && is_word(i + 2, "CHECK")) {
        checks.push_back(name(i + 1));
      }
    }
  }

  std::string period;  // "`p` (`a`, `b`)"
  std::map<std::string, std::string> keys;
  std::vector<std::string> checks;

 private:
  std::string name(std::size_t at) const { return name_at(sql_, tokens_[at]); }
  bool is_name(std::size_t at) const {
    return tokens_[at].kind == TokenKind::QuotedIdentifier ||
           tokens_[at].kind == TokenKind::Identifier;
  }
  bool is_word(std::size_t at, const char* word) const {
    return tokens_[at].kind == TokenKind::Identifier && name(at) == word;
  }
  void read_period(std::size_t at) {
    if (at + 5 < tokens_.size()) {  // name ( start , end )
      const Dialect& dialect = get_dialect(schema::Dialect::Mysql);
      period = dialect.quote(Identifier(name(at))) + " (" +
               dialect.quote(Identifier(name(at + 2))) + ", " +
               dialect.quote(Identifier(name(at + 4))) + ")";
    }
  }

  std::string_view sql_;
  std::vector<Token> tokens_;
  std::string key_;
};

// The period stands for its two columns, the last ones of the key: `include` names it.
template <class Parts>
void put_period(Parts& parts, std::vector<Identifier>& include, const std::string& period) {
  parts.resize(parts.size() - std::min<std::size_t>(parts.size(), 2));
  include.emplace_back(period);
}

void apply(const Statement& shown, schema::Table& table) {
  table.options["period"] = shown.period;
  std::erase_if(table.checks, [&](const schema::Check& check) {
    return could_be_period(table, check) && std::find(shown.checks.begin(), shown.checks.end(),
                                                      check.name.text()) == shown.checks.end();
  });
  for (schema::Index& index : table.indexes) {
    if (const auto key = shown.keys.find(index.name.text()); key != shown.keys.end()) {
      put_period(index.parts, index.include, key->second);
    }
  }
  if (const auto key = shown.keys.find("PRIMARY"); key != shown.keys.end() && table.primary_key) {
    put_period(table.primary_key->columns, table.primary_key->include, key->second);
  }
}

}  // namespace

void read_periods(db::Connection& connection, Catalog& catalog) {
  std::vector<schema::Table*> tables;
  std::string sql;
  for (schema::Table& table : catalog.schema.tables) {
    if (std::any_of(table.checks.begin(), table.checks.end(),
                    [&](const schema::Check& check) { return could_be_period(table, check); })) {
      schema::Name name = table.name;
      name.schema = name.schema.empty() ? catalog.schema.default_schema : name.schema;
      sql += (sql.empty() ? "" : "; ") +
             ("SHOW CREATE TABLE " + quote_name(get_dialect(schema::Dialect::Mysql), name));
      tables.push_back(&table);
    }
  }
  if (!catalog.is_mariadb || tables.empty()) {
    return;
  }
  std::size_t next = 0;
  read_rows(connection, sql, [&](const RowView& row) {
    Statement shown(row.text(1));
    shown.read();
    if (!shown.period.empty() && next < tables.size()) {
      apply(shown, *tables[next]);
    }
    ++next;
  });
}

}  // namespace kedge::dialect::mysql
