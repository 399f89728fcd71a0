#include "models/direct.h"

#include <utility>

#include "kedge/codes.h"

namespace kedge::models {
namespace {

std::string type_reason(const Column& column, const LiveColumn& live) {
  return "Live column '" + live.name + "' is " +
         (live.type.empty() ? schema::to_string(live.bucket)
                            : live.type + " (" + schema::to_string(live.bucket) + ")") +
         ", the model says " + to_string(column.type) + " (" +
         schema::to_string(bucket_of(column.type)) + ")";
}

bool drifts(const Column& column, const LiveColumn& live) {
  return live.bucket != schema::Bucket::Undetermined && live.bucket != bucket_of(column.type);
}

void compare_table_column(const IndexedModel& model, Number number,
                          std::vector<DirectFinding>& findings) {
  const Column& column = model.model().columns[number];
  if (!column.is_base()) {
    return;
  }
  const Number live = find_live(model, column);
  if (live != kNone) {
    const LiveColumn& found = (*model.shape->columns)[live];
    if (drifts(column, found)) {
      findings.push_back({number, codes::type_changed, type_reason(column, found)});
    }
  } else if (!is_pseudo_column(model.dialect(), column.physical->text)) {
    findings.push_back(
        {number, codes::column_missing, "Live column '" + column.physical->text + "' not found"});
  }
}

void compare_result_column(const IndexedModel& model, Number number,
                           std::vector<DirectFinding>& findings) {
  const Column& column = model.model().columns[number];
  Number live = find_live_name(model, column.name);
  if (live == kNone && column.is_base()) {
    live = find_live(model, column);
  }
  if (live != kNone) {
    const LiveColumn& found = (*model.shape->columns)[live];
    if (drifts(column, found)) {
      findings.push_back({number, codes::type_changed, type_reason(column, found)});
    }
  } else if (column.is_base()) {
    findings.push_back({number, codes::column_not_in_result,
                        "The model's SQL gives no column '" + column.physical->text + "'"});
  }
}

}  // namespace

std::vector<DirectFinding> find_direct_drift(const IndexedModel& model) {
  std::vector<DirectFinding> findings;
  if (!model.shape || model.model().mode() == SourceMode::Queries) {
    return findings;
  }
  switch (model.shape->state) {
    case LiveShape::State::Unknown:
    case LiveShape::State::Opaque:
      return findings;
    case LiveShape::State::Missing:
      findings.push_back({kNone, codes::table_missing,
                          "Live table '" + model.model().sql_table +
                              "' not found in data source '" + model.model().data_source + "'"});
      return findings;
    case LiveShape::State::Broken:
      findings.push_back(
          {kNone, codes::sql_broken, "The model's SQL does not run: " + model.shape->message});
      return findings;
    case LiveShape::State::Present:
      break;
  }
  for (Number number = 0; number < model.model().columns.size(); ++number) {
    if (model.model().mode() == SourceMode::Table) {
      compare_table_column(model, number, findings);
    } else {
      compare_result_column(model, number, findings);
    }
  }
  return findings;
}

}  // namespace kedge::models
