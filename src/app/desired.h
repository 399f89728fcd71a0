// What migrate and verify compare: the wanted shape, the live or recorded one, and the difference
// of the two under a project's settings (spec/migrate.md 1, 5, 14.2, 17).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/metadata.h"
#include "app/migrate_setup.h"
#include "kedge/diff.h"
#include "metadata/expected.h"

namespace kedge::app {

struct Desired {
  schema::Schema schema;                   // in scope only
  std::vector<schema::Name> external;      // @unmanaged
  std::vector<schema::Name> out_of_scope;  // declared, outside migrate.scope
  std::map<schema::Name, metadata::LeftAlone> leave;
  bool has_scope = false;
  std::vector<metadata::FormerTable> former_tables;
  std::vector<metadata::FormerColumn> former_columns;
  std::optional<std::vector<Identifier>> managed_schemas;
  std::map<schema::Name, Position> declared_at;  // tables and views of metadata
  bool declares_nothing = false;
  bool from_sql = false;
  std::vector<Finding> warnings;
};

// Metadata of the project. Throws its errors; ERR_SCOPE_MATCHES_NOTHING.
Desired desired_from_metadata(const Context& context, const MigrateSetup& setup,
                              UnknownAttributes unknown);
// --from-sql: the files run in a throw-away engine.
Desired desired_from_sql(Context& context, const MigrateSetup& setup, const std::string& path);

// A schema of mysql is a database of its own: those `beside` the connection's are read when named.
// Throws ERR_SCHEMA_UNSUPPORTED when one of them is the connection's own.
schema::Schema read_live(db::Connection& connection, const std::vector<Identifier>& beside = {});
// The same, shared with whoever else looks at the database in this run.
schema::Schema read_live(const Context& context, db::Connection& connection,
                         const db::ConnectionSettings& settings,
                         const std::vector<Identifier>& beside = {});
// The schemas that are declared besides the default one.
std::vector<Identifier> schemas_beside(const Desired& desired);
// nullopt when there is no snapshot file. Throws ERR_SNAPSHOT_CORRUPT.
std::optional<schema::Schema> read_snapshot_file(const Context& context, const MigrateSetup& setup);

struct RenameFlags {
  std::vector<std::string> tables;   // [schema.]old=new
  std::vector<std::string> columns;  // [schema.]table.old=new
  diff::OnAmbiguous on_ambiguous = diff::OnAmbiguous::Abort;
};

diff::Options diff_options(const MigrateSetup& setup, const Desired& desired,
                           const RenameFlags& renames);
// Takes out of both what lies out of scope and says so in the result.
diff::Result compare_desired(const schema::Schema& actual, const Desired& desired,
                             const diff::Options& options);

// What the snapshot holds after a migration: the wanted shape, and from where it started what no
// declaration can say.
schema::Schema next_snapshot(const schema::Schema& start, const Desired& desired);

}  // namespace kedge::app
