// `kedge metadata import`: metadata files from a live database, such that migrate against it
// proposes nothing. What the language cannot say is listed and left alone.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"

namespace kedge::app {

struct MetadataImportRequest {
  std::string db;  // connection name or URL; empty: migrate.target
  std::string out = "metadata";
};

struct LeftAlonePart {
  std::string name;  // table, view, or "table.constraint"
  std::string why;
};

struct MetadataImportResult {
  std::vector<std::string> written;
  std::size_t entities = 0;
  std::size_t views = 0;
  std::vector<LeftAlonePart> left_alone;
};

// Throws ERR_FILE_EXISTS before anything is written.
MetadataImportResult import_metadata(Context& context, const MetadataImportRequest& request);

}  // namespace kedge::app
