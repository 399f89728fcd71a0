// From the files of a project to a resolved model (spec/metadata.md). Every error of every file is
// collected; nothing is thrown for bad content. Also the way for tests: texts instead of files.
#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "kedge/metadata.h"

namespace kedge::metadata {

// Walks the sources of the settings below `folder` (the project) and loads them all.
// `found_any` of the result's model: files is empty when there is no metadata at all.
LoadResult load_metadata(const base::FileSystem& files, const std::string& folder,
                         const Settings& settings);

struct SourceText {
  std::string file;  // project-relative path; .json is JSON, else YAML
  std::string text;
};
LoadResult load_texts(std::vector<SourceText> texts, const Settings& settings);

// Throws the first error with all others as notes; for commands that need a whole model.
// ERR_NO_METADATA when no file was found.
void require_loaded(const LoadResult& result);

}  // namespace kedge::metadata
