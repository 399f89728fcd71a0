#include <array>

#include "base/text.h"
#include "migrate/postgres_emission.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

class Rewriter {
 public:
  explicit Rewriter(const std::string& sql)
      : sql_(sql), tokens_(sql::tokenize(sql, schema::Dialect::Postgres)) {}

  std::string run() {
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      Match match;
      if (!matches(at, match)) {
        continue;
      }
      out += sql_.substr(copied, tokens_[at].begin - copied) + text(at + 1, match.left_end) +
             " IN (" + text(match.items, match.items_end) + ")";
      copied = tokens_[match.end].end;
      at = match.end;
    }
    return out + sql_.substr(copied);
  }

 private:
  struct Match {
    std::size_t left_end = 0;   // the token that closes "(x)"
    std::size_t items = 0;      // first token inside ARRAY[ ]
    std::size_t items_end = 0;  // the ']'
    std::size_t end = 0;        // the last ')'
  };
  std::string_view word(std::size_t at) const {
    return at < tokens_.size() ? std::string_view(sql_).substr(tokens_[at].begin,
                                                               tokens_[at].end - tokens_[at].begin)
                               : std::string_view();
  }
  std::string text(std::size_t from, std::size_t to) const {
    return sql_.substr(tokens_[from].begin, tokens_[to - 1].end - tokens_[from].begin);
  }
  // The token that closes the bracket at `at`; the number of tokens when none does.
  std::size_t close_of(std::size_t at) const {
    std::size_t depth = 0;
    for (std::size_t i = at; i < tokens_.size(); ++i) {
      const std::string_view one = word(i);
      if (one == "(" || one == "[") {
        ++depth;
      } else if ((one == ")" || one == "]") && --depth == 0) {
        return i;
      }
    }
    return tokens_.size();
  }
  bool follow(std::size_t at, std::initializer_list<std::string_view> words) const {
    for (const std::string_view expected : words) {
      if (!base::equals_ignoring_case(word(at++), expected)) {
        return false;
      }
    }
    return true;
  }
  bool matches(std::size_t at, Match& match) const {
    if (word(at) != "(") {
      return false;
    }
    match.left_end = close_of(at);
    const std::size_t after = match.left_end + 1;
    if (match.left_end >= tokens_.size() ||
        !follow(after, {"::", "text", "=", "ANY", "(", "(", "ARRAY", "["})) {
      return false;
    }
    match.items = after + 8;
    match.items_end = close_of(after + 7);
    match.end = match.items_end + 6;
    return match.items_end < tokens_.size() &&
           follow(match.items_end + 1, {")", "::", "text", "[", "]", ")"});
  }

  const std::string& sql_;
  std::vector<sql::Token> tokens_;
};

}  // namespace

std::string written_membership(const std::string& sql) {
  return sql.find("ANY ((ARRAY[") == std::string::npos ? sql : Rewriter(sql).run();
}

}  // namespace kedge::migrate
