// What a project took over from a database that was there before its chain (`migrate baseline`,
// spec/migrate.md 14.1): tables, views and other objects that no migration makes, so that a replay
// of the chain need not lead to them. Kept beside the snapshot, to be committed with it.
#pragma once

#include <set>
#include <string>

#include "app/migrate_setup.h"
#include "kedge/schema.h"

namespace kedge::app {

// `<dir>/.adopted.<dialect>.json`: {"format": "kedge-adopted/1", "objects": ["schema.name", ...]}.
std::string adopted_path(const MigrateSetup& setup);

// Names as to_string(Name) gives them; none without the file. Throws ERR_SNAPSHOT_CORRUPT.
std::set<std::string> read_adopted(const Context& context, const MigrateSetup& setup);

// For a baseline that found `shape`. Of a chain that went on from an earlier snapshot, what that
// held is made by the chain unless it was adopted before.
void write_adopted(Context& context, const MigrateSetup& setup, const schema::Schema& shape,
                   const std::optional<schema::Schema>& earlier);

}  // namespace kedge::app
