// The difference of two shapes: pure, linear, deterministic. Both are normalised (schema.h) first.
// It knows no SQL: what an expression means is asked through Options::normal_expression, given by
// the layer above.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/change.h"
#include "kedge/schema.h"

namespace kedge::diff {

// `from` is what is there (actual), `to` what is wanted (expected).
struct RenameTable {
  schema::Name from;
  schema::Name to;
  bool operator==(const RenameTable&) const = default;
};
struct RenameColumn {
  schema::Name table;  // the new table name when the table is renamed too
  Identifier from;
  Identifier to;
  bool operator==(const RenameColumn&) const = default;
};
struct Renames {
  std::vector<RenameTable> tables;
  std::vector<RenameColumn> columns;
};

enum class OnAmbiguous { Abort, Rename, DropAdd };
enum class Comments { Compare, CompareDeclared, Ignore };  // Declared: a live one alone is left be
enum class Privileges { Ignore, Compare };
// Exact: both sides were read from engines of one dialect. Declared: one side is a declaration and
// types compare by what the engine can hold (spec/metadata.md 3.1).
enum class Equality { Exact, Declared };
// All: every view takes part. Stamped: views follow spec/migrate.md 9.2 by their fingerprints.
enum class Views { All, Stamped, Ignore };
// Declared: functions, triggers, policies, sequences, types ... that a declaration cannot say are
// left alone (spec/metadata.md 8.1).
enum class Objects { Compare, Declared };

// "vessels", "harbour.*", "table:tmp_*", "function:public.f": kind and ':' may be left out.
struct Filter {
  std::vector<std::string> include;  // empty: everything
  std::vector<std::string> exclude;
};

struct Options {
  schema::Dialect dialect = schema::Dialect::Postgres;
  Renames declared;  // from the command line: must be pending
  Renames hints;     // @formerName: used when pending, else silent
  OnAmbiguous on_ambiguous = OnAmbiguous::DropAdd;
  Filter filter;
  std::vector<std::string> ignore_tables;  // adds to the default list; "!name" takes one out
  std::vector<schema::Name> external;      // @unmanaged: hidden from both sides
  std::optional<std::vector<Identifier>> managed_schemas;  // absent: all; empty name = default
  Comments comments = Comments::Compare;
  Privileges privileges = Privileges::Ignore;
  Equality equality = Equality::Exact;
  Views views = Views::All;
  Objects objects = Objects::Compare;
  // The canonical spelling of an expression or query (sql::normal_expression). Asked only when two
  // texts differ; absent: runs of white space are all that is ignored.
  std::function<std::string(std::string_view)> normal_expression;
  std::function<std::string(std::string_view)> normal_query;
  // An expression with its column references renamed, old name to new; absent: unchanged.
  std::function<std::string(std::string_view, const std::map<std::string, std::string>&)>
      rename_columns;
};

// A rename that nobody declared: a question, answered by a declared rename or on_ambiguous.
struct Ambiguity {
  schema::Name table;  // of a column: its table; of a table: the old name
  Identifier from;     // empty for a table
  Identifier to;
  std::optional<schema::Name> to_table;  // of a table: the new name
  bool operator==(const Ambiguity&) const = default;
};

struct Unmanaged {
  std::string kind;
  schema::Name name;
  bool operator==(const Unmanaged&) const = default;
  auto operator<=>(const Unmanaged&) const = default;
};

struct Result {
  std::vector<Change> changes;
  std::vector<Ambiguity> ambiguous;     // filled whatever on_ambiguous says
  std::vector<Unmanaged> unmanaged;     // views without stamp and declaration; foreign objects
  std::vector<Unmanaged> external;      // hidden by Options::external
  std::vector<Unmanaged> out_of_scope;  // hidden by filter, ignore list or managed schemas
};

// What leads from `actual` to `expected`. Throws ERR_DECLARED_RENAME for a declared rename that is
// not pending, ERR_AMBIGUOUS_RENAME under OnAmbiguous::Abort.
Result compare(const schema::Schema& actual, const schema::Schema& expected,
               const Options& options);

// Is it one of the tables that are never compared (spec/metadata.md 2.8)?
bool is_ignored_table(std::string_view name, const std::vector<std::string>& extra);
bool is_widening(const schema::Type& from, const schema::Type& to);  // spec/migrate.md 5.4

}  // namespace kedge::diff
