#include "app/impact_reads.h"

#include <algorithm>

#include "app/simulate_views.h"
#include "contracts/type_name.h"
#include "dialect/dialect.h"
#include "pipeline/source.h"

namespace kedge::app {

std::vector<Loss> losses_of(const ShapeChange& change) {
  std::vector<Loss> found;
  for (const schema::Table& before : change.before.tables) {
    const schema::Table* after = schema::find_table(change.after, before.name);
    if (after == nullptr) {
      found.push_back({before.name, ""});
      continue;
    }
    for (const schema::Column& column : before.columns) {
      const schema::Column* now = schema::find_column(*after, column.name);
      if (now == nullptr) {
        found.push_back({before.name, column.name.text()});
      } else if (now->type != column.type) {
        const schema::Dialect dialect = change.before.engine.dialect;
        if (dialect::to_duckdb(dialect, column.type) != dialect::to_duckdb(dialect, now->type)) {
          found.push_back({before.name, column.name.text(), true});
        }
      }
    }
  }
  for (const schema::View& before : change.before.views) {
    const schema::View* after = schema::find_view(change.after, before.name);
    if (after == nullptr) {
      found.push_back({before.name, ""});
      continue;
    }
    for (const schema::ViewColumn& column : before.columns) {
      const auto now =
          std::find_if(after->columns.begin(), after->columns.end(),
                       [&](const schema::ViewColumn& one) { return one.name == column.name; });
      if (now == after->columns.end()) {
        found.push_back({before.name, column.name.text()});
      } else if (now->type != column.type) {
        found.push_back({before.name, column.name.text(), true});
      }
    }
  }
  return found;
}

ReadUse::ReadUse(const ShapeChange& change, const pipeline::ReadSpec& read) : query_(read.query) {
  if (is_query()) {
    schema::View view;
    view.body = read.query;
    reads_ = reads_of(change.before, view);
    return;
  }
  const schema::Name wanted = pipeline::entity_name(read.entity);
  if (const schema::Table* table = pipeline::find_entity(change.before, wanted)) {
    relation_ = table->name;
  } else if (const schema::View* view = pipeline::find_entity_view(change.before, wanted)) {
    relation_ = view->name;
  }
}

Use ReadUse::of(const Loss& loss) const {
  if (relation_ == loss.relation) {
    return Use::Named;
  }
  for (const ViewRead& one : reads_) {
    if (one.relation != loss.relation) {
      continue;
    }
    const bool named = std::find(one.columns.begin(), one.columns.end(), Identifier(loss.column)) !=
                       one.columns.end();
    return loss.column.empty() || named ? Use::Named : one.everything ? Use::Star : Use::None;
  }
  return Use::None;
}

contracts::FetchedShape declared_shape(const pipeline::ReadSpec& read,
                                       const contracts::Baselines& baselines) {
  contracts::FetchedShape shape;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    shape.columns.push_back({column.source, column.type, "", true});
  }
  const auto baseline = baselines.find(read.label);
  if (shape.columns.empty() && baseline != baselines.end()) {
    for (const contracts::ShapeColumn& column : baseline->second.shape.columns) {
      shape.columns.push_back(
          {column.name, contracts::duckdb_type(column.type), column.native.value_or(""), true});
    }
  }
  return shape;
}

namespace {

// The column as the table has it now, where the query hands it on.
void retype(const ShapeChange& change, const Loss& loss, const std::string& query,
            contracts::FetchedShape& shape) {
  const schema::Table* table = schema::find_table(change.after, loss.relation);
  if (table == nullptr) {
    return;
  }
  for (const contracts::FetchedColumn& now :
       pipeline::fetched_of(change.before.engine.dialect, *table).columns) {
    for (contracts::FetchedColumn& column : shape.columns) {
      const auto handed_on =
          hands_on(change.before, query, column.name, loss.relation, Identifier(loss.column));
      if (now.name == loss.column && handed_on.value_or(column.name == loss.column)) {
        const std::string name = column.name;
        column = now;
        column.name = name;
      }
    }
  }
}

}  // namespace

std::optional<contracts::FetchedShape> shape_after(const ShapeChange& change,
                                                   const std::vector<Loss>& losses,
                                                   const ReadUse& use,
                                                   contracts::FetchedShape shape) {
  for (const Loss& loss : losses) {
    const Use found = use.of(loss);
    if (found == Use::None) {
      continue;
    }
    if (loss.retyped) {
      retype(change, loss, use.query(), shape);
    } else if (found == Use::Named) {
      return std::nullopt;
    } else {
      std::erase_if(shape.columns, [&](const contracts::FetchedColumn& column) {
        return column.name == loss.column;
      });
    }
  }
  return shape;
}

}  // namespace kedge::app
