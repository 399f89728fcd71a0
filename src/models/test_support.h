// Helpers of the models tests: a project as texts, live tables as one line each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/cascade.h"
#include "models/live.h"
#include "models/store.h"

namespace kedge::models::test {

// "id:number city:string"; a column without a bucket is undetermined.
LiveShape live_table(const std::string& columns);

struct Project {
  SqlDialect dialect = SqlDialect::Sqlite;
  std::map<ModelId, std::string> texts;
  LiveShapes live;

  // Adds models/main/<name>.yml; the first line of `text` is not "name:".
  Project& model(const std::string& name, const std::string& text);
  Project& table(const std::string& model, const std::string& columns);
  Project& missing(const std::string& model);

  ModelSet load() const;  // fails the test when a file has errors
  std::vector<ToDeleteEntry> drops(const CascadeOptions& options = {}) const;
};

// "~main/crates column:kg=column_missing column:tons=references_dropped_column", one line an entry;
// '-' for a whole model.
std::string shown(const std::vector<ToDeleteEntry>& entries);

}  // namespace kedge::models::test
