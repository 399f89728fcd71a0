// `kedge schema-files`: JSON Schemas (draft 2020-12) of the files that people write, for editors.
// They say what one file can tell by itself; what needs other files is the guards' business.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "document/json.h"

namespace kedge::app {

struct SchemaFile {
  std::string name;    // "project.schema.json"
  std::string covers;  // "project.yml"
  document::Json schema;
};

std::vector<SchemaFile> schema_files();  // sorted by name

struct SchemaFilesRequest {
  std::string out = ".kedge/schemas";  // relative to the project folder
};

struct SchemaFilesResult {
  std::vector<SchemaFile> files;
  std::vector<std::string> written;  // paths, as `out` is given; in the order of `files`
};

SchemaFilesResult write_schema_files(const Context& context, const SchemaFilesRequest& request);

// The parts, one a kind of file.
document::Json connections_schema();
document::Json metadata_schema();

}  // namespace kedge::app
