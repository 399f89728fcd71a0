#include "pipeline/fetch_compare.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/file_format.h"
#include "pipeline/source.h"
#include "pipeline/write.h"

namespace kedge::pipeline {
namespace {

using contracts::FetchedShape;

class Comparison {
 public:
  Comparison(const FetchRequest& request, FetchResult& result)
      : request_(request), workspace_(*request.workspace), result_(result) {}

  void run(const Probe& probe) {
    if (probe.failure) {
      add(*probe.failure, Severity::Error, {"connection", probe.connection->name, "", ""});
      return;
    }
    for (const std::size_t index : probe.reads) {
      read_ = index;
      const auto failed = probe.unfetched.find(index);
      if (failed != probe.unfetched.end()) {
        add(failed->second, Severity::Error, subject(workspace_.reads[index], ""));
      } else {
        compare_read(workspace_.reads[index], probe.shapes.at(index));
      }
      if (const auto found = probe.uncaptured.find(index); found != probe.uncaptured.end()) {
        add(found->second, Severity::Error, subject(workspace_.reads[index], ""));
      }
    }
    read_.reset();
    for (const std::size_t index : probe.writes) {
      write_ = index;
      const auto target = probe.targets.find(index);
      if (target != probe.targets.end()) {
        compare_target(workspace_.writes[index], target->second);
      }
    }
  }

 private:
  static Subject subject(const ReadSpec& read, const std::string& column) {
    return {"entity", read.connection, read.entity, column};
  }

  FetchFinding& add(Problem problem, Severity severity, Subject about) {
    FetchFinding item;
    item.finding = {std::move(problem), severity, std::move(about), "contracts"};
    item.read = read_;
    item.write = write_;
    result_.findings.push_back(std::move(item));
    return result_.findings.back();
  }

  void note(const ReadSpec& read, const std::string& text) {
    Problem problem;
    problem.message = "entity '" + read.label + "': " + text;
    add(std::move(problem), Severity::Note, subject(read, ""));
  }

  void compare_read(const ReadSpec& read, const FetchedShape& fetched) {
    const std::vector<contracts::ShapeColumn> shape = contracts::shape_of(fetched);
    result_.fetched[read.label] = {shape, read.read_hash};
    if (read.contract.empty()) {
      compare_baseline(read, shape);
      return;
    }
    contracts::ContractComparison comparison = contracts::compare_contract(read.contract, fetched);
    for (const contracts::ColumnDrift& drift : comparison.drift) {
      // Texts of csv and json have no type of their own: a declared one is checked while landing.
      if (drift.kind == "missing" || !is_untyped_file(read)) {
        FetchFinding& item = add({codes::PZ0331,
                                  "entity '" + read.label + "': " + drift.text,
                                  drift.where,
                                  drift.hint,
                                  {}},
                                 Severity::Error, subject(read, drift.column));
        item.kind = drift.kind;
        item.declared = drift.declared;
        item.found = drift.found;
      }
    }
    report_extra(read, comparison.extra);
    for (const std::string& absent : comparison.absent) {
      note(read, "optional column '" + absent + "' is not there");
    }
    if (!comparison.same_type.empty()) {
      note(read, "same underlying type as declared: " + base::join(comparison.same_type, "; "));
    }
    compare_remembered(read, shape);
  }

  static bool is_untyped_file(const ReadSpec& read) {
    return read.is_file() && format_of(read.file, "csv") != "parquet";
  }

  void report_extra(const ReadSpec& read, const std::vector<std::string>& extra) {
    if (extra.empty()) {
      return;
    }
    const std::string text =
        std::to_string(extra.size()) + " column(s) not in the contract: " + base::join(extra, ", ");
    if (read.extra_columns == "ignore") {
      note(read, text);
      return;
    }
    FetchFinding& item =
        add({codes::PZ0331, "entity '" + read.label + "': " + text, read.where, "", {}},
            read.extra_columns == "fail" ? Severity::Error : Severity::Warning, subject(read, ""));
    item.kind = "extra";
    item.found = base::join(extra, ", ");
  }

  void report_natives(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& before,
                      const std::vector<contracts::ShapeColumn>& now) {
    for (const contracts::ShapeChange& change : contracts::compare_natives(before, now)) {
      std::string type;
      for (const contracts::ShapeColumn& column : now) {
        type = column.name == change.column ? column.type : type;
      }
      add({codes::PZ0331,
           "entity '" + read.label + "': " + contracts::native_change_text(change, type),
           read.where,
           "",
           {}},
          Severity::Warning, subject(read, change.column));
    }
  }

  void compare_remembered(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& shape) {
    const auto before = request_.remembered.find(read.label);
    if (before != request_.remembered.end()) {
      report_natives(read, before->second.columns, shape);
    }
  }

  void compare_baseline(const ReadSpec& read, const std::vector<contracts::ShapeColumn>& shape) {
    const auto baseline = request_.baselines.find(read.label);
    if (baseline == request_.baselines.end()) {
      return;
    }
    const auto changes = contracts::compare_shapes(baseline->second.shape.columns, shape);
    if (!changes.empty()) {
      add({codes::PZ0331,
           "entity '" + read.label +
               "': differs from the accepted baseline: " + contracts::changes_text(changes),
           read.where,
           "",
           {}},
          read.policy == project::OnSourceDrift::Fail ? Severity::Error : Severity::Warning,
          subject(read, ""));
    }
    report_natives(read, baseline->second.shape.columns, shape);
  }

  // The shape that is known to be written: promised, or what the SQL was compiled to.
  std::vector<contracts::WriteColumn> columns_of(const WriteSpec& write) const {
    std::vector<contracts::WriteColumn> columns;
    for (const contracts::ContractColumn& column : write.contract.columns) {
      columns.push_back({column.name, column.type});
    }
    const auto output = request_.outputs.find(write.pipeline);
    return columns.empty() && output != request_.outputs.end()
               ? write_columns(write, output->second)
               : columns;
  }

  void compare_target(const WriteSpec& write, const contracts::Target& target) {
    const std::vector<contracts::WriteColumn> columns = columns_of(write);
    if (columns.empty()) {
      return;
    }
    const contracts::WriteVerdict verdict =
        contracts::judge_write(judge_request(write, columns), target, {});
    for (const contracts::Mismatch& mismatch : verdict.mismatches) {
      FetchFinding& item = add(
          {verdict.code, "target '" + write.target + "': " + mismatch.text, write.where, "", {}},
          Severity::Error, {"entity", write.connection, write.entity, mismatch.column});
      item.kind = mismatch.kind;
      item.declared = mismatch.declared;
      item.found = mismatch.found;
    }
  }

  const FetchRequest& request_;
  const Workspace& workspace_;
  FetchResult& result_;
  std::optional<std::size_t> read_;  // what is being compared
  std::optional<std::size_t> write_;
};

// The shape of one entity in a whole schema; nothing when the schema does not tell it.
struct Found {
  bool there = false;
  std::optional<FetchedShape> shape;
};

Found find_shape(const schema::Schema& schema, const ReadSpec& read) {
  const schema::Name name = entity_name(read.entity);
  if (const schema::Table* table = find_entity(schema, name)) {
    return {true, fetched_of(schema.engine.dialect, *table)};
  }
  const schema::View* view = find_entity_view(schema, name);
  if (view == nullptr) {
    return {};
  }
  const bool typed =
      !view->columns.empty() && std::none_of(view->columns.begin(), view->columns.end(),
                                             [](const schema::ViewColumn& column) {
                                               return column.type.kind == schema::TypeKind::Unknown;
                                             });
  return {true, typed ? std::optional(fetched_of(schema.engine.dialect, *view)) : std::nullopt};
}

Problem lost(const ReadSpec& read, const std::string& why) {
  return {codes::PZ0330, "entity '" + read.label + "': " + why, read.where, "", {}};
}

void assume_read(const AssumedShapes& assumed, const ReadSpec& read, std::size_t index,
                 Probe& probe) {
  if (!read.query.empty()) {
    const auto shape = assumed.queries.find(index);
    if (shape != assumed.queries.end()) {
      probe.shapes[index] = shape->second;
    } else {
      probe.unfetched[index] = lost(read, "its query names what is gone");
    }
    probe.reads.push_back(index);
    return;
  }
  const Found found = find_shape(assumed.schema, read);
  if (!found.there) {
    probe.unfetched[index] = lost(read, "its table is gone");
  } else if (found.shape) {
    probe.shapes[index] = *found.shape;
  } else {
    return;  // a view whose types only the database knows
  }
  probe.reads.push_back(index);
}

}  // namespace

void compare_probe(const FetchRequest& request, const Probe& probe, FetchResult& result) {
  Comparison(request, result).run(probe);
}

std::vector<FetchFinding> compare_assumed(const FetchRequest& request,
                                          const AssumedShapes& assumed) {
  const Workspace& workspace = *request.workspace;
  Probe probe;
  probe.connection = &workspace.connection(assumed.connection);
  for (std::size_t i = 0; i < workspace.reads.size(); ++i) {
    if (workspace.reads[i].connection == assumed.connection) {
      assume_read(assumed, workspace.reads[i], i, probe);
    }
  }
  for (std::size_t i = 0; i < workspace.writes.size(); ++i) {
    const WriteSpec& write = workspace.writes[i];
    if (write.connection != assumed.connection) {
      continue;
    }
    probe.writes.push_back(i);
    if (auto target = target_in(assumed.schema, write)) {
      probe.targets[i] = std::move(*target);
    }
  }
  FetchResult result;
  compare_probe(request, probe, result);
  return std::move(result.findings);
}

}  // namespace kedge::pipeline
