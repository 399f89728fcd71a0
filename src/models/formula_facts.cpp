// The references of a formula (models.md 4), by a recursive descent over its grammar that keeps
// names only.
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/facts.h"

namespace kedge::models {
namespace {

constexpr std::size_t kDeepest = 200;

enum class Kind { Name, Number, Text, Symbol, Variable, End };

struct Lexeme {
  Kind kind = Kind::End;
  std::string_view text;
  std::size_t begin = 0;
};

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct SyntaxError {
  Code code;
  std::string message;
  std::size_t offset;
};

std::vector<Lexeme> split_formula(std::string_view text) {
  std::vector<Lexeme> lexemes;
  std::size_t at = 0;
  const auto take = [&](Kind kind, std::size_t end) {
    lexemes.push_back({kind, text.substr(at, end - at), at});
    at = end;
  };
  while (at < text.size()) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
    } else if (is_name_start(c)) {
      while (end < text.size() && (is_name_start(text[end]) || is_digit(text[end]))) {
        ++end;
      }
      take(Kind::Name, end);
    } else if (is_digit(c) || (c == '.' && end < text.size() && is_digit(text[end]))) {
      while (end < text.size() &&
             (is_digit(text[end]) || text[end] == '.' || text[end] == 'e' || text[end] == 'E')) {
        ++end;
      }
      take(Kind::Number, end);
    } else if (c == '\'' || c == '"') {
      while (true) {
        end = text.find(c, end);
        if (end == std::string_view::npos) {
          throw SyntaxError{codes::formula_syntax, "a text is not closed", at};
        }
        ++end;
        if (end >= text.size() || text[end] != c) {
          break;
        }
        ++end;
      }
      take(Kind::Text, end);
    } else if (c == '{') {
      end = text.find('}', at);
      if (end == std::string_view::npos) {
        throw SyntaxError{codes::formula_syntax, "a '{' is not closed", at};
      }
      take(Kind::Variable, end + 1);
    } else {
      const std::string_view two = text.substr(at, 2);
      for (const std::string_view symbol : {"<>", "!=", "<=", ">=", "==", "||", "**"}) {
        if (two == symbol) {
          end = at + 2;
        }
      }
      take(Kind::Symbol, end);
    }
  }
  lexemes.push_back({Kind::End, {}, text.size()});
  return lexemes;
}

class FormulaReader {
 public:
  FormulaReader(std::vector<Lexeme> lexemes, FormulaFacts& facts)
      : lexemes_(std::move(lexemes)), facts_(facts) {}

  void read() {
    read_or();
    if (peek().kind != Kind::End) {
      fail("'" + std::string(peek().text) + "' is not expected here");
    }
  }

 private:
  using Reference = FormulaReference;

  const Lexeme& peek(std::size_t ahead = 0) const {
    return lexemes_[std::min(at_ + ahead, lexemes_.size() - 1)];
  }
  Lexeme next() {
    const Lexeme lexeme = peek();
    at_ = std::min(at_ + 1, lexemes_.size() - 1);
    return lexeme;
  }
  bool is_symbol(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::Symbol && peek(ahead).text == text;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::Name && base::equals_ignoring_case(peek(ahead).text, word);
  }
  bool take_symbol(std::string_view text) {
    const bool found = is_symbol(text);
    at_ += found ? 1 : 0;
    return found;
  }
  bool take_word(std::string_view word) {
    const bool found = is_word(word);
    at_ += found ? 1 : 0;
    return found;
  }
  [[noreturn]] void fail(std::string message, Code code = codes::formula_syntax) const {
    throw SyntaxError{code, std::move(message), peek().begin};
  }
  void expect(std::string_view symbol) {
    if (!take_symbol(symbol)) {
      fail("'" + std::string(symbol) + "' is missing" +
           (peek().kind == Kind::End ? " at the end"
                                     : " before '" + std::string(peek().text) + "'"));
    }
  }

  void read_or() {
    if (++depth_ > kDeepest) {
      fail("the formula is nested too deeply");
    }
    do {
      do {
        while (take_word("not")) {
        }
        read_comparison();
      } while (take_word("and"));
    } while (take_word("or"));
    --depth_;
  }

  void read_comparison() {
    read_sum();
    for (const std::string_view symbol : {"=", "==", "<>", "!=", "<=", ">=", "<", ">"}) {
      if (take_symbol(symbol)) {
        read_sum();
        return;
      }
    }
    if (take_word("is")) {
      take_word("not");
      if (!take_word("null")) {
        fail("IS needs NULL");
      }
      return;
    }
    if (is_word("not") && (is_word("in", 1) || is_word("like", 1) || is_word("between", 1))) {
      next();
    }
    if (take_word("in")) {
      read_list();
    } else if (take_word("like")) {
      read_sum();
    } else if (take_word("between")) {
      read_sum();
      if (!take_word("and")) {
        fail("BETWEEN needs AND");
      }
      read_sum();
    }
  }

  void read_list() {
    if (peek().kind == Kind::Variable) {
      next();
      return;
    }
    expect("(");
    do {
      read_or();
    } while (take_symbol(","));
    expect(")");
  }

  void read_sum() {
    do {
      do {
        read_unary();
      } while (take_symbol("*") || take_symbol("/") || take_symbol("%"));
    } while (take_symbol("+") || take_symbol("-") || take_symbol("||"));
  }

  void read_unary() {
    while (take_symbol("-")) {
    }
    read_atom();
    if (take_symbol("**")) {
      read_unary();
    }
  }

  void read_atom() {
    const Lexeme& lexeme = peek();
    if (lexeme.kind == Kind::Number || lexeme.kind == Kind::Text || lexeme.kind == Kind::Variable) {
      next();
    } else if (take_symbol("(")) {
      read_or();
      expect(")");
    } else if (is_symbol("*")) {
      read_star({});
    } else if (lexeme.kind == Kind::Name) {
      read_name();
    } else {
      fail(lexeme.kind == Kind::End ? "the formula ends too early"
                                    : "'" + std::string(lexeme.text) + "' is not expected here");
    }
  }

  void read_name() {
    if (take_word("true") || take_word("false") || take_word("null")) {
      return;
    }
    if (is_word("case") || is_word("over")) {
      fail("'" + std::string(peek().text) + "' is not part of formulas");
    }
    if (is_symbol("(", 1)) {
      read_call();
      return;
    }
    const std::size_t begin = peek().begin;
    std::vector<std::string> path{std::string(next().text)};
    while (is_symbol(".")) {
      next();
      if (is_symbol("*")) {
        read_star(std::move(path));
        return;
      }
      if (peek().kind != Kind::Name) {
        fail("a name is missing after '.'");
      }
      path.emplace_back(next().text);
    }
    if (!take_symbol(":")) {
      facts_.references.push_back({Reference::Kind::Bare, std::move(path), "", begin});
      return;
    }
    read_aggregation(Reference::Kind::Aggregate, std::move(path), begin);
  }

  void read_aggregation(Reference::Kind kind, std::vector<std::string> path, std::size_t begin) {
    if (peek().kind != Kind::Name) {
      fail("an aggregation is missing after ':'");
    }
    const std::string name = fold_aggregation(next().text);
    facts_.references.push_back({kind, std::move(path), name, begin});
    if (take_symbol("(")) {
      read_arguments(Reference::Kind::Argument);
    }
  }

  void read_star(std::vector<std::string> path) {
    const std::size_t begin = next().begin;
    if (!take_symbol(":")) {
      fail("'*' needs ':count'");
    }
    if (peek().kind != Kind::Name || !base::equals_ignoring_case(peek().text, "count")) {
      fail("'*' can only be counted: write *:count", codes::star_aggregation);
    }
    next();
    facts_.references.push_back({Reference::Kind::Star, std::move(path), "", begin});
  }

  // Names given to an aggregation are columns; names given to functions are formulas.
  void read_arguments(Reference::Kind bare) {
    if (take_symbol(")")) {
      return;
    }
    do {
      const std::size_t first = facts_.references.size();
      if (peek().kind == Kind::Name && is_symbol("=", 1)) {
        const bool columns = bare == Reference::Kind::Argument || is_word("partition_by");
        next();
        next();
        read_argument_value(columns ? Reference::Kind::Argument : Reference::Kind::Bare);
      } else {
        read_or();
        turn_bare(first, bare);
      }
    } while (take_symbol(","));
    expect(")");
  }

  void read_argument_value(Reference::Kind bare) {
    const std::size_t first = facts_.references.size();
    if (take_symbol("[")) {
      do {
        read_or();
      } while (take_symbol(","));
      expect("]");
    } else {
      read_or();
    }
    turn_bare(first, bare);
  }

  void turn_bare(std::size_t first, Reference::Kind kind) {
    for (std::size_t number = first; number < facts_.references.size(); ++number) {
      if (facts_.references[number].kind == Reference::Kind::Bare) {
        facts_.references[number].kind = kind;
      }
    }
  }

  void read_call() {
    const Lexeme name = next();
    const std::string folded = fold_aggregation(name.text);
    const bool known = is_transform(name.text) || is_scalar_function(name.text);
    next();
    if (!known && !is_builtin_aggregation(folded)) {
      --at_;
      throw SyntaxError{codes::unknown_function,
                        "function '" + std::string(name.text) + "' is not known", name.begin};
    }
    const std::size_t first = facts_.references.size();
    if (!known && is_symbol("*")) {
      next();
      facts_.references.push_back({Reference::Kind::Star, {}, "", name.begin});
      facts_.function_style = true;
      expect(")");
      return;
    }
    read_arguments(Reference::Kind::Bare);
    const bool plain =
        facts_.references.size() > first && facts_.references[first].kind == Reference::Kind::Bare;
    const bool ambiguous = is_transform(name.text);
    if (is_builtin_aggregation(folded) && !is_scalar_function(name.text) && plain &&
        (!ambiguous || is_builtin_aggregation(folded))) {
      facts_.references[first].kind = Reference::Kind::Aggregate;
      facts_.references[first].aggregation = folded;
      facts_.function_style = true;
    }
    if (is_word("over") && is_symbol("(", 1)) {
      fail("OVER is not part of formulas: use a transform", codes::window_in_formula);
    }
  }

  std::vector<Lexeme> lexemes_;
  FormulaFacts& facts_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

FormulaFacts analyse_formula(std::string_view formula) {
  FormulaFacts facts;
  try {
    FormulaReader(split_formula(formula), facts).read();
  } catch (const SyntaxError& error) {
    facts.error = Problem{error.code, error.message, std::nullopt, "", {}};
    facts.error_offset = error.offset;
  }
  return facts;
}

}  // namespace kedge::models
