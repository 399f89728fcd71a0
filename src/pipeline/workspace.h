// A project's pipelines, reads and writes as values, after everything that can be known offline was
// read (spec/contracts.md 4, 6, 12, 17): what the graph is made of and what a run executes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "contracts/write_policy.h"
#include "kedge/finding.h"
#include "pipeline/template.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::db {
class DatabaseError;
}

namespace kedge::pipeline {

// What change capture adds to the columns of an entity: true for a key that is gone.
inline constexpr std::string_view kDeletedColumn = "_kedge_deleted";

enum class CursorOrigin { File, Sql };

// The cursor of an incremental read.
struct Cursor {
  std::string column;
  CursorOrigin origin = CursorOrigin::File;
  Position where;
  std::optional<schema::Type> type;  // from the contract
  // Windows (17.6), as they are written; empty: none.
  std::string initial;
  std::string until;
  std::string max_window;
  Position window_where;
  bool has_window() const { return !initial.empty() || !until.empty() || !max_window.empty(); }
  bool pushable = false;   // every bound is `cursor > watermark()`, so the source may filter
  bool inclusive = false;  // at least one bound is >=
};

struct ReadSpec {
  std::string connection;
  std::string entity;
  std::string label;    // "port.public.arrivals"
  std::string staging;  // "src_port__public_arrivals"
  std::string connector;
  contracts::System system = contracts::System::Generic;
  Position where;
  project::FileFormat file;
  std::string query;
  contracts::Contract contract;
  std::vector<contracts::Check> checks;  // facts and expectations, entity-level ones last
  project::OnSourceDrift policy = project::OnSourceDrift::Ignore;
  std::string extra_columns = "ignore";
  project::Retry retry;
  std::optional<Cursor> cursor;
  bool change_capture = false;  // sync: {mode: cdc}
  bool declared = false;        // the file has it
  bool used = false;            // a pipeline reads it
  std::string read_hash;        // what of the read's options decides its shape

  bool is_file() const { return connector == "localfiles"; }
};

struct WriteSpec {
  std::string connection;
  std::string entity;
  std::string target;  // "depot.public.berth_load"
  std::string connector;
  contracts::System system = contracts::System::Generic;
  std::size_t pipeline = 0;
  Position where;
  project::FileFormat file;
  contracts::Strategy strategy = contracts::Strategy::Append;
  contracts::SchemaPolicy policy = contracts::SchemaPolicy::FailOnChange;
  contracts::OnDelete on_delete = contracts::OnDelete::None;
  std::string delete_flag;
  std::vector<std::string> keys;
  bool accepts_duplicates = false;
  contracts::Contract contract;  // the promised shape
  std::vector<contracts::Check> checks;
  project::Retry retry;
  std::string digest;

  bool is_file() const { return connector == "localfiles"; }
};

enum class Materialization { Table, View, Ephemeral };

// One watermark() call.
struct WatermarkUse {
  std::size_t read = 0;     // index into Workspace::reads
  std::size_t segment = 0;  // of the template
  std::string column;       // found by the analysis of 17.3
  std::string comparison;   // ">", ">=", "<", "<="
  Position where;
};

struct PipelineSpec {
  std::string name;
  Template text;
  Materialization materialization = Materialization::Table;
  std::vector<std::string> tags;
  std::vector<contracts::Check> checks;
  std::string run_in;  // push-down: the connection
  std::optional<Position> run_in_where;
  std::vector<std::size_t> reads;  // in order of first call, unique
  std::vector<std::size_t> refs;
  std::vector<std::size_t> writes;
  std::vector<WatermarkUse> watermarks;
};

struct Workspace {
  project::Project project;
  project::Connections connections;
  std::vector<ReadSpec> reads;  // those of the file first, in its order
  std::vector<WriteSpec> writes;
  std::vector<PipelineSpec> pipelines;  // by name
  std::map<std::string, document::Node> vars;
  std::vector<std::string> secrets;

  const project::Connection& connection(const std::string& name) const;
  std::optional<std::size_t> find_pipeline(const std::string& name) const;
  std::optional<std::size_t> find_read(const std::string& label) const;
  std::string hide(std::string text) const;  // without secrets
  // The first line of what the engine said, hidden; where samples are not allowed, only its kind
  // for failures that may speak of values. `samples`: of a check, else the project's.
  std::string said(const db::DatabaseError& error,
                   std::optional<bool> samples = std::nullopt) const;
};

// The problems of one tier of `validate` (9.1); a tier with errors stops the later ones.
struct Tier {
  std::vector<Problem> problems;
};

struct Compilation {
  std::shared_ptr<Workspace> workspace;
  Tier load;
  Tier compile;
  Tier options;
  std::vector<Finding> warnings;
  bool ok() const {
    return load.problems.empty() && compile.problems.empty() && options.problems.empty();
  }
};

}  // namespace kedge::pipeline
