#include "models/resolve.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace kedge::models {
namespace {

enum class Walk { Arrived, Left, Elsewhere };

// Follows hops from `resolved.model`. Left: the path ends early, at something that is not known.
Walk walk(const SourceIndex& index, const std::vector<std::string>& hops, Resolved& resolved) {
  for (const std::string& hop : hops) {
    const IndexedModel& from = index.models()[resolved.model];
    const Number number = from.joins.find(hop);
    if (number == kNone) {
      resolved.leaf = Resolved::Leaf::NoSuchHop;
      resolved.name = hop;
      return Walk::Left;
    }
    const std::string& target = from.model().joins[number].target_model;
    JoinStep step{resolved.model, number, index.find_model(target)};
    const SourceIndex::Existence existence = index.existence(target);
    if (existence == SourceIndex::Existence::Elsewhere) {
      return Walk::Elsewhere;
    }
    resolved.path.push_back(step);
    if (step.target == kNone) {
      return Walk::Left;
    }
    resolved.model = step.target;
  }
  return Walk::Arrived;
}

std::vector<std::string> split_hops(const std::string& text) {
  std::vector<std::string> hops;
  std::size_t begin = 0;
  for (std::size_t end = text.find("__"); end != std::string::npos; end = text.find("__", begin)) {
    hops.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  hops.push_back(text.substr(begin));
  return hops;
}

bool names_model(const IndexedModel& model, const sql::NamePart& part) {
  return part.text == model.model().name ||
         written_key(model.dialect(), part.text, part.quoted) ==
             written_key(model.dialect(), model.model().name, false);
}

bool is_shadowed(const IndexedModel& model, const sql::ColumnReference& reference) {
  const sql::NamePart& qualifier = reference.parts.front();
  const std::string key = written_key(model.dialect(), qualifier.text, qualifier.quoted);
  return std::any_of(reference.scopes.begin(), reference.scopes.end(), [&](const auto& scope) {
    return std::any_of(scope.aliases.begin(), scope.aliases.end(), [&](const std::string& alias) {
      return written_key(model.dialect(), alias, false) == key || alias == qualifier.text;
    });
  });
}

bool reaches_out(const SourceIndex& index, const sql::ColumnReference& reference) {
  return std::all_of(reference.scopes.begin(), reference.scopes.end(), [&](const auto& scope) {
    return scope.only_base_relations &&
           index.is_free_name(scope.relations, reference.parts.front());
  });
}

void find_physical(const IndexedModel& model, const sql::NamePart& part, Resolved& resolved) {
  resolved.leaf = Resolved::Leaf::Physical;
  resolved.physical_key = written_key(model.dialect(), part.text, part.quoted);
  resolved.physical_columns = model.physical.find_all(resolved.physical_key);
}

void find_sql_leaf(const SourceIndex& index, const sql::NamePart& part, Number self,
                   Resolved& resolved) {
  const IndexedModel& model = index.models()[resolved.model];
  resolved.name = part.text;
  if (model.model().mode() == SourceMode::Queries) {
    return;
  }
  const Number declared = find_declared(model, part.text, part.quoted);
  if (declared != kNone && declared != self) {
    resolved.leaf = Resolved::Leaf::Column;
    resolved.item = declared;
    return;
  }
  find_physical(model, part, resolved);
}

std::optional<Resolved> resolve_qualified(const SourceIndex& index, Resolved resolved, Number self,
                                          const sql::ColumnReference& reference) {
  const IndexedModel& model = index.models()[resolved.model];
  const std::vector<sql::NamePart>& parts = reference.parts;
  std::size_t first = names_model(model, parts.front()) ? 1 : 0;
  std::vector<std::string> hops;
  for (std::size_t number = first; number + 1 < parts.size(); ++number) {
    for (std::string& hop : split_hops(parts[number].text)) {
      hops.push_back(std::move(hop));
    }
  }
  // A qualifier that starts at no join is somebody else's: a schema, a struct column.
  const bool starts = hops.empty() || model.joins.find(hops.front()) != kNone;
  if (!starts && (parts.size() > 2 || !reference.scopes.empty())) {
    return std::nullopt;
  }
  switch (walk(index, hops, resolved)) {
    case Walk::Elsewhere:
      return std::nullopt;
    case Walk::Left:
      return resolved;
    case Walk::Arrived:
      find_sql_leaf(index, parts.back(), resolved.path.empty() ? self : kNone, resolved);
      return resolved;
  }
  return resolved;
}

void find_formula_leaf(const SourceIndex& index, const std::string& name,
                       FormulaReference::Kind kind, Resolved& resolved) {
  const IndexedModel& model = index.models()[resolved.model];
  resolved.name = name;
  const Number measure = model.measures.find(name);
  const Number column = model.columns.find(name);
  if (kind == FormulaReference::Kind::Bare && measure != kNone) {
    resolved.leaf = Resolved::Leaf::Measure;
    resolved.item = measure;
  } else if (column != kNone) {
    resolved.leaf = Resolved::Leaf::Column;
    resolved.item = column;
  } else if (measure != kNone) {
    resolved.leaf = Resolved::Leaf::Measure;
    resolved.item = measure;
  }
}

}  // namespace

std::optional<Resolved> resolve_sql(const SourceIndex& index, Number model, Number self,
                                    const sql::ExpressionFacts& facts,
                                    const sql::ColumnReference& reference) {
  const IndexedModel& indexed = index.models()[model];
  Resolved resolved;
  resolved.model = model;
  resolved.outermost = reference.scopes.empty();
  if (reference.parts.empty()) {
    return std::nullopt;
  }
  if (facts.opaque) {
    const sql::NamePart& part = reference.parts.front();
    const Number declared = find_declared(indexed, part.text, part.quoted);
    if (reference.parts.size() > 1 || declared == kNone || declared == self) {
      return std::nullopt;
    }
    find_sql_leaf(index, part, self, resolved);
    return resolved;
  }
  if (reference.parts.size() == 1) {
    if (!resolved.outermost && !reaches_out(index, reference)) {
      return std::nullopt;
    }
    find_sql_leaf(index, reference.parts.front(), self, resolved);
    return resolved;
  }
  if (is_shadowed(indexed, reference)) {
    return std::nullopt;
  }
  return resolve_qualified(index, std::move(resolved), self, reference);
}

std::optional<Resolved> resolve_path(const SourceIndex& index, Number model,
                                     const std::vector<std::string>& path,
                                     FormulaReference::Kind kind) {
  Resolved resolved;
  resolved.model = model;
  std::vector<std::string> hops = path;
  std::string leaf;
  if (kind != FormulaReference::Kind::Star && !hops.empty()) {
    leaf = std::move(hops.back());
    hops.pop_back();
  }
  if (!hops.empty() && hops.front() == index.models()[model].model().name &&
      index.models()[model].joins.find(hops.front()) == kNone) {
    hops.erase(hops.begin());
  }
  switch (walk(index, hops, resolved)) {
    case Walk::Elsewhere:
      return std::nullopt;
    case Walk::Left:
      return resolved;
    case Walk::Arrived:
      break;
  }
  if (!leaf.empty()) {
    find_formula_leaf(index, leaf, kind, resolved);
  }
  return resolved;
}

std::optional<Resolved> resolve_formula(const SourceIndex& index, Number model,
                                        const FormulaReference& reference) {
  std::optional<Resolved> resolved = resolve_path(index, model, reference.path, reference.kind);
  if (!resolved || reference.aggregation.empty()) {
    return resolved;
  }
  // A custom aggregation belongs to the model of the column, else to the model of the formula.
  for (const Number owner : {resolved->model, model}) {
    const Number number = index.models()[owner].aggregations.find(reference.aggregation);
    if (number != kNone) {
      resolved->aggregation_model = owner;
      resolved->aggregation = number;
      break;
    }
  }
  return resolved;
}

}  // namespace kedge::models
