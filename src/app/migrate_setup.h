// What every migrate and verify command works out first: project, dialect, format, folders, target
// (spec/migrate.md 1, 2). Nothing is read from a database here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "db/scratch.h"
#include "migrate/files.h"
#include "migrate/ledger.h"
#include "project/project.h"

namespace kedge::app {

// The flags that choose a database. `db` may be empty: --db without a value.
struct DatabaseFlags {
  std::optional<std::string> db;
  std::optional<std::string> dialect;
  std::optional<std::string> d1;
  bool remote = false;
  std::optional<std::string> out_dir;
  std::optional<std::string> format;
  std::optional<std::string> scratch_url;
  std::optional<std::string> pg_bin;
};

struct MigrateSetup {
  project::Project project;
  schema::Dialect dialect = schema::Dialect::Postgres;
  bool dialect_is_guessed = false;  // nothing but the default says it
  migrate::Format format = migrate::Format::Default;
  std::string folder;                 // of the migrations, absolute
  std::string snapshot_path;          // absolute
  std::optional<std::string> target;  // connection name or URL
  bool target_on_command_line = false;
  std::string target_name;  // for people, redacted
  migrate::LedgerSettings ledger;
  db::ScratchOptions scratch;
  bool is_d1() const { return dialect == schema::Dialect::D1; }
  std::string binding;          // d1
  std::string wrangler_config;  // d1: absolute path of wrangler.toml/json/jsonc
};

MigrateSetup make_setup(const Context& context, const DatabaseFlags& flags);

// The path as people see it: relative to the project.
std::string shown_path(const Context& context, const std::string& path);
// Throws when the default alone says the dialect, and the snapshots that are there are of others.
void refuse_wrong_guess(const Context& context, const MigrateSetup& setup, Code code);
// Throws ERR_NO_DATABASE when nothing names one.
db::ConnectionSettings target_settings(const Context& context, const MigrateSetup& setup,
                                       db::AccessMode access);
// A file that the first --apply makes; and an empty database that stands for it until then.
bool is_to_be_made(const Context& context, const MigrateSetup& setup);
std::unique_ptr<db::Connection> open_empty(const Context& context, const MigrateSetup& setup);
std::unique_ptr<db::Connection> open_target(const Context& context, const MigrateSetup& setup,
                                            db::AccessMode access);

}  // namespace kedge::app
