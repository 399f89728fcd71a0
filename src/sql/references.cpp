// Column references with their scopes, functions and outputs (spec/models.md 3.1, 3.3, 3.4).
#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "sql/analysis.h"
#include "sql/ast.h"
#include "sql/keywords.h"
#include "sql/lexer.h"
#include "sql/pg_fallback.h"

// Most node kinds need nothing here; `default` means "look at the children".
#pragma GCC diagnostic ignored "-Wswitch-enum"

namespace kedge::sql {

namespace {

using Scope = ColumnReference::Scope;
using Outputs = std::vector<std::optional<std::string>>;

class Walker {
 public:
  std::vector<ColumnReference> references;
  std::vector<FunctionCall> functions;
  std::vector<std::vector<NamePart>> relations;
  std::vector<std::optional<std::size_t>> handed_on;  // of the query that ended last
  bool has_window = false;
  bool has_aggregate = false;

  void expression(const Node& node);
  Outputs query(const Node& node);
  bool has_star(const Node& query) const;

 private:
  void children(const Node& node) {
    for (const Node& item : node.items) {
      expression(item);
    }
  }
  void column(const Node& node);
  void function(const Node& node);
  void lambda(const Node& node);
  Outputs body(const Node& node, const std::vector<const Node*>& tail);
  Outputs select(const Node& node, const std::vector<const Node*>& tail);
  void table(const Node& node, Scope& scope, std::vector<const Node*>& conditions);
  void relation(const Node& node, Scope& scope);
  void using_columns(const Node& node);
  static void add_alias(const Node& node, Scope& scope, const std::string& fallback);
  static std::optional<std::string> output_of(const Node& item);
  static std::vector<std::optional<std::size_t>> handed_on_by(const Node& select);

  std::vector<Scope> scopes_;  // outermost first
  std::vector<std::string> lambda_names_;
  std::vector<std::pair<std::string, Outputs>> ctes_;
};

void Walker::column(const Node& node) {
  const std::string first = base::to_lower(node.names[0].text);
  if (std::find(lambda_names_.begin(), lambda_names_.end(), first) != lambda_names_.end()) {
    return;
  }
  ColumnReference reference;
  reference.parts = node.names;
  reference.begin = node.begin;
  reference.end = node.end;
  reference.scopes.assign(scopes_.rbegin(), scopes_.rend());
  references.push_back(std::move(reference));
}

void Walker::function(const Node& node) {
  const std::string name = base::to_lower(node.names.back().text);
  functions.push_back({name, node.begin});
  const bool windowed = std::any_of(node.items.begin(), node.items.end(),
                                    [](const Node& item) { return item.kind == NodeKind::Over; });
  if (scopes_.empty()) {
    has_window = has_window || windowed;
    has_aggregate = has_aggregate || (!windowed && is_aggregate(name));
  }
  children(node);
}

void Walker::lambda(const Node& node) {
  const std::size_t before = lambda_names_.size();
  const bool comprehension = node.kind == NodeKind::Comprehension;
  if (comprehension) {
    expression(node.items[1]);
  }
  for (const NamePart& name : node.names) {
    lambda_names_.push_back(base::to_lower(name.text));
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (!comprehension || i != 1) {
      expression(node.items[i]);
    }
  }
  lambda_names_.resize(before);
}

void Walker::expression(const Node& node) {
  switch (node.kind) {
    case NodeKind::Column:
      return column(node);
    case NodeKind::Function:
      return function(node);
    case NodeKind::Lambda:
    case NodeKind::Comprehension:
      return lambda(node);
    case NodeKind::Query:
      query(node);
      return;
    default:
      return children(node);
  }
}

std::optional<std::string> Walker::output_of(const Node& item) {
  if (!item.names.empty()) {
    return item.names[0].text;
  }
  if (item.items.empty()) {
    return std::nullopt;
  }
  const Node& value = item.items[0];
  if (value.kind == NodeKind::Column) {
    return value.names.back().text;
  }
  return std::nullopt;
}

std::vector<std::optional<std::size_t>> Walker::handed_on_by(const Node& select) {
  std::vector<std::optional<std::size_t>> found;
  for (const Node& clause : select.items) {
    if (clause.kind != NodeKind::SelectList) {
      continue;
    }
    for (const Node& item : clause.items) {
      if (item.kind == NodeKind::Item) {
        const bool is_column = !item.items.empty() && item.items[0].kind == NodeKind::Column;
        found.push_back(is_column ? std::optional(item.items[0].begin) : std::nullopt);
      }
    }
  }
  return found;
}

void Walker::add_alias(const Node& node, Scope& scope, const std::string& fallback) {
  const std::string& name = node.alias.empty() ? fallback : node.alias[0].text;
  if (!name.empty()) {
    scope.aliases.push_back(name);
  }
  for (std::size_t i = 1; i < node.alias.size(); ++i) {
    scope.output_columns.push_back(node.alias[i].text);
  }
}

void Walker::relation(const Node& node, Scope& scope) {
  add_alias(node, scope, node.names.back().text);
  if (node.names.size() == 1) {
    const std::string name = base::to_lower(node.names[0].text);
    const auto cte = std::find_if(ctes_.rbegin(), ctes_.rend(),
                                  [&](const auto& entry) { return entry.first == name; });
    if (cte != ctes_.rend()) {
      scope.only_base_relations = false;
      for (const auto& output : cte->second) {
        if (output) {
          scope.output_columns.push_back(*output);
        }
      }
      return;
    }
  }
  scope.relations.push_back(node.names);
  scope.relation_aliases.push_back(node.alias.empty() ? node.names.back().text
                                                      : node.alias[0].text);
  relations.push_back(node.names);
}

void Walker::table(const Node& node, Scope& scope, std::vector<const Node*>& conditions) {
  if (node.kind == NodeKind::Relation) {
    return relation(node, scope);
  }
  if (node.kind == NodeKind::Join) {
    table(node.items[0], scope, conditions);
    if (node.items.size() > 1) {
      table(node.items[1], scope, conditions);
    }
    for (std::size_t i = 2; i < node.items.size(); ++i) {
      conditions.push_back(&node.items[i]);
    }
    return;
  }
  scope.only_base_relations = false;
  if (node.kind == NodeKind::Derived) {
    if (node.flag) {
      scopes_.push_back(scope);
    }
    const Outputs outputs = node.items.empty() ? Outputs{} : query(node.items[0]);
    if (node.flag) {
      scopes_.pop_back();
    }
    add_alias(node, scope, {});
    for (const auto& output : outputs) {
      if (output && node.alias.size() < 2) {
        scope.output_columns.push_back(*output);
      }
    }
    return;
  }
  scopes_.push_back(scope);  // the arguments of a table function see what stands before it
  children(node);
  scopes_.pop_back();
  const bool named = !node.items.empty() && node.items[0].kind == NodeKind::Function;
  add_alias(node, scope, named ? node.items[0].names.back().text : std::string());
}

void Walker::using_columns(const Node& node) {
  for (const NamePart& name : node.names) {
    Node single;
    single.kind = NodeKind::Column;
    single.begin = node.begin;
    single.end = node.end;
    single.names = {name};
    column(single);
  }
}

Outputs Walker::select(const Node& node, const std::vector<const Node*>& tail) {
  Scope scope;
  std::vector<const Node*> conditions;
  Outputs outputs;
  for (const Node& clause : node.items) {
    if (clause.kind == NodeKind::From) {
      for (const Node& item : clause.items) {
        table(item, scope, conditions);
      }
    } else if (clause.kind == NodeKind::SelectList) {
      for (const Node& item : clause.items) {
        if (item.kind == NodeKind::Item && item.items[0].kind != NodeKind::Star) {
          outputs.push_back(output_of(item));
        } else if (item.kind == NodeKind::Item) {
          outputs.push_back(std::nullopt);
        }
      }
    }
  }
  scopes_.push_back(scope);
  for (const Node* condition : conditions) {
    condition->kind == NodeKind::Using ? using_columns(*condition) : children(*condition);
  }
  std::vector<const Node*> late;
  for (const Node& clause : node.items) {
    if (clause.kind == NodeKind::GroupBy || clause.kind == NodeKind::Having ||
        clause.kind == NodeKind::Qualify) {
      late.push_back(&clause);
    } else if (clause.kind != NodeKind::From) {
      children(clause);
    }
  }
  // GROUP BY, HAVING and ORDER BY may use the names of the select list.
  for (const auto& output : outputs) {
    if (output) {
      scopes_.back().output_columns.push_back(*output);
    }
  }
  late.insert(late.end(), tail.begin(), tail.end());
  for (const Node* clause : late) {
    children(*clause);
  }
  scopes_.pop_back();
  handed_on = handed_on_by(node);
  return outputs;
}

Outputs Walker::body(const Node& node, const std::vector<const Node*>& tail) {
  if (node.kind == NodeKind::Select) {
    return select(node, tail);
  }
  if (node.kind == NodeKind::Query) {
    return query(node);
  }
  Outputs outputs;
  if (node.kind == NodeKind::SetOperation) {
    outputs = body(node.items[0], {});
    body(node.items[1], {});
  } else {
    children(node);
    outputs.resize(node.items.empty() ? 0 : node.items[0].items.size());
  }
  handed_on.clear();
  Scope scope;
  scope.only_base_relations = false;
  for (const auto& output : outputs) {
    if (output) {
      scope.output_columns.push_back(*output);
    }
  }
  scopes_.push_back(std::move(scope));
  for (const Node* clause : tail) {
    children(*clause);
  }
  scopes_.pop_back();
  return outputs;
}

Outputs Walker::query(const Node& node) {
  const std::size_t ctes = ctes_.size();
  std::vector<const Node*> tail;
  const Node* main = nullptr;
  for (const Node& item : node.items) {
    if (item.kind == NodeKind::With) {
      for (const Node& cte : item.items) {
        const std::string name = base::to_lower(cte.names[0].text);
        if (item.text == "recursive") {
          ctes_.emplace_back(name, Outputs{});
        }
        Outputs outputs = cte.items.empty() ? Outputs{} : query(cte.items[0]);
        for (std::size_t i = 1; i < cte.names.size(); ++i) {
          outputs.resize(std::max(outputs.size(), i));
          outputs[i - 1] = cte.names[i].text;
        }
        ctes_.emplace_back(name, std::move(outputs));
      }
    } else if (item.kind == NodeKind::OrderBy || item.kind == NodeKind::Limit) {
      tail.push_back(&item);
    } else {
      main = &item;
    }
  }
  Outputs outputs = main == nullptr ? Outputs{} : body(*main, tail);
  ctes_.resize(ctes);
  return outputs;
}

bool Walker::has_star(const Node& node) const {
  if (node.kind == NodeKind::SelectList) {
    return std::any_of(node.items.begin(), node.items.end(), [](const Node& item) {
      return item.kind == NodeKind::Item && item.items[0].kind == NodeKind::Star;
    });
  }
  if (node.kind == NodeKind::Query || node.kind == NodeKind::Select ||
      node.kind == NodeKind::SetOperation) {
    return std::any_of(node.items.begin(), node.items.end(), [this](const Node& item) {
      return item.kind != NodeKind::From && has_star(item);
    });
  }
  return false;
}

void sort_references(std::vector<ColumnReference>& references) {
  std::stable_sort(references.begin(), references.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

// models.md 3.4: what can be said about a text that no parser reads.
std::vector<ColumnReference> bare_names(std::string_view sql, Flavour flavour) {
  std::vector<ColumnReference> found;
  if (sql.size() > kMaximumText) {
    return found;
  }
  const auto tokens = significant_tokens(sql, flavour);
  const auto is = [&](std::size_t i, char c) {
    return tokens[i].kind == TokenKind::Operator && sql[tokens[i].begin] == c &&
           tokens[i].end == tokens[i].begin + 1;
  };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool quoted = tokens[i].kind == TokenKind::QuotedIdentifier;
    if ((!quoted && tokens[i].kind != TokenKind::Identifier) || is(i + 1, '(') ||
        (i > 0 && is(i - 1, '.'))) {
      continue;
    }
    const auto raw = sql.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    ColumnReference reference;
    reference.parts.push_back({quoted ? decode_name(raw) : std::string(raw), quoted});
    reference.begin = tokens[i].begin;
    reference.end = tokens[i].end;
    found.push_back(std::move(reference));
  }
  return found;
}

// `name:aggregation` and `*:count` of the formula language. The two sides touch the colon, which
// sets them apart from parameters; slices and struct members stand in brackets.
std::optional<std::size_t> find_colon_aggregation(std::string_view sql, Flavour flavour) {
  if (flavour == Flavour::Snowflake || sql.size() > kMaximumText) {
    return std::nullopt;
  }
  int brackets = 0;
  const auto tokens = significant_tokens(sql, flavour);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const char c = sql[tokens[i].begin];
    const bool single = tokens[i].kind == TokenKind::Operator;
    brackets += single && (c == '[' || c == '{') ? 1 : 0;
    brackets -= single && (c == ']' || c == '}') ? 1 : 0;
    const Token& before = tokens[i - 1];
    const bool left = before.end == tokens[i].begin &&
                      (before.kind == TokenKind::Identifier ||
                       before.kind == TokenKind::QuotedIdentifier || sql[before.begin] == '*');
    const bool parameter = tokens[i].kind == TokenKind::Parameter && c == ':';
    const bool colon = single && c == ':' && tokens[i].end == tokens[i].begin + 1 &&
                       tokens[i + 1].kind == TokenKind::Identifier &&
                       tokens[i + 1].begin == tokens[i].end;
    const bool ternary = flavour == Flavour::Clickhouse && sql.find('?') != std::string_view::npos;
    if (left && (parameter || colon) && brackets <= 0 && !ternary) {
      return before.begin;
    }
  }
  return std::nullopt;
}

}  // namespace

ExpressionFacts analyse_expression(std::string_view sql, const Syntax& syntax) {
  const Flavour flavour = syntax.flavour();
  ExpressionFacts facts;
  facts.colon_aggregation = find_colon_aggregation(sql, flavour);
  const Parsed parsed = parse_expression(sql, flavour);
  if (parsed.ok) {
    Walker walker;
    walker.expression(parsed.root);
    facts.references = std::move(walker.references);
    facts.functions = std::move(walker.functions);
    facts.has_window = walker.has_window;
    facts.has_aggregate = walker.has_aggregate;
    sort_references(facts.references);
    return facts;
  }
  if (auto general = parse_expression_with_postgres(sql, flavour)) {
    general->colon_aggregation = facts.colon_aggregation;
    return *std::move(general);
  }
  facts.opaque = true;
  facts.references = bare_names(sql, flavour);
  facts.problems.push_back(parsed.problem);
  return facts;
}

namespace {

void sort_relations(std::vector<std::vector<NamePart>>& relations) {
  const auto key = [](const std::vector<NamePart>& parts) {
    std::string text;
    for (const NamePart& part : parts) {
      text += (text.empty() ? "" : ".") + part.text + (part.quoted ? "\"" : "");
    }
    return text;
  };
  std::sort(relations.begin(), relations.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  relations.erase(std::unique(relations.begin(), relations.end()), relations.end());
}

}  // namespace

QueryFacts analyse_query(std::string_view sql, const Syntax& syntax) {
  QueryFacts facts;
  const Parsed parsed = parse_query(sql, syntax.flavour());
  if (!parsed.ok) {
    if (auto general = parse_query_with_postgres(sql, syntax.flavour())) {
      sort_relations(general->relations);
      return *std::move(general);
    }
    facts.opaque = true;
    facts.references = bare_names(sql, syntax.flavour());
    facts.problems.push_back(parsed.problem);
    return facts;
  }
  Walker walker;
  facts.outputs = walker.query(parsed.root);
  facts.handed_on = std::move(walker.handed_on);
  facts.references = std::move(walker.references);
  facts.functions = std::move(walker.functions);
  sort_references(facts.references);
  facts.relations = std::move(walker.relations);
  sort_relations(facts.relations);
  facts.has_star = walker.has_star(parsed.root);
  return facts;
}

}  // namespace kedge::sql
