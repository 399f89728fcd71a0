#include "sql/pg_fallback.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "sql/ast.h"
#include "sql/keywords.h"
#include "sql/lexer.h"

namespace kedge::sql {

namespace {

constexpr std::string_view kPrefix = "SELECT (";  // before a scalar expression
constexpr std::size_t kMaximumPgText = 64U << 10U;
constexpr std::size_t kMaximumNesting = 150;
constexpr unsigned kMaximumWalk = 2000;

// PostgreSQL's parser recurses: it must not be given a text that nests deeply.
bool is_shallow(std::string_view sql, const std::vector<Token>& tokens) {
  std::size_t words = 0;
  std::size_t open = 0;
  std::size_t deepest = 0;
  for (const Token& token : tokens) {
    const auto raw = sql.substr(token.begin, token.end - token.begin);
    open += raw == "(" || raw == "[" ? 1 : 0;
    open -= (raw == ")" || raw == "]") && open > 0 ? 1 : 0;
    deepest = std::max(deepest, open);
    words += token.kind == TokenKind::Identifier || token.kind == TokenKind::Operator ? 1 : 0;
  }
  return deepest < kMaximumNesting && words < 2000;
}

// Signs that stand side by side elsewhere ("---" is three of them for mysql) begin a comment here.
bool holds_comment(std::string_view text) {
  for (std::size_t at = 0;;) {
    const Token token = next_token(text, at, Flavour::Postgres);
    if (token.kind == TokenKind::Comment || token.kind == TokenKind::End) {
      return token.kind == TokenKind::Comment;
    }
    at = token.end;
  }
}

// The text in PostgreSQL's own lexing, byte for byte in its place: other quotes become its quotes,
// comments blanks. Nothing where a token cannot be said in as many bytes.
std::optional<std::string> as_postgres(std::string_view sql, Flavour flavour) {
  std::string text(sql);
  const bool backslash = rules_of(flavour).backslash_escapes;
  for (std::size_t at = 0; at < sql.size();) {
    const Token token = next_token(sql, at, flavour);
    if (token.kind == TokenKind::End) {
      break;
    }
    const auto raw = sql.substr(token.begin, token.end - token.begin);
    const auto requote = [&](char quote) {
      const bool fits = raw.size() > 2 && raw.substr(1).find(quote) == std::string_view::npos &&
                        raw.substr(1, raw.size() - 2).find(raw.back()) == std::string_view::npos;
      text[token.begin] = text[token.end - 1] = quote;
      return fits;
    };
    bool fits = token.kind != TokenKind::Error;
    if (token.kind == TokenKind::Comment) {
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(token.begin),
                text.begin() + static_cast<std::ptrdiff_t>(token.end), ' ');
    } else if (token.kind == TokenKind::QuotedIdentifier && raw.front() != '"') {
      fits = requote('"');
    } else if (token.kind == TokenKind::String && raw.front() == '"') {
      fits = requote('\'');
    }
    if (token.kind == TokenKind::String && backslash && raw.find('\\') != std::string_view::npos) {
      fits = false;
    }
    if (!fits) {
      return std::nullopt;
    }
    at = token.end;
  }
  return holds_comment(text) ? std::nullopt : std::optional(std::move(text));
}

struct Unpacked {
  explicit Unpacked(const std::string& text) : raw(pg_query_parse_protobuf(text.c_str())) {
    if (raw.error == nullptr) {
      tree = pg_query__parse_result__unpack(
          nullptr, raw.parse_tree.len, reinterpret_cast<const std::uint8_t*>(raw.parse_tree.data));
    }
  }
  ~Unpacked() {
    if (tree != nullptr) {
      pg_query__parse_result__free_unpacked(tree, nullptr);
    }
    pg_query_free_protobuf_parse_result(raw);
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  PgQueryProtobufParseResult raw;
  PgQuery__ParseResult* tree = nullptr;
};

class Collector {
 public:
  // `before`: bytes in front of `sql` in the text that was parsed.
  Collector(std::string_view sql, const std::vector<Token>& tokens, std::size_t before)
      : sql_(sql), tokens_(tokens), before_(before) {}

  ExpressionFacts facts;
  std::vector<std::vector<NamePart>> relations;  // in a query: also the names of its WITH
  std::vector<std::string> aliases;              // of each relation
  std::set<std::string> with_names;

  // Every message of the tree, by its descriptor: no list of node kinds to keep.
  void walk(const ProtobufCMessage& message, unsigned depth = 0) {
    if (depth > kMaximumWalk || refused_) {
      refused_ = true;
      return;
    }
    if (message.descriptor == &pg_query__column_ref__descriptor) {
      column(reinterpret_cast<const PgQuery__ColumnRef&>(message));
      return;
    }
    if (message.descriptor == &pg_query__sub_link__descriptor && before_ > 0) {
      refused_ = true;  // scopes are the business of kedge's own parser
      return;
    }
    if (message.descriptor == &pg_query__range_var__descriptor) {
      relation(reinterpret_cast<const PgQuery__RangeVar&>(message));
    }
    if (message.descriptor == &pg_query__common_table_expr__descriptor) {
      with_names.emplace(reinterpret_cast<const PgQuery__CommonTableExpr&>(message).ctename);
    }
    if (message.descriptor == &pg_query__func_call__descriptor) {
      function(reinterpret_cast<const PgQuery__FuncCall&>(message));
    }
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
      field(message, message.descriptor->fields[i], depth);
    }
  }
  bool refused() const { return refused_; }
  bool has_star() const { return has_star_; }

 private:
  void field(const ProtobufCMessage& message, const ProtobufCFieldDescriptor& one, unsigned depth) {
    if (one.type != PROTOBUF_C_TYPE_MESSAGE) {
      return;
    }
    const auto* base = reinterpret_cast<const char*>(&message);
    if (one.label == PROTOBUF_C_LABEL_REPEATED) {
      const auto count = *reinterpret_cast<const std::size_t*>(base + one.quantifier_offset);
      const auto* list = *reinterpret_cast<ProtobufCMessage* const* const*>(base + one.offset);
      for (std::size_t i = 0; i < count; ++i) {
        walk(*list[i], depth + 1);
      }
      return;
    }
    const bool choice = (one.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
    if (choice && *reinterpret_cast<const std::uint32_t*>(base + one.quantifier_offset) != one.id) {
      return;
    }
    const auto* child = *reinterpret_cast<ProtobufCMessage* const*>(base + one.offset);
    if (child != nullptr) {
      walk(*child, depth + 1);
    }
  }

  void column(const PgQuery__ColumnRef& reference) {
    if (reference.location < static_cast<int>(before_)) {
      return;
    }
    const std::size_t begin = static_cast<std::size_t>(reference.location) - before_;
    const auto token =
        std::lower_bound(tokens_.begin(), tokens_.end(), begin,
                         [](const Token& one, std::size_t wanted) { return one.begin < wanted; });
    ColumnReference found;
    found.begin = begin;
    std::size_t at = static_cast<std::size_t>(token - tokens_.begin());
    for (std::size_t i = 0; i < reference.n_fields && at < tokens_.size(); ++i, at += 2) {
      if (reference.fields[i]->node_case != PG_QUERY__NODE__NODE_STRING) {
        has_star_ = true;  // t.*
        return;
      }
      const auto raw = sql_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin);
      const bool quoted = tokens_[at].kind == TokenKind::QuotedIdentifier;
      found.parts.push_back({quoted ? decode_name(raw) : std::string(raw), quoted});
      found.end = tokens_[at].end;
    }
    if (!found.parts.empty()) {
      facts.references.push_back(std::move(found));
    }
  }

  void relation(const PgQuery__RangeVar& range) {
    std::vector<NamePart> parts;
    for (const char* name : {range.catalogname, range.schemaname, range.relname}) {
      if (name != nullptr && *name != '\0') {
        parts.push_back({name, false});
      }
    }
    if (parts.empty()) {
      return;
    }
    const bool named = range.alias != nullptr && range.alias->aliasname != nullptr;
    aliases.emplace_back(named ? range.alias->aliasname : parts.back().text);
    relations.push_back(std::move(parts));
  }

  void function(const PgQuery__FuncCall& call) {
    if (call.n_funcname == 0 ||
        call.funcname[call.n_funcname - 1]->node_case != PG_QUERY__NODE__NODE_STRING) {
      return;
    }
    const std::string name = base::to_lower(call.funcname[call.n_funcname - 1]->string->sval);
    const int begin = call.location - static_cast<int>(before_);
    facts.functions.push_back({name, static_cast<std::size_t>(std::max(begin, 0))});
    facts.has_window = facts.has_window || call.over != nullptr;
    facts.has_aggregate = facts.has_aggregate || (call.over == nullptr && is_aggregate(name));
  }

  std::string_view sql_;
  const std::vector<Token>& tokens_;
  std::size_t before_;
  bool refused_ = false;
  bool has_star_ = false;
};

// The name of one item of a SELECT list, where it follows from the text.
std::optional<std::string> output_of(const PgQuery__Node& item) {
  if (item.node_case != PG_QUERY__NODE__NODE_RES_TARGET) {
    return std::nullopt;
  }
  const PgQuery__ResTarget& target = *item.res_target;
  if (target.name != nullptr && *target.name != '\0') {
    return std::string(target.name);
  }
  if (target.val == nullptr || target.val->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) {
    return std::nullopt;
  }
  const PgQuery__ColumnRef& column = *target.val->column_ref;
  const PgQuery__Node* last = column.n_fields == 0 ? nullptr : column.fields[column.n_fields - 1];
  return last != nullptr && last->node_case == PG_QUERY__NODE__NODE_STRING
             ? std::optional(std::string(last->string->sval))
             : std::nullopt;
}

struct Readable {
  std::string sql;
  std::vector<Token> tokens;
};

// The text for PostgreSQL's parser; nothing when it must not be asked.
std::optional<Readable> readable(std::string_view sql, Flavour flavour) {
  if (sql.size() > kMaximumPgText || sql.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<Token> tokens = significant_tokens(sql, flavour);
  std::optional<std::string> text = as_postgres(sql, flavour);
  if (!text || !is_shallow(sql, tokens)) {
    return std::nullopt;
  }
  return Readable{*std::move(text), std::move(tokens)};
}

// Scopes are not told apart here: every reference may mean every relation of the query.
QueryFacts query_facts(Collector& collector, const PgQuery__SelectStmt& statement) {
  QueryFacts facts;
  ColumnReference::Scope scope;
  for (std::size_t i = 0; i < collector.relations.size(); ++i) {
    const std::vector<NamePart>& parts = collector.relations[i];
    scope.aliases.push_back(collector.aliases[i]);
    if (parts.size() == 1 && collector.with_names.contains(parts[0].text)) {
      scope.only_base_relations = false;
      continue;
    }
    scope.relation_aliases.push_back(collector.aliases[i]);
    scope.relations.push_back(parts);
    facts.relations.push_back(parts);
  }
  facts.functions = std::move(collector.facts.functions);
  facts.references = std::move(collector.facts.references);
  std::stable_sort(facts.references.begin(), facts.references.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (ColumnReference& reference : facts.references) {
    reference.scopes = {scope};
  }
  facts.has_star = collector.has_star();
  for (std::size_t i = 0; i < statement.n_target_list; ++i) {
    facts.outputs.push_back(output_of(*statement.target_list[i]));
  }
  return facts;
}

// The one expression of "SELECT (text)"; null when the text is more than an expression.
const PgQuery__Node* only_target(const PgQuery__ParseResult* tree) {
  if (tree == nullptr || tree->n_stmts != 1 || tree->stmts[0]->stmt == nullptr ||
      tree->stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return nullptr;
  }
  const PgQuery__SelectStmt& select = *tree->stmts[0]->stmt->select_stmt;
  const bool plain = select.n_target_list == 1 && select.n_from_clause == 0 &&
                     select.where_clause == nullptr && select.larg == nullptr &&
                     select.n_group_clause == 0 && select.n_sort_clause == 0 &&
                     select.n_values_lists == 0 && select.into_clause == nullptr;
  return plain ? select.target_list[0] : nullptr;
}

}  // namespace

std::optional<ExpressionFacts> parse_expression_with_postgres(std::string_view sql,
                                                              Flavour flavour) {
  const std::optional<Readable> text = readable(sql, flavour);
  if (!text) {
    return std::nullopt;
  }
  const Unpacked parsed(std::string(kPrefix) + text->sql + "\n)");
  const PgQuery__Node* target = only_target(parsed.tree);
  if (target == nullptr) {
    return std::nullopt;
  }
  Collector collector(sql, text->tokens, kPrefix.size());
  collector.walk(target->base);
  if (collector.refused()) {
    return std::nullopt;
  }
  std::stable_sort(collector.facts.references.begin(), collector.facts.references.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return std::move(collector.facts);
}

std::optional<QueryFacts> parse_query_with_postgres(std::string_view sql, Flavour flavour) {
  const std::optional<Readable> text = readable(sql, flavour);
  if (!text) {
    return std::nullopt;
  }
  const Unpacked parsed(text->sql);
  const bool select = parsed.tree != nullptr && parsed.tree->n_stmts == 1 &&
                      parsed.tree->stmts[0]->stmt != nullptr &&
                      parsed.tree->stmts[0]->stmt->node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
  if (!select) {
    return std::nullopt;
  }
  const PgQuery__SelectStmt& statement = *parsed.tree->stmts[0]->stmt->select_stmt;
  Collector collector(sql, text->tokens, 0);
  collector.walk(statement.base);
  if (collector.refused() || statement.into_clause != nullptr) {
    return std::nullopt;
  }
  return query_facts(collector, statement);
}

}  // namespace kedge::sql
