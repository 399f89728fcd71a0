// Carrying out delete entries on the files (models.md 11): a copy of each file first, then the
// smallest edit of its text. The caller holds the project's lock. A run that is cut off leaves a
// list of what it had not done yet; the next one completes it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "kedge/models.h"
#include "models/store.h"

namespace kedge::models {

struct ApplyRequest {
  std::string folder;                              // of the project
  std::map<std::string, SqlDialect> data_sources;  // the known connections
  std::string stamp;                               // names the trash folder
  std::map<ModelId, std::string> file_hashes;      // see ApplyOptions
};

struct ApplyOutcome {
  std::vector<AppliedEntry> applied;
  std::vector<ApplyError> errors;
};

ApplyOutcome apply_entries(base::FileSystem& files, const ApplyRequest& request,
                           std::span<const ToDeleteEntry> entries);

// The text of a model file without what the entry removes. Throws invalid_result or
// query_backed_edit.
std::string edit_model_text(const std::string& path, const std::string& text,
                            const EditModelDelete& entry, SqlDialect dialect);

// Completes what an interrupted run left. Gives what was done now; empty when there was nothing.
ApplyOutcome complete_pending(base::FileSystem& files, const ApplyRequest& request);
bool has_pending(const base::FileSystem& files, const std::string& folder);

}  // namespace kedge::models
