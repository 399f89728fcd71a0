// From a name in a text to the things it depends on (models.md 3.2, 3.3, 9.5): the joins and models
// along its path and the column or measure at its end. One data source; no database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/index.h"

namespace kedge::models {

struct JoinStep {
  Number model = kNone;  // that declares the join
  Number join = kNone;
  Number target = kNone;  // kNone: the target does not exist
};

struct Resolved {
  enum class Leaf {
    None,    // nothing at the end that could be dropped by itself
    Column,  // a declared column
    Measure,
    Physical,  // a live column that no column is declared for under this name
    NoSuchHop  // the path leaves the known joins at `name`
  };
  std::vector<JoinStep> path;
  Number model = kNone;  // where the path ends
  Leaf leaf = Leaf::None;
  Number item = kNone;                   // Column, Measure
  std::vector<Number> physical_columns;  // Physical: the base columns over it
  std::string name;                      // of the leaf as written, for people
  std::string physical_key;              // Physical
  bool outermost = true;                 // stands in the outermost scope
  Number aggregation_model = kNone;      // a custom aggregation that is used
  Number aggregation = kNone;
};

// In SQL text of a model; `self` is the column whose own text it is, else kNone. Nothing when the
// name is no reference of the model.
std::optional<Resolved> resolve_sql(const SourceIndex& index, Number model, Number self,
                                    const sql::ExpressionFacts& facts,
                                    const sql::ColumnReference& reference);
// In a formula of a model.
std::optional<Resolved> resolve_formula(const SourceIndex& index, Number model,
                                        const FormulaReference& reference);
// Walks hops from a model and looks the last part up by the rules of formulas.
std::optional<Resolved> resolve_path(const SourceIndex& index, Number model,
                                     const std::vector<std::string>& path,
                                     FormulaReference::Kind kind);

}  // namespace kedge::models
