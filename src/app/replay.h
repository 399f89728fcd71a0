// The committed chain in a throw-away engine (spec/migrate.md 15.3-15.5, 16): does it apply, does
// it lead to the snapshot, do its downs lead back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/migrate_setup.h"
#include "kedge/diff.h"

namespace kedge::app {

enum class WithDown { No, Yes };

struct Replay {
  std::size_t migrations = 0;
  schema::Schema schema;           // what the chain leads to
  std::optional<Problem> failure;  // ERR_REPLAY_FAILED
  std::vector<Finding> warnings;   // forks
};

// Throws ERR_NO_DIALECT, ERR_UNSUPPORTED, ERR_SCRATCH_UNAVAILABLE.
enum class EndShape { Read, NotNeeded };  // Replay::schema
Replay replay_chain(const Context& context, const MigrateSetup& setup, WithDown with_down,
                    EndShape shape = EndShape::Read);
[[noreturn]] void refuse_d1_replay();
void check_replayable(const MigrateSetup& setup);

struct ScratchConnection {
  std::unique_ptr<db::ScratchDatabase> database;
  std::unique_ptr<db::Connection> connection;
};
ScratchConnection open_scratch(const Context& context, const MigrateSetup& setup);

}  // namespace kedge::app
