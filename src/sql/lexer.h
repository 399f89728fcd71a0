// The dialect-aware lexer under the analyser (spec/models.md 3.1). Internal to src/sql.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/analysis.h"

namespace kedge::sql {

// What differs between dialects before any grammar.
struct LexRules {
  bool backtick_names = false;
  bool bracket_names = false;          // [x]
  bool double_quoted_strings = false;  // "x" is a string
  bool backslash_escapes = false;      // in every '...'
  bool escape_strings = false;         // E'...'
  bool dollar_quotes = false;          // $tag$ ... $tag$
  bool nested_comments = false;
  bool hash_comments = false;
  bool slash_comments = false;  // "//"
  bool dash_needs_space = false;
  bool colon_parameters = false;     // :name
  bool question_parameters = false;  // ?
  bool at_parameters = false;        // @name
  bool open_operators = false;       // operators are made of any run of operator characters
  bool hash_names = false;           // #temp
};
const LexRules& rules_of(Flavour flavour);

// The token at or after `from`; comments are tokens.
Token next_token(std::string_view sql, std::size_t from, Flavour flavour);

// Tokens without comments, ended by an End token; gives nothing usable past `kMaximumText`.
std::vector<Token> significant_tokens(std::string_view sql, Flavour flavour);

// The content of a String or QuotedIdentifier token, decoded.
std::string decode_string(std::string_view token, Flavour flavour);
std::string decode_name(std::string_view token);

bool is_name_start(char c);
bool is_name_part(char c);
bool is_digit(char c);
bool is_space(char c);

}  // namespace kedge::sql
