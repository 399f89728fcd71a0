// The text of a normalised tree.
#include <algorithm>

#include "base/text.h"
#include "sql/keywords.h"
#include "sql/lexer.h"
#include "sql/normal_form.h"

// Most node kinds need nothing here; `default` means "look at the children".
#pragma GCC diagnostic ignored "-Wswitch-enum"

namespace kedge::sql {

namespace {

class Renderer {
 public:
  explicit Renderer(Flavour flavour) : flavour_(flavour) {}

  std::string any(const Node& node) {
    switch (node.kind) {
      case NodeKind::Null:
        return "null";
      case NodeKind::Boolean:
      case NodeKind::Number:
      case NodeKind::Word:
      case NodeKind::Parameter:
      case NodeKind::Modifier:
      case NodeKind::Frame:
        return node.text;
      case NodeKind::String:
        return (node.names.empty() ? "" : node.names[0].text) + literal(node.text);
      case NodeKind::Column:
      case NodeKind::Star:
        return column(node);
      case NodeKind::Query:
      case NodeKind::With:
      case NodeKind::Cte:
      case NodeKind::SetOperation:
      case NodeKind::Select:
      case NodeKind::SelectList:
      case NodeKind::Item:
      case NodeKind::From:
      case NodeKind::Relation:
      case NodeKind::Derived:
      case NodeKind::TableFunction:
      case NodeKind::Join:
      case NodeKind::On:
      case NodeKind::Using:
      case NodeKind::Where:
      case NodeKind::GroupBy:
      case NodeKind::Having:
      case NodeKind::Qualify:
      case NodeKind::WindowList:
      case NodeKind::WindowDefinition:
      case NodeKind::OrderBy:
      case NodeKind::Limit:
      case NodeKind::Values:
        return query(node);
      default:
        return expression(node);
    }
  }

 private:
  std::string literal(const std::string& text) const {
    std::string body = text;
    if (rules_of(flavour_).backslash_escapes) {
      body = base::replace_all(body, "\\", "\\\\");
    }
    // Two quotes are no quote in bigquery, and three begin another kind of string.
    body = base::replace_all(body, "'", flavour_ == Flavour::Bigquery ? "\\'" : "''");
    return "'" + body + "'";
  }

  std::string name(const std::string& text) const {
    const bool upper = flavour_ == Flavour::Snowflake;
    bool plain = !text.empty() && is_name_start(text[0]);
    for (const char c : text) {
      plain = plain && is_name_part(c) && c != '$';
    }
    const std::string folded = upper ? base::to_upper(text) : base::to_lower(text);
    const bool exact = flavour_ == Flavour::Clickhouse;
    if (plain && (exact || folded == text) && !is_reserved(text, flavour_) &&
        !is_structural(base::to_lower(text)) && !is_niladic(base::to_lower(text), flavour_) &&
        !takes_words(base::to_lower(text))) {
      return text;
    }
    const bool tick = flavour_ == Flavour::Mysql || flavour_ == Flavour::Bigquery;
    const std::string quote = tick ? "`" : "\"";
    return quote + base::replace_all(text, quote, quote + quote) + quote;
  }

  // Words that start an expression of their own when they stand bare.
  static bool takes_words(std::string_view text) {
    return text == "case" || text == "not" || text == "interval" || text == "array" ||
           text == "null" || text == "true" || text == "false" || text == "cast" ||
           text == "binary" || text == "lambda" || text == "prior" || text == "distinct" ||
           text == "any" || text == "all" || text == "some" || text == "isnull" ||
           text == "exists" || text == "map" || text == "default" || ends_alias(text);
  }

  std::string path(const std::vector<NamePart>& names) const {
    std::string out;
    for (const NamePart& part : names) {
      out += (out.empty() ? "" : ".") + name(part.text);
    }
    return out;
  }

  std::string column(const Node& node) {
    std::string out = path(node.names);
    if (node.kind == NodeKind::Star) {
      out += out.empty() ? "*" : ".*";
      out += node.text.empty() ? "" : " " + node.text;
      if (!node.items.empty()) {
        out += " (" + list(node, 0, ", ") + ")";
      }
    }
    return out;
  }

  static bool is_atom(const Node& node) {
    switch (node.kind) {
      case NodeKind::Unary:
      case NodeKind::Binary:
      case NodeKind::In:
      case NodeKind::Between:
      case NodeKind::Like:
      case NodeKind::Is:
      case NodeKind::Collate:
      case NodeKind::Interval:
      case NodeKind::Lambda:
      case NodeKind::Subscript:
      case NodeKind::Field:
      case NodeKind::Star:
        return false;
      case NodeKind::Number:
        return !node.text.starts_with('-');
      default:
        return true;
    }
  }

  std::string operand(const Node& node) {
    return is_atom(node) ? any(node) : "(" + any(node) + ")";
  }

  std::string list(const Node& node, std::size_t from, const std::string& separator) {
    std::string out;
    for (std::size_t i = from; i < node.items.size(); ++i) {
      out += (i == from ? "" : separator) + any(node.items[i]);
    }
    return out;
  }

  std::string operands(const Node& node, const std::string& separator) {
    std::string out;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      out += (i == 0 ? "" : separator) + operand(node.items[i]);
    }
    return out;
  }

  std::string expression(const Node& node) {
    switch (node.kind) {
      case NodeKind::Unary:
        // "@x" is a variable, "@ x" an absolute value.
        return node.text + (is_name_start(node.text[0]) || node.text.ends_with('@') ? " " : "") +
               operand(node.items[0]);
      case NodeKind::Binary:
        return operands(node, " " + node.text + " ");
      case NodeKind::Function:
        return function(node);
      case NodeKind::Cast:
        return (node.flag ? "try_cast(" : "cast(") + any(node.items[0]) + " as " + node.text + ")";
      case NodeKind::Case:
      case NodeKind::When:
      case NodeKind::Else:
        return case_expression(node);
      case NodeKind::In:
        return operand(node.items[0]) + (node.flag ? " not in " : " in ") + in_list(node);
      case NodeKind::Between:
        return operand(node.items[0]) + (node.flag ? " not between " : " between ") + node.text +
               (node.text.empty() ? "" : " ") + operand(node.items[1]) + " and " +
               operand(node.items[2]);
      case NodeKind::Like:
        return operand(node.items[0]) + (node.flag ? " not " : " ") + node.text + " " +
               operand(node.items[1]) +
               (node.items.size() > 2 ? " escape " + operand(node.items[2]) : "");
      case NodeKind::Is:
        return operand(node.items[0]) + (node.flag ? " is not " : " is ") + node.text +
               (node.items.size() > 1 ? " from " + operand(node.items[1]) : "");
      case NodeKind::Exists:
        return "exists " + any(node.items[0]);
      case NodeKind::Subquery:
        return "(" + any(node.items[0]) + ")";
      case NodeKind::Array:
        return "array[" + list(node, 0, ", ") + "]";
      case NodeKind::Tuple:
        return (node.items.size() == 1 ? "row(" : "(") + list(node, 0, ", ") + ")";
      default:
        return rare(node);
    }
  }

  std::string in_list(const Node& node) {
    if (node.text == "bare" ||
        (node.items.size() == 2 && node.items[1].kind == NodeKind::Subquery)) {
      return operand(node.items[1]);
    }
    return "(" + list(node, 1, ", ") + ")";
  }

  std::string rare(const Node& node) {
    switch (node.kind) {
      case NodeKind::Subscript:
        return subscript(node);
      case NodeKind::Field:
        return "(" + any(node.items[0]) + ")" + (node.text == ":" ? ":" : ".") +
               (node.text == "*" ? "*" : path(node.names));
      case NodeKind::Collate:
        return operand(node.items[0]) + " collate " + path(node.names);
      case NodeKind::Interval:
        return "interval " + operand(node.items[0]) + (node.text.empty() ? "" : " " + node.text);
      case NodeKind::Lambda:
        return parameters(node) + " -> " + any(node.items[0]);
      case NodeKind::Comprehension:
        return "[" + operand(node.items[0]) + " for " + parameters(node) + " in " +
               operand(node.items[1]) +
               (node.items.size() > 2 ? " if " + operand(node.items[2]) : "") + "]";
      case NodeKind::Struct:
        return structure(node);
      case NodeKind::NamedArgument:
        return name(node.text) + " := " + any(node.items[0]);
      case NodeKind::Quantified:
        return node.text + "(" + list(node, 0, ", ") + ")";
      case NodeKind::Over:
        return over(node);
      case NodeKind::Partition:
        return "partition by " + list(node, 0, ", ");
      case NodeKind::SortKey:
        return any(node.items[0]) + (node.text.empty() ? "" : " " + node.text);
      case NodeKind::ArgumentOrder:
        return "order by " + list(node, 0, ", ");
      default:
        return list(node, 0, " ");
    }
  }

  std::string structure(const Node& node) {
    std::string out = node.text + "{";
    for (const Node& member : node.items) {
      out += out.ends_with('{') ? "" : ", ";
      const bool keyed = member.items.size() > 1;
      out += keyed ? any(member.items[0]) : literal(member.text);
      out += ": " + any(member.items.back());
    }
    return out + "}";
  }

  std::string parameters(const Node& node) const {
    std::string out;
    for (const NamePart& part : node.names) {
      out += (out.empty() ? "" : ", ") + name(part.text);
    }
    return node.names.size() == 1 || node.kind == NodeKind::Comprehension ? out : "(" + out + ")";
  }

  std::string subscript(const Node& node) {
    std::string out = "(" + any(node.items[0]) + ")[";
    std::size_t next = 1;
    for (const char c : node.text) {
      out += c == ':' ? std::string(":") : any(node.items[next++]);
    }
    return out + "]";
  }

  std::string case_expression(const Node& node) {
    if (node.kind == NodeKind::When) {
      return "when " + any(node.items[0]) + " then " + any(node.items[1]);
    }
    if (node.kind == NodeKind::Else) {
      return "else " + any(node.items[0]);
    }
    if (node.text == "if") {
      return "case when " + any(node.items[0]) + " then " + any(node.items[1]) + " else " +
             any(node.items[2]) + " end";
    }
    return "case " + list(node, 0, " ") + " end";
  }

  std::string over(const Node& node) {
    std::string body = node.text.empty() ? "" : name(node.text);
    for (const Node& item : node.items) {
      body += (body.empty() ? "" : " ") + any(item);
    }
    return "(" + body + ")";
  }

  std::string function(const Node& node) {
    const std::string last = node.names.back().text;
    if (last == "extract" && node.names.size() == 1 && node.items.size() == 2 &&
        node.items[0].kind == NodeKind::Word) {
      return "extract(" + node.items[0].text + " from " + any(node.items[1]) + ")";
    }
    std::string arguments = node.flag ? "distinct " : "";
    std::string tail;
    bool first = true;
    for (const Node& item : node.items) {
      if (item.kind == NodeKind::Filter) {
        tail += " filter (where " + any(item.items[0]) + ")";
      } else if (item.kind == NodeKind::WithinGroup) {
        tail += " within group (order by " + list(item, 0, ", ") + ")";
      } else if (item.kind == NodeKind::Over) {
        tail += " over " + over(item);
      } else if (item.kind == NodeKind::Modifier && item.text.ends_with("nulls")) {
        tail += " " + item.text;
      } else if (item.kind == NodeKind::Modifier || item.kind == NodeKind::ArgumentOrder) {
        arguments += " " + any(item);
      } else {
        // position(a IN b) is a form of its own: an IN inside an argument needs its parentheses.
        arguments += (first ? "" : ", ") + (last == "position" ? operand(item) : any(item));
        first = false;
      }
    }
    return function_path(node) + "(" + arguments + ")" + tail;
  }

  // A function's name is a name too, but words such as left or replace may stand bare in it.
  std::string function_path(const Node& node) const {
    std::string out;
    for (const NamePart& part : node.names) {
      bool plain = !part.text.empty() && is_name_start(part.text[0]);
      for (const char c : part.text) {
        plain = plain && is_name_part(c) && c != '$';
      }
      plain = plain && base::to_lower(part.text) == part.text && !is_structural(part.text) &&
              part.text != "not" && part.text != "exists" && part.text != "cast" &&
              part.text != "interval";
      out += (out.empty() ? "" : ".") + (plain ? part.text : name(part.text));
    }
    return out;
  }

  std::string alias(const Node& node) const {
    if (node.alias.empty()) {
      return {};
    }
    std::string out = " as " + name(folded(node.alias[0]));
    for (std::size_t i = 1; i < node.alias.size(); ++i) {
      out += (i == 1 ? " (" : ", ") + name(folded(node.alias[i]));
    }
    return out + (node.alias.size() > 1 ? ")" : "");
  }

  std::string folded(const NamePart& part) const {
    return part.quoted || flavour_ == Flavour::Clickhouse ? part.text : base::to_lower(part.text);
  }

  std::string query(const Node& node) {
    switch (node.kind) {
      case NodeKind::Query:
        return list(node, 0, " ");
      case NodeKind::With:
        return "with " + (node.text.empty() ? "" : node.text + " ") + list(node, 0, ", ");
      case NodeKind::Cte:
        return cte(node);
      case NodeKind::SetOperation:
        return side(node.items[0]) + " " + node.text + " " + side(node.items[1]);
      case NodeKind::Select:
        return "select " + list(node, 0, " ");
      case NodeKind::SelectList:
        return select_list(node);
      case NodeKind::Item:
        return any(node.items[0]) + (node.names.empty() ? "" : " as " + path(node.names));
      case NodeKind::From:
        return "from " + list(node, 0, ", ");
      case NodeKind::Relation:
        return path(node.names) + alias(node);
      case NodeKind::Derived:
        return (node.flag ? "lateral (" : "(") + any(node.items[0]) + ")" + alias(node);
      case NodeKind::TableFunction:
        return any(node.items[0]) + alias(node);
      case NodeKind::Join:
        return join(node);
      default:
        return clause(node);
    }
  }

  std::string cte(const Node& node) {
    std::string out = name(node.names[0].text);
    for (std::size_t i = 1; i < node.names.size(); ++i) {
      out += (i == 1 ? " (" : ", ") + name(node.names[i].text);
    }
    return out + (node.names.size() > 1 ? ")" : "") + " as (" + any(node.items[0]) + ")";
  }

  std::string side(const Node& node) {
    return node.kind == NodeKind::Select ? any(node) : "(" + any(node) + ")";
  }

  std::string select_list(const Node& node) {
    std::size_t from = 0;
    std::string out = node.text;
    if (node.text == "distinct on") {
      out += " " + any(node.items[from++]);
    } else if (node.text.ends_with("top")) {
      out += " " + any(node.items[from++]);
    }
    return out + (out.empty() ? "" : " ") + list(node, from, ", ");
  }

  std::string join(const Node& node) {
    const bool apply = node.text.ends_with("apply");
    std::string out = any(node.items[0]) + " " + node.text + (node.text.empty() ? "" : " ") +
                      (apply ? "" : "join ");
    const Node& right = node.items[1];
    out += right.kind == NodeKind::Join ? "(" + any(right) + ")" : any(right);
    return out + (node.items.size() > 2 ? " " + any(node.items[2]) : "");
  }

  std::string values(const Node& node) {
    std::string out = "values ";
    for (const Node& row : node.items) {
      out += (out.ends_with(')') ? ", (" : "(") + list(row, 0, ", ") + ")";
    }
    return out;
  }

  std::string clause(const Node& node) {
    switch (node.kind) {
      case NodeKind::On:
        return "on " + any(node.items[0]);
      case NodeKind::Using: {
        std::string out;
        for (const NamePart& part : node.names) {
          out += (out.empty() ? "" : ", ") + name(part.text);
        }
        return "using (" + out + ")";
      }
      case NodeKind::Where:
        return "where " + any(node.items[0]);
      case NodeKind::GroupBy:
        return "group by " + node.text + (node.text.empty() || node.items.empty() ? "" : " ") +
               list(node, 0, ", ");
      case NodeKind::Having:
        return "having " + any(node.items[0]);
      case NodeKind::Qualify:
        return "qualify " + any(node.items[0]);
      case NodeKind::WindowList:
        return "window " + list(node, 0, ", ");
      case NodeKind::WindowDefinition:
        return name(node.text) + " as " + list(node, 0, "");
      case NodeKind::OrderBy:
        return "order by " + list(node, 0, ", ");
      case NodeKind::Limit:
        return node.text == "limit," ? "limit " + list(node, 0, ", ")
                                     : node.text + " " + list(node, 0, ", ");
      case NodeKind::Values:
        return values(node);
      default:
        return list(node, 0, " ");
    }
  }

  Flavour flavour_;
};

}  // namespace

std::string render(const Node& node, Flavour flavour) {
  return Renderer(flavour).any(node);
}

}  // namespace kedge::sql
