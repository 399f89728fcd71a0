// Idempotent ingest (models.md 12): what a live schema adds to the models of a data source.
// Planning is pure: schema and files in, new texts out; nothing that exists is ever touched.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kedge/models.h"
#include "kedge/schema.h"
#include "models/store.h"
#include "models/table_names.h"

namespace kedge::models {

struct IngestInput {
  std::string data_source;
  SqlDialect dialect = SqlDialect::Generic;
  const schema::Schema& schema;
  const ModelStore& store;                   // of the data source
  std::map<std::string, std::string> texts;  // of the readable models, by model name
  IngestOptions options;
  Sight sight;
};

struct IngestChange {
  IngestAddition addition;
  std::string text;  // of the whole file
};

struct IngestPlan {
  std::vector<IngestChange> changes;  // in name order
  std::vector<IngestError> errors;    // in name order
  std::vector<Finding> warnings;
};

IngestPlan plan_ingest(const IngestInput& input);

// A live name as a column name: what names must not hold becomes '_', "_count" "count_col".
std::string column_name_of(const std::string& live);
// A relation's name as a model name.
std::string model_name_of(const std::string& relation);

}  // namespace kedge::models
