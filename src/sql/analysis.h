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

// How a text is lexed and parsed. Every schema::Dialect has one; the others are known by name only
// (models.md 6.3).
enum class Flavour {
  Sqlite,
  Postgres,
  Duckdb,
  Mysql,
  Ansi,
  Sqlserver,
  Clickhouse,
  Bigquery,
  Snowflake
};
std::optional<Flavour> find_flavour(std::string_view name);  // also "d1", "mssql", "mariadb"
std::string to_string(Flavour flavour);

// What every function below takes: a dialect of the schema module or a flavour.
class Syntax {
 public:
  Syntax(schema::Dialect dialect);                // NOLINT(google-explicit-constructor)
  Syntax(Flavour flavour) : flavour_(flavour) {}  // NOLINT(google-explicit-constructor)
  Flavour flavour() const { return flavour_; }

 private:
  Flavour flavour_;
};

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
std::vector<Token> tokenize(std::string_view sql, const Syntax& syntax);

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
    std::vector<std::string> relation_aliases;     // of each relation: its alias, else its name
    bool only_base_relations = true;               // no subquery, CTE or function in the FROM
    std::vector<std::string> output_columns;       // columns of derived relations, where known
  };
  std::vector<Scope> scopes;
};

// A function call in any scope: its bare name in lower case, and where the name stands.
struct FunctionCall {
  std::string name;
  std::size_t begin = 0;
  bool operator==(const FunctionCall&) const = default;
};

struct ExpressionFacts {
  // Could not be parsed: `references` then holds the bare identifier tokens that are neither
  // followed by '(' nor preceded by '.' (models.md 3.4).
  bool opaque = false;
  std::vector<ColumnReference> references;
  std::vector<FunctionCall> functions;
  bool has_window = false;     // OVER in the outermost scope
  bool has_aggregate = false;  // an aggregate call (no OVER) in the outermost scope
  // Where a colon aggregation of the formula language stands (`amount:sum`, `*:count`).
  std::optional<std::size_t> colon_aggregation;
  std::vector<std::string> problems;
};

// A scalar expression (Column.sql, a filter, a CHECK). `{param}` places are atoms.
ExpressionFacts analyse_expression(std::string_view sql, const Syntax& syntax);

struct QueryFacts {
  bool opaque = false;
  std::vector<std::vector<NamePart>> relations;  // base tables and views read, sorted, unique
  std::vector<ColumnReference> references;
  // Output column names where they follow from the text; nullopt for an unnamed or a star.
  std::vector<std::optional<std::string>> outputs;
  // Of each output the column that it hands on as it stands, with an alias or without: where the
  // reference begins. nullopt for an expression and a star; empty where this is not known.
  std::vector<std::optional<std::size_t>> handed_on;
  bool has_star = false;
  std::vector<FunctionCall> functions;
  std::vector<std::string> problems;
};
// A SELECT or WITH ... SELECT.
QueryFacts analyse_query(std::string_view sql, const Syntax& syntax);

struct Statement {
  // MetaCommand: a line of the client (psql's backslash commands), nothing a server understands.
  enum class Kind { Sql, MetaCommand };
  Kind kind = Kind::Sql;
  std::size_t begin = 0;  // byte range without the ';'
  std::size_t end = 0;
  std::size_t line = 1;  // 1-based line of begin
  std::string_view text(std::string_view script) const { return script.substr(begin, end - begin); }
};
// Splits a script: quotes, E'', dollar quotes, nested comments, backticks, sqlite trigger bodies,
// DELIMITER. Chunks that hold only comments are left out.
std::vector<Statement> split_statements(std::string_view script, const Syntax& syntax);

// A canonical spelling: two texts that mean the same to the engine give the same bytes (casts the
// server adds, parentheses, spacing, keyword case, now()/CURRENT_TIMESTAMP, IN / = ANY(ARRAY[])).
// String literals keep their case. Text that cannot be parsed comes back with its white space
// collapsed.
std::string normal_expression(std::string_view sql, const Syntax& syntax);
std::string normal_query(std::string_view sql, const Syntax& syntax);

// `column IN (literals)` or `column = ANY (ARRAY[...])`: the column and the literals.
struct MembershipCheck {
  std::string column;
  std::vector<std::string> members;
};
std::optional<MembershipCheck> find_membership(std::string_view expression, const Syntax& syntax);

bool is_reserved(std::string_view word, const Syntax& syntax);
// Is the text one identifier, plain or quoted? Gives it unquoted (models.md 2.2).
std::optional<NamePart> as_identifier(std::string_view sql, const Syntax& syntax);

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
  // ON CONFLICT of sqlite, lower case; empty or left out where it is ABORT, the default.
  std::vector<std::pair<std::string, std::string>> not_null_conflicts;  // column, action
  std::vector<std::pair<std::vector<std::string>, std::string>>
      unique_conflicts;  // columns, action
  std::string primary_key_conflict;
  std::string primary_key_name;
  std::string autoincrement_column;
  bool without_rowid = false;
  bool strict = false;
  bool opaque = false;
};
CreateTableFacts analyse_create_table(std::string_view sql, const Syntax& syntax);
// The WHERE text of a stored CREATE INDEX and the texts of its expression parts, in order.
struct CreateIndexFacts {
  std::vector<std::string> parts;      // the expression parts only
  std::vector<std::string> all_parts;  // every part without ASC/DESC/COLLATE/NULLS, by position
  std::string where;
};
CreateIndexFacts analyse_create_index(std::string_view sql, const Syntax& syntax);
// CREATE VIEW name [(columns)] AS body: the body.
std::string view_body(std::string_view sql, const Syntax& syntax);

}  // namespace kedge::sql
