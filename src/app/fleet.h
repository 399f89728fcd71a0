// One wanted shape against hundreds of databases: introspected concurrently with a limit, grouped
// by what separates them from it. Resumable: what was done stands in a state file and is not done
// again.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "kedge/change.h"
#include "kedge/diff.h"
#include "kedge/finding.h"
#include "kedge/schema.h"

namespace kedge::app {

struct FleetMember {
  std::string name;  // connection name or redacted URL
  db::ConnectionSettings settings;
};

enum class FleetState { InLine, Drifted, Unreachable };
std::string to_string(FleetState state);  // "in-line", "drifted", "unreachable"

struct FleetResult {
  std::string name;
  FleetState state = FleetState::InLine;
  std::string fingerprint;           // of the live shape; empty when unreachable
  std::vector<std::string> changes;  // describe() of each change that would bring it in line
  std::string message;               // Unreachable: why
  double seconds = 0;
  bool from_before = false;  // taken from the state file
};

// Databases with the same changes (or all in line; or unreachable for the same reason).
struct FleetGroup {
  FleetState state = FleetState::InLine;
  std::vector<std::string> changes;
  std::string message;               // Unreachable: of the first member
  std::vector<std::string> members;  // sorted
};

struct FleetRequest {
  std::vector<FleetMember> members;
  schema::Schema wanted;
  diff::Options options;
  std::size_t concurrency = 8;
  std::string state_file;  // empty: not resumable
};

struct FleetReport {
  std::vector<FleetResult> results;  // in the order of members
  std::vector<FleetGroup> groups;    // in line, then drifted (largest first), then unreachable
  double seconds = 0;
};

// Never throws for one member: it is then unreachable.
FleetReport check_fleet(Context& context, const FleetRequest& request);

struct FleetFlags {
  std::optional<std::string> file;       // one connection name or URL a line
  std::optional<std::string> databases;  // "data/*.sqlite"
  std::string reference = "metadata:";   // SRC of the wanted shape
  std::size_t concurrency = 8;
  std::optional<std::string> state_file;
};
// Throws ERR_USAGE for an empty fleet, and what the reference cannot be read for.
FleetRequest prepare_fleet(Context& context, const FleetFlags& flags);

std::vector<FleetGroup> group_fleet(const std::vector<FleetResult>& results);

}  // namespace kedge::app
