// The commands of `kedge migrate` (spec/migrate.md): author, apply, undo, inspect. Each is one
// function; what the engine decided comes back as values, blocked changes included. Errors that
// stop a run before anything was decided are thrown.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/impact.h"
#include "app/migrate_setup.h"
#include "kedge/finding.h"
#include "migrate/plan.h"
#include "migrate/runner.h"

namespace kedge::app {

struct MigrateRequest {
  DatabaseFlags database;
  bool from_db = false;
  bool dry_run = false;
  bool apply = false;
  bool yes = false;
  bool lax = false;
  bool no_probe = false;
  bool online = false;
  bool no_impact = false;
  std::optional<std::string> from_sql;
  std::optional<std::string> slug;
  std::vector<std::string> allow;
  std::vector<std::string> rename_table;
  std::vector<std::string> rename_column;
  std::optional<std::string> on_ambiguous;
  std::optional<std::string> lock_timeout;
  std::optional<std::string> statement_timeout;
};

struct MigrateResult {
  std::string command = "migrate";
  std::string mode;  // "live", "offline"; empty where it does not apply
  std::string dialect;
  std::string target;    // redacted
  std::string compared;  // what the plan starts from, for people
  migrate::Plan plan;
  std::vector<std::string> written;  // project-relative paths
  std::vector<std::string> applied;  // migrations
  std::vector<std::string> pending;
  std::vector<std::string> rolled_back;
  std::optional<std::string> up;  // --dry-run
  std::optional<std::string> down;
  std::optional<ImpactResult> impact;  // of what is about to be written
  std::vector<Problem> errors;         // blocked changes are in `plan`
  std::vector<Finding> warnings;
  std::vector<migrate::ChainEntry> chain;  // status
  // Of the tables with hazards, live mode: with their indexes.
  std::map<schema::Name, std::int64_t> table_bytes;
  std::string note;  // a line for people: "already up to date"
  int exit = 0;
};

MigrateResult migrate_database(Context& context, const MigrateRequest& request);

struct ApplyRequest {
  DatabaseFlags database;
  bool dry_run = false;
  bool out_of_order = false;
  bool ignore_missing = false;
  std::optional<std::string> lock_timeout;
  int lock_retries = 3;
};
MigrateResult apply_pending(Context& context, const ApplyRequest& request);

struct RollbackRequest {
  DatabaseFlags database;
  std::string to;  // "" = all
};
MigrateResult roll_back(Context& context, const RollbackRequest& request);

MigrateResult migration_status(Context& context, const DatabaseFlags& database);

struct BaselineRequest {
  DatabaseFlags database;
  bool from_db = false;
  bool dry_run = false;
  bool force = false;
  bool emit_initial = false;
};
MigrateResult baseline(Context& context, const BaselineRequest& request);

struct ResumeRequest {
  DatabaseFlags database;
  std::string name;
  std::optional<std::string> mark;  // "applied", "none"
};
MigrateResult resume_migration(Context& context, const ResumeRequest& request);

struct ProveRequest {
  DatabaseFlags database;
  std::string name;  // "" = the newest
  bool keep = false;
};
MigrateResult prove_migration(Context& context, const ProveRequest& request);

// `kedge migrate snapshot --rebuild`.
MigrateResult rebuild_snapshot(Context& context, const DatabaseFlags& database);

}  // namespace kedge::app
