#include "models/facts.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace kedge::models {
namespace {

ColumnFacts column_facts(const Column& column, sql::Flavour dialect) {
  ColumnFacts facts;
  if (!column.is_base() && column.sql) {
    facts.sql = sql::analyse_expression(*column.sql, dialect);
  }
  if (column.filter) {
    facts.filter = sql::analyse_expression(*column.filter, dialect);
  }
  return facts;
}

StageFacts stage_facts(const Query& stage, SqlDialect dialect) {
  StageFacts facts;
  for (const QueryMeasure& measure : stage.measures) {
    facts.measures.push_back(analyse_formula(measure.formula));
  }
  for (const Filter& filter : stage.filters) {
    facts.filters.push_back(analyse_formula(filter.text));
  }
  for (const OrderItem& order : stage.order) {
    facts.order.push_back(analyse_formula(order.column));
  }
  for (const Column& column : stage.source.columns) {
    facts.extension_columns.push_back(column_facts(column, analysed_as(dialect)));
  }
  for (const Measure& measure : stage.source.measures) {
    facts.extension_measures.push_back(analyse_formula(measure.formula));
  }
  for (const Model& model : stage.source.inline_model) {
    facts.inline_model.push_back(find_facts(model, dialect));
  }
  return facts;
}

}  // namespace

std::vector<std::string> split_path(std::string_view dotted) {
  return base::split(dotted, '.');
}

ModelFacts find_facts(const Model& model, SqlDialect dialect) {
  const sql::Flavour analysed = analysed_as(dialect);
  ModelFacts facts;
  facts.columns.reserve(model.columns.size());
  for (const Column& column : model.columns) {
    facts.columns.push_back(column_facts(column, analysed));
  }
  for (const Measure& measure : model.measures) {
    facts.measures.push_back(analyse_formula(measure.formula));
  }
  for (const Aggregation& aggregation : model.aggregations) {
    AggregationFacts item;
    if (aggregation.formula) {
      item.formula = sql::analyse_expression(*aggregation.formula, analysed);
    }
    for (const AggregationParameter& parameter : aggregation.params) {
      item.params.push_back(parameter.sql.empty()
                                ? sql::ExpressionFacts{}
                                : sql::analyse_expression(parameter.sql, analysed));
    }
    facts.aggregations.push_back(std::move(item));
  }
  for (const Filter& filter : model.filters) {
    facts.filters.push_back(sql::analyse_expression(filter.text, analysed));
  }
  for (const Query& stage : model.source_queries) {
    facts.stages.push_back(stage_facts(stage, dialect));
  }
  return facts;
}

}  // namespace kedge::models
