// A query, or a list of stages, as one SELECT over the models of a data source (models.md 5, 6).
// Pure: no database, no files; the clock comes in as a number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/model_set.h"
#include "query/stage.h"

namespace kedge::query {

using Variables = std::map<std::string, document::Json>;

struct CompileRequest {
  const models::ModelSet& models;
  std::string data_source;
  SqlDialect dialect = SqlDialect::Generic;
  std::vector<models::Query> stages;  // the last one is the result; the others in any order
  std::string model;                  // instead of stages: a query-backed model
  Variables variables;                // given at run time
  std::int64_t now_milliseconds = 0;
};

struct CompiledQuery {
  std::string sql;
  std::vector<Output> outputs;
  std::vector<std::string> touched;  // sorted names of the models that the query touches
};

// Throws the codes of models.md 16 ("queries"), unknown_model, column_cycle, measure_cycle,
// stage_cycle, duplicate_name, invalid_name.
CompiledQuery compile(const CompileRequest& request);

}  // namespace kedge::query
