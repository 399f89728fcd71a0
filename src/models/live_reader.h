// Live shapes from real databases (models.md 8): introspection and zero-row SELECTs, read-only. A
// database or relation that cannot be read is a failure and makes what depends on it opaque; only
// what the database itself calls missing or wrong is ever read as drift (8.4).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "db/connection.h"
#include "dialect/catalogs.h"
#include "kedge/models.h"
#include "models/drop_graph.h"
#include "models/live.h"
#include "models/model_set.h"

namespace kedge::models {

// How to reach one data source.
struct DataSource {
  std::string name;
  SqlDialect dialect = SqlDialect::Generic;
  db::ConnectionSettings settings;
};

struct LiveReading {
  LiveSource source;
  schema::Schema schema;  // as introspected: keys, foreign keys, comments
  std::vector<CheckFailure> failures;
  std::vector<DeepCandidate> accepted;  // sorted; only when the depth is Deep
  bool failed = false;                  // the data source as a whole: nothing may be said about it
};

struct ReadRequest {
  const DataSource& source;
  const ModelSet& models;
  Scope scope;
  Depth depth = Depth::Declared;
  const schema::Schema* known = nullptr;  // introspected a moment ago: not read again
  dialect::Catalogs* catalogs = nullptr;  // shared with others who look at the same databases
};

LiveReading read_live(const db::Registry& registry, const ReadRequest& request);
// From `request.known` alone, without a database: sql models stay opaque.
LiveReading read_known(const ReadRequest& request);

// The failure as models name it: connection_failed, permission_denied, timeout or
// introspection_failed.
CheckFailure make_failure(const std::string& data_source, const std::string& model,
                          const Error& error);

// The text of a sql model, ready to stand between parentheses (8.2).
std::string inner_sql(const std::string& sql, SqlDialect dialect);

}  // namespace kedge::models
