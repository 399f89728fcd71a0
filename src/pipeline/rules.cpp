// Rules between reads, pipelines and writes that hold before anything runs (spec/contracts.md 4.6,
// 12.5, 17.2, 17.5).
#include <algorithm>

#include "base/text.h"
#include "contracts/target_type.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"
#include "pipeline/cursor.h"
#include "pipeline/file_format.h"
#include "pipeline/graph.h"
#include "pipeline/push_down.h"

namespace kedge::pipeline {
namespace {

using contracts::OnDelete;
using contracts::Strategy;

class Rules {
 public:
  explicit Rules(Compilation& result)
      : result_(result), workspace_(*result.workspace), problems_(result.compile.problems) {}

  void run() {
    check_names();
    for (ReadSpec& read : workspace_.reads) {
      check_read(read);
    }
    for (const WriteSpec& write : workspace_.writes) {
      check_write(write);
    }
    check_declared_writes();
    warn_idle();
  }

  void check_pairs() {
    for (WriteSpec& write : workspace_.writes) {
      check_pairing(write);
      check_deletions(write);
      take_captured_flag(write);
    }
    check_readers();
  }

 private:
  void problem(Code code, Position where, std::string message, std::string hint = {}) {
    problems_.push_back({code, std::move(message), std::move(where), std::move(hint), {}});
  }

  void check_names() {
    for (const PipelineSpec& pipeline : workspace_.pipelines) {
      for (const ReadSpec& read : workspace_.reads) {
        if (base::equals_ignoring_case(read.staging, pipeline.name)) {
          problem(codes::PZ0230, {pipeline.text.file, 1, 1},
                  "pipeline '" + pipeline.name + "' has the name of the staging table of '" +
                      read.label + "'");
        }
      }
    }
  }

  void check_read(ReadSpec& read) {
    if (read.change_capture && read.connector != "postgres") {
      problem(
          codes::PZ0338, read.where,
          "entity '" + read.label + "': connector " + read.connector + " has no change capture");
    }
    if (read.change_capture && quarantines(read.checks)) {
      problem(codes::PZ0113, read.where,
              "entity '" + read.label +
                  "': on_violation: quarantine does not go together with change capture");
    }
    if (!read.cursor || read.cursor->origin != CursorOrigin::File || read.contract.empty()) {
      note_untyped(read);
      return;
    }
    const contracts::ContractColumn* column =
        contracts::find_column(read.contract, read.cursor->column);
    if (column == nullptr) {
      problem(codes::PZ0212, read.cursor->where,
              "entity '" + read.label + "': cursor '" + read.cursor->column +
                  "' is missing from columns:",
              "declare it with one of " + contracts::cursor_type_names());
    } else if (!contracts::is_cursor_type(column->type)) {
      problem(codes::PZ0212, read.cursor->where,
              "entity '" + read.label + "': cursor '" + read.cursor->column + "' is declared " +
                  contracts::type_name(column->type) + ", which cannot be a cursor",
              "allowed: " + contracts::cursor_type_names());
    } else {
      read.cursor->type = column->type;
      check_window(read);
    }
  }

  void check_window(const ReadSpec& read) {
    const std::string why = window_problem(*read.cursor, *read.cursor->type);
    if (!why.empty()) {
      problem(codes::PZ0213, read.cursor->window_where,
              "entity '" + read.label + "': sync: " + why);
    }
  }

  void note_untyped(const ReadSpec& read) {
    if (!read.cursor || !read.contract.empty()) {
      return;
    }
    if (!read.cursor->max_window.empty()) {
      problem(codes::PZ0213, read.cursor->window_where,
              "entity '" + read.label + "': sync: max_window needs a typed cursor",
              "declare '" + read.cursor->column + "' in columns:");
    }
    Finding finding;
    finding.problem = {codes::PZ0505,
                       "entity '" + read.label + "': the type of cursor '" + read.cursor->column +
                           "' is known only after landing, since there is no columns: contract",
                       read.cursor->where,
                       "",
                       {}};
    finding.severity = Severity::Note;
    finding.guard = "contracts";
    result_.warnings.push_back(std::move(finding));
  }

  void check_write(const WriteSpec& write) {
    check_strategy(write.connector, write.target, write.strategy, write.where);
    if (write.strategy == Strategy::Merge && write.keys.empty()) {
      problem(codes::PZ0209, write.where, "write to '" + write.target + "': merge needs keys:");
    }
    if (write.strategy != Strategy::Merge && !write.keys.empty()) {
      problem(codes::PZ0211, write.where,
              "write to '" + write.target + "': keys: are given, but the strategy is " +
                  contracts::to_string(write.strategy));
    }
    if (write.on_delete != OnDelete::None && write.strategy != Strategy::Merge) {
      problem(codes::PZ0334, write.where,
              "write to '" + write.target + "': on_delete: needs strategy: merge");
    }
    if (write.is_file() && write.policy != contracts::SchemaPolicy::FailOnChange) {
      Finding finding;
      finding.problem = {codes::PZ0334,
                         "write to '" + write.target + "': schema_policy has no effect on files",
                         write.where,
                         "",
                         {}};
      finding.severity = Severity::Warning;
      finding.guard = "contracts";
      result_.warnings.push_back(std::move(finding));
    }
    refuse_twins(write.target, write.keys, write.where);
    for (const std::string& key : write.keys) {
      if (!write.contract.empty() && contracts::find_column(write.contract, key) == nullptr) {
        problem(codes::PZ0209, write.where,
                "write to '" + write.target + "': key '" + key + "' is not in its columns:");
      }
    }
  }

  void refuse_twins(const std::string& target, const std::vector<std::string>& keys,
                    const Position& where) {
    for (auto key = keys.begin(); key != keys.end(); ++key) {
      if (std::find(keys.begin(), key, *key) != key) {
        problem(codes::PZ0334, where,
                "write to '" + target + "': key '" + *key + "' is given twice");
      }
    }
  }

  void check_strategy(const std::string& connector, const std::string& target, Strategy strategy,
                      const Position& where) {
    if (connector == "localfiles" && strategy == Strategy::Merge) {
      problem(codes::PZ0324, where,
              "write to '" + target + "': connector localfiles has no strategy merge",
              "use append or replace");
    }
  }

  // Writes that the file declares and no pipeline uses.
  void check_declared_writes() {
    for (const project::Connection& connection : workspace_.connections.connections) {
      for (const project::Entity& entity : connection.entities) {
        const std::string target = connection.name + "." + entity.name;
        const bool used = std::any_of(workspace_.writes.begin(), workspace_.writes.end(),
                                      [&](const WriteSpec& w) { return w.target == target; });
        if (used || !entity.write.where) {
          continue;
        }
        const project::Write& write = entity.write;
        const bool merge = write.strategy && write.strategy->text == "merge";
        check_strategy(connection.connector, target, merge ? Strategy::Merge : Strategy::Append,
                       entity.where);
        if (merge && write.keys.empty()) {
          problem(codes::PZ0209, entity.where, "write to '" + target + "': merge needs keys:");
        }
        if (!merge && !write.keys.empty()) {
          problem(codes::PZ0211, entity.where,
                  "write to '" + target + "': keys: are given, but the strategy is not merge");
        }
      }
    }
  }

  void check_pairing(const WriteSpec& write) {
    for (const std::size_t index : all_reads_of(workspace_, write.pipeline)) {
      const ReadSpec& read = workspace_.reads[index];
      if (!read.cursor && !read.change_capture) {
        continue;
      }
      if (write.strategy == Strategy::Replace) {
        problem(codes::PZ0335, write.where,
                "incremental read of '" + read.label + "' into '" + write.target +
                    "' by replace would throw away all but the last slice",
                "use merge");
      } else if (write.strategy == Strategy::Append && !write.accepts_duplicates) {
        problem(codes::PZ0214, write.where,
                "incremental read of '" + read.label + "' into '" + write.target +
                    "' by append may write rows twice",
                "use merge, or say duplicates: accept");
      }
    }
  }

  void check_deletions(const WriteSpec& write) {
    const bool captured = any_read(write, [](const ReadSpec& r) { return r.change_capture; });
    if (write.strategy == Strategy::Merge && captured && write.on_delete == OnDelete::None) {
      problem(codes::PZ0336, write.where,
              "write to '" + write.target +
                  "': a change-capture read is merged without saying what happens to deletions",
              "say on_delete: delete, soft or ignore");
    }
    const bool acts = write.on_delete == OnDelete::Delete || write.on_delete == OnDelete::Soft;
    if (!acts || captured || !write.delete_flag.empty()) {
      return;
    }
    if (any_read(write, [](const ReadSpec& r) { return r.cursor.has_value(); })) {
      problem(codes::PZ0337, write.where,
              "write to '" + write.target +
                  "': on_delete: " + contracts::to_string(write.on_delete) +
                  " over an incremental read: deleted rows cannot be told from unchanged ones",
              "read everything, or name a delete_flag: column");
    }
  }

  // Change capture marks the keys that are gone; the mark itself is not written.
  void take_captured_flag(WriteSpec& write) const {
    const bool captured = any_read(write, [](const ReadSpec& r) { return r.change_capture; });
    if (write.strategy == Strategy::Merge && captured && write.delete_flag.empty()) {
      write.delete_flag = kDeletedColumn;
    }
  }

  template <class Test>
  bool any_read(const WriteSpec& write, Test test) const {
    const std::set<std::size_t> reads = all_reads_of(workspace_, write.pipeline);
    return std::any_of(reads.begin(), reads.end(),
                       [&](std::size_t read) { return test(workspace_.reads[read]); });
  }

  // Every reader of an entity with a SQL cursor must use it.
  void check_readers() {
    for (const PipelineSpec& pipeline : workspace_.pipelines) {
      for (const std::size_t index : pipeline.reads) {
        const ReadSpec& read = workspace_.reads[index];
        const bool takes_part =
            std::any_of(pipeline.watermarks.begin(), pipeline.watermarks.end(),
                        [&](const WatermarkUse& use) { return use.read == index; });
        if (read.cursor && read.cursor->origin == CursorOrigin::Sql && !takes_part) {
          problem(codes::PZ0226, {pipeline.text.file, 1, 1},
                  "pipeline '" + pipeline.name + "' reads '" + read.label +
                      "' without watermark(), so it would silently see only new rows",
                  "compare its cursor with watermark(), or read another entity");
        }
      }
    }
  }

  void warn_idle() {
    std::set<std::size_t> read;
    for (const PipelineSpec& pipeline : workspace_.pipelines) {
      read.insert(pipeline.refs.begin(), pipeline.refs.end());
    }
    for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
      const PipelineSpec& pipeline = workspace_.pipelines[i];
      if (pipeline.writes.empty() && !read.contains(i)) {
        Finding finding;
        finding.problem = {codes::PZ0223,
                           "pipeline '" + pipeline.name + "' has no sink and nobody reads it",
                           Position{pipeline.text.file, 1, 1},
                           "",
                           {}};
        finding.severity = Severity::Warning;
        finding.guard = "contracts";
        result_.warnings.push_back(std::move(finding));
      }
    }
  }

  Compilation& result_;
  Workspace& workspace_;
  std::vector<Problem>& problems_;
};

// Why an entity needs a contract, or nothing.
std::string contract_demand(const ReadSpec& read, project::RequireContracts demand) {
  const std::string format = format_of(read.file, "csv");
  const bool stores =
      read.connector == "s3" || read.connector == "gcs" || read.connector == "azureblob";
  if ((stores && (format == "csv" || format == "json" || format == "tsv")) ||
      (read.connector == "sftp" && format == "json")) {
    return "for " + format + " on connector " + read.connector;
  }
  if (read.is_file() && (format == "csv" || format == "tsv") && read.file.header == false) {
    return "for " + format + " without a header line";
  }
  if (demand == project::RequireContracts::All) {
    return "by require_contracts: all";
  }
  return demand == project::RequireContracts::Files && read.is_file()
             ? "by require_contracts: files"
             : "";
}

}  // namespace

void check_rules(const CompileRequest& request, Compilation& result) {
  Rules rules(result);
  rules.run();
  analyse_watermarks(request, result);
  check_push_down(*result.workspace, result.compile.problems);
  rules.check_pairs();
}

void check_required_contracts(Compilation& result) {
  const Workspace& workspace = *result.workspace;
  for (const ReadSpec& read : workspace.reads) {
    const std::string demand = contract_demand(read, workspace.project.require_contracts);
    if (read.contract.empty() && !demand.empty()) {
      result.options.problems.push_back(
          {codes::PZ0301,
           "entity '" + read.label + "': read: columns: is required " + demand,
           read.where,
           "",
           {}});
    }
  }
}

}  // namespace kedge::pipeline
