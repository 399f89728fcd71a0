#include "migrate/half_done.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using schema::Dialect;

struct Word {
  std::string text;   // as written
  std::string lower;  // of a plain word; quoted ones are no keywords
};

std::vector<Word> words_of(std::string_view sql, Dialect dialect) {
  std::vector<Word> words;
  for (const sql::Token& token : sql::tokenize(sql, dialect)) {
    if (token.kind == sql::TokenKind::Comment || token.kind == sql::TokenKind::End) {
      continue;
    }
    Word word{std::string(sql.substr(token.begin, token.end - token.begin)), {}};
    if (token.kind != sql::TokenKind::QuotedIdentifier && token.kind != sql::TokenKind::String) {
      word.lower = base::to_lower(word.text);
    }
    words.push_back(std::move(word));
  }
  return words;
}

// Reads on from word to word.
class Reader {
 public:
  explicit Reader(std::vector<Word> words) : words_(std::move(words)) {}
  bool take(std::initializer_list<const char*> expected) {
    std::size_t at = at_;
    for (const char* one : expected) {
      if (at >= words_.size() || words_[at++].lower != one) {
        return false;
      }
    }
    at_ = at;
    return true;
  }
  std::string name() {  // a.b.c
    std::string text;
    while (at_ < words_.size()) {
      text += words_[at_++].text;
      if (at_ >= words_.size() || words_[at_].text != ".") {
        break;
      }
      text += words_[at_++].text;
    }
    return text;
  }
  bool is_at(const char* word) const { return at_ < words_.size() && words_[at_].lower == word; }

 private:
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

// By code where the engine has one, since a server speaks the language of its lc_messages.
constexpr std::array<std::string_view, 7> kExistsOnPostgres = {"42P07", "42710", "42701", "42P06",
                                                               "42723", "42P16", "42P04"};
constexpr std::array<std::string_view, 6> kIsMissingOnPostgres = {"42P01", "42704", "42703",
                                                                  "42883", "3F000", "42P02"};
constexpr std::array<std::string_view, 10> kExistsOnMysql = {
    "1007", "1050", "1060", "1061", "1068", "1304", "1359", "1537", "1826", "3822"};
constexpr std::array<std::string_view, 10> kIsMissingOnMysql = {
    "1008", "1051", "1054", "1091", "1146", "1305", "1360", "1539", "4092", "4091"};
constexpr std::array<std::string_view, 7> kExists = {
    "already exists",        "duplicate column",     "duplicate key name",
    "duplicate foreign key", "multiple primary key", "duplicate check constraint",
    "duplicate constraint"};
constexpr std::array<std::string_view, 7> kIsMissing = {
    "unknown table", "unknown view", "can't drop",     "does not exist",
    "doesn't exist", "no such",      "unknown column",
};

enum class Fault { Exists, IsMissing, Other };

Fault fault_of(const db::DatabaseError& error, Dialect dialect) {
  const auto is_code = [&](const auto& codes) {
    return std::find(codes.begin(), codes.end(), error.native_code()) != codes.end();
  };
  if (dialect == Dialect::Postgres) {
    return is_code(kExistsOnPostgres)      ? Fault::Exists
           : is_code(kIsMissingOnPostgres) ? Fault::IsMissing
                                           : Fault::Other;
  }
  if (dialect == Dialect::Mysql && (is_code(kExistsOnMysql) || is_code(kIsMissingOnMysql))) {
    return is_code(kExistsOnMysql) ? Fault::Exists : Fault::IsMissing;
  }
  const std::string words = base::to_lower(error.driver_message());
  const auto says = [&](const auto& signs) {
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
      return words.find(sign) != std::string::npos;
    });
  };
  return says(kExists) ? Fault::Exists : says(kIsMissing) ? Fault::IsMissing : Fault::Other;
}

}  // namespace

bool has_its_effect(const ScriptStatement& statement, const Error& error, Dialect dialect) {
  const auto* database = dynamic_cast<const db::DatabaseError*>(&error);
  if (database == nullptr) {
    return false;
  }
  const std::vector<Word> words = words_of(statement.sql, dialect);
  const auto has = [&](const char* word) {
    return std::any_of(words.begin(), words.end(), [&](const Word& w) { return w.lower == word; });
  };
  const bool alters = !words.empty() && words[0].lower == "alter";
  const bool renames = alters && (has("rename") || has("change"));
  const bool adds = alters && has("add");
  const bool makes = (!words.empty() && words[0].lower == "create") || adds || renames;
  const bool drops = !makes || renames || (adds && has("drop"));
  const Fault fault = fault_of(*database, dialect);
  return (makes && fault == Fault::Exists) || (drops && fault == Fault::IsMissing);
}

std::optional<ConcurrentIndex> find_concurrent_index(const ScriptStatement& statement,
                                                     Dialect dialect) {
  if (dialect != Dialect::Postgres) {
    return std::nullopt;
  }
  Reader reader(words_of(statement.sql, dialect));
  ConcurrentIndex found;
  if (reader.take({"drop", "index", "concurrently"})) {
    found.verb = ConcurrentIndex::Verb::Drop;
    reader.take({"if", "exists"});
    found.name = reader.name();
    return found;
  }
  if (!reader.take({"create", "index", "concurrently"}) &&
      !reader.take({"create", "unique", "index", "concurrently"})) {
    return std::nullopt;
  }
  reader.take({"if", "not", "exists"});
  if (reader.is_at("on")) {
    return std::nullopt;
  }
  found.name = reader.name();
  if (!reader.take({"on"})) {
    return std::nullopt;
  }
  reader.take({"only"});
  found.table = reader.name();
  return found;
}

bool drop_invalid_index(db::Connection& connection, const ConcurrentIndex& index,
                        const std::function<void()>& first) {
  std::string sql =
      "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_index i JOIN pg_class c ON c.oid = "
      "i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT i.indisvalid AND "
      "c.relkind = 'i' AND ";
  std::vector<db::Value> values = {index.name};
  if (index.verb == ConcurrentIndex::Verb::Create) {
    sql += "c.relname = (parse_ident($1::text))[1]::name AND i.indrelid = to_regclass($2::text)";
    values.emplace_back(index.table);
  } else {
    sql += "i.indexrelid = to_regclass($1::text)";
  }
  const db::ResultSet found = connection.query(sql, values);
  if (found.rows.empty()) {
    return false;
  }
  first();
  connection.execute("DROP INDEX CONCURRENTLY IF EXISTS " + db::to_text(found.rows[0].at(0)));
  return true;
}

bool commits_on_its_way(const ScriptStatement& statement, Dialect dialect) {
  const std::vector<Word> words = words_of(statement.sql, dialect);
  if (words.empty() || (dialect != Dialect::Postgres && dialect != Dialect::Mysql)) {
    return false;
  }
  if (dialect == Dialect::Mysql) {  // DROP TABLE a, b drops a and then fails on b
    const auto is_comma = [](const Word& word) { return word.text == ","; };
    return words[0].lower == "call" ||
           (words[0].lower == "drop" && std::any_of(words.begin(), words.end(), is_comma));
  }
  return words[0].lower == "call" ||
         (words[0].lower == "do" &&
          base::to_lower(statement.sql).find("commit") != std::string::npos);
}

}  // namespace kedge::migrate
