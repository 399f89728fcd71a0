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

// The part of an incremental read that a run takes in (17.6). Values as they are stored.
struct CursorRange {
  std::string from;  // empty: from the start
  bool inclusive = false;
  std::string to;  // inclusive; empty: no end
};
// From the stored value, or `initial:`, to `until:`. A window begins at the first value in it.
CursorRange cursor_range(const ReadSpec& read, const std::optional<StoredCursor>& stored);
// `max_window` after a value, not beyond `until:`. Of the type of the cursor, computed by DuckDB.
std::string window_end(db::Connection& staging, const ReadSpec& read, const std::string& type,
                       const std::string& begin);
// Why the options of a window do not go together with a cursor of the type; empty: they do.
std::string window_problem(const Cursor& cursor, const schema::Type& type);
// Leaves only the rows of the range, and of its first window, in the landed table.
void keep_range(db::Connection& staging, const ReadSpec& read, const CursorRange& range);

}  // namespace kedge::pipeline
