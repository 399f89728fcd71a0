// The one SQL analyser: text in, facts out (spec/models.md 3, spec/metadata.md 4.4). Nothing else
// in kedge looks into SQL text. Text that cannot be parsed is opaque, never a crash.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/schema.h"

namespace kedge::sql {

// One token; offsets are bytes into the text.
enum class TokenKind {
  Identifier,
  QuotedIdentifier,
  String,
  Number,
  Operator,
  Parameter,
  Comment,
  End,
  Error
};
struct Token {
  TokenKind kind = TokenKind::End;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Token&) const = default;
};
std::vector<Token> tokenize(std::string_view sql, schema::Dialect dialect);

// An identifier as written: quoting decides how it folds.
struct NamePart {
  std::string text;  // unquoted content
  bool quoted = false;
  bool operator==(const NamePart&) const = default;
};

// A column reference of the text, in the order of first appearance.
struct ColumnReference {
  std::vector<NamePart> parts;  // 1: x; 2: q.x; more: a.b.x
  std::size_t begin = 0;        // byte range in the text
  std::size_t end = 0;
  // Relations of the nested scopes that surround it, innermost first; empty in the outermost scope.
  struct Scope {
    std::vector<std::string> aliases;              // names that a qualifier may mean here
    std::vector<std::vector<NamePart>> relations;  // base relations of the FROM, as written
    bool only_base_relations = true;               // no subquery, CTE or function in the FROM
    std::vector<std::string> output_columns;       // columns of derived relations, where known
  };
  std::vector<Scope> scopes;
};

struct ExpressionFacts {
  bool opaque = false;  // could not be parsed: `references` then holds bare identifier tokens only
  std::vector<ColumnReference> references;
  bool has_window = false;
  bool has_aggregate = false;
  std::vector<std::string> problems;
};

// A scalar expression (Column.sql, a filter, a CHECK). `{param}` places are atoms.
ExpressionFacts analyse_expression(std::string_view sql, schema::Dialect dialect);

struct QueryFacts {
  bool opaque = false;
  std::vector<std::vector<NamePart>> relations;  // base tables and views read, sorted, unique
  std::vector<ColumnReference> references;
  // Output column names where they follow from the text; nullopt for an unnamed or a star.
  std::vector<std::optional<std::string>> outputs;
  bool has_star = false;
};
// A SELECT or WITH ... SELECT.
QueryFacts analyse_query(std::string_view sql, schema::Dialect dialect);

struct Statement {
  std::size_t begin = 0;  // byte range without the ';'
  std::size_t end = 0;
  std::size_t line = 1;  // 1-based line of begin
  std::string_view text(std::string_view script) const { return script.substr(begin, end - begin); }
};
// Splits a script: quotes, E'', dollar quotes, nested comments, backticks, sqlite trigger bodies,
// DELIMITER. Chunks that hold only comments are left out.
std::vector<Statement> split_statements(std::string_view script, schema::Dialect dialect);

// A canonical spelling: two texts that mean the same to the engine give the same bytes (casts the
// server adds, parentheses, spacing, keyword case, now()/CURRENT_TIMESTAMP, IN / = ANY(ARRAY[])).
// String literals keep their case. Text that cannot be parsed comes back with its white space
// collapsed.
std::string normal_expression(std::string_view sql, schema::Dialect dialect);
std::string normal_query(std::string_view sql, schema::Dialect dialect);

// `column IN (literals)` or `column = ANY (ARRAY[...])`: the column and the literals.
struct MembershipCheck {
  std::string column;
  std::vector<std::string> members;
};
std::optional<MembershipCheck> find_membership(std::string_view expression,
                                               schema::Dialect dialect);

bool is_reserved(std::string_view word, schema::Dialect dialect);
// Is the text one identifier, plain or quoted? Gives it unquoted (models.md 2.2).
std::optional<NamePart> as_identifier(std::string_view sql, schema::Dialect dialect);

// The parts of a stored CREATE TABLE that pragmas do not tell (sqlite, spec/migrate.md 4).
struct CreateTableFacts {
  struct CheckText {
    std::string name;  // empty when unnamed
    std::string expression;
    std::string column;  // column-level CHECK
  };
  struct ForeignKeyText {
    std::string name;
    std::vector<std::string> columns;
    bool deferrable = false;
    bool initially_deferred = false;
  };
  std::vector<CheckText> checks;
  std::vector<ForeignKeyText> foreign_keys;
  std::vector<std::pair<std::string, std::string>> collations;    // column, collation
  std::vector<std::pair<std::string, std::string>> generated;     // column, expression
  std::vector<std::pair<std::string, std::string>> unique_names;  // constraint name, first column
  std::string primary_key_name;
  std::string autoincrement_column;
  bool without_rowid = false;
  bool strict = false;
  bool opaque = false;
};
CreateTableFacts analyse_create_table(std::string_view sql, schema::Dialect dialect);
// The WHERE text of a stored CREATE INDEX and the texts of its expression parts, in order.
struct CreateIndexFacts {
  std::vector<std::string> parts;
  std::string where;
};
CreateIndexFacts analyse_create_index(std::string_view sql, schema::Dialect dialect);
// CREATE VIEW name [(columns)] AS body: the body.
std::string view_body(std::string_view sql, schema::Dialect dialect);

}  // namespace kedge::sql
