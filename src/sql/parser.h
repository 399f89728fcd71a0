// A tolerant recursive-descent parser for the SQL of every flavour: precedence climbing for
// expressions, no backtracking, bounded depth. It never throws: the first problem stops it.
// Internal to src/sql.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sql/ast.h"
#include "sql/lexer.h"

namespace kedge::sql {

// Levels of expression_parser.cpp that other parts start from.
inline constexpr int kMembershipLevel = 7;
inline constexpr int kUnaryLevel = 15;

class Parser {
 public:
  Parser(std::string_view sql, Flavour flavour);
  Parsed parse_whole_expression();
  Parsed parse_whole_query();

 private:
  // --- tokens (parser.cpp)
  const Token& token(std::size_t ahead = 0) const;
  std::string_view raw(std::size_t ahead = 0) const;
  const std::string& word(std::size_t ahead = 0);  // lower case; empty unless an unquoted name
  bool is_word(std::string_view expected, std::size_t ahead = 0);
  bool is_any(std::initializer_list<std::string_view> words, std::size_t ahead = 0);
  bool is_operator(std::string_view expected, std::size_t ahead = 0) const;
  bool is_name(std::size_t ahead = 0) const;
  bool accept(std::string_view word_or_operator);
  void expect(std::string_view word_or_operator);
  void advance();
  bool at_end() const;
  Node fail(std::string problem);
  Node make(NodeKind kind, std::string text = {});
  void close(Node& node);   // sets where the node ends
  Node finish(Node& node);  // the same, and gives the node away
  void add(Node& parent, Node child);
  NamePart name_part();
  Parsed result(Node root);

  // --- expressions (expression_parser.cpp)
  Node expression(int minimum = 0);
  Node prefix();
  Node infix(Node left, int minimum, bool& done);
  Node binary(Node left, const std::string& op, int precedence);
  Node word_operator(Node left, int minimum, bool& done);
  Node is_tail(Node left);
  Node in_tail(Node left);
  Node between_tail(Node left);
  Node like_tail(Node left, std::string op, std::size_t words);
  Node at_time_zone(Node left);
  Node postfix(Node node);
  Node subscript(Node base);
  int precedence_of(std::string_view op) const;

  // --- primaries (primary_parser.cpp)
  Node primary();
  Node parenthesised();
  Node string_literal();
  Node word_primary(bool& handled);
  Node case_expression();
  Node cast_call();
  Node interval_literal(bool& handled);
  Node typed_literal(bool& handled);
  Node name_or_call();
  Node call(Node callee);
  Node call_tail(Node function);
  void arguments(Node& function, const std::string& name);
  Node argument(const std::string& name, std::size_t index);
  Node special_call(const std::string& name, bool& handled);
  Node lambda();
  bool starts_lambda(const std::string& function);
  Node array_literal();
  Node struct_literal(std::string kind);
  Node over();
  void window_body(Node& window);
  Node sort_keys(NodeKind kind);
  std::string type_name();
  std::string type_until_close();
  bool is_type_token() const;

  // --- queries (query_parser.cpp)
  bool starts_query(std::size_t ahead = 0);
  Node query();
  Node query_tail(Node query);
  Node query_body(int minimum = 0);
  Node query_operand();
  Node set_operations(Node left, int minimum);
  Node with();
  Node select();
  void select_clauses(Node& select);
  Node select_list();
  Node select_item();
  void star_modifiers(Node& star);
  Node values();
  Node from();
  Node table_reference();
  Node join_tail(Node left);
  Node table_primary();
  Node table_parenthesis();
  void table_alias(Node& node);
  void table_modifiers();
  void skip_parentheses();
  Node group_by();
  Node window_list();
  Node limit();
  bool may_be_alias();

  std::string_view text_;
  Flavour flavour_;
  std::vector<Token> tokens_;
  std::vector<std::string> words_;  // lower-case unquoted names, by token
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool failed_ = false;
  std::string problem_;
  std::size_t where_ = 0;
};

}  // namespace kedge::sql
