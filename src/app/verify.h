// The migrate gates of `kedge verify` (spec/migrate.md 15): live database against metadata, the
// chain replayed, the replay against the snapshot. Nothing is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/migrate_setup.h"
#include "kedge/change.h"
#include "kedge/diff.h"
#include "kedge/finding.h"

namespace kedge::app {

struct DriftLine {
  char sign = '~';
  std::string noun;
  std::string detail;
  std::optional<Change> change;  // not for lines about migrations
  std::string migration;         // for those: its name, and what is wrong with it
  std::optional<Problem> problem;
};

struct VerifyResult {
  std::string dialect;
  std::string target;  // "d1:DB (local)"
  std::vector<DriftLine> drift;
  std::vector<diff::Unmanaged> unmanaged;
  std::vector<diff::Unmanaged> external;
  std::vector<diff::Unmanaged> out_of_scope;
  std::vector<Finding> warnings;
  std::vector<Problem> problems;  // ERR_SNAPSHOT_STALE, ERR_REPLAY_FAILED, ...
  std::string summary;            // one line for people
  std::size_t checked = 0;        // tables and views, or migrations
  int exit = 0;
};

struct VerifyDatabaseRequest {
  DatabaseFlags database;
  bool lax = false;
};
VerifyResult verify_database(Context& context, const VerifyDatabaseRequest& request);

struct VerifyReplayRequest {
  DatabaseFlags database;
  bool with_down = false;
  bool against_snapshot = false;
};
VerifyResult verify_replay(Context& context, const VerifyReplayRequest& request);

}  // namespace kedge::app
