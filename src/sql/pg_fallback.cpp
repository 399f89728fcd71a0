#include "sql/pg_fallback.h"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/text.h"
#include "sql/ast.h"
#include "sql/keywords.h"
#include "sql/lexer.h"

namespace kedge::sql {

namespace {

constexpr std::string_view kPrefix = "SELECT (";
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
  Collector(std::string_view sql, const std::vector<Token>& tokens, ExpressionFacts& facts)
      : sql_(sql), tokens_(tokens), facts_(facts) {}

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
    if (message.descriptor == &pg_query__sub_link__descriptor) {
      refused_ = true;  // scopes are the business of kedge's own parser
      return;
    }
    if (message.descriptor == &pg_query__func_call__descriptor) {
      function(reinterpret_cast<const PgQuery__FuncCall&>(message));
    }
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
      field(message, message.descriptor->fields[i], depth);
    }
  }
  bool refused() const { return refused_; }

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
    if (reference.location < static_cast<int>(kPrefix.size())) {
      return;
    }
    const std::size_t begin = static_cast<std::size_t>(reference.location) - kPrefix.size();
    const auto token =
        std::lower_bound(tokens_.begin(), tokens_.end(), begin,
                         [](const Token& one, std::size_t wanted) { return one.begin < wanted; });
    ColumnReference found;
    found.begin = begin;
    std::size_t at = static_cast<std::size_t>(token - tokens_.begin());
    for (std::size_t i = 0; i < reference.n_fields && at < tokens_.size(); ++i, at += 2) {
      if (reference.fields[i]->node_case != PG_QUERY__NODE__NODE_STRING) {
        return;  // t.*
      }
      const auto raw = sql_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin);
      const bool quoted = tokens_[at].kind == TokenKind::QuotedIdentifier;
      found.parts.push_back({quoted ? decode_name(raw) : std::string(raw), quoted});
      found.end = tokens_[at].end;
    }
    if (!found.parts.empty()) {
      facts_.references.push_back(std::move(found));
    }
  }

  void function(const PgQuery__FuncCall& call) {
    if (call.n_funcname == 0 ||
        call.funcname[call.n_funcname - 1]->node_case != PG_QUERY__NODE__NODE_STRING) {
      return;
    }
    const std::string name = base::to_lower(call.funcname[call.n_funcname - 1]->string->sval);
    const int begin = call.location - static_cast<int>(kPrefix.size());
    facts_.functions.push_back({name, static_cast<std::size_t>(std::max(begin, 0))});
    facts_.has_window = facts_.has_window || call.over != nullptr;
    facts_.has_aggregate = facts_.has_aggregate || (call.over == nullptr && is_aggregate(name));
  }

  std::string_view sql_;
  const std::vector<Token>& tokens_;
  ExpressionFacts& facts_;
  bool refused_ = false;
};

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
  const bool readable = flavour == Flavour::Postgres || flavour == Flavour::Duckdb;
  if (!readable || sql.size() > kMaximumPgText || sql.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::vector<Token> tokens = significant_tokens(sql, flavour);
  if (!is_shallow(sql, tokens)) {
    return std::nullopt;
  }
  const Unpacked parsed(std::string(kPrefix) + std::string(sql) + "\n)");
  const PgQuery__Node* target = only_target(parsed.tree);
  if (target == nullptr) {
    return std::nullopt;
  }
  ExpressionFacts facts;
  Collector collector(sql, tokens, facts);
  collector.walk(target->base);
  if (collector.refused()) {
    return std::nullopt;
  }
  std::stable_sort(facts.references.begin(), facts.references.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return facts;
}

}  // namespace kedge::sql
