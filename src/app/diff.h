// `kedge diff A B`: what leads from one shape to another, as changes and as statements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/source.h"
#include "kedge/diff.h"
#include "migrate/plan.h"

namespace kedge::app {

enum class Prove { No, Yes };

struct DiffRequest {
  std::string from;
  std::string to;
  std::optional<schema::Dialect> dialect;
  diff::Filter filter;
  diff::Renames renames;
  diff::OnAmbiguous on_ambiguous = diff::OnAmbiguous::DropAdd;
  diff::Privileges privileges = diff::Privileges::Ignore;
  diff::Comments comments = diff::Comments::Compare;
  Prove prove = Prove::No;
  db::ScratchOptions scratch;
};

struct Proof {
  bool ran = false;
  std::vector<Change> left;  // what still differs after the statements were applied to a copy
  std::size_t rows_copied = 0;
  std::vector<std::string> lost;  // tables that have fewer rows than before
  std::vector<std::string>
      altered;          // tables in which a column that no change speaks of has other values
  std::string failure;  // the engine's words when a statement was refused
  bool holds() const {
    return ran && left.empty() && lost.empty() && altered.empty() && failure.empty();
  }
};

struct ShapeDiff {
  std::string from;
  std::string to;
  schema::Dialect dialect = schema::Dialect::Ansi;
  migrate::Plan plan;
  std::vector<schema::Unmodelled> unmodelled;  // of both sides, sorted, unique
  std::vector<Problem> warnings;
  Proof proof;
  bool is_equal() const { return plan.changes.empty(); }
};

ShapeDiff compare_sources(const Context& context, const DiffRequest& request);

// The comparison's options with the analyser of the dialect in them; for whoever compares.
diff::Options comparison_options(schema::Dialect dialect);
// "old=new", "schema.old=new" and "table.old=new", "schema.table.old=new". Throws ERR_USAGE.
diff::RenameTable parse_table_rename(const std::string& text);
diff::RenameColumn parse_column_rename(const std::string& text);

}  // namespace kedge::app
