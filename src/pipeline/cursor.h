// Cursor positions of incremental reads (spec/contracts.md 17.4): the literal that a pipeline
// compares with, and the candidate that a finished load offers.
#pragma once

#include <optional>
#include <string>

#include "pipeline/engine.h"
#include "pipeline/record.h"

namespace kedge::pipeline {

// PZ0505 when the stored type is not the contract's.
void check_stored_type(const ReadSpec& read, const StoredCursor& stored);
// The newest cursor value of the landed rows; PZ0505 when its type cannot be a cursor. nullopt: no
// rows, or only NULLs.
std::optional<WatermarkRecord> find_candidate(db::Connection& staging, const ReadSpec& read,
                                              const std::optional<StoredCursor>& stored);
// What watermark() renders to. Without a stored value every row passes.
std::string watermark_literal(const std::optional<StoredCursor>& stored, const std::string& type,
                              const std::string& comparison);

}  // namespace kedge::pipeline
