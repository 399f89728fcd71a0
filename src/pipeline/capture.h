// Change capture of PostgreSQL tables (spec/contracts.md 12.5, 17.1): a logical replication slot
// tells which keys have changed since the last delivered run; their rows are then read as they are
// now. A key without a row was deleted and lands with _kedge_deleted = true. What is read twice
// merges to the same, so a slot is only moved on after the run that delivered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/engine.h"
#include "pipeline/land.h"

namespace kedge::pipeline {

inline constexpr std::string_view kCapturePosition = "LSN";  // type of the stored position

// The first time, and with --full-refresh, the whole table lands and a slot is made. A run that
// writes nothing (kedge test) makes none.
struct CaptureRequest {
  const ReadSpec& read;
  std::optional<StoredCursor> stored;
  SlotUse use = SlotUse::Keep;
};
struct Captured {
  std::vector<contracts::ShapeColumn> source;
  std::string position;  // empty: nothing to remember
};
Captured land_captured(const Engine& engine, db::Connection& staging,
                       const CaptureRequest& request);

// Did the landed table take in the whole entity? Then keys it does not have are deletions.
// `database`: an attached one; empty: the run's own.
bool is_snapshot(db::Connection& staging, const std::string& table,
                 const std::string& database = {});
void mark_snapshot(db::Connection& staging, const std::string& table);

// After the position was stored: the server may forget what came before it.
void release_changes(const Engine& engine, const ReadSpec& read, const std::string& position);

// Why change capture of the entity is not possible there; nothing when it is. For validate
// --connect.
std::optional<Problem> refuse_capture(db::Connection& source, const ReadSpec& read);

}  // namespace kedge::pipeline
