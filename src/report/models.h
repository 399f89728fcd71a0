// What validate-models and ingest say, as text and as JSON (models.md 10, 11, 12, 14.2).
#pragma once

#include <string>
#include <vector>

#include "app/models.h"
#include "document/json.h"

namespace kedge::report {

// Part: something could not be checked, so that no entry does not mean no drift.
enum class Checked { All, Part };
std::string entries_text(const std::vector<models::ToDeleteEntry>& entries,
                         const std::vector<models::RenameHint>& hints,
                         Checked checked = Checked::All);
document::Json entries_json(const std::vector<models::ToDeleteEntry>& entries);

// One JSON line for each thing that could not be checked, for stderr.
std::string failure_lines(const std::vector<models::CheckFailure>& failures);
std::string failure_text(const std::vector<models::CheckFailure>& failures);
std::string warnings_text(const std::vector<Finding>& findings);  // warnings only

document::Json apply_json(const models::ApplyDriftResult& result);
std::string apply_text(const models::ApplyDriftResult& result);

document::Json ingest_json(const models::IdempotentIngestResult& result);
std::string ingest_text(const models::IdempotentIngestResult& result);

document::Json renames_json(const std::vector<models::RenameCandidate>& renames);
std::string renames_text(const std::vector<models::RenameCandidate>& renames);

document::Json import_json(const app::ImportModelsResult& result);
std::string import_text(const app::ImportModelsResult& result);

enum class ChainFormat { Text, Json, Mermaid, Dot };
std::string explanation(const std::vector<models::ExplainedDrop>& drops, ChainFormat format);

}  // namespace kedge::report
