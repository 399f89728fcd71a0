// Operators. Levels, low to high: or, xor, and, not, is, comparison, in/between/like, other
// operators, sum, product, power, at time zone, collate, sign, postfix.
#include <algorithm>
#include <array>
#include <utility>

#include "sql/parser.h"

namespace kedge::sql {

namespace {

enum Level : int {
  kOr = 1,
  kXor,
  kAnd,
  kNot,
  kIs,
  kComparison,
  kMembership,
  kOther,
  kSum,
  kProduct,
  kPower,
  kTight,
  kZone,
  kCollate,
  kSign,
  kPostfix
};

constexpr unsigned kMaximumDepth = 220;

constexpr std::array<std::string_view, 9> kComparisons = {"=", "==", "<>", "!=", "<",
                                                          ">", "<=", ">=", "<=>"};

std::string symbol_of(std::string_view op) {
  if (op == "!=") {
    return "<>";
  }
  if (op == "==") {
    return "=";
  }
  return std::string(op);
}

}  // namespace

int Parser::precedence_of(std::string_view op) const {
  if (std::find(kComparisons.begin(), kComparisons.end(), op) != kComparisons.end()) {
    return kComparison;
  }
  if (op == "||" && flavour_ == Flavour::Mysql) {
    return kOr;
  }
  if (op == "&&" && flavour_ == Flavour::Mysql) {
    return kAnd;
  }
  const bool tight = op == "||" || op == "->" || op == "->>";
  if (tight && flavour_ == Flavour::Sqlite) {
    return kTight;
  }
  if (op == "+" || op == "-") {
    return kSum;
  }
  if (op == "*" || op == "/" || op == "%" || (op == "//" && flavour_ == Flavour::Duckdb)) {
    return kProduct;
  }
  if (op == "^" || op == "**") {
    return kPower;
  }
  constexpr std::string_view kClosers = "(),;[]{}.:";
  if (op.empty() || (op.size() == 1 && kClosers.find(op) != std::string_view::npos) || op == "::" ||
      op == ":=" || op == "=>") {
    return 0;
  }
  return kOther;
}

Node Parser::expression(int minimum) {
  if (++depth_ > kMaximumDepth) {
    --depth_;
    return fail("the text is nested too deeply");
  }
  Node left = prefix();
  bool done = failed_;
  while (!done) {
    left = infix(std::move(left), minimum, done);
    done = done || failed_;
  }
  --depth_;
  return left;
}

Node Parser::prefix() {
  Node node = make(NodeKind::Unary);
  if (is_word("not") && !is_operator(".", 1)) {
    node.text = "not";
    advance();
    add(node, expression(kNot));
    return finish(node);
  }
  if (token().kind == TokenKind::Operator) {
    const auto op = raw();
    constexpr std::array<std::string_view, 9> kPrefixes = {"-",  "+",   "~",  "!",  "@",
                                                           "|/", "||/", "!!", "@-@"};
    if (std::find(kPrefixes.begin(), kPrefixes.end(), op) != kPrefixes.end()) {
      node.text = op == "!" && flavour_ == Flavour::Mysql ? "not" : std::string(op);
      advance();
      add(node, expression(op == "-" || op == "+" || op == "!" ? kSign : kOther));
      return finish(node);
    }
  }
  const bool mysql_binary = is_word("binary") && flavour_ == Flavour::Mysql && !is_operator(")", 1);
  if (mysql_binary || is_any({"prior", "connect_by_root"})) {
    if (is_name(1) || token(1).kind == TokenKind::String || is_operator("(", 1)) {
      node.text = word();
      advance();
      add(node, expression(kSign));
      return finish(node);
    }
  }
  return postfix(primary());
}

// One operator to the right of `left`; `done` when there is none that binds tightly enough.
Node Parser::infix(Node left, int minimum, bool& done) {
  if (token().kind == TokenKind::Identifier) {
    return word_operator(std::move(left), minimum, done);
  }
  if (token().kind != TokenKind::Operator) {
    done = true;
    return left;
  }
  const auto op = raw();
  if (op == "?" && flavour_ == Flavour::Clickhouse) {  // binds weaker than every operator
    if (minimum > 0) {
      done = true;
      return left;
    }
    Node node = make(NodeKind::Case, "if");
    node.begin = left.begin;
    advance();
    add(node, std::move(left));
    add(node, expression());
    expect(":");
    add(node, expression());
    return finish(node);
  }
  const int precedence = precedence_of(op);
  if (precedence == 0 || precedence <= minimum) {
    done = true;
    return left;
  }
  return binary(std::move(left), symbol_of(op), precedence);
}

Node Parser::binary(Node left, const std::string& op, int precedence) {
  const std::size_t begin = left.begin;
  advance();
  Node right;
  if (is_any({"any", "all", "some"}) && is_operator("(", 1)) {
    right = make(NodeKind::Quantified, is_word("all") ? "all" : "any");
    advance();
    advance();
    add(right, starts_query() ? query() : expression());
    expect(")");
    close(right);
  } else {
    right = expression(precedence);
  }
  // A chain of one operator is one flat node: long chains then stay shallow.
  const bool chain =
      left.kind == NodeKind::Binary && left.text == op && !left.flag && precedence != kComparison;
  if (chain) {
    add(left, std::move(right));
    return finish(left);
  }
  Node node = make(NodeKind::Binary, op);
  node.begin = begin;
  add(node, std::move(left));
  add(node, std::move(right));
  return finish(node);
}

Node Parser::word_operator(Node left, int minimum, bool& done) {
  const auto logical = [&](std::string_view name, int level) {
    return is_word(name) && level > minimum;
  };
  if (logical("or", kOr) || logical("xor", kXor) || logical("and", kAnd)) {
    const std::string op = word();
    return binary(std::move(left), op, op == "or" ? kOr : op == "xor" ? kXor : kAnd);
  }
  if (logical("div", kProduct) || logical("mod", kProduct) || logical("overlaps", kOther)) {
    const std::string op = word();
    return binary(std::move(left), op, op == "overlaps" ? kOther : kProduct);
  }
  if (logical("is", kIs)) {
    return is_tail(std::move(left));
  }
  if (is_any({"isnull", "notnull"}) && kIs > minimum) {
    Node node = make(NodeKind::Is, "null");
    node.begin = left.begin;
    node.flag = is_word("notnull");
    advance();
    add(node, std::move(left));
    return finish(node);
  }
  if (logical("collate", kCollate)) {
    Node node = make(NodeKind::Collate);
    node.begin = left.begin;
    advance();
    node.names.push_back(name_part());
    while (accept(".")) {
      node.names.push_back(name_part());
    }
    add(node, std::move(left));
    return finish(node);
  }
  if (logical("at", kZone) && is_any({"time", "local"}, 1)) {
    return at_time_zone(std::move(left));
  }
  if (kMembership > minimum) {
    const std::size_t negated = is_word("not") ? 1 : 0;
    if (is_word("in", negated)) {
      return in_tail(std::move(left));
    }
    if (is_word("between", negated)) {
      return between_tail(std::move(left));
    }
    if (is_any({"like", "ilike", "glob", "regexp", "rlike", "match", "similar"}, negated)) {
      const bool similar = is_word("similar", negated);
      const std::string op = similar ? "similar to" : word(negated);
      return like_tail(std::move(left), op, negated + (similar ? 2 : 1));
    }
    if (is_any({"member", "sounds"}) && is_any({"of", "like"}, 1)) {
      const std::string op = is_word("member") ? "member of" : "sounds like";
      return like_tail(std::move(left), op, 2);
    }
    if (negated != 0 && is_word("null", 1)) {  // sqlite: x NOT NULL
      Node node = make(NodeKind::Is, "null");
      node.begin = left.begin;
      node.flag = true;
      advance();
      advance();
      add(node, std::move(left));
      return finish(node);
    }
  }
  if (is_word("operator") && is_operator("(", 1) && kOther > minimum) {
    advance();
    advance();
    while (is_name() && is_operator(".", 1)) {
      advance();
      advance();
    }
    const std::string op = symbol_of(raw());
    advance();
    if (!is_operator(")")) {
      return fail("expected ')'");
    }
    return binary(std::move(left), op, kOther);
  }
  done = true;
  return left;
}

Node Parser::is_tail(Node left) {
  Node node = make(NodeKind::Is);
  node.begin = left.begin;
  advance();
  node.flag = accept("not");
  add(node, std::move(left));
  if (is_any({"null", "true", "false", "unknown", "json", "document"})) {
    node.text = word();
    advance();
    if (node.text == "json" && is_any({"object", "array", "scalar", "value"})) {
      node.text += " " + word();
      advance();
    }
  } else if (is_word("distinct") && is_word("from", 1)) {
    advance();
    advance();
    node.text = "distinct";
    add(node, expression(kIs));
  } else if (is_any({"normalized", "nfc", "nfd", "nfkc", "nfkd"})) {
    node.text = word();
    advance();
    if (accept("normalized")) {
      node.text += " normalized";
    }
  } else {  // sqlite: a IS b
    node.text = "distinct";
    node.flag = !node.flag;
    add(node, expression(kIs));
  }
  return finish(node);
}

Node Parser::in_tail(Node left) {
  Node node = make(NodeKind::In);
  node.begin = left.begin;
  node.flag = accept("not");
  expect("in");
  add(node, std::move(left));
  if (is_word("unnest") || !is_operator("(")) {  // a table, a parameter or a function
    node.text = "bare";
    add(node, expression(kMembership));
    return finish(node);
  }
  advance();
  if (starts_query()) {
    Node sub = make(NodeKind::Subquery);
    add(sub, query());
    add(node, finish(sub));
  } else if (!is_operator(")")) {
    do {
      add(node, expression());
    } while (accept(","));
  }
  expect(")");
  return finish(node);
}

Node Parser::between_tail(Node left) {
  Node node = make(NodeKind::Between);
  node.begin = left.begin;
  node.flag = accept("not");
  expect("between");
  if (is_any({"symmetric", "asymmetric"})) {
    node.text = is_word("symmetric") ? "symmetric" : "";
    advance();
  }
  add(node, std::move(left));
  add(node, expression(kMembership));
  expect("and");
  add(node, expression(kMembership));
  return finish(node);
}

Node Parser::like_tail(Node left, std::string op, std::size_t words) {
  Node node = make(NodeKind::Like, std::move(op));
  node.begin = left.begin;
  node.flag = is_word("not");
  for (std::size_t i = 0; i < words; ++i) {
    advance();
  }
  add(node, std::move(left));
  if (is_any({"any", "all", "some"}) && is_operator("(", 1)) {
    Node many = make(NodeKind::Quantified, is_word("all") ? "all" : "any");
    advance();
    advance();
    do {
      add(many, starts_query() ? query() : expression());
    } while (accept(","));
    expect(")");
    add(node, finish(many));
  } else {
    add(node, expression(kMembership));
  }
  if (accept("escape")) {
    add(node, expression(kMembership));
  }
  return finish(node);
}

Node Parser::at_time_zone(Node left) {
  Node node = make(NodeKind::Function);
  node.begin = left.begin;
  node.names.push_back({"timezone", false});
  advance();
  if (accept("local")) {
    add(node, std::move(left));
    return finish(node);
  }
  expect("time");
  expect("zone");
  Node zone = expression(kZone);
  add(node, std::move(zone));
  add(node, std::move(left));
  return finish(node);
}

Node Parser::postfix(Node node) {
  while (!failed_) {
    if (is_operator("::")) {
      Node cast = make(NodeKind::Cast);
      cast.begin = node.begin;
      advance();
      cast.text = type_name();
      add(cast, std::move(node));
      node = finish(cast);
    } else if (is_operator("[") && !rules_of(flavour_).bracket_names) {
      node = subscript(std::move(node));
    } else if (is_operator(".")) {
      Node field = make(NodeKind::Field);
      field.begin = node.begin;
      advance();
      if (is_operator("*")) {
        field.text = "*";
        advance();
      } else {
        field.names.push_back(name_part());
      }
      add(field, std::move(node));
      node = finish(field);
    } else if (is_operator(":") && flavour_ == Flavour::Snowflake && is_name(1)) {
      Node field = make(NodeKind::Field, ":");
      field.begin = node.begin;
      do {
        advance();
        field.names.push_back(name_part());
      } while (is_operator(".") && !failed_);
      add(field, std::move(node));
      node = finish(field);
    } else {
      break;
    }
  }
  return node;
}

Node Parser::subscript(Node base) {
  Node node = make(NodeKind::Subscript);
  node.begin = base.begin;
  advance();
  add(node, std::move(base));
  while (!failed_ && !is_operator("]")) {
    if (accept(":")) {
      node.text += ":";
    } else {
      node.text += "x";
      add(node, expression());
    }
  }
  expect("]");
  return finish(node);
}

}  // namespace kedge::sql
