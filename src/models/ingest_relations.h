// The relations of a live schema that an ingest looks at, and which model stands for each of them.
// Private to ingest.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/ingest.h"

namespace kedge::models {

struct IngestColumn {
  std::string name;
  schema::Type type;
  std::string comment;
};

struct IngestRelation {
  schema::Name name;
  std::vector<IngestColumn> columns;
  std::vector<std::string> primary_key;
  std::vector<schema::ForeignKey> foreign_keys;
  std::string comment;
  std::string model;  // the model that stands for it: persisted or to be created; may be empty
};

// In name order; bookkeeping tables, partitions and what is out of scope are left out.
std::vector<IngestRelation> find_relations(const IngestInput& input);

RelationKeys relation_keys(const IngestInput& input);

// A persisted sql_table model over each relation, by the relation's key: the one of the relation's
// own name first, else the first by name.
std::unordered_map<std::string, const LoadedModel*> find_table_models(const IngestInput& input);

}  // namespace kedge::models
