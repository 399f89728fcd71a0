// What is kept of runs (spec/contracts.md 8.8, 17.6): the list of runs, cursor positions, and
// cleaning up. Nothing here opens a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "pipeline/state.h"

namespace kedge::app {

struct RunSummary {
  pipeline::RunRecord record;
  std::int64_t drifts = 0;
};
std::vector<RunSummary> list_runs(Context& context);  // newest first

pipeline::Cursors show_cursors(Context& context, const std::vector<std::string>& keys);

enum class CursorAction { Set, Rollback, Clear };
enum class Consent { Ask, Given, DryRun };  // Ask: refused, since nothing was consented to
struct CursorChange {
  CursorAction action = CursorAction::Set;
  std::string key;
  std::string value;   // Set
  std::string run_id;  // Rollback
  std::string reason;
  Consent consent = Consent::Ask;
};
struct CursorResult {
  std::string key;
  std::optional<std::string> before;
  std::optional<std::string> after;
  bool stored = false;
};
CursorResult change_cursor(Context& context, const CursorChange& change);

enum class Purge { Staging, Runs };
struct CleanRequest {
  std::optional<std::int64_t> keep_last;
  std::optional<std::string> older_than;  // a duration
  Purge purge = Purge::Staging;
  Consent consent = Consent::Given;
};
std::vector<std::string> clean_runs(Context& context, const CleanRequest& request);

}  // namespace kedge::app
