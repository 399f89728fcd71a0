// Reading the models of other tools (dbt semantic layer, Cube) into kedge models. One way only;
// what has no counterpart is listed with its place, never lost silently.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "document/node.h"
#include "kedge/finding.h"
#include "models/names.h"

namespace kedge::models {

enum class ImportFormat { Dbt, Cube };

struct ImportedModel {
  std::string name;
  std::string text;  // of the model file
  Position origin;
};

struct ImportResult {
  std::vector<ImportedModel> models;  // by name
  std::vector<Finding> skipped;       // import_skipped, in file order
};

// Types of live columns by table and column, both folded: "INT", "TEXT", ... They replace what the
// other tool does not say.
using KnownTypes = std::map<std::string, std::map<std::string, std::string>>;

struct ImportInput {
  ImportFormat format = ImportFormat::Dbt;
  std::span<const document::Document> documents;
  std::string data_source;
  SqlDialect dialect = SqlDialect::Generic;
  KnownTypes types;
};

// Whether any document has a list that the format defines models or metrics in.
bool holds_definitions(const ImportInput& input);
ImportResult import_models(const ImportInput& input);

}  // namespace kedge::models
