// What a database has now, as plain values: the relations of a data source and, for each model, the
// shape of its source. Made by live_reader.h from a real database, by hand in tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kedge/schema.h"
#include "kedge/type.h"
#include "models/table_names.h"

namespace kedge::models {

struct LiveColumn {
  std::string name;
  schema::Bucket bucket = schema::Bucket::Undetermined;
  std::string type;  // the server's spelling, for people
};
using LiveColumns = std::vector<LiveColumn>;

struct LiveRelation {
  schema::Name name;  // an empty schema is the default one
  std::shared_ptr<const LiveColumns> columns;
};

// The source of one sql_table or sql model.
struct LiveShape {
  enum class State {
    Unknown,  // not looked at: nothing is said about it
    Present,
    Missing,  // no such table or view
    Broken,   // the text of a sql model does not run
    Opaque    // could not be checked: nothing on it is drift
  };
  State state = State::Unknown;
  std::shared_ptr<const LiveColumns> columns;  // Present
  std::string message;                         // Broken: the database's own words
};

struct LiveSource {
  SqlDialect dialect = SqlDialect::Generic;
  std::vector<LiveRelation> relations;      // sorted by name
  std::map<std::string, LiveShape> models;  // by model name
  Sight sight;
  std::string default_schema;  // of relations whose schema is empty
};

// The bucket of a live type. `engine` is the connection's: Ansi where ODBC reaches a database,
// whose types are then told by the names that `dialect` has for them.
schema::Bucket bucket_of(const schema::Type& type, schema::Dialect engine, SqlDialect dialect);
// The type of a model's column that fits a live one: "INT", "TEXT", ...
std::string column_type_of(const schema::Type& type, schema::Dialect engine, SqlDialect dialect);

using LiveShapes = std::map<std::string, LiveSource>;  // by data source

}  // namespace kedge::models
