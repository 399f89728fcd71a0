#include "query/formula_sql.h"

#include <algorithm>
#include <array>

#include "base/overloaded.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::query {
namespace {

using Kind = FormulaNode::Kind;

class Renderer {
 public:
  Renderer(SqlDialect dialect, const Leaf& leaf) : dialect_(dialect), leaf_(leaf) {}

  std::string text(const FormulaNode& node) {
    switch (node.kind) {
      case Kind::Numeral:
        return node.text;
      case Kind::String:
        return literal(dialect_, node.text);
      case Kind::Boolean:
        return boolean(node.text == "true");
      case Kind::Null:
        return "NULL";
      case Kind::Placeholder:
        throw Error(codes::undefined_variable, "variable '" + node.text + "' has no value");
      case Kind::Reference:
      case Kind::Aggregate:
      case Kind::Star:
      case Kind::Transform:
        return leaf_(node);
      case Kind::Scalar:
        return function(node);
      case Kind::Not:
        return "NOT " + operand(node.items[0]);
      case Kind::Negate:
        return "-" + operand(node.items[0]);
      case Kind::Binary:
        return binary(node);
      case Kind::In:
        return operand(node.items[0]) + (node.negated ? " NOT IN (" : " IN (") + list(node, 1) +
               ")";
      case Kind::Like:
        return operand(node.items[0]) + (node.negated ? " NOT LIKE " : " LIKE ") +
               operand(node.items[1]);
      case Kind::IsNull:
        return operand(node.items[0]) + (node.negated ? " IS NOT NULL" : " IS NULL");
      case Kind::Between:
        return operand(node.items[0]) + (node.negated ? " NOT BETWEEN " : " BETWEEN ") +
               operand(node.items[1]) + " AND " + operand(node.items[2]);
    }
    return {};
  }

 private:
  std::string boolean(bool value) const {
    if (dialect_ == SqlDialect::Sqlserver) {
      return value ? "CAST(1 AS BIT)" : "CAST(0 AS BIT)";
    }
    return value ? "TRUE" : "FALSE";
  }

  std::string operand(const FormulaNode& node) {
    const bool compound = node.kind == Kind::Binary || node.kind == Kind::Not ||
                          node.kind == Kind::Negate || node.kind == Kind::In ||
                          node.kind == Kind::Like || node.kind == Kind::IsNull ||
                          node.kind == Kind::Between || node.kind == Kind::Transform;
    return compound ? "(" + text(node) + ")" : text(node);
  }

  std::string list(const FormulaNode& node, std::size_t from) {
    std::string out;
    for (std::size_t i = from; i < node.items.size(); ++i) {
      out += (i == from ? "" : ", ") + text(node.items[i]);
    }
    return out;
  }

  std::vector<std::string> operands(const FormulaNode& node) {
    std::vector<std::string> out;
    for (const FormulaNode& item : node.items) {
      out.push_back(operand(item));
    }
    return out;
  }

  std::string binary(const FormulaNode& node) {
    const std::vector<std::string> parts = operands(node);
    if (node.text == "/") {
      std::string out = parts[0];
      for (std::size_t i = 1; i < parts.size(); ++i) {
        out = divide(dialect_, out, parts[i]);
      }
      return out;
    }
    if (node.text == "**") {
      return scalar(dialect_, "power", {as_double(dialect_, parts[0]), parts[1]});
    }
    if (node.text == "||") {
      return concatenate(dialect_, parts);
    }
    std::string op = node.text;
    if (op == "and" || op == "or") {
      op = base::to_upper(op);
    }
    return base::join(parts, " " + op + " ");
  }

  std::string function(const FormulaNode& node) {
    if (node.items.empty()) {
      throw Error(codes::formula_syntax, "'" + node.text + "' needs an argument");
    }
    std::vector<std::string> arguments;
    for (const FormulaNode& item : node.items) {
      arguments.push_back(text(item));
    }
    return scalar(dialect_, node.text, arguments);
  }

  SqlDialect dialect_;
  const Leaf& leaf_;
};

void sign(const FormulaNode& node, std::string& out) {
  out += '(' + std::to_string(static_cast<int>(node.kind)) + ' ' + node.text + ' ' +
         base::join(node.path, ".") + ':' + node.aggregation + (node.negated ? "!" : "");
  for (const models::FormulaArgument& argument : node.arguments) {
    out += ' ' + argument.name + '=';
    for (const FormulaNode& value : argument.value) {
      sign(value, out);
    }
    for (const auto& path : argument.list) {
      out += '[' + base::join(path, ".") + ']';
    }
  }
  for (const FormulaNode& item : node.items) {
    sign(item, out);
  }
  out += ')';
}

std::string number_text(double value) {
  std::string text = document::write_json(document::Json(value), -1);
  return text == "null" ? "NULL" : text;
}

// The value outside quotes, in the words of the formula language.
std::string value_text(const document::Json& value) {
  if (const auto* items = value.as_array()) {
    std::string out;
    for (const document::Json& item : *items) {
      out += (out.empty() ? "" : ", ") + value_text(item);
    }
    return out.empty() ? "(null)" : "(" + out + ")";
  }
  return std::visit(
      base::Overloaded{
          [](std::monostate) { return std::string("null"); },
          [](bool flag) { return std::string(flag ? "true" : "false"); },
          [](std::int64_t number) { return std::to_string(number); },
          [](double number) { return number_text(number); },
          [](const std::string& text) { return "'" + base::replace_all(text, "'", "''") + "'"; },
          [](const document::Json::Array&) { return std::string("null"); },
          [](const document::Json::Object&) { return std::string("null"); }},
      value.value());
}

// Inside quotes: the bare text with the quote doubled.
std::string quoted_text(const document::Json& value, char quote) {
  const std::string* text = value.as_string();
  const std::string bare = text != nullptr ? *text : value_text(value);
  return base::replace_all(bare, std::string(1, quote), std::string(2, quote));
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string render(SqlDialect dialect, const FormulaNode& node, const Leaf& leaf) {
  return Renderer(dialect, leaf).text(node);
}

std::string signature(const FormulaNode& node) {
  std::string out;
  sign(node, out);
  return out;
}

bool has_aggregate(const FormulaNode& node) {
  if (node.kind == Kind::Aggregate || node.kind == Kind::Star) {
    return true;
  }
  const auto inside = [](const models::FormulaArgument& argument) {
    return std::any_of(argument.value.begin(), argument.value.end(), has_aggregate);
  };
  return std::any_of(node.items.begin(), node.items.end(), has_aggregate) ||
         std::any_of(node.arguments.begin(), node.arguments.end(), inside);
}

bool has_transform(const FormulaNode& node) {
  return node.kind == Kind::Transform ||
         std::any_of(node.items.begin(), node.items.end(), has_transform);
}

void visit_leaves(const FormulaNode& node, const std::function<void(const FormulaNode&)>& visit) {
  if (node.kind == Kind::Reference || node.kind == Kind::Aggregate || node.kind == Kind::Star ||
      node.kind == Kind::Transform) {
    visit(node);
  }
  for (const FormulaNode& item : node.items) {
    visit_leaves(item, visit);
  }
}

std::string substitute(const std::string& text, const FindVariable& find) {
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if ((c == '{' && next == '{') || (c == '}' && next == '}')) {
      out += c;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    if (c == '{' && end > i + 1 && end < text.size() && text[end] == '}') {
      const std::string name = text.substr(i + 1, end - i - 1);
      const document::Json* value = find(name);
      if (value == nullptr) {
        throw Error(codes::undefined_variable, "variable '" + name + "' has no value",
                    "give it in 'variables', or with --variables " + name + "=...");
      }
      out += quote == '\0' ? value_text(*value) : quoted_text(*value, quote);
      i = end;
      continue;
    }
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
    out += c;
  }
  return out;
}

}  // namespace kedge::query
