// The rewriting behind normal_expression(). Each rule names the spelling that a server or a person
// gives and turns it into one tree; the rules run bottom-up once.
#include "sql/normal_form.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "sql/keywords.h"
#include "sql/lexer.h"

// Most node kinds need nothing here; `default` means "look at the children".
#pragma GCC diagnostic ignored "-Wswitch-enum"

namespace kedge::sql {

namespace {

bool is_literal(const Node& node) {
  return node.kind == NodeKind::String || node.kind == NodeKind::Number ||
         node.kind == NodeKind::Boolean || node.kind == NodeKind::Null;
}

bool folds_quoted(Flavour flavour) {
  switch (flavour) {
    case Flavour::Sqlite:
    case Flavour::Duckdb:
    case Flavour::Mysql:
    case Flavour::Bigquery:
    case Flavour::Sqlserver:
      return true;
    case Flavour::Postgres:
    case Flavour::Ansi:
    case Flavour::Clickhouse:
    case Flavour::Snowflake:
      break;
  }
  return false;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  bool digit = false;
  bool dot = false;
  for (const char c : text) {
    if (c == '.' && !dot) {
      dot = true;
    } else if (is_digit(c)) {
      digit = true;
    } else {
      return false;
    }
  }
  return digit;
}

// One spelling of a number: no plus, no bare point, lower-case exponent, no leading zeros.
std::string canonical_number(std::string_view text) {
  std::string out = base::to_lower(text);
  if (out.starts_with("0x")) {
    return out;
  }
  const std::string sign = out.starts_with('-') ? "-" : "";
  if (out.starts_with('-') || out.starts_with('+')) {
    out.erase(0, 1);
  }
  std::erase(out, '_');
  while (out.size() > 1 && out[0] == '0' && is_digit(out[1])) {
    out.erase(0, 1);
  }
  if (out.starts_with('.')) {
    out.insert(0, "0");
  }
  if (out.ends_with('.')) {
    out.pop_back();
  }
  return sign + out;
}

class Normaliser {
 public:
  explicit Normaliser(Flavour flavour) : flavour_(flavour) {}

  void run(Node& node) {
    for (Node& item : node.items) {
      run(item);
    }
    rewrite(node);
  }

 private:
  // Turns the node into one of its own children.
  static void become(Node& node, Node child) {
    Node kept = std::move(child);
    node = std::move(kept);
  }

  void rewrite(Node& node) {
    switch (node.kind) {
      case NodeKind::Number:
        node.text = canonical_number(node.text);
        return;
      case NodeKind::String:
        node.text = !node.names.empty() && node.names[0].text == "x" ? base::to_lower(node.text)
                                                                     : std::move(node.text);
        return;
      case NodeKind::Boolean:
        return boolean(node);
      case NodeKind::Column:
      case NodeKind::Star:
      case NodeKind::Relation:
      case NodeKind::Using:
      case NodeKind::Cte:
      case NodeKind::Collate:
        return fold(node.names);
      case NodeKind::Item:
        return item(node);
      case NodeKind::Field:
        return fold(node.names);
      case NodeKind::Unary:
        return unary(node);
      case NodeKind::Binary:
        return binary(node);
      case NodeKind::In:
        return membership(node);
      case NodeKind::Between:
        return between(node);
      case NodeKind::Like:
        return negation_outside(node);
      case NodeKind::Cast:
        return cast(node);
      case NodeKind::Function:
        return function(node);
      case NodeKind::Word:
        return word(node);
      case NodeKind::Case:
        return case_else(node);
      default:
        return;
    }
  }

  void boolean(Node& node) const {
    if (flavour_ == Flavour::Sqlite || flavour_ == Flavour::Mysql) {
      node.kind = NodeKind::Number;
      node.text = node.text == "true" ? "1" : "0";
    }
  }

  void fold(std::vector<NamePart>& names) const {
    for (NamePart& name : names) {
      if (!name.quoted || folds_quoted(flavour_)) {
        if (flavour_ == Flavour::Snowflake) {
          name.text = base::to_upper(name.text);
        } else if (flavour_ != Flavour::Clickhouse) {
          name.text = base::to_lower(name.text);
        }
      }
      name.quoted = false;
    }
  }

  void item(Node& node) const {
    fold(node.names);
    const bool same = !node.names.empty() && node.items[0].kind == NodeKind::Column &&
                      node.items[0].names.back().text == node.names[0].text;
    if (same) {
      node.names.clear();
    }
  }

  void unary(Node& node) {
    Node& operand = node.items[0];
    if (node.text == "+") {
      return become(node, std::move(operand));
    }
    if (node.text == "-" && operand.kind == NodeKind::Number) {
      operand.text = operand.text.starts_with('-') ? operand.text.substr(1) : "-" + operand.text;
      return become(node, std::move(operand));
    }
    if (node.text == "not") {
      negate(node);
    }
  }

  // NOT over something that has a negated form of its own.
  void negate(Node& node) {
    Node& operand = node.items[0];
    if (operand.kind == NodeKind::Is) {
      operand.flag = !operand.flag;
      return become(node, std::move(operand));
    }
    if (operand.kind == NodeKind::Unary && operand.text == "not" &&
        yields_boolean(operand.items[0])) {
      return become(node, std::move(operand.items[0]));
    }
  }

  static bool yields_boolean(const Node& node) {
    constexpr std::array<std::string_view, 9> kBoolean = {"and", "or", "=",  "<>", "<",
                                                          ">",   "<=", ">=", "xor"};
    return node.kind == NodeKind::Is || node.kind == NodeKind::In || node.kind == NodeKind::Like ||
           node.kind == NodeKind::Exists || node.kind == NodeKind::Between ||
           (node.kind == NodeKind::Binary &&
            std::find(kBoolean.begin(), kBoolean.end(), node.text) != kBoolean.end());
  }

  void negation_outside(Node& node) {
    if (!node.flag) {
      return;
    }
    Node inner = std::move(node);
    inner.flag = false;
    Node outer;
    outer.kind = NodeKind::Unary;
    outer.text = "not";
    outer.items.push_back(std::move(inner));
    node = std::move(outer);
    negate(node);
  }

  void binary(Node& node) {
    if (flavour_ == Flavour::Mysql && (node.text == "||" || node.text == "&&")) {
      node.text = node.text == "||" ? "or" : "and";
    }
    if (node.text == "and" || node.text == "or") {
      return flatten(node);
    }
    if (pattern_operator(node) || quantified(node)) {
      return;
    }
    if (node.text == "<=>") {
      node.kind = NodeKind::Is;
      node.text = "distinct";
      node.flag = true;
    }
  }

  // a AND (b AND c) and (a AND b) AND c are one chain.
  static void flatten(Node& node) {
    std::vector<Node> flat;
    for (Node& item : node.items) {
      if (item.kind == NodeKind::Binary && item.text == node.text) {
        std::move(item.items.begin(), item.items.end(), std::back_inserter(flat));
      } else {
        flat.push_back(std::move(item));
      }
    }
    node.items = std::move(flat);
  }

  // postgres spells LIKE as ~~ and ILIKE as ~~*.
  bool pattern_operator(Node& node) {
    if (flavour_ != Flavour::Postgres && flavour_ != Flavour::Duckdb) {
      return false;
    }
    const bool negated = node.text.starts_with('!');
    const std::string bare = negated ? node.text.substr(1) : node.text;
    if ((bare != "~~" && bare != "~~*") || node.items.size() != 2) {
      return false;
    }
    node.kind = NodeKind::Like;
    node.text = bare == "~~" ? "like" : "ilike";
    node.flag = negated;
    negation_outside(node);
    return true;
  }

  // x = ANY (ARRAY[..]) is IN, x <> ALL (ARRAY[..]) is NOT IN.
  bool quantified(Node& node) {
    if (node.items.size() != 2 || node.items[1].kind != NodeKind::Quantified) {
      return false;
    }
    Node& list = node.items[1];
    const bool in = node.text == "=" && list.text == "any";
    const bool not_in = node.text == "<>" && list.text == "all";
    if ((!in && !not_in) || list.items.empty()) {
      return false;
    }
    Node* array = &list.items[0];
    if (array->kind == NodeKind::Cast && !array->items.empty()) {
      array = &array->items[0];
    }
    if (array->kind == NodeKind::Query) {
      Node subquery;
      subquery.kind = NodeKind::Subquery;
      subquery.items.push_back(std::move(*array));
      Node made = std::move(subquery);
      array->items.clear();
      array->kind = NodeKind::Array;
      array->items.push_back(std::move(made));
    }
    if (array->kind != NodeKind::Array) {
      return false;
    }
    Node made;
    made.kind = NodeKind::In;
    made.flag = not_in;
    made.items.push_back(std::move(node.items[0]));
    std::move(array->items.begin(), array->items.end(), std::back_inserter(made.items));
    node = std::move(made);
    membership(node);
    return true;
  }

  // A list of one is an equality: postgres stores it so.
  void membership(Node& node) {
    if (node.items.size() == 2 && node.text.empty() && node.items[1].kind != NodeKind::Subquery) {
      node.kind = NodeKind::Binary;
      node.text = node.flag ? "<>" : "=";
      node.flag = false;
      return;
    }
    negation_outside(node);
  }

  void between(Node& node) {
    if (!node.text.empty()) {
      return negation_outside(node);
    }
    const auto compare = [](Node left, const char* op, Node right) {
      Node made;
      made.kind = NodeKind::Binary;
      made.text = op;
      made.items.push_back(std::move(left));
      made.items.push_back(std::move(right));
      return made;
    };
    Node both;
    both.kind = NodeKind::Binary;
    both.text = node.flag ? "or" : "and";
    both.items.push_back(compare(node.items[0], node.flag ? "<" : ">=", std::move(node.items[1])));
    both.items.push_back(
        compare(std::move(node.items[0]), node.flag ? ">" : "<=", std::move(node.items[2])));
    node = std::move(both);
  }

  void cast(Node& node) {
    node.text = canonical_type(node.text, flavour_);
    if (node.items.empty()) {
      return;
    }
    Node& operand = node.items[0];
    if (node.text == "boolean" && operand.kind == NodeKind::String) {
      const std::string value = base::to_lower(operand.text);
      if (value == "t" || value == "true" || value == "f" || value == "false") {
        operand.kind = NodeKind::Boolean;
        operand.text = value[0] == 't' ? "true" : "false";
        boolean(operand);
        return become(node, std::move(operand));
      }
    }
    if (is_literal(operand) && drops_on_literal(node, operand)) {
      return become(node, std::move(operand));
    }
    if (operand.kind == NodeKind::Array && node.text.ends_with("[]") &&
        flavour_ == Flavour::Postgres && !operand.items.empty()) {
      return become(node, std::move(operand));
    }
    const bool name = operand.kind == NodeKind::Column || operand.kind == NodeKind::Function ||
                      operand.kind == NodeKind::Cast;
    if (name && flavour_ == Flavour::Postgres && is_implicit(node.text)) {
      become(node, std::move(operand));
    }
  }

  // '-1'::integer, 'x'::character varying, 0::numeric: the server says what the context says.
  bool drops_on_literal(const Node& node, Node& operand) const {
    if (node.flag) {
      return false;  // TRY_CAST
    }
    constexpr std::array<std::string_view, 6> kNumbers = {"integer", "bigint",           "smallint",
                                                          "numeric", "double precision", "real"};
    const std::string head = node.text.substr(0, node.text.find('('));
    const bool number = std::find(kNumbers.begin(), kNumbers.end(), head) != kNumbers.end();
    if (number && operand.kind == NodeKind::String && is_number(operand.text)) {
      operand.kind = NodeKind::Number;
      operand.text = canonical_number(operand.text);
    }
    return flavour_ == Flavour::Postgres || flavour_ == Flavour::Duckdb ||
           flavour_ == Flavour::Ansi || operand.kind == NodeKind::Null;
  }

  // Casts that postgres adds where a column meets a wider type.
  static bool is_implicit(std::string_view type) {
    constexpr std::array<std::string_view, 7> kImplicit = {"text",
                                                           "numeric",
                                                           "double precision",
                                                           "bigint",
                                                           "bpchar",
                                                           "timestamp without time zone",
                                                           "timestamp with time zone"};
    return std::find(kImplicit.begin(), kImplicit.end(), type) != kImplicit.end();
  }

  void word(Node& node) const {
    const bool local =
        flavour_ == Flavour::Mysql && (node.text == "localtime" || node.text == "localtimestamp");
    if (local) {
      node.text = "current_timestamp";
    }
    if (node.text == "current_role" || node.text == "user") {
      node.text = "current_user";
    }
  }

  void function(Node& node) {
    for (NamePart& name : node.names) {
      if (!name.quoted || folds_quoted(flavour_)) {
        name.text = base::to_lower(name.text);
      }
      name.quoted = false;
    }
    if (node.names.size() == 2 &&
        (node.names[0].text == "pg_catalog" || node.names[0].text == "main")) {
      node.names.erase(node.names.begin());
    }
    if (node.names.size() != 1) {
      return;
    }
    clock(node);
    alias(node.names[0].text);
  }

  // now(), transaction_timestamp(), datetime('now'), CURRENT_TIMESTAMP(): one word.
  void clock(Node& node) const {
    std::string& name = node.names[0].text;
    const bool bare =
        node.items.empty() || (node.items.size() == 1 && node.items[0].kind == NodeKind::Number &&
                               node.items[0].text == "0" && flavour_ == Flavour::Mysql);
    constexpr std::array<std::string_view, 5> kNow = {"now", "transaction_timestamp",
                                                      "current_timestamp", "get_current_timestamp",
                                                      "localtimestamp"};
    const auto become_word = [&](std::string text) {
      node.kind = NodeKind::Word;
      node.text = std::move(text);
      node.names.clear();
      node.items.clear();
    };
    const bool now = std::find(kNow.begin(), kNow.end(), name) != kNow.end() &&
                     (name != "localtimestamp" || flavour_ == Flavour::Mysql);
    if (now && bare) {
      return become_word("current_timestamp");
    }
    if (now) {
      name = "current_timestamp";
    }
    if (bare && (name == "current_date" || name == "current_time" || name == "curdate" ||
                 name == "curtime" || name == "current_user" || name == "today")) {
      return become_word(name == "curdate" || name == "today" ? "current_date"
                         : name == "curtime"                  ? "current_time"
                                                              : name);
    }
    name = name == "curtime" ? "current_time" : name;  // CURTIME(3)
    const bool at_now = node.items.size() == 1 && node.items[0].kind == NodeKind::String &&
                        node.items[0].text == "now" && flavour_ == Flavour::Sqlite;
    if (at_now && (name == "datetime" || name == "date" || name == "time")) {
      become_word(name == "datetime" ? "current_timestamp" : "current_" + name);
    }
  }

  void alias(std::string& name) const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSame = {
        {{"btrim", "trim"},
         {"character_length", "char_length"},
         {"lcase", "lower"},
         {"ucase", "upper"},
         {"substr", "substring"},
         {"ceiling", "ceil"},
         {"pow", "power"},
         {"ifnull", "coalesce"}}};
    for (const auto& [from, to] : kSame) {
      if (name == from) {
        name = to;
      }
    }
  }

  // postgres writes ELSE NULL::type where there was no ELSE.
  static void case_else(Node& node) {
    if (!node.items.empty() && node.items.back().kind == NodeKind::Else &&
        node.items.back().items[0].kind == NodeKind::Null) {
      node.items.pop_back();
    }
  }

  Flavour flavour_;
};

// A name that says nothing by its case or its quotes, in lower case and as bare as it can stand.
std::string folded_name(std::string_view text, TokenKind kind, Flavour flavour) {
  const std::string name = base::to_lower(text);
  const std::optional<NamePart> part =
      kind == TokenKind::QuotedIdentifier ? as_identifier(name, flavour) : std::nullopt;
  if (!part) {
    return name;
  }
  Node column;
  column.kind = NodeKind::Column;
  column.names = {*part};
  return render(column, flavour);
}

std::string collapsed(std::string_view sql, Flavour flavour) {
  std::string out;
  std::size_t previous = 0;
  bool after_quoted = false;
  for (const Token& token : significant_tokens(sql, flavour)) {
    if (token.kind == TokenKind::End) {
      break;
    }
    if (!out.empty() && token.begin > previous) {
      // Two strings on two lines are one.
      const std::string_view gap = sql.substr(previous, token.begin - previous);
      const bool goes_on =
          token.kind == TokenKind::String && gap.find_first_of("\r\n") != std::string_view::npos;
      out += goes_on ? '\n' : ' ';
    }
    const std::string_view text = sql.substr(token.begin, token.end - token.begin);
    const bool is_name =
        token.kind == TokenKind::Identifier || token.kind == TokenKind::QuotedIdentifier;
    const bool folds = flavour == Flavour::Sqlite || flavour == Flavour::Duckdb;
    const std::string shown =
        is_name && folds ? folded_name(text, token.kind, flavour) : std::string(text);
    // A name that lost its quotes does not run into its neighbour.
    const bool was_quoted = token.kind == TokenKind::QuotedIdentifier;
    const bool touches = (was_quoted || after_quoted) && !out.empty() && !shown.empty() &&
                         is_name_part(out.back()) && is_name_part(shown.front());
    out += touches ? " " + shown : shown;
    after_quoted = was_quoted;
    previous = token.end;
  }
  return out;
}

// With one relation in FROM a qualifier says nothing.
void drop_lone_qualifier(Node& select) {
  const Node* only = nullptr;
  for (const Node& clause : select.items) {
    if (clause.kind == NodeKind::From && clause.items.size() == 1 &&
        clause.items[0].kind == NodeKind::Relation) {
      only = &clause.items[0];
    }
  }
  if (only == nullptr) {
    return;
  }
  const std::string name =
      base::to_lower(only->alias.empty() ? only->names.back().text : only->alias[0].text);
  const auto strip = [&name](auto&& self, Node& node) -> void {
    if (node.kind == NodeKind::Column && node.names.size() == 2 &&
        base::to_lower(node.names[0].text) == name) {
      node.names.erase(node.names.begin());
    }
    for (Node& item : node.items) {
      if (item.kind != NodeKind::Query) {
        self(self, item);
      }
    }
  };
  strip(strip, select);
}

void drop_lone_qualifiers(Node& node) {
  if (node.kind == NodeKind::Select) {
    drop_lone_qualifier(node);
  }
  for (Node& item : node.items) {
    drop_lone_qualifiers(item);
  }
}

}  // namespace

std::string canonical_type(std::string_view type, Flavour flavour) {
  std::string name = base::to_lower(base::trim(type));
  std::string array;
  while (name.ends_with("[]")) {
    name.resize(name.size() - 2);
    array += "[]";
  }
  const auto open = name.find('(');
  std::string head(base::trim(name.substr(0, open)));
  const std::string tail = open == std::string::npos ? "" : name.substr(open);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kSame = {
      {{"int", "integer"},
       {"int4", "integer"},
       {"int8", "bigint"},
       {"int2", "smallint"},
       {"signed", "bigint"},
       {"signed integer", "bigint"},
       {"unsigned integer", "unsigned"},
       {"bool", "boolean"},
       {"float8", "double precision"},
       {"double", "double precision"},
       {"float", "double precision"},
       {"float4", "real"},
       {"decimal", "numeric"},
       {"dec", "numeric"},
       {"varchar", "text"},
       {"character varying", "text"},
       {"string", "text"},
       {"char", "character"},
       {"timestamptz", "timestamp with time zone"},
       {"timestamp", "timestamp without time zone"},
       {"timetz", "time with time zone"},
       {"time", "time without time zone"},
       {"datetime", "timestamp without time zone"},
       {"\"char\"", "\"char\""}}};
  if (head.starts_with("pg_catalog.")) {
    head.erase(0, 11);
  }
  for (const auto& [from, to] : kSame) {
    if (head == from && (tail.empty() || to != "text")) {
      head = to;
      break;
    }
  }
  if (head == "varchar" && flavour == Flavour::Postgres) {
    head = "character varying";
  }
  return head + tail + array;
}

void normalise(Node& node, Flavour flavour) {
  Normaliser(flavour).run(node);
}

namespace {

// The parentheses of a deep tree can nest deeper than its text did, which nobody could read again.
std::string written(const Parsed& parsed, std::string_view sql, Flavour flavour,
                    Parsed (*parse)(std::string_view, Flavour)) {
  constexpr unsigned kShallow = 64;
  std::string normal = render(parsed.root, flavour);
  return parsed.root.height <= kShallow || parse(normal, flavour).ok ? normal
                                                                     : collapsed(sql, flavour);
}

}  // namespace

std::string normal_expression(std::string_view sql, const Syntax& syntax) {
  Parsed parsed = parse_expression(sql, syntax.flavour());
  if (!parsed.ok) {
    return collapsed(sql, syntax.flavour());
  }
  normalise(parsed.root, syntax.flavour());
  return written(parsed, sql, syntax.flavour(), parse_expression);
}

std::string normal_query(std::string_view sql, const Syntax& syntax) {
  Parsed parsed = parse_query(sql, syntax.flavour());
  if (!parsed.ok) {
    return collapsed(sql, syntax.flavour());
  }
  drop_lone_qualifiers(parsed.root);
  normalise(parsed.root, syntax.flavour());
  return written(parsed, sql, syntax.flavour(), parse_query);
}

std::optional<MembershipCheck> find_membership(std::string_view expression, const Syntax& syntax) {
  Parsed parsed = parse_expression(expression, syntax.flavour());
  if (!parsed.ok) {
    return std::nullopt;
  }
  normalise(parsed.root, syntax.flavour());
  const Node& node = parsed.root;
  const bool list = node.kind == NodeKind::In ||
                    (node.kind == NodeKind::Binary && node.text == "=" && node.items.size() == 2);
  if (!list || node.flag || node.items[0].kind != NodeKind::Column) {
    return std::nullopt;
  }
  MembershipCheck check;
  check.column = node.items[0].names.back().text;
  for (std::size_t i = 1; i < node.items.size(); ++i) {
    const Node& member = node.items[i];
    if (member.kind != NodeKind::String && member.kind != NodeKind::Number) {
      return std::nullopt;
    }
    check.members.push_back(member.text);
  }
  return check;
}

}  // namespace kedge::sql
