#include "models/stage_references.h"

#include <algorithm>
#include <set>
#include <utility>

#include "models/stages.h"

namespace kedge::models {
namespace {

using Kind = FormulaReference::Kind;

// Collects the references of one stage.
class StageReader {
 public:
  StageReader(const SourceIndex& index, Number model, std::size_t stage)
      : index_(index),
        model_(index.models()[model].model()),
        stage_(model_.source_queries[stage]),
        facts_(index.models()[model].facts().stages[stage]) {
    for (std::size_t earlier = 0; earlier < stage; ++earlier) {
      stages_.insert(model_.source_queries[earlier].name);
    }
    for (const QueryMeasure& measure : stage_.measures) {
      aliases_.insert(output_name(measure));
    }
  }

  std::vector<StageReference> read() {
    read_root();
    for (const QueryDimension& dimension : stage_.dimensions) {
      add_path(split_path(dimension.path), Kind::Argument);
    }
    for (const TimeDimension& dimension : stage_.time_dimensions) {
      add_path(split_path(dimension.dimension), Kind::Argument);
    }
    if (!stage_.main_time_dimension.empty()) {
      add_path(split_path(stage_.main_time_dimension), Kind::Argument);
    }
    for (const FormulaFacts& measure : facts_.measures) {
      add_formula(measure, Aliases::Ignored);
    }
    for (const FormulaFacts& filter : facts_.filters) {
      add_formula(filter, Aliases::Seen);
    }
    for (const FormulaFacts& order : facts_.order) {
      add_formula(order, Aliases::Seen);
    }
    read_extension();
    read_inline();
    return std::move(references_);
  }

 private:
  enum class Aliases { Ignored, Seen };

  void read_root() {
    const QuerySource& source = stage_.source;
    if (source.kind == QuerySource::Kind::Inline || stages_.contains(source.name)) {
      return;
    }
    root_ = add_source(source.name);
  }

  Number add_source(const std::string& name) {
    const SourceIndex::Existence existence = index_.existence(name);
    const Number found = index_.find_model(name);
    if (existence == SourceIndex::Existence::Here || existence == SourceIndex::Existence::Nowhere) {
      references_.push_back({true, found, name, std::nullopt});
    }
    return found;
  }

  const Join* extension_join(const std::string& hop) const {
    const auto find = [&](const std::vector<Join>& joins) -> const Join* {
      const auto found = std::find_if(joins.begin(), joins.end(),
                                      [&](const Join& join) { return join.hop() == hop; });
      return found == joins.end() ? nullptr : &*found;
    };
    if (const Join* join = find(stage_.source.joins)) {
      return join;
    }
    return stage_.source.inline_model.empty() ? nullptr
                                              : find(stage_.source.inline_model.front().joins);
  }

  bool is_own_name(const std::string& name) const {
    const auto has = [&](const auto& items) {
      return std::any_of(items.begin(), items.end(),
                         [&](const auto& item) { return item.name == name; });
    };
    const QuerySource& source = stage_.source;
    return has(source.columns) || has(source.measures);
  }

  void add_formula(const FormulaFacts& facts, Aliases aliases) {
    for (const FormulaReference& reference : facts.references) {
      const bool alias = aliases == Aliases::Seen && reference.kind == Kind::Bare &&
                         reference.path.size() == 1 && aliases_.contains(reference.path.front());
      if (!alias) {
        add_reference(reference);
      }
    }
  }

  void add_path(std::vector<std::string> path, Kind kind) {
    add_reference({kind, std::move(path), "", 0});
  }

  void add_reference(FormulaReference reference) {
    if (reference.path.size() > 1 && reference.path.front() == stage_.source.name &&
        !extension_join(reference.path.front())) {
      reference.path.erase(reference.path.begin());
    }
    const std::size_t hops =
        reference.path.size() - (reference.kind == Kind::Star || reference.path.empty() ? 0 : 1);
    if (hops > 0) {
      if (const Join* join = extension_join(reference.path.front())) {
        reference.path.erase(reference.path.begin());
        add_resolved(index_.find_model(join->target_model), reference);
        return;
      }
    } else if (!reference.path.empty() && is_own_name(reference.path.front())) {
      add_aggregation(reference);
      return;
    }
    add_resolved(root_, reference);
  }

  // The column is the extension's own, the aggregation may be the root's.
  void add_aggregation(const FormulaReference& reference) {
    if (root_ != kNone && !reference.aggregation.empty()) {
      add_resolved(root_, {Kind::Star, {}, reference.aggregation, reference.begin});
    }
  }

  void add_resolved(Number model, const FormulaReference& reference) {
    if (model != kNone) {
      references_.push_back({false, kNone, "", resolve_formula(index_, model, reference)});
    }
  }

  void add_sql(const sql::ExpressionFacts& facts, const std::string& self) {
    for (const sql::ColumnReference& reference : facts.references) {
      add_sql_reference(facts, reference, self);
    }
  }

  void add_sql_reference(const sql::ExpressionFacts& facts, const sql::ColumnReference& reference,
                         const std::string& self) {
    if (reference.parts.size() > 1 && reference.scopes.empty()) {
      if (const Join* join = extension_join(reference.parts.front().text)) {
        const Number target = index_.find_model(join->target_model);
        sql::ColumnReference rest = reference;
        rest.parts.erase(rest.parts.begin());
        if (target != kNone) {
          references_.push_back(
              {false, kNone, "", resolve_sql(index_, target, kNone, facts, rest)});
        }
        return;
      }
    }
    const bool own = reference.parts.size() == 1 && reference.parts.front().text != self &&
                     is_own_name(reference.parts.front().text);
    if (root_ != kNone && !own) {
      references_.push_back(
          {false, kNone, "", resolve_sql(index_, root_, kNone, facts, reference)});
    }
  }

  void read_extension() {
    const QuerySource& source = stage_.source;
    for (std::size_t number = 0; number < source.columns.size(); ++number) {
      const Column& column = source.columns[number];
      if (column.is_base() && root_ != kNone) {
        sql::ExpressionFacts facts;
        sql::ColumnReference reference;
        reference.parts.push_back({column.physical->text, column.physical->quoted});
        references_.push_back(
            {false, kNone, "", resolve_sql(index_, root_, kNone, facts, reference)});
      }
      add_sql(facts_.extension_columns[number].sql, column.name);
      add_sql(facts_.extension_columns[number].filter, column.name);
    }
    for (const FormulaFacts& measure : facts_.extension_measures) {
      add_formula(measure, Aliases::Ignored);
    }
    for (const Join& join : source.joins) {
      add_join(join, root_);
    }
  }

  // Local keys are references to columns of the root, target keys to columns of the target.
  void add_join(const Join& join, Number local) {
    const Number target =
        stages_.contains(join.target_model) ? kNone : add_source(join.target_model);
    for (const auto& [local_key, target_key] : join.join_pairs) {
      if (!is_own_name(local_key)) {
        add_resolved(local, {Kind::Argument, {local_key}, "", 0});
      }
      add_resolved(target, {Kind::Argument, {target_key}, "", 0});
    }
  }

  void read_inline() {
    for (std::size_t number = 0; number < stage_.source.inline_model.size(); ++number) {
      const Model& inline_model = stage_.source.inline_model[number];
      const ModelFacts& facts = facts_.inline_model[number];
      for (const Join& join : inline_model.joins) {
        add_join(join, kNone);
      }
      for (const ColumnFacts& column : facts.columns) {
        add_sql(column.sql, "");
        add_sql(column.filter, "");
      }
      for (const FormulaFacts& measure : facts.measures) {
        add_formula(measure, Aliases::Ignored);
      }
      for (const sql::ExpressionFacts& filter : facts.filters) {
        add_sql(filter, "");
      }
    }
  }

  const SourceIndex& index_;
  const Model& model_;
  const Query& stage_;
  const StageFacts& facts_;
  Number root_ = kNone;
  std::set<std::string> stages_;
  std::set<std::string> aliases_;
  std::vector<StageReference> references_;
};

}  // namespace

std::vector<StageReference> find_stage_references(const SourceIndex& index, Number model,
                                                  std::size_t stage) {
  return StageReader(index, model, stage).read();
}

bool lacks_output(const Model& model, const std::string& name) {
  if (model.source_queries.empty()) {
    return false;
  }
  const Query& last = model.source_queries.back();
  const std::vector<std::string> names = output_names(last);
  const bool certain =
      std::all_of(last.measures.begin(), last.measures.end(), [](const QueryMeasure& measure) {
        return !measure.name.empty() ||
               measure.formula.find_first_of(" +-/()") == std::string::npos;
      });
  return certain && std::find(names.begin(), names.end(), name) == names.end();
}

}  // namespace kedge::models
