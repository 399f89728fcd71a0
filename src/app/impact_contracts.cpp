#include <algorithm>
#include <map>
#include <set>

#include "app/check.h"
#include "app/impact.h"
#include "app/impact_reads.h"
#include "app/pipeline.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/dry_compile.h"
#include "pipeline/fetch.h"
#include "pipeline/source.h"
#include "pipeline/state.h"
#include "pipeline/workspace.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

// The pipeline's text with each marker as what it stands for in the staging database.
std::string staged_sql(const pipeline::Workspace& workspace,
                       const pipeline::PipelineSpec& pipeline) {
  std::string sql;
  for (const pipeline::Segment& segment : pipeline.text.segments) {
    if (segment.calls.empty()) {
      sql += pipeline.text.source.substr(segment.begin, segment.end - segment.begin);
      continue;
    }
    const pipeline::Call& call = segment.calls.front();
    if (call.function == "source" && call.positional().size() >= 2) {
      const std::string label =
          call.positional()[0]->value.text + "." + call.positional()[1]->value.text;
      const auto read = workspace.find_read(label);
      sql += read ? workspace.reads[*read].staging : "kedge_source";
    } else if (call.function == "ref" && !call.positional().empty()) {
      sql += call.positional()[0]->value.text;
    } else if (call.function == "sink" || segment.list) {
      sql.clear();  // INSERT INTO {{ sink() }} stands before the SELECT
    } else {
      sql += "NULL";
    }
  }
  return sql;
}

class Judgement {
 public:
  Judgement(Context& context, const ShapeChange& change,
            std::shared_ptr<const pipeline::Workspace> workspace, ImpactResult& result)
      : context_(context),
        change_(change),
        workspace_(std::move(workspace)),
        losses_(losses_of(change)),
        result_(result) {
    for (const pipeline::ReadSpec& read : workspace_->reads) {
      uses_.push_back(read.connection == change.connection ? ReadUse(change, read) : ReadUse());
    }
  }

  void run() {
    if (!is_concerned()) {
      return;
    }
    const std::size_t begin = result_.impacts.size();
    if (!judge_findings()) {
      return;
    }
    for (const Loss& loss : losses_) {
      for (std::size_t i = 0; i < workspace_->reads.size(); ++i) {
        if (uses_[i].of(loss) != Use::None) {
          judge_optional(i, loss);
          judge_readers(i, loss);
        }
      }
    }
    judge_writers();
    judge_referrers(begin);
  }

 private:
  bool is_concerned() const {
    const auto here = [&](const auto& one) { return one.connection == change_.connection; };
    return std::any_of(workspace_->reads.begin(), workspace_->reads.end(), here) ||
           std::any_of(workspace_->writes.begin(), workspace_->writes.end(), here);
  }

  // The columns that the SQL of pipelines gives are known only to DuckDB; where every write
  // promises its own, nothing is compiled.
  std::optional<pipeline::DryCompile> outputs() {
    const bool promised = std::all_of(
        workspace_->writes.begin(), workspace_->writes.end(), [&](const pipeline::WriteSpec& w) {
          return w.connection != change_.connection || !w.contract.empty();
        });
    if (promised) {
      return pipeline::DryCompile{};
    }
    const pipeline::State state(context_.files, context_.folder,
                                workspace_->project.state_dir.text);
    pipeline::DryCompile dry = pipeline::dry_compile(world_of(context_), *workspace_, state);
    result_.failures.insert(result_.failures.end(), dry.problems.begin(), dry.problems.end());
    return dry.problems.empty() ? std::optional(std::move(dry)) : std::nullopt;
  }

  // What `validate --connect` finds afterwards and does not find now.
  bool judge_findings() {
    const std::optional<pipeline::DryCompile> dry = outputs();
    if (!dry) {
      return false;
    }
    pipeline::State state(context_.files, context_.folder, workspace_->project.state_dir.text);
    const contracts::Baselines baselines = state.baselines();
    const auto remembered = state.fetched();
    const pipeline::World world = world_of(context_);
    const pipeline::FetchRequest request{world, workspace_, baselines, remembered, dry->outputs};
    QueryShapes before;
    QueryShapes after;
    for (std::size_t i = 0; i < workspace_->reads.size(); ++i) {
      if (uses_[i].is_query()) {
        before[i] = declared_shape(workspace_->reads[i], baselines);
        if (auto shape = shape_after(change_, losses_, uses_[i], before[i])) {
          after[i] = std::move(*shape);
        }
      }
    }
    std::set<std::string> known;
    for (const pipeline::FetchFinding& found :
         pipeline::compare_assumed(request, {change_.connection, change_.before, before})) {
      known.insert(finding_key(found.finding));
    }
    for (pipeline::FetchFinding& found :
         pipeline::compare_assumed(request, {change_.connection, change_.after, after})) {
      const Finding& finding = found.finding;
      if (finding.severity == Severity::Note || known.contains(finding_key(finding))) {
        continue;
      }
      found_.push_back({found.read, found.write, finding.subject.name, result_.impacts.size()});
      result_.impacts.push_back(
          {"contracts", finding.severity == Severity::Error ? Effect::Breaks : Effect::Changes,
           finding.problem.code, finding.problem.message, finding.subject, finding.problem.where,
           std::nullopt});
    }
    return true;
  }

  // The name under which a contract has a column of the source.
  static std::string declared_name(const pipeline::ReadSpec& read, const std::string& source) {
    for (const contracts::ContractColumn& column : read.contract.columns) {
      if (column.source == source) {
        return column.name;
      }
    }
    return source;
  }

  void judge_optional(std::size_t index, const Loss& loss) {
    const pipeline::ReadSpec& read = workspace_->reads[index];
    for (const contracts::ContractColumn& column : read.contract.columns) {
      if (column.source == loss.column && column.optional && !loss.retyped) {
        Impact impact;
        impact.part = "contracts";
        impact.effect = Effect::Changes;
        impact.message =
            "entity '" + read.label + "': optional column '" + column.name + "' is gone";
        impact.subject = {"column", read.connection, read.entity, column.name};
        impact.where = column.where;
        result_.impacts.push_back(std::move(impact));
      }
    }
  }

  // The finding about this column of the read, or about the whole of it.
  std::size_t cause_of(std::size_t read, const Loss& loss) const {
    const std::string name = declared_name(workspace_->reads[read], loss.column);
    for (const Found& found : found_) {
      if (found.read == read && (found.column == name || found.column.empty())) {
        return found.impact;
      }
    }
    return kNoCause;
  }

  void judge_readers(std::size_t index, const Loss& loss) {
    const pipeline::ReadSpec& read = workspace_->reads[index];
    const std::size_t cause = cause_of(index, loss);
    const bool refused = cause != kNoCause && result_.impacts[cause].effect == Effect::Breaks;
    for (const pipeline::PipelineSpec& pipeline : workspace_->pipelines) {
      if (std::find(pipeline.reads.begin(), pipeline.reads.end(), index) == pipeline.reads.end()) {
        continue;
      }
      Impact impact = impact_of(pipeline, cause);
      impact.message += "reads '" + read.label + "'";
      const sql::QueryFacts facts =
          sql::analyse_query(staged_sql(*workspace_, pipeline), schema::Dialect::Duckdb);
      const bool named = std::any_of(
          facts.references.begin(), facts.references.end(), [&](const sql::ColumnReference& one) {
            return base::equals_ignoring_case(one.parts.back().text, loss.column);
          });
      if (!loss.column.empty() && named) {
        impact.message += " and names its column '" + loss.column + "'";
        impact.effect = loss.retyped ? Effect::Changes : Effect::Breaks;
      } else if (!loss.column.empty()) {
        impact.effect = facts.has_star ? Effect::Changes : Effect::Safe;
      }
      if (refused) {
        impact.effect = Effect::Breaks;  // the read itself fails
      }
      result_.impacts.push_back(std::move(impact));
    }
  }

  Impact impact_of(const pipeline::PipelineSpec& pipeline, std::size_t cause) const {
    Impact impact;
    impact.part = "pipelines";
    impact.subject = {"pipeline", change_.connection, "", pipeline.name};
    impact.where = Position{"pipelines/" + pipeline.name + ".sql", 1, 1};
    impact.message = "pipeline '" + pipeline.name + "' ";
    if (cause != kNoCause) {
      impact.cause = cause;
    }
    return impact;
  }

  // Pipelines whose target no longer takes what they write, or is gone.
  void judge_writers() {
    for (std::size_t i = 0; i < workspace_->writes.size(); ++i) {
      const pipeline::WriteSpec& write = workspace_->writes[i];
      const auto found = std::find_if(found_.begin(), found_.end(),
                                      [&](const Found& one) { return one.write == i; });
      const bool here = write.connection == change_.connection;
      const bool gone = here && pipeline::target_in(change_.before, write) &&
                        !pipeline::target_in(change_.after, write);
      if (found == found_.end() && !gone) {
        continue;
      }
      Impact impact =
          impact_of(workspace_->pipelines[write.pipeline], gone ? kNoCause : found->impact);
      impact.message += "writes to '" + write.target + "'" +
                        (gone ? ", which is gone: the next run makes it again" : "");
      impact.effect = gone ? Effect::Changes : result_.impacts[found->impact].effect;
      result_.impacts.push_back(std::move(impact));
    }
  }

  // Pipelines that read the result of one that breaks, in any number of steps.
  void judge_referrers(std::size_t begin) {
    std::map<std::string, std::size_t> broken;
    for (std::size_t i = begin; i < result_.impacts.size(); ++i) {
      const Impact& impact = result_.impacts[i];
      if (impact.part == "pipelines" && impact.effect == Effect::Breaks) {
        broken.emplace(impact.subject.name, i);
      }
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (const pipeline::PipelineSpec& pipeline : workspace_->pipelines) {
        for (const std::size_t ref : pipeline.refs) {
          const auto cause = broken.find(workspace_->pipelines[ref].name);
          if (cause == broken.end() || broken.contains(pipeline.name)) {
            continue;
          }
          Impact impact = impact_of(pipeline, cause->second);
          impact.message += "reads the result of '" + cause->first + "'";
          broken.emplace(pipeline.name, result_.impacts.size());
          result_.impacts.push_back(std::move(impact));
          grew = true;
        }
      }
    }
  }

  struct Found {
    std::optional<std::size_t> read;
    std::optional<std::size_t> write;
    std::string column;
    std::size_t impact = 0;
  };

  Context& context_;
  const ShapeChange& change_;
  std::shared_ptr<const pipeline::Workspace> workspace_;
  std::vector<Loss> losses_;
  std::vector<ReadUse> uses_;  // by read
  ImpactResult& result_;
  std::vector<Found> found_;
};

}  // namespace

void contracts_impact(Context& context, const ShapeChange& change, ImpactResult& result) {
  const pipeline::Compilation compilation = compile_workspace(context, std::nullopt);
  const std::vector<Problem> problems = first_problems(compilation);
  result.failures.insert(result.failures.end(), problems.begin(), problems.end());
  if (compilation.workspace && compilation.ok()) {
    Judgement(context, change, compilation.workspace, result).run();
  }
}

}  // namespace kedge::app
