#include "sql/parser.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::sql {

Parser::Parser(std::string_view sql, Flavour flavour) : text_(sql), flavour_(flavour) {
  if (sql.size() > kMaximumText) {
    tokens_.push_back({TokenKind::End, 0, 0});
    failed_ = true;
    problem_ = "the text is too long";
  } else {
    tokens_ = significant_tokens(sql, flavour);
  }
  words_.resize(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind == TokenKind::Identifier) {
      words_[i] = base::to_lower(sql.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin));
    }
  }
}

const Token& Parser::token(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

std::string_view Parser::raw(std::size_t ahead) const {
  const Token& t = token(ahead);
  return text_.substr(t.begin, t.end - t.begin);
}

const std::string& Parser::word(std::size_t ahead) {
  return words_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::is_word(std::string_view expected, std::size_t ahead) {
  return word(ahead) == expected;
}

bool Parser::is_any(std::initializer_list<std::string_view> words, std::size_t ahead) {
  const std::string& here = word(ahead);
  return !here.empty() && std::find(words.begin(), words.end(), here) != words.end();
}

bool Parser::is_operator(std::string_view expected, std::size_t ahead) const {
  return token(ahead).kind == TokenKind::Operator && raw(ahead) == expected;
}

bool Parser::is_name(std::size_t ahead) const {
  const TokenKind kind = token(ahead).kind;
  return kind == TokenKind::Identifier || kind == TokenKind::QuotedIdentifier;
}

bool Parser::accept(std::string_view word_or_operator) {
  if (is_word(word_or_operator) || is_operator(word_or_operator)) {
    advance();
    return true;
  }
  return false;
}

void Parser::expect(std::string_view word_or_operator) {
  if (!accept(word_or_operator)) {
    fail("expected '" + std::string(word_or_operator) + "'");
  }
}

void Parser::advance() {
  if (at_ + 1 < tokens_.size()) {
    ++at_;
  }
}

bool Parser::at_end() const {
  return token().kind == TokenKind::End;
}

// Jumps to the end, so that every loop of the parser stops.
Node Parser::fail(std::string problem) {
  if (!failed_) {
    failed_ = true;
    where_ = token().begin;
    problem_ = std::move(problem);
    if (!at_end()) {
      problem_ += " at '" + std::string(base::truncate_utf8(raw(), 40)) + "'";
    }
  }
  at_ = tokens_.size() - 1;
  return {};
}

Node Parser::make(NodeKind kind, std::string text) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  node.begin = token().begin;
  node.end = token().end;
  return node;
}

void Parser::close(Node& node) {
  if (at_ > 0) {
    node.end = std::max(node.begin, tokens_[at_ - 1].end);
  }
}

Node Parser::finish(Node& node) {
  close(node);
  return std::move(node);
}

void Parser::add(Node& parent, Node child) {
  parent.height = std::max(parent.height, child.height + 1);
  if (parent.height > kMaximumHeight) {
    fail("the text is nested too deeply");
    return;
  }
  parent.items.push_back(std::move(child));
}

NamePart Parser::name_part() {
  NamePart part;
  if (!is_name()) {
    fail("expected a name");
    return part;
  }
  part.quoted = token().kind == TokenKind::QuotedIdentifier;
  part.text = part.quoted ? decode_name(raw()) : std::string(raw());
  advance();
  return part;
}

Parsed Parser::result(Node root) {
  if (!failed_ && !at_end()) {
    fail("unexpected text");
  }
  Parsed parsed;
  parsed.ok = !failed_;
  parsed.root = std::move(root);
  parsed.problem = problem_;
  parsed.where = where_;
  return parsed;
}

Parsed Parser::parse_whole_expression() {
  return result(expression());
}

Parsed Parser::parse_whole_query() {
  Node root = query();
  accept(";");
  return result(std::move(root));
}

Parsed parse_expression(std::string_view sql, Flavour flavour) {
  return Parser(sql, flavour).parse_whole_expression();
}

Parsed parse_query(std::string_view sql, Flavour flavour) {
  return Parser(sql, flavour).parse_whole_query();
}

}  // namespace kedge::sql
