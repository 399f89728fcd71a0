#include "models/formula_lexer.h"

#include <array>

namespace kedge::models {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  FormulaToken next() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
    FormulaToken token;
    token.begin = at_;
    if (at_ < text_.size()) {
      scan(token);
    }
    token.end = at_;
    return token;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void scan(FormulaToken& token) {
    const char c = peek();
    if (starts_name(c)) {
      token.kind = FormulaToken::Kind::Name;
      name(token.text);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number(token);
    } else if (c == '\'' || c == '"') {
      string(token, c);
    } else if (c == '{') {
      placeholder(token);
    } else {
      symbol(token);
    }
  }

  void name(std::string& out) {
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) {
      out += text_[at_++];
    }
  }

  void number(FormulaToken& token) {
    token.kind = FormulaToken::Kind::Numeral;
    const std::size_t begin = at_;
    while (is_digit(peek())) {
      ++at_;
    }
    if (peek() == '.' && is_digit(peek(1))) {
      ++at_;
      while (is_digit(peek())) {
        ++at_;
      }
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      at_ += 1 + sign;
      while (is_digit(peek())) {
        ++at_;
      }
    }
    if (starts_name(peek())) {
      token.kind = FormulaToken::Kind::Error;
    }
    token.text = std::string(text_.substr(begin, at_ - begin));
  }

  void string(FormulaToken& token, char quote) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != quote) {
        token.text += c;
      } else if (peek() == quote) {
        token.text += quote;
        ++at_;
      } else {
        token.kind = FormulaToken::Kind::String;
        return;
      }
    }
    token.kind = FormulaToken::Kind::Error;
  }

  void placeholder(FormulaToken& token) {
    ++at_;
    name(token.text);
    token.kind = FormulaToken::Kind::Error;
    if (!token.text.empty() && peek() == '}') {
      ++at_;
      token.kind = FormulaToken::Kind::Placeholder;
    }
  }

  void symbol(FormulaToken& token) {
    static constexpr std::array<std::string_view, 7> kLong{
        "<>", "<=", ">=", "!=", "==", "||", "**"};
    token.kind = FormulaToken::Kind::Symbol;
    for (const std::string_view symbol : kLong) {
      if (text_.substr(at_).starts_with(symbol)) {
        token.text = std::string(symbol);
        at_ += 2;
        return;
      }
    }
    token.text = std::string(1, text_[at_]);
    if (std::string_view("()[],.:+-*/%=<>").find(text_[at_]) == std::string_view::npos) {
      token.kind = FormulaToken::Kind::Error;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<FormulaToken> tokenize_formula(std::string_view text) {
  Lexer lexer(text);
  std::vector<FormulaToken> tokens;
  do {
    tokens.push_back(lexer.next());
  } while (tokens.back().kind != FormulaToken::Kind::End &&
           tokens.back().kind != FormulaToken::Kind::Error);
  return tokens;
}

}  // namespace kedge::models
