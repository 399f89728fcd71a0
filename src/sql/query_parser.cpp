// SELECT, WITH, VALUES, set operations and FROM.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql/keywords.h"
#include "sql/parser.h"

namespace kedge::sql {

bool Parser::starts_query(std::size_t ahead) {
  if (is_any({"select", "with"}, ahead)) {
    return !is_operator(",", ahead + 1) && !is_operator(")", ahead + 1);
  }
  if (is_word("values", ahead)) {
    return is_operator("(", ahead + 1) && flavour_ != Flavour::Mysql;
  }
  return is_word("from", ahead) && flavour_ == Flavour::Duckdb && is_name(ahead + 1);
}

Node Parser::query() {
  if (++depth_ > 100) {
    --depth_;
    return fail("the query is nested too deeply");
  }
  Node node = make(NodeKind::Query);
  if (is_word("with")) {
    add(node, with());
  }
  add(node, query_body());
  node = query_tail(std::move(node));
  --depth_;
  return node;
}

Node Parser::query_tail(Node query) {
  if (is_word("order")) {
    add(query, sort_keys(NodeKind::OrderBy));
  }
  while (is_any({"limit", "offset", "fetch"}) && !failed_) {
    add(query, limit());
  }
  while (is_any({"for", "lock", "option", "settings", "format"}) && !failed_) {
    while (!at_end() && !is_operator(")") && !is_operator(";")) {
      if (is_operator("(")) {
        skip_parentheses();
      } else {
        advance();
      }
    }
  }
  return finish(query);
}

Node Parser::query_body(int minimum) {
  return set_operations(query_operand(), minimum);
}

Node Parser::set_operations(Node left, int minimum) {
  while (!failed_ && is_any({"union", "except", "intersect", "minus"})) {
    const int level = is_word("intersect") ? 2 : 1;
    if (level <= minimum) {
      break;
    }
    Node node = make(NodeKind::SetOperation, is_word("minus") ? "except" : word());
    node.begin = left.begin;
    advance();
    if (is_any({"all", "distinct"})) {
      node.text += is_word("all") ? " all" : "";
      advance();
    }
    if (is_word("by") && is_word("name", 1)) {
      node.text += " by name";
      advance();
      advance();
    }
    add(node, std::move(left));
    add(node, query_body(level));
    left = finish(node);
  }
  return left;
}

Node Parser::query_operand() {
  if (is_operator("(")) {
    advance();
    Node inner = query();
    expect(")");
    return inner;
  }
  if (is_word("values") && is_operator("(", 1)) {
    return values();
  }
  if (is_word("table") && is_name(1)) {
    Node node = make(NodeKind::Select);
    advance();
    Node list = make(NodeKind::SelectList);
    Node item = make(NodeKind::Item);
    add(item, make(NodeKind::Star));
    add(list, std::move(item));
    add(node, std::move(list));
    Node source = make(NodeKind::From);
    add(source, table_primary());
    add(node, finish(source));
    return finish(node);
  }
  return select();
}

Node Parser::with() {
  Node node = make(NodeKind::With);
  advance();
  if (is_word("recursive")) {
    node.text = "recursive";
    advance();
  }
  do {
    Node cte = make(NodeKind::Cte);
    cte.names.push_back(name_part());
    if (is_operator("(")) {
      advance();
      do {
        cte.names.push_back(name_part());
      } while (accept(",") && !failed_);
      expect(")");
    }
    expect("as");
    accept("not");
    accept("materialized");
    expect("(");
    add(cte, query());
    expect(")");
    if (is_any({"search", "cycle"})) {
      return fail("unsupported clause");
    }
    add(node, finish(cte));
  } while (accept(",") && !failed_);
  return finish(node);
}

Node Parser::values() {
  Node node = make(NodeKind::Values);
  advance();
  do {
    Node row = make(NodeKind::Tuple);
    expect("(");
    while (!failed_ && !is_operator(")")) {
      add(row, expression());
      if (!accept(",")) {
        break;
      }
    }
    expect(")");
    add(node, finish(row));
  } while (accept(",") && !failed_);
  return finish(node);
}

Node Parser::select() {
  Node node = make(NodeKind::Select);
  if (is_word("from") && flavour_ == Flavour::Duckdb) {
    Node source = from();
    if (is_word("select")) {
      advance();
      add(node, select_list());
    } else {
      Node list = make(NodeKind::SelectList);
      Node item = make(NodeKind::Item);
      add(item, make(NodeKind::Star));
      add(list, std::move(item));
      add(node, std::move(list));
    }
    add(node, std::move(source));
  } else {
    expect("select");
    add(node, select_list());
    if (is_word("from")) {
      add(node, from());
    }
  }
  select_clauses(node);
  return finish(node);
}

void Parser::select_clauses(Node& select) {
  const auto condition = [&](std::string_view word, NodeKind kind) {
    if (is_word(word)) {
      Node clause = make(kind);
      advance();
      add(clause, expression());
      add(select, finish(clause));
    }
  };
  condition("prewhere", NodeKind::Where);
  condition("where", NodeKind::Where);
  if (is_word("group") && is_word("by", 1)) {
    add(select, group_by());
  }
  condition("having", NodeKind::Having);
  if (is_word("window")) {
    add(select, window_list());
  }
  condition("qualify", NodeKind::Qualify);
}

Node Parser::select_list() {
  Node node = make(NodeKind::SelectList);
  if (is_word("distinct") && is_word("on", 1) && is_operator("(", 2)) {
    Node keys = make(NodeKind::Tuple);
    node.text = "distinct on";
    advance();
    advance();
    advance();
    do {
      add(keys, expression());
    } while (accept(",") && !failed_);
    expect(")");
    add(node, finish(keys));
  } else if (is_any({"distinct", "all", "straight_join", "sql_calc_found_rows"})) {
    node.text = is_word("distinct") ? "distinct" : "";
    advance();
  }
  if (is_word("top") && (token(1).kind == TokenKind::Number || is_operator("(", 1))) {
    advance();
    add(node, primary());
    accept("percent");
    node.text += " top";
  }
  do {
    if (is_word("from") || at_end()) {
      break;  // a trailing comma (duckdb, bigquery), or postgres' empty list
    }
    add(node, select_item());
  } while (accept(",") && !failed_);
  return finish(node);
}

Node Parser::select_item() {
  Node item = make(NodeKind::Item);
  if (flavour_ == Flavour::Duckdb && is_name() && is_operator(":", 1)) {
    item.names.push_back(name_part());
    advance();
    add(item, expression());
    return finish(item);
  }
  add(item, expression());
  if (accept("as")) {
    if (token().kind == TokenKind::String) {
      item.names.push_back({decode_string(raw(), flavour_), true});
      advance();
    } else {
      item.names.push_back(name_part());
    }
  } else if (token().kind == TokenKind::QuotedIdentifier || may_be_alias()) {
    item.names.push_back(name_part());
  } else if (token().kind == TokenKind::String &&
             (flavour_ == Flavour::Mysql || flavour_ == Flavour::Sqlite)) {
    item.names.push_back({decode_string(raw(), flavour_), true});
    advance();
  }
  return finish(item);
}

bool Parser::may_be_alias() {
  return token().kind == TokenKind::Identifier && !ends_alias(word());
}

// * EXCLUDE (a, b), * EXCEPT (a), * REPLACE (x AS a), * RENAME (a AS b)
void Parser::star_modifiers(Node& star) {
  while (is_any({"exclude", "except", "replace", "rename", "ilike"}) &&
         (is_operator("(", 1) || (is_name(1) && is_word("exclude")))) {
    star.text += (star.text.empty() ? "" : " ") + word();
    const bool replace = is_word("replace");
    advance();
    if (!replace) {
      const std::size_t begin = token().begin;
      if (is_operator("(")) {
        skip_parentheses();
      } else {
        name_part();
      }
      if (!failed_) {
        star.text += " " + base::to_lower(text_.substr(begin, tokens_[at_ - 1].end - begin));
      }
      continue;
    }
    advance();
    do {
      Node item = make(NodeKind::Item);
      add(item, expression());
      expect("as");
      item.names.push_back(name_part());
      add(star, finish(item));
    } while (accept(",") && !failed_);
    expect(")");
  }
  close(star);
}

void Parser::skip_parentheses() {
  unsigned open = 0;
  do {
    open += is_operator("(") ? 1U : 0U;
    open -= is_operator(")") && open > 0 ? 1U : 0U;
    advance();
  } while (open > 0 && !at_end());
}

Node Parser::from() {
  Node node = make(NodeKind::From);
  advance();
  do {
    add(node, table_reference());
  } while (accept(",") && !failed_);
  return finish(node);
}

Node Parser::table_reference() {
  Node left = table_primary();
  while (!failed_ && is_any({"join", "inner", "left", "right", "full", "cross", "natural", "outer",
                             "straight_join", "asof", "positional", "semi", "anti", "global"})) {
    left = join_tail(std::move(left));
  }
  return left;
}

Node Parser::join_tail(Node left) {
  Node node = make(NodeKind::Join);
  node.begin = left.begin;
  while (is_any({"inner", "left", "right", "full", "cross", "natural", "outer", "asof", "any",
                 "all", "positional", "semi", "anti", "global", "lateral"})) {
    if (!is_any({"outer", "inner"}) || is_word("apply", 1)) {
      node.text += (node.text.empty() ? "" : " ") + word();
    }
    advance();
  }
  add(node, std::move(left));
  if (!accept("join") && !accept("straight_join")) {
    if (is_word("apply")) {
      node.text += " apply";
    }
    expect("apply");
  }
  add(node, table_primary());
  // a JOIN b JOIN c ON .. ON ..: the inner join closes first.
  while (!failed_ && is_any({"join", "inner", "left", "right", "full", "cross"}) &&
         node.text.find("cross") == std::string::npos &&
         node.text.find("natural") == std::string::npos && flavour_ != Flavour::Sqlite) {
    Node right = std::move(node.items.back());
    node.items.pop_back();
    add(node, join_tail(std::move(right)));
  }
  if (is_word("on")) {
    Node on = make(NodeKind::On);
    advance();
    add(on, expression());
    add(node, finish(on));
  } else if (is_word("using")) {
    Node columns = make(NodeKind::Using);
    advance();
    const bool open = accept("(");
    do {
      columns.names.push_back(name_part());
    } while (accept(",") && !failed_);
    if (open) {
      expect(")");
    }
    if (accept("as")) {
      name_part();
    }
    add(node, finish(columns));
  }
  return finish(node);
}

Node Parser::table_primary() {
  if (++depth_ > 200) {
    --depth_;
    return fail("the query is nested too deeply");
  }
  Node node = make(NodeKind::Relation);
  const bool lateral = accept("lateral");
  accept("only");
  if (is_operator("(")) {
    node = table_parenthesis();
  } else if (token().kind == TokenKind::String) {
    node.kind = NodeKind::TableFunction;
    add(node, string_literal());
  } else if (is_word("values")) {
    node.kind = NodeKind::Derived;
    Node inner = make(NodeKind::Query);
    add(inner, values());
    add(node, finish(inner));
  } else if (token().kind == TokenKind::Parameter) {
    node.kind = NodeKind::TableFunction;
    add(node, primary());
  } else {
    if (is_structural(word())) {
      --depth_;
      return fail("expected a table");
    }
    node.names.push_back(name_part());
    while (accept(".") && !failed_) {
      node.names.push_back(name_part());
    }
    if (is_operator("(")) {
      Node function = make(NodeKind::Function);
      function.names = std::move(node.names);
      node.names.clear();
      node.kind = NodeKind::TableFunction;
      add(node, call(std::move(function)));
    }
  }
  node.flag = lateral;
  close(node);
  if (is_operator("*")) {
    advance();
  }
  table_modifiers();
  table_alias(node);
  table_modifiers();
  --depth_;
  return node;
}

// A subquery or a joined table in parentheses; after one more '(' only what follows it can tell.
Node Parser::table_parenthesis() {
  Node node = make(NodeKind::Derived);
  advance();
  if (starts_query()) {
    add(node, query());
  } else if (is_operator("(")) {
    Node inner = table_primary();
    if (failed_) {
      return node;
    }
    const bool is_query = inner.kind == NodeKind::Derived && inner.alias.empty();
    if (is_query && !is_any({"join", "inner", "left", "right", "full", "cross", "natural"}) &&
        !is_operator(",")) {
      Node whole = make(NodeKind::Query);
      add(whole, set_operations(std::move(inner.items[0]), 0));
      add(node, query_tail(std::move(whole)));
    } else {
      while (!failed_ && !is_operator(")") && !at_end()) {
        inner = join_tail(std::move(inner));
      }
      node = std::move(inner);
    }
  } else {
    node = table_reference();
    while (is_operator(",") && !failed_) {
      Node cross = make(NodeKind::Join, "cross");
      cross.begin = node.begin;
      advance();
      add(cross, std::move(node));
      add(cross, table_reference());
      node = finish(cross);
    }
  }
  expect(")");
  return finish(node);
}

void Parser::table_alias(Node& node) {
  const bool named = accept("as");
  if (!named && !(token().kind == TokenKind::QuotedIdentifier || may_be_alias())) {
    return;
  }
  if (named && is_operator("(")) {  // AS (a int, b text)
    skip_parentheses();
    return;
  }
  if (token().kind == TokenKind::String) {
    node.alias.push_back({decode_string(raw(), flavour_), true});
    advance();
  } else {
    node.alias.push_back(name_part());
  }
  if (is_operator("(") && !is_word("nolock", 1)) {
    advance();
    while (!failed_ && !is_operator(")")) {
      node.alias.push_back(name_part());
      if (is_name() || is_operator("(")) {
        type_name();  // a column definition list
      }
      if (!accept(",")) {
        break;
      }
    }
    expect(")");
  }
}

// TABLESAMPLE (..), WITH ORDINALITY, WITH (NOLOCK), INDEXED BY x, USE INDEX (..), FINAL,
// FOR SYSTEM_TIME AS OF x, PARTITION (..)
void Parser::table_modifiers() {
  while (!failed_) {
    if (is_word("tablesample") || (is_word("sample") && !is_operator(".", 1))) {
      advance();
      while (is_name() && !is_any({"on", "where", "join", "as"})) {
        advance();
      }
      if (is_operator("(")) {
        skip_parentheses();
      } else {
        primary();
      }
      if (accept("repeatable")) {
        skip_parentheses();
      }
    } else if (is_word("with") && (is_word("ordinality", 1) || is_word("offset", 1))) {
      advance();
      advance();
    } else if (is_word("with") && is_operator("(", 1)) {
      advance();
      skip_parentheses();
    } else if ((is_word("indexed") && is_word("by", 1)) ||
               (is_word("not") && is_word("indexed", 1))) {
      const bool by = is_word("indexed");
      advance();
      advance();
      if (by) {
        name_part();
      }
    } else if (is_any({"use", "force", "ignore"}) && is_any({"index", "key"}, 1)) {
      advance();
      advance();
      while (!is_operator("(") && !at_end()) {
        advance();
      }
      skip_parentheses();
    } else if (is_word("partition") && is_operator("(", 1)) {
      advance();
      skip_parentheses();
    } else if (is_word("final") && flavour_ == Flavour::Clickhouse) {
      advance();
    } else if (is_word("for") && is_any({"system_time", "version", "timestamp"}, 1)) {
      advance();
      advance();
      accept("as");
      accept("of");
      expression();
    } else {
      break;
    }
  }
}

Node Parser::group_by() {
  Node node = make(NodeKind::GroupBy);
  advance();
  advance();
  if (is_any({"all", "distinct"}) && !is_operator(".", 1) && !is_operator("(", 1)) {
    if (is_word("all")) {
      node.text = "all";
    }
    advance();
  }
  if (node.text.empty() || is_operator("(") || is_name()) {
    const bool clause = is_any({"having", "order", "limit", "window", "qualify", "union", "except",
                                "intersect", "offset"});
    while (!failed_ && !clause && !at_end() && !is_operator(")")) {
      if (is_word("grouping") && is_word("sets", 1)) {
        node.text = "grouping sets";
        advance();
        advance();
      }
      add(node, expression());
      if (!accept(",")) {
        break;
      }
    }
  }
  if (is_word("with") && is_any({"rollup", "cube", "totals"}, 1)) {
    node.text += " with " + word(1);
    advance();
    advance();
  }
  return finish(node);
}

Node Parser::window_list() {
  Node node = make(NodeKind::WindowList);
  advance();
  do {
    Node window = make(NodeKind::WindowDefinition);
    const std::string name = name_part().text;
    expect("as");
    expect("(");
    Node body = make(NodeKind::Over);
    window_body(body);
    expect(")");
    window.text = name;
    add(window, finish(body));
    add(node, finish(window));
  } while (accept(",") && !failed_);
  return finish(node);
}

// LIMIT n [, m | OFFSET m] [BY x], OFFSET n [ROWS], FETCH FIRST n ROWS ONLY
Node Parser::limit() {
  Node node = make(NodeKind::Limit, word());
  advance();
  if (is_any({"first", "next"})) {
    advance();
  }
  if (is_word("all")) {
    advance();
  } else if (!is_any({"row", "rows"})) {
    add(node, expression());
  }
  if (accept(",")) {
    node.text = "limit,";
    add(node, expression());
  }
  if (accept("by")) {
    do {
      add(node, expression());
    } while (accept(","));
  }
  while (is_any({"row", "rows", "only", "percent"})) {
    advance();
  }
  if (is_word("with") && is_word("ties", 1)) {
    node.text += " with ties";
    advance();
    advance();
  }
  return finish(node);
}

}  // namespace kedge::sql
