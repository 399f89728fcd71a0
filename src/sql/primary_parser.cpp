// What stands between operators: literals, names, calls, CASE, CAST, arrays, subqueries.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "sql/keywords.h"
#include "sql/parser.h"

namespace kedge::sql {

Node Parser::primary() {
  switch (token().kind) {
    case TokenKind::Number: {
      Node node = make(NodeKind::Number, std::string(raw()));
      advance();
      return node;
    }
    case TokenKind::String:
      return string_literal();
    case TokenKind::Parameter: {
      Node node = make(NodeKind::Parameter, std::string(raw()));
      advance();
      return node;
    }
    case TokenKind::QuotedIdentifier:
      return name_or_call();
    case TokenKind::Identifier: {
      bool handled = true;
      Node node = word_primary(handled);
      return handled ? node : name_or_call();
    }
    case TokenKind::Operator:
      break;
    case TokenKind::Comment:
    case TokenKind::End:
    case TokenKind::Error:
      return fail("expected an expression");
  }
  if (is_operator("(")) {
    return parenthesised();
  }
  if (is_operator("[")) {
    return array_literal();
  }
  if (is_operator("{")) {
    return struct_literal({});
  }
  if (is_operator("*")) {
    Node star = make(NodeKind::Star);
    advance();
    star_modifiers(star);
    return star;
  }
  return fail("expected an expression");
}

Node Parser::string_literal() {
  Node node = make(NodeKind::String, decode_string(raw(), flavour_));
  const char first = base::to_lower(raw())[0];
  if (first == 'x' || first == 'b') {
    node.names.push_back({std::string(1, first), false});
  }
  advance();
  while (token().kind == TokenKind::String && flavour_ != Flavour::Sqlite) {
    node.text += decode_string(raw(), flavour_);
    node.end = token().end;
    advance();
  }
  return node;
}

// ( expression ), a row, a subquery, or the parameters of a lambda.
Node Parser::parenthesised() {
  const std::size_t begin = token().begin;
  advance();
  if (starts_query()) {
    Node sub = make(NodeKind::Subquery);
    sub.begin = begin;
    add(sub, query());
    expect(")");
    return finish(sub);
  }
  Node row = make(NodeKind::Tuple);
  row.begin = begin;
  if (!is_operator(")")) {
    do {
      Node item = expression();
      if (item.kind == NodeKind::Subquery &&
          is_any({"union", "except", "intersect", "minus", "order", "limit", "offset"})) {
        // ((SELECT ...) UNION (SELECT ...)): what was read is the left side of a query.
        Node left = std::move(item.items[0]);
        item = make(NodeKind::Subquery);
        Node whole = make(NodeKind::Query);
        add(whole, set_operations(std::move(left), 0));
        add(item, query_tail(std::move(whole)));
        item.begin = begin;
        expect(")");
        return finish(item);
      }
      if (accept("as") && is_name()) {  // bigquery and clickhouse: (x AS name)
        advance();
      }
      add(row, std::move(item));
    } while (accept(",") && !is_operator(")"));
  }
  expect(")");
  if (!failed_ && row.items.size() == 1 && text_[tokens_[at_ - 2].begin] != ',') {
    Node only = std::move(row.items[0]);
    only.begin = begin;
    close(only);
    return only;
  }
  return finish(row);
}

Node Parser::word_primary(bool& handled) {
  const std::string& here = word();
  const bool plain = !is_operator(".", 1);
  if (plain && here == "case" && !is_operator("(", 1)) {
    return case_expression();
  }
  if (here == "case" && plain) {
    return case_expression();
  }
  if (is_operator("(", 1)) {
    if (is_any({"cast", "try_cast", "safe_cast", "trycast"})) {
      return cast_call();
    }
    if (is_any({"exists", "array"}) && (starts_query(2) || here == "exists")) {
      Node node = make(here == "exists" ? NodeKind::Exists : NodeKind::Function);
      if (node.kind == NodeKind::Function) {
        node.names.push_back({"array", false});
      }
      advance();
      advance();
      if (!starts_query()) {
        return fail("expected a query");
      }
      Node sub = make(NodeKind::Subquery);
      add(sub, query());
      add(node, finish(sub));
      expect(")");
      return finish(node);
    }
  }
  if (here == "array" && is_operator("[", 1)) {
    advance();
    return array_literal();
  }
  if (here == "map" && is_operator("{", 1)) {
    advance();
    return struct_literal("map");
  }
  if (plain && is_any({"null", "true", "false"}) && !is_operator("(", 1)) {
    Node node = make(here == "null" ? NodeKind::Null : NodeKind::Boolean, here);
    advance();
    return node;
  }
  if (plain && (is_niladic(here, flavour_) || here == "default") && !is_operator("(", 1)) {
    Node node = make(NodeKind::Word, here);
    advance();
    return node;
  }
  if (here == "interval" && plain) {
    Node node = interval_literal(handled);
    if (handled) {
      return node;
    }
    handled = true;
  }
  Node typed = typed_literal(handled);
  if (handled) {
    return typed;
  }
  if (plain && !is_operator("(", 1) && is_structural(here)) {
    handled = true;
    return fail("expected an expression");
  }
  return {};
}

Node Parser::case_expression() {
  Node node = make(NodeKind::Case);
  advance();
  if (!is_word("when")) {
    node.flag = true;
    add(node, expression());
  }
  while (is_word("when") && !failed_) {
    Node when = make(NodeKind::When);
    advance();
    add(when, expression());
    expect("then");
    add(when, expression());
    add(node, finish(when));
  }
  if (is_word("else")) {
    Node other = make(NodeKind::Else);
    advance();
    add(other, expression());
    add(node, finish(other));
  }
  expect("end");
  return finish(node);
}

Node Parser::cast_call() {
  Node node = make(NodeKind::Cast);
  node.flag = word() != "cast";
  advance();
  advance();
  add(node, expression());
  if (accept(",")) {  // clickhouse: CAST(x, 'Type')
    node.text =
        token().kind == TokenKind::String ? decode_string(raw(), flavour_) : std::string(raw());
    advance();
  } else {
    expect("as");
    node.text = type_until_close();
  }
  expect(")");
  return finish(node);
}

// INTERVAL '1 day', INTERVAL 1 DAY, INTERVAL (x) HOUR, INTERVAL '1-2' YEAR TO MONTH.
// What is a length of time only with a unit behind it.
static bool is_computed(const Node& value) {
  return value.kind == NodeKind::Function || value.kind == NodeKind::Column ||
         value.kind == NodeKind::Cast;
}

Node Parser::interval_literal(bool& handled) {
  const TokenKind next = token(1).kind;
  const bool value =
      next == TokenKind::String || next == TokenKind::Number || next == TokenKind::Parameter ||
      is_operator("(", 1) || is_operator("-", 1) ||
      (is_name(1) && !is_operator(".", 1) &&
       (is_unit(word(2)) || is_operator("(", 2) || is_operator(".", 2)) && !is_structural(word(1)));
  if (!value) {
    handled = false;
    return {};
  }
  Node node = make(NodeKind::Interval);
  advance();
  if (is_operator("(")) {  // mysql: INTERVAL(a, b, c) is a function too
    Node inner = parenthesised();
    if (!is_unit(word())) {
      node.kind = NodeKind::Function;
      node.names.push_back({"interval", false});
    }
    add(node, std::move(inner));
  } else {
    add(node, expression(kUnaryLevel));
  }
  if (is_unit(word())) {
    node.text = word();
    advance();
    if (is_word("to") && is_unit(word(1))) {
      node.text += " to " + word(1);
      advance();
      advance();
    }
  } else if (node.kind == NodeKind::Interval && is_computed(node.items[0])) {
    return fail("expected a unit");
  }
  return finish(node);
}

// DATE '2024-01-01', timestamp with time zone '...', point '(1,2)', _utf8mb4'x', N'x'.
Node Parser::typed_literal(bool& handled) {
  handled = true;
  const bool postgres_like = rules_of(flavour_).open_operators;
  std::size_t ahead = 1;
  if (is_any({"double"}) && is_word("precision", 1)) {
    ahead = 2;
  } else if (is_any({"character", "bit"}) && is_word("varying", 1)) {
    ahead = 2;
  } else if (is_any({"time", "timestamp"}) && is_any({"with", "without"}, 1) &&
             is_word("time", 2) && is_word("zone", 3)) {
    ahead = 4;
  }
  const bool known = is_any({"date", "time", "timestamp", "datetime", "timestamptz", "json",
                             "numeric", "bignumeric"}) ||
                     (postgres_like && !is_structural(word()));
  if (token(ahead).kind == TokenKind::String) {
    if (word().starts_with("_") && flavour_ == Flavour::Mysql) {
      advance();
      return string_literal();
    }
    if (known) {
      Node node = make(NodeKind::Cast);
      for (std::size_t i = 0; i < ahead; ++i) {
        node.text += (i == 0 ? "" : " ") + word();
        advance();
      }
      add(node, string_literal());
      return finish(node);
    }
  }
  handled = false;
  return {};
}

Node Parser::name_or_call() {
  Node node = make(NodeKind::Column);
  node.names.push_back(name_part());
  while (is_operator(".") && !failed_) {
    advance();
    if (is_operator("*")) {
      node.kind = NodeKind::Star;
      advance();
      star_modifiers(node);
      return finish(node);
    }
    node.names.push_back(name_part());
  }
  close(node);
  if (is_operator("(")) {
    node.kind = NodeKind::Function;
    return call(std::move(node));
  }
  return node;
}

Node Parser::call(Node callee) {
  const std::string name = callee.names.back().quoted ? callee.names.back().text
                                                      : base::to_lower(callee.names.back().text);
  advance();
  if (callee.names.size() == 1) {
    bool handled = true;
    Node special = special_call(name, handled);
    if (handled) {
      special.begin = callee.begin;
      expect(")");
      return call_tail(finish(special));
    }
  }
  arguments(callee, name);
  expect(")");
  close(callee);
  if (flavour_ == Flavour::Clickhouse && is_operator("(")) {  // quantile(0.9)(x)
    advance();
    arguments(callee, name);
    expect(")");
    close(callee);
  }
  return call_tail(std::move(callee));
}

void Parser::arguments(Node& function, const std::string& name) {
  if (is_any({"distinct", "all"}) && !is_operator(")", 1) && !is_operator(",", 1) &&
      !is_operator(".", 1)) {
    function.flag = is_word("distinct");
    advance();
  }
  std::size_t index = 0;
  while (!failed_ && !is_operator(")")) {
    add(function, argument(name, index++));
    if (is_word("order") && is_word("by", 1)) {
      add(function, sort_keys(NodeKind::ArgumentOrder));
    }
    if (is_any({"separator", "returning", "ignore", "respect", "limit", "using", "null", "absent",
                "on", "having", "at"})) {
      Node words = make(NodeKind::Modifier);
      while (!failed_ && !at_end() && !is_operator(")")) {
        words.text +=
            (words.text.empty() ? "" : " ") + (word().empty() ? std::string(raw()) : word());
        advance();
      }
      add(function, finish(words));
    }
    if (!accept(",")) {
      break;
    }
  }
}

Node Parser::argument(const std::string& name, std::size_t index) {
  if (starts_query()) {
    Node sub = make(NodeKind::Subquery);
    add(sub, query());
    return finish(sub);
  }
  if (is_name() && (is_operator(":=", 1) || is_operator("=>", 1))) {
    Node named = make(NodeKind::NamedArgument);
    named.text = name_part().text;
    advance();
    add(named, starts_lambda(name) ? lambda() : expression());
    return finish(named);
  }
  if (is_word("variadic") && !is_operator(",", 1) && !is_operator(")", 1)) {
    advance();
  }
  if (starts_lambda(name)) {
    return lambda();
  }
  const bool unit_place =
      is_operator(",", 1) || is_operator(")", 1) || (is_word("week") && is_operator("(", 1));
  if (unit_place && is_unit(word()) && takes_unit(name, index, flavour_)) {
    Node unit = make(NodeKind::Word, word());
    advance();
    if (is_operator("(")) {
      unit.text += "(" + base::to_lower(raw(1)) + ")";
      skip_parentheses();
    }
    return finish(unit);
  }
  Node value = expression();
  if (is_word("as") && is_name(1)) {  // STRUCT(a AS b), xmlforest(a AS b)
    Node named = make(NodeKind::NamedArgument);
    named.begin = value.begin;
    advance();
    named.text = name_part().text;
    add(named, std::move(value));
    return finish(named);
  }
  return value;
}

// The calls of the standard that have words between their arguments.
Node Parser::special_call(const std::string& name, bool& handled) {
  Node node = make(NodeKind::Function);
  node.names.push_back({name, false});
  const auto add_after = [&](std::string_view separator) {
    if (accept(separator)) {
      add(node, expression(kMembershipLevel));
    }
  };
  if (name == "extract" && (is_word("from", 1))) {
    add(node, make(NodeKind::Word, token().kind == TokenKind::String
                                       ? base::to_lower(decode_string(raw(), flavour_))
                                       : base::to_lower(raw())));
    advance();
    advance();
    add(node, expression());
    return node;
  }
  if (name == "trim" && is_any({"both", "leading", "trailing", "from"})) {
    std::string side = is_word("from") ? "both" : word();
    if (!is_word("from")) {
      advance();
    }
    Node what;
    const bool has_what = !is_word("from");
    if (has_what) {
      what = expression();
    }
    if (accept("from")) {
      node.names[0].text = side == "leading" ? "ltrim" : side == "trailing" ? "rtrim" : "trim";
      add(node, expression());
      if (has_what) {
        add(node, std::move(what));
      }
      if (accept(",")) {
        add(node, expression());
      }
    } else {
      node.names[0].text = side == "leading" ? "ltrim" : side == "trailing" ? "rtrim" : "trim";
      add(node, std::move(what));
    }
    return node;
  }
  if (name == "position" || name == "substring" || name == "substr" || name == "overlay" ||
      name == "trim") {
    if (is_operator(")")) {
      return node;
    }
    Node first = expression(kMembershipLevel);
    if (name == "position" && accept("in")) {
      add(node, expression());
      add(node, std::move(first));
      return node;
    }
    if (name == "trim" && accept("from")) {
      add(node, expression());
      add(node, std::move(first));
      return node;
    }
    add(node, std::move(first));
    add_after("placing");
    add_after("from");
    add_after("for");
    while (accept(",")) {
      add(node, expression());
    }
    return node;
  }
  if (name == "convert") {
    if (flavour_ == Flavour::Sqlserver) {
      node = make(NodeKind::Cast);
      node.text = type_name();
      expect(",");
      add(node, expression());
      if (accept(",")) {
        add(node, expression());
      }
      return node;
    }
    add(node, expression());
    if (failed_) {
      return node;
    }
    if (is_word("using") && is_name(1)) {
      Node charset = make(NodeKind::Modifier, "using " + base::to_lower(raw(1)));
      advance();
      advance();
      add(node, finish(charset));
    } else if (flavour_ == Flavour::Mysql) {
      expect(",");
      Node cast = make(NodeKind::Cast, type_until_close());
      if (failed_) {
        return node;
      }
      add(cast, std::move(node.items[0]));
      return cast;
    } else {
      while (accept(",")) {
        add(node, expression());
      }
    }
    return node;
  }
  handled = false;
  return {};
}

// FILTER (WHERE ..), WITHIN GROUP (ORDER BY ..), IGNORE NULLS, OVER ..
Node Parser::call_tail(Node function) {
  while (!failed_) {
    if (is_word("filter") && is_operator("(", 1)) {
      Node filter = make(NodeKind::Filter);
      advance();
      advance();
      accept("where");
      add(filter, expression());
      expect(")");
      add(function, finish(filter));
    } else if (is_word("within") && is_word("group", 1)) {
      advance();
      advance();
      expect("(");
      Node keys = sort_keys(NodeKind::WithinGroup);
      expect(")");
      add(function, std::move(keys));
    } else if (is_any({"ignore", "respect"}) && is_word("nulls", 1)) {
      Node words = make(NodeKind::Modifier, word() + " nulls");
      advance();
      advance();
      add(function, finish(words));
    } else if (is_word("from") && is_any({"first", "last"}, 1)) {
      advance();
      advance();
    } else if (is_word("against") && is_operator("(", 1)) {
      advance();
      advance();
      add(function, expression(kMembershipLevel));
      while (!failed_ && !at_end() && !is_operator(")")) {  // IN BOOLEAN MODE and the like
        advance();
      }
      expect(")");
    } else if (is_word("over") && (is_operator("(", 1) || is_name(1))) {
      add(function, over());
    } else {
      break;
    }
  }
  return finish(function);
}

Node Parser::over() {
  Node node = make(NodeKind::Over);
  advance();
  if (is_name()) {
    node.text = name_part().text;
    return finish(node);
  }
  advance();
  window_body(node);
  expect(")");
  return finish(node);
}

// [name] [PARTITION BY ..] [ORDER BY ..] [frame]
void Parser::window_body(Node& window) {
  if (is_name() && !is_any({"partition", "order", "rows", "range", "groups"})) {
    window.text = name_part().text;
  }
  if (accept("partition")) {
    Node keys = make(NodeKind::Partition);
    expect("by");
    do {
      add(keys, expression());
    } while (accept(","));
    add(window, finish(keys));
  }
  if (is_word("order")) {
    add(window, sort_keys(NodeKind::OrderBy));
  }
  if (is_any({"rows", "range", "groups"})) {
    Node frame = make(NodeKind::Frame);
    unsigned open = 0;
    while (!at_end() && (open > 0 || !is_operator(")"))) {
      open += is_operator("(") ? 1U : 0U;
      open -= is_operator(")") ? 1U : 0U;
      frame.text +=
          (frame.text.empty() ? "" : " ") + (word().empty() ? std::string(raw()) : word());
      advance();
    }
    add(window, finish(frame));
  }
}

// ORDER BY keys, with the words ORDER BY in front.
Node Parser::sort_keys(NodeKind kind) {
  Node node = make(kind);
  expect("order");
  accept("siblings");
  expect("by");
  do {
    Node key = make(NodeKind::SortKey);
    add(key, expression());
    if (is_any({"asc", "desc"})) {
      key.text = is_word("desc") ? "desc" : "";
      advance();
    } else if (accept("using")) {
      key.text = raw() == ">" ? "desc" : "";
      advance();
    }
    if (is_word("nulls") && is_any({"first", "last"}, 1)) {
      key.text += (key.text.empty() ? "nulls " : " nulls ") + word(1);
      advance();
      advance();
    }
    add(node, finish(key));
  } while (accept(","));
  return finish(node);
}

bool Parser::starts_lambda(const std::string& function) {
  if (is_word("lambda") && is_name(1) && (is_operator(":", 2) || is_operator(",", 2))) {
    return true;
  }
  if (!takes_lambda(function, flavour_)) {
    return false;
  }
  if (is_name()) {
    return is_operator("->", 1);
  }
  std::size_t ahead = 1;
  if (!is_operator("(")) {
    return false;
  }
  while (is_name(ahead) && ahead < 64) {
    ahead += is_operator(",", ahead + 1) ? 2 : 1;
  }
  return is_operator(")", ahead) && is_operator("->", ahead + 1);
}

Node Parser::lambda() {
  Node node = make(NodeKind::Lambda);
  accept("lambda");
  const bool open = accept("(");
  do {
    node.names.push_back(name_part());
  } while (accept(",") && !failed_);
  if (open) {
    expect(")");
  }
  if (!accept("->")) {
    expect(":");
  }
  add(node, expression());
  return finish(node);
}

// ARRAY[..] or [..], also [body FOR x IN list IF condition].
Node Parser::array_literal() {
  Node node = make(NodeKind::Array);
  expect("[");
  while (!failed_ && !is_operator("]")) {
    add(node, expression());
    if (is_word("for") && node.items.size() == 1) {
      node.kind = NodeKind::Comprehension;
      advance();
      do {
        node.names.push_back(name_part());
      } while (accept(",") && !failed_);
      expect("in");
      add(node, expression());
      if (accept("if")) {
        add(node, expression());
      }
      break;
    }
    if (!accept(",")) {
      break;
    }
  }
  expect("]");
  return finish(node);
}

// {'a': x}, {a: x}, and MAP {x: y} whose keys are expressions.
Node Parser::struct_literal(std::string kind) {
  Node node = make(NodeKind::Struct, std::move(kind));
  expect("{");
  while (!failed_ && !is_operator("}")) {
    Node member = make(NodeKind::NamedArgument);
    if (node.text.empty() && is_name() && is_operator(":", 1)) {
      member.text = name_part().text;
    } else {
      Node key = expression();
      member.text = key.kind == NodeKind::String ? key.text : "";
      if (key.kind != NodeKind::String) {
        add(member, std::move(key));
      }
    }
    expect(":");
    add(member, expression());
    add(node, finish(member));
    if (!accept(",")) {
      break;
    }
  }
  expect("}");
  return finish(node);
}

// What may stand in a type: names, sizes, labels, and punctuation without meaning of its own.
bool Parser::is_type_token() const {
  if (token().kind != TokenKind::Operator) {
    return token().kind != TokenKind::Parameter && token().kind != TokenKind::Error;
  }
  const auto op = raw();
  return op == "(" || op == ")" || op == "," || op == "." || op == "[" || op == "]" || op == "<" ||
         op == ">" || op == ">>" || op == "-";
}

// A type after "::": one path, the words that may follow it, arguments, array marks.
std::string Parser::type_name() {
  std::string out;
  const auto take = [&] {
    out += word().empty() ? std::string(raw()) : word();
    advance();
  };
  if (!is_name()) {
    fail("expected a type");
    return out;
  }
  take();
  while (is_operator(".") && !failed_) {
    take();
    if (!is_name()) {
      fail("expected a type");
      return out;
    }
    take();
  }
  const auto take_word = [&] {
    out += ' ';
    take();
  };
  if (is_any({"precision", "varying", "unsigned", "signed"})) {
    take_word();
  }
  if (is_operator("(")) {
    unsigned open = 0;
    do {
      open += is_operator("(") ? 1U : 0U;
      open -= is_operator(")") ? 1U : 0U;
      if (token(0).kind == TokenKind::Identifier && out.back() != '(' && out.back() != ',') {
        out += ' ';
      }
      if (!is_type_token()) {
        fail("expected a type");
      }
      take();
    } while (open > 0 && !at_end());
    if (open > 0) {
      fail("expected ')'");
    }
  }
  if (is_any({"with", "without"}) && is_any({"time", "local"}, 1)) {
    while (is_any({"with", "without", "local", "time", "zone"})) {
      take_word();
    }
  }
  while (is_operator("[") && (is_operator("]", 1) || is_operator("]", 2))) {
    do {
      take();
    } while (!is_operator("]") && !at_end());
    take();
  }
  if (is_word("array")) {
    take_word();
  }
  return out;
}

// The type of CAST(.. AS type): everything up to the closing parenthesis.
std::string Parser::type_until_close() {
  std::string out;
  unsigned open = 0;
  while (!at_end() && (open > 0 || !is_operator(")"))) {
    if (!is_type_token()) {
      fail("expected a type");
      break;
    }
    open += is_operator("(") ? 1U : 0U;
    open -= is_operator(")") ? 1U : 0U;
    const std::string piece = word().empty() ? std::string(raw()) : word();
    const bool glued = out.empty() || out.back() == '(' || out.back() == ',' || out.back() == '.' ||
                       out.back() == '<' ||
                       std::string_view("(),.[]<>").find(piece[0]) != std::string_view::npos;
    out += (glued ? "" : " ") + piece;
    advance();
  }
  return out;
}

}  // namespace kedge::sql
