#include "pipeline/file_format.h"

#include "base/text.h"

namespace kedge::pipeline {

bool is_compressed(std::string_view path) {
  return path.ends_with(".gz");
}

std::string format_of(const project::FileFormat& file, std::string_view fallback) {
  if (file.format) {
    return file.format->text;
  }
  std::string path = file.path ? file.path->text : "";
  if (is_compressed(path)) {
    path.erase(path.size() - 3);
  }
  const std::string extension = base::extension(path);
  if (extension == "ndjson" || extension == "jsonl") {
    return "json";
  }
  const bool known =
      extension == "csv" || extension == "tsv" || extension == "json" || extension == "parquet";
  return known ? extension : std::string(fallback);
}

}  // namespace kedge::pipeline
