// One document -> one model or query object, with every mistake at its place. Reading checks what a
// single document can tell (models.md 2, 3, 5); rules that need other models are in store.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "kedge/finding.h"
#include "models/model.h"

namespace kedge::models {

struct ReadContext {
  std::string file;         // for positions
  std::string data_source;  // of the folder or the query
  SqlDialect dialect = SqlDialect::Generic;
};

template <typename Value>
struct ReadResult {
  Value value;
  std::vector<Problem> errors;    // not empty: the value must not be used
  std::vector<Problem> warnings;  // newer_version, multi_dot_rewritten, sql_unparsed, ...
};

ReadResult<Model> read_model(const document::Node& node, const ReadContext& context);
ReadResult<Query> read_query(const document::Node& node, const ReadContext& context);

}  // namespace kedge::models
