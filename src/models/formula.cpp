#include "models/formula.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/formula_lexer.h"

namespace kedge::models {
namespace {

using Kind = FormulaNode::Kind;
using Token = FormulaToken;

constexpr unsigned kMaximumDepth = 150;
constexpr std::size_t kMaximumText = 1U << 20U;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text.size() > kMaximumText) {
      tokens_.push_back({});
      fail(codes::formula_syntax, "the formula is too long");
    } else {
      tokens_ = tokenize_formula(text);
    }
  }

  ParsedFormula run() {
    result_.root = formula();
    if (!result_.error && token().kind != Token::Kind::End) {
      unexpected();
    }
    return std::move(result_);
  }

 private:
  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::Symbol && token(ahead).text == symbol;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::Name &&
           base::equals_ignoring_case(token(ahead).text, word);
  }
  bool is_name(std::size_t ahead = 0) const { return token(ahead).kind == Token::Kind::Name; }
  void advance() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
  bool accept(std::string_view symbol) {
    const bool found = is(symbol);
    if (found) {
      advance();
    }
    return found;
  }
  bool accept_word(std::string_view word) {
    const bool found = is_word(word);
    if (found) {
      advance();
    }
    return found;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) {
      unexpected("'" + std::string(symbol) + "'");
    }
  }

  void fail(Code code, std::string message, std::string hint = {}) {
    if (!result_.error) {
      result_.error = Problem{code, std::move(message), std::nullopt, std::move(hint), {}};
      result_.error_offset = token().begin;
    }
    at_ = tokens_.size() - 1;
  }
  void fail_at(std::size_t offset, Code code, std::string message, std::string hint = {}) {
    const bool first = !result_.error;
    fail(code, std::move(message), std::move(hint));
    if (first) {
      result_.error_offset = offset;
    }
  }
  void unexpected(const std::string& wanted = {}) {
    const Token& here = token();
    std::string message =
        here.kind == Token::Kind::End
            ? std::string("the formula ends too early")
            : "unexpected '" +
                  std::string(
                      base::truncate_utf8(text_.substr(here.begin, here.end - here.begin), 40)) +
                  "' at character " +
                  std::to_string(base::count_code_points(text_.substr(0, here.begin)) + 1);
    fail(codes::formula_syntax, message + (wanted.empty() ? "" : ", expected " + wanted));
  }

  FormulaNode make(Kind kind, std::string text = {}) const {
    FormulaNode node;
    node.kind = kind;
    node.text = std::move(text);
    node.begin = token().begin;
    node.end = token().end;
    return node;
  }
  void close(FormulaNode& node) const {
    node.end = at_ == 0 ? node.end : std::max(node.begin, tokens_[at_ - 1].end);
  }
  FormulaNode finish(FormulaNode& node) const {
    close(node);
    return std::move(node);
  }
  // Chains of one operator are one node, so they stay shallow.
  FormulaNode join(FormulaNode left, const std::string& op, FormulaNode right) const {
    if (left.kind == Kind::Binary && left.text == op) {
      left.items.push_back(std::move(right));
      return finish(left);
    }
    FormulaNode node = make(Kind::Binary, op);
    node.begin = left.begin;
    node.items.push_back(std::move(left));
    node.items.push_back(std::move(right));
    return finish(node);
  }

  FormulaNode formula() {
    if (++depth_ > kMaximumDepth) {
      fail(codes::formula_syntax, "the formula is nested too deeply");
    }
    FormulaNode left = conjunction();
    while (!result_.error && accept_word("or")) {
      left = join(std::move(left), "or", conjunction());
    }
    --depth_;
    return left;
  }

  FormulaNode conjunction() {
    FormulaNode left = negation();
    while (!result_.error && accept_word("and")) {
      left = join(std::move(left), "and", negation());
    }
    return left;
  }

  FormulaNode negation() {
    if (!is_word("not") || result_.error) {
      return comparison();
    }
    FormulaNode node = make(Kind::Not);
    std::size_t count = 0;
    while (accept_word("not")) {
      ++count;
    }
    FormulaNode inner = comparison();
    if (count % 2 == 0) {  // NOT NOT x keeps its meaning for truth values
      return inner;
    }
    node.items.push_back(std::move(inner));
    return finish(node);
  }

  FormulaNode comparison() {
    FormulaNode left = sum();
    static constexpr std::array<std::string_view, 8> kOperators{
        "=", "==", "<>", "!=", "<", "<=", ">", ">="};
    for (const std::string_view op : kOperators) {
      if (is(op)) {
        advance();
        const std::string symbol = op == "==" ? "=" : op == "!=" ? "<>" : std::string(op);
        FormulaNode node = make(Kind::Binary, symbol);
        node.begin = left.begin;
        node.items.push_back(std::move(left));
        node.items.push_back(sum());
        return finish(node);
      }
    }
    return predicate(std::move(left));
  }

  FormulaNode predicate(FormulaNode left) {
    if (is_word("is")) {
      FormulaNode node = start(Kind::IsNull, left);
      advance();
      node.negated = accept_word("not");
      if (!accept_word("null")) {
        unexpected("null");
      }
      node.items.push_back(std::move(left));
      return finish(node);
    }
    const std::size_t negated = is_word("not") ? 1 : 0;
    if (is_word("in", negated)) {
      return membership(std::move(left), negated == 1);
    }
    if (is_word("like", negated)) {
      FormulaNode node = start(Kind::Like, left);
      skip(negated + 1);
      node.negated = negated == 1;
      node.items.push_back(std::move(left));
      if (token().kind != Token::Kind::String && token().kind != Token::Kind::Placeholder) {
        unexpected("a string");
      }
      node.items.push_back(atom());
      return finish(node);
    }
    if (is_word("between", negated)) {
      FormulaNode node = start(Kind::Between, left);
      skip(negated + 1);
      node.negated = negated == 1;
      node.items.push_back(std::move(left));
      node.items.push_back(sum());
      if (!accept_word("and")) {
        unexpected("and");
      }
      node.items.push_back(sum());
      return finish(node);
    }
    return left;
  }

  FormulaNode start(Kind kind, const FormulaNode& left) const {
    FormulaNode node = make(kind);
    node.begin = left.begin;
    return node;
  }
  void skip(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      advance();
    }
  }

  FormulaNode membership(FormulaNode left, bool negated) {
    FormulaNode node = start(Kind::In, left);
    skip(negated ? 2 : 1);
    node.negated = negated;
    node.items.push_back(std::move(left));
    if (token().kind == Token::Kind::Placeholder) {
      node.items.push_back(atom());
      return finish(node);
    }
    expect("(");
    do {
      node.items.push_back(formula());
    } while (!result_.error && accept(","));
    expect(")");
    return finish(node);
  }

  FormulaNode sum() {
    FormulaNode left = term();
    while (!result_.error && (is("+") || is("-") || is("||"))) {
      const std::string op = token().text;
      advance();
      left = join(std::move(left), op, term());
    }
    return left;
  }

  FormulaNode term() {
    FormulaNode left = unary();
    while (!result_.error && (is("*") || is("/") || is("%"))) {
      const std::string op = token().text;
      advance();
      left = join(std::move(left), op, unary());
    }
    return left;
  }

  FormulaNode unary() {
    if (!is("-")) {
      return power();
    }
    FormulaNode node = make(Kind::Negate);
    advance();
    node.items.push_back(power());
    return finish(node);
  }

  FormulaNode power() {
    FormulaNode left = atom();
    if (!is("**") || result_.error) {
      return left;
    }
    if (++depth_ > kMaximumDepth) {
      fail(codes::formula_syntax, "the formula is nested too deeply");
    }
    advance();
    FormulaNode node = start(Kind::Binary, left);
    node.text = "**";
    node.items.push_back(std::move(left));
    node.items.push_back(unary());
    --depth_;
    return finish(node);
  }

  FormulaNode atom() {
    const Token& here = token();
    if (here.kind == Token::Kind::Numeral || here.kind == Token::Kind::String ||
        here.kind == Token::Kind::Placeholder) {
      FormulaNode node = make(here.kind == Token::Kind::Numeral  ? Kind::Numeral
                              : here.kind == Token::Kind::String ? Kind::String
                                                                 : Kind::Placeholder,
                              here.text);
      advance();
      return node;
    }
    if (is("*")) {
      FormulaNode node = make(Kind::Star);
      advance();
      return star(std::move(node));
    }
    if (is("(")) {
      advance();
      FormulaNode inner = formula();
      expect(")");
      return inner;
    }
    if (!is_name()) {
      unexpected("a name or a value");
      return {};
    }
    return word();
  }

  FormulaNode word() {
    if (is_word("null") || is_word("true") || is_word("false")) {
      FormulaNode node =
          make(is_word("null") ? Kind::Null : Kind::Boolean, base::to_lower(token().text));
      if (!is("(", 1) && !is(".", 1) && !is(":", 1)) {
        advance();
        return node;
      }
    }
    if (is("(", 1)) {
      return call();
    }
    FormulaNode node = make(Kind::Reference);
    node.path.push_back(token().text);
    advance();
    while (is(".") && !result_.error) {
      advance();
      if (accept("*")) {
        node.kind = Kind::Star;
        return star(std::move(node));
      }
      if (!is_name()) {
        unexpected("a name");
        return {};
      }
      node.path.push_back(token().text);
      advance();
    }
    if (accept(":")) {
      node.kind = Kind::Aggregate;
      aggregation(node);
    }
    if (is_word("over") && is("(", 1)) {
      window();
    }
    return finish(node);
  }

  void window() {
    fail(codes::window_in_formula, "a formula holds no OVER (",
         "use a transform such as cumsum(x), or declare a derived column");
  }

  // *:count and path.*:count; nothing else may follow a star.
  FormulaNode star(FormulaNode node) {
    if (!accept(":")) {
      unexpected("':'");
      return {};
    }
    const std::size_t begin = token().begin;
    if (is_name() && fold_aggregation(token().text) != "count") {
      fail_at(begin, codes::star_aggregation,
              "'*' can only be counted, not aggregated with '" + token().text + "'");
      return {};
    }
    aggregation(node);
    return finish(node);
  }

  void aggregation(FormulaNode& node) {
    if (!is_name()) {
      return unexpected("an aggregation");
    }
    node.aggregation = fold_aggregation(token().text);
    advance();
    if (accept("(")) {
      arguments(node);
    }
    if (is_word("over") && is("(", 1)) {
      window();
    }
  }

  void arguments(FormulaNode& node) {
    while (!result_.error && !is(")")) {
      FormulaArgument argument;
      if (is_name() && is("=", 1)) {
        argument.name = token().text;
        advance();
        advance();
      }
      if (accept("[")) {
        do {
          argument.list.push_back(path());
        } while (!result_.error && accept(","));
        expect("]");
      } else {
        argument.value.push_back(formula());
      }
      node.arguments.push_back(std::move(argument));
      if (!accept(",")) {
        break;
      }
    }
    expect(")");
  }

  std::vector<std::string> path() {
    std::vector<std::string> parts;
    do {
      if (!is_name()) {
        unexpected("a name");
        return parts;
      }
      parts.push_back(token().text);
      advance();
    } while (accept("."));
    return parts;
  }

  FormulaNode call() {
    const std::size_t begin = token().begin;
    const std::string name = token().text;
    const std::string lower = base::to_lower(name);
    FormulaNode node = make(Kind::Scalar, lower);
    advance();
    advance();
    if (lower == "over") {
      window();
      return {};
    }
    const std::string folded = fold_aggregation(name);
    const bool both = is_transform(name) && is_builtin_aggregation(folded);  // first, last
    // count(*), but first(*:count) is the transform.
    if (is_builtin_aggregation(folded) && is("*") && !(both && is(":", 1))) {
      return star_call(std::move(node), folded);
    }
    arguments(node);
    close(node);
    if (is_word("over") && is("(", 1)) {
      window();
      return node;
    }
    const bool plain = node.arguments.size() > 0 && node.arguments[0].value.size() == 1 &&
                       node.arguments[0].value[0].kind == Kind::Reference;
    if (is_builtin_aggregation(folded) && (both ? plain : !is_transform(name))) {
      return function_style(std::move(node), folded, begin);
    }
    if (is_transform(name)) {
      node.kind = Kind::Transform;
      node.text = name;
      return node;
    }
    if (!is_scalar_function(lower)) {
      std::vector<std::string> known(scalar_functions().begin(), scalar_functions().end());
      known.insert(known.end(), transforms().begin(), transforms().end());
      fail_at(begin, codes::unknown_function,
              "unknown function '" + name + "'" + base::did_you_mean(lower, known));
      return {};
    }
    return scalar(std::move(node));
  }

  FormulaNode star_call(FormulaNode node, const std::string& folded) {
    if (folded != "count") {
      fail(codes::star_aggregation,
           "'*' can only be counted, not aggregated with '" + folded + "'");
      return {};
    }
    advance();
    expect(")");
    result_.function_style = true;
    node.kind = Kind::Star;
    node.text.clear();
    node.aggregation = folded;
    return finish(node);
  }

  FormulaNode scalar(FormulaNode node) {
    for (FormulaArgument& argument : node.arguments) {
      if (!argument.name.empty() || argument.value.empty()) {
        fail_at(node.begin, codes::formula_syntax, "'" + node.text + "' has no named arguments");
        return {};
      }
      node.items.push_back(std::move(argument.value[0]));
    }
    node.arguments.clear();
    return node;
  }

  // sum(amount) stands for amount:sum.
  FormulaNode function_style(FormulaNode node, const std::string& folded, std::size_t begin) {
    const bool plain = !node.arguments.empty() && node.arguments[0].name.empty() &&
                       node.arguments[0].value.size() == 1 &&
                       node.arguments[0].value[0].kind == Kind::Reference;
    if (!plain) {
      fail_at(begin, codes::formula_syntax, "'" + folded + "' aggregates one column",
              "declare a derived column for the expression, then write column:" + folded);
      return {};
    }
    result_.function_style = true;
    node.kind = Kind::Aggregate;
    node.text.clear();
    node.aggregation = folded;
    node.path = std::move(node.arguments[0].value[0].path);
    node.arguments.erase(node.arguments.begin());
    return node;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  ParsedFormula result_;
};

}  // namespace

ParsedFormula parse_formula(std::string_view text) {
  return Parser(text).run();
}

bool is_granularity_word(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kWords{
      "second", "minute", "hour", "day", "week", "week_sunday", "month", "quarter", "year"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace kedge::models
