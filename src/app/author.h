// Writing a plan as migration files and a snapshot, all or nothing (spec/migrate.md 11).
#pragma once

#include <string>
#include <vector>

#include "app/migrate_setup.h"
#include "kedge/schema.h"
#include "migrate/plan.h"

namespace kedge::app {

struct AuthorRequest {
  const migrate::Plan* plan = nullptr;
  std::string slug;  // empty: from the first change
  migrate::Online online = migrate::Online::No;
  std::vector<std::string> allow;
  std::string parent;                    // fingerprint of the snapshot before; may be empty
  const schema::Schema* next = nullptr;  // the snapshot after; null: none is kept (d1)
};

struct Authored {
  std::vector<std::string> names;
  std::vector<std::string> written;  // absolute paths, snapshot last
  std::vector<std::string> folders;  // default layout: the migrations' folders
  std::optional<std::string> snapshot_before;
};

// Throws ERR_FILE_EXISTS; removes what it wrote when a later write fails.
Authored author(Context& context, const MigrateSetup& setup, const AuthorRequest& request);
// A migration that could not be applied goes to <dir>/.failed; the snapshot goes back.
void set_aside(Context& context, const MigrateSetup& setup, const Authored& authored);

std::string slug_of(const std::vector<migrate::PlannedChange>& changes);

}  // namespace kedge::app
