// One query object as SQL (models.md 6.2): names resolved, filters classified, one SELECT and the
// common table expressions that it needs. Internal to src/query; compile.h puts stages together.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"
#include "query/formula_sql.h"
#include "query/joins.h"
#include "query/relation.h"

namespace kedge::query {

// A column of the result.
struct Output {
  std::string key;     // "shipments.depots.city"
  std::string column;  // of a stage: "depots__city"
  std::optional<ColumnType> type;
  std::optional<Granularity> granularity;
  std::string label;
  std::optional<models::Format> format;
};

// What the stages of one statement share.
struct Statement {
  SqlDialect dialect = SqlDialect::Generic;
  std::int64_t now_milliseconds = 0;
  std::vector<std::pair<std::string, std::string>> tables;  // WITH: name, SELECT; in order
  std::set<std::string> touched;
  std::size_t counter = 0;
  // A fresh name for a common table expression, which no table is likely to have.
  std::string add_table(const std::string& hint, std::string select);
};

enum class Naming { Keys, Columns };  // of the final SELECT's columns: result keys, stage columns

struct StageSql {
  std::string select;
  std::vector<Output> outputs;
};

// What an output is called in the SQL of a stage: its column, or a short word for a long one.
std::string stage_column(const std::vector<Output>& outputs, const Output& output);

StageSql compile_stage(Statement& statement, const FindRelation& find, const RelationPointer& root,
                       const models::Query& query, Naming naming);

}  // namespace kedge::query
