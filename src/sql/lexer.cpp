#include "sql/lexer.h"

#include <array>

#include "base/text.h"

namespace kedge::sql {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c) || c == '$';
}

namespace {

LexRules make_rules(Flavour flavour) {
  LexRules r;
  const auto is = [flavour](auto... list) { return ((flavour == list) || ...); };
  using enum Flavour;
  r.backtick_names = is(Sqlite, Mysql, Clickhouse, Bigquery, Ansi);
  r.bracket_names = is(Sqlite, Sqlserver);
  r.double_quoted_strings = is(Mysql, Bigquery);
  r.backslash_escapes = is(Mysql, Clickhouse, Bigquery, Snowflake);
  r.escape_strings = is(Postgres, Duckdb, Ansi);
  r.dollar_quotes = is(Postgres, Duckdb, Snowflake);
  r.nested_comments = is(Postgres, Duckdb, Sqlserver, Ansi);
  r.hash_comments = is(Mysql, Bigquery);
  r.slash_comments = is(Snowflake);
  r.dash_needs_space = is(Mysql);
  r.colon_parameters = is(Sqlite, Ansi);
  r.question_parameters = !is(Postgres, Clickhouse);
  r.at_parameters = is(Sqlite, Mysql, Sqlserver, Bigquery);
  r.open_operators = is(Postgres, Duckdb, Ansi);
  r.hash_names = is(Sqlserver);
  return r;
}

constexpr std::size_t kFlavours = 9;
// Longest first; the operators of more than one character outside postgres and duckdb.
constexpr std::array<std::string_view, 19> kFixedOperators = {
    "<=>", "->>", "!~*", "||", "&&", "<=", ">=", "<>", "!=", "==",
    "<<",  ">>",  "::",  ":=", "->", "=>", "**", "!<", "!>"};

class Lexer {
 public:
  Lexer(std::string_view text, Flavour flavour, std::size_t from = 0)
      : text_(text), flavour_(flavour), rules_(rules_of(flavour)), at_(from) {}

  Token next() {
    skip_space();
    const std::size_t begin = at_;
    if (begin >= text_.size()) {
      return {TokenKind::End, text_.size(), text_.size()};
    }
    const TokenKind kind = scan();
    return {kind, begin, at_};
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
  }

  TokenKind scan() {
    const char c = peek();
    if (starts_line_comment()) {
      const auto end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
      return TokenKind::Comment;
    }
    if (starts("/*")) {
      return block_comment();
    }
    if (c == '\'' || (c == '"' && rules_.double_quoted_strings)) {
      return string(c, rules_.backslash_escapes);
    }
    if (flavour_ == Flavour::Mysql && starts("\\'")) {
      return escaped_string();
    }
    if (c == '"' || (c == '`' && rules_.backtick_names)) {
      return delimited(c);
    }
    if (c == '[' && rules_.bracket_names) {
      return delimited(']');
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      return number();
    }
    if (is_name_start(c) || (c == '#' && rules_.hash_names)) {
      return name();
    }
    return other(c);
  }

  bool starts_line_comment() const {
    if (starts("--")) {
      return !rules_.dash_needs_space || at_ + 2 >= text_.size() || is_space(peek(2));
    }
    return (peek() == '#' && rules_.hash_comments) || (starts("//") && rules_.slash_comments);
  }

  TokenKind block_comment() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (starts("/*") && (depth == 0 || rules_.nested_comments)) {
        ++depth;
        at_ += 2;
      } else if (starts("*/")) {
        at_ += 2;
        if (--depth == 0) {
          return TokenKind::Comment;
        }
      } else {
        ++at_;
      }
    }
    // sqlite ends an open comment at the end of the text, the others refuse it.
    return flavour_ == Flavour::Sqlite ? TokenKind::Comment : TokenKind::Error;
  }

  TokenKind string(char quote, bool backslash) {
    if (flavour_ == Flavour::Bigquery && peek(1) == quote && peek(2) == quote) {
      return triple_quoted(quote);
    }
    ++at_;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && backslash) {
        at_ += 2;
      } else if (text_[at_] == quote) {
        ++at_;
        if (peek() != quote) {
          return TokenKind::String;
        }
        ++at_;
      } else {
        ++at_;
      }
    }
    at_ = text_.size();
    return TokenKind::Error;
  }

  TokenKind triple_quoted(char quote) {
    const std::string mark(3, quote);
    const auto end = text_.find(mark, at_ + 3);
    at_ = end == std::string_view::npos ? text_.size() : end + 3;
    return end == std::string_view::npos ? TokenKind::Error : TokenKind::String;
  }

  // information_schema of MySQL shows CHECK literals as _utf8mb4\'x\'.
  TokenKind escaped_string() {
    const auto end = text_.find("\\'", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    return end == std::string_view::npos ? TokenKind::Error : TokenKind::String;
  }

  TokenKind delimited(char close) {
    ++at_;
    while (at_ < text_.size()) {
      if (text_[at_] == close) {
        ++at_;
        if (peek() != close || (close == ']' && flavour_ == Flavour::Sqlite)) {
          return TokenKind::QuotedIdentifier;
        }
      }
      ++at_;
    }
    at_ = text_.size();
    return TokenKind::Error;
  }

  TokenKind number() {
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
      at_ += 2;
      while (is_name_part(peek())) {
        ++at_;
      }
      return TokenKind::Number;
    }
    digits();
    if (peek() == '.' && peek(1) != '.') {
      ++at_;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        at_ += 1 + sign;
        digits();
      }
    }
    return TokenKind::Number;
  }
  void digits() {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) {
      ++at_;
    }
  }

  TokenKind name() {
    const std::size_t begin = at_;
    ++at_;
    while (at_ < text_.size() &&
           (is_name_part(text_[at_]) || (rules_.hash_names && peek() == '#'))) {
      ++at_;
    }
    return prefixed_string(text_.substr(begin, at_ - begin));
  }

  // E'..', B'..', X'..', N'..', U&'..' and bigquery's r'..': the prefix belongs to the string.
  TokenKind prefixed_string(std::string_view word) {
    const char quote = peek();
    const bool quotes = quote == '\'' || (quote == '"' && rules_.double_quoted_strings);
    if (word.size() == 1 && quotes) {
      const char prefix = base::to_lower(word)[0];
      if (prefix == 'e' && rules_.escape_strings) {
        return string(quote, true);
      }
      if (prefix == 'r' && flavour_ == Flavour::Bigquery) {
        return string(quote, false);
      }
      if (prefix == 'x' || prefix == 'b' || prefix == 'n') {
        return string(quote, rules_.backslash_escapes);
      }
    }
    if ((word == "u" || word == "U") && rules_.escape_strings && peek() == '&') {
      if (peek(1) == '\'') {
        ++at_;
        return string('\'', false);
      }
      if (peek(1) == '"') {
        ++at_;
        return delimited('"');
      }
    }
    return TokenKind::Identifier;
  }

  TokenKind other(char c) {
    if (c == '{' && is_name_start(peek(1)) && placeholder()) {
      return TokenKind::Parameter;
    }
    if (c == '$' && (is_digit(peek(1)) || is_name_start(peek(1)) || peek(1) == '$')) {
      return dollar();
    }
    if (c == '?' && rules_.question_parameters) {
      ++at_;
      digits();
      return TokenKind::Parameter;
    }
    const bool marked = (c == ':' && rules_.colon_parameters) || (c == '@' && rules_.at_parameters);
    if (marked && (is_name_start(peek(1)) || (c == '@' && peek(1) == '@'))) {
      at_ += 2;
      while (is_name_part(peek())) {
        ++at_;
      }
      return TokenKind::Parameter;
    }
    return operator_token(c);
  }

  bool placeholder() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name_part(text_[end])) {
      ++end;
    }
    if (end >= text_.size() || text_[end] != '}') {
      return false;
    }
    at_ = end + 1;
    return true;
  }

  TokenKind dollar() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_name_part(text_[end]) && text_[end] != '$') {
      ++end;
    }
    const bool quote = end < text_.size() && text_[end] == '$' && !is_digit(peek(1));
    if (!quote || !rules_.dollar_quotes) {
      const bool named = end > at_ + 1;
      at_ = end;
      return named ? TokenKind::Parameter : TokenKind::Error;
    }
    const auto tag = text_.substr(at_, end - at_ + 1);
    const auto close = text_.find(tag, end + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + tag.size();
    return close == std::string_view::npos ? TokenKind::Error : TokenKind::String;
  }

  TokenKind operator_token(char c) {
    if (std::string_view("(),;[]{}.").find(c) != std::string_view::npos) {
      ++at_;
      return TokenKind::Operator;
    }
    if (c == ':') {
      at_ += starts("::") || starts(":=") ? 2 : 1;
      return TokenKind::Operator;
    }
    if (rules_.open_operators) {
      return open_operator();
    }
    for (const auto fixed : kFixedOperators) {
      if (starts(fixed)) {
        at_ += fixed.size();
        return TokenKind::Operator;
      }
    }
    ++at_;
    const bool known = std::string_view("+-*/<>=~!@#%^&|?").find(c) != std::string_view::npos;
    return known ? TokenKind::Operator : TokenKind::Error;
  }

  // The rule of postgres: as long as possible, never over the start of a comment, and no trailing
  // sign unless the operator holds one of ~ ! @ # % ^ & | ` ?.
  TokenKind open_operator() {
    constexpr std::string_view kCharacters = "+-*/<>=~!@#%^&|`?";
    std::size_t end = at_;
    while (end < text_.size() && kCharacters.find(text_[end]) != std::string_view::npos) {
      const auto rest = text_.substr(end);
      if (end > at_ && (rest.starts_with("--") || rest.starts_with("/*"))) {
        break;
      }
      if (rest[0] == '?' && rules_.question_parameters) {
        break;
      }
      ++end;
    }
    if (end == at_) {
      ++at_;
      return TokenKind::Error;
    }
    const auto word = text_.substr(at_, end - at_);
    if (word.find_first_of("~!@#%^&|`?") == std::string_view::npos) {
      while (end > at_ + 1 && (text_[end - 1] == '+' || text_[end - 1] == '-')) {
        --end;
      }
    }
    at_ = end;
    return TokenKind::Operator;
  }

  std::string_view text_;
  Flavour flavour_;
  const LexRules& rules_;
  std::size_t at_ = 0;
};

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | ((code >> 18U) & 0x07U));
    out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
    out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

unsigned hex_value(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) {
    value = value * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

bool all_hex(std::string_view text) {
  for (const char c : text) {
    if (!is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'f')) {
      return false;
    }
  }
  return !text.empty();
}

// One escape at text[at] == '\\'; gives how many bytes it took.
std::size_t unescape(std::string_view text, std::size_t at, std::string& out) {
  const char c = at + 1 < text.size() ? text[at + 1] : '\\';
  const std::size_t width = c == 'u' ? 4 : c == 'U' ? 8 : c == 'x' ? 2 : 0;
  if (width != 0 && at + 2 + width <= text.size() && all_hex(text.substr(at + 2, width))) {
    append_utf8(out, hex_value(text.substr(at + 2, width)));
    return 2 + width;
  }
  constexpr std::string_view kFrom = "ntrbf0Z";
  constexpr std::string_view kTo("\n\t\r\b\f\0\x1a", 7);
  const auto known = kFrom.find(c);
  // LIKE patterns keep \% and \_ as they are.
  if (c == '%' || c == '_') {
    out += '\\';
  }
  out += known == std::string_view::npos ? c : kTo[known];
  return 2;
}

std::string decode_body(std::string_view body, char quote, bool backslash) {
  std::string out;
  out.reserve(body.size());
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] == '\\' && backslash) {
      i += unescape(body, i, out);
    } else {
      out += body[i];
      i += body[i] == quote && i + 1 < body.size() && body[i + 1] == quote ? 2 : 1;
    }
  }
  return out;
}

}  // namespace

const LexRules& rules_of(Flavour flavour) {
  static const auto rules = [] {
    std::array<LexRules, kFlavours> all;
    for (std::size_t i = 0; i < kFlavours; ++i) {
      all[i] = make_rules(static_cast<Flavour>(i));
    }
    return all;
  }();
  return rules[static_cast<std::size_t>(flavour)];
}

std::vector<Token> tokenize(std::string_view sql, const Syntax& syntax) {
  Lexer lexer(sql, syntax.flavour());
  std::vector<Token> tokens;
  tokens.reserve(sql.size() / 4 + 2);
  do {
    tokens.push_back(lexer.next());
  } while (tokens.back().kind != TokenKind::End);
  return tokens;
}

Token next_token(std::string_view sql, std::size_t from, Flavour flavour) {
  return Lexer(sql, flavour, from).next();
}

std::vector<Token> significant_tokens(std::string_view sql, Flavour flavour) {
  std::vector<Token> tokens = tokenize(sql, flavour);
  std::erase_if(tokens, [](const Token& token) { return token.kind == TokenKind::Comment; });
  return tokens;
}

std::string decode_string(std::string_view token, Flavour flavour) {
  if (token.starts_with('$')) {
    const auto tag = token.find('$', 1) + 1;
    return std::string(token.substr(tag, token.size() - 2 * tag));
  }
  if (token.starts_with("\\'")) {
    return std::string(token.substr(2, token.size() - 4));
  }
  bool backslash = rules_of(flavour).backslash_escapes;
  while (!token.empty() && token[0] != '\'' && token[0] != '"') {
    backslash = token[0] == 'e' || token[0] == 'E' || (backslash && token[0] != 'r');
    token.remove_prefix(1);
  }
  const char quote = token.empty() ? '\'' : token[0];
  const std::size_t width =
      token.size() >= 6 && token[1] == quote && token[2] == quote && flavour == Flavour::Bigquery
          ? 3
          : 1;
  return decode_body(token.substr(width, token.size() - 2 * width), quote, backslash);
}

std::string decode_name(std::string_view token) {
  if (token.size() < 2) {
    return std::string(token);
  }
  if (token.starts_with("U&") || token.starts_with("u&")) {
    token.remove_prefix(2);
  }
  const char close = token.back();
  return decode_body(token.substr(1, token.size() - 2), close, false);
}

}  // namespace kedge::sql
