// Delete entries as JSON and back (models.md 10): the shape of every surface and of --from FILE.
#pragma once

#include <string>
#include <vector>

#include "document/json.h"
#include "document/node.h"
#include "kedge/models.h"

namespace kedge::models {

document::Json to_json(const ToDeleteEntry& entry);
document::Json to_json(const std::vector<ToDeleteEntry>& entries);
std::string tool_of(const ToDeleteEntry& entry);  // "edit_model", "delete_model"

// One entry or a list. Short forms are accepted: missing lists are empty, reasons may be missing.
// Throws ERR_USAGE with the place of the first mistake.
std::vector<ToDeleteEntry> read_entries(const std::string& file, std::string text);

}  // namespace kedge::models
