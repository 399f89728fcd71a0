#include "app/migrate.h"
#include "cli/commands.h"
#include "cli/gates.h"
#include "kedge/codes.h"
#include "report/migrate.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

const std::vector<std::string> kDialects = {"postgres", "sqlite", "d1", "mysql", "duckdb"};

Flag value(std::string name, std::string shown, std::string help) {
  return {std::move(name), FlagKind::Value, std::move(shown), std::move(help), {}};
}
Flag on(std::string name, std::string help) {
  return {std::move(name), FlagKind::Switch, "", std::move(help), {}};
}
Flag csv(std::string name, std::string shown, std::string help) {
  return {std::move(name), FlagKind::List, std::move(shown), std::move(help), {}};
}
Flag dialect_flag() {
  return {"--dialect", FlagKind::Value, "DIALECT", "What the database speaks", kDialects};
}
Flag db_flag() {
  return value("--db", "NAME|URL", "The database; default migrate.target");
}
Flag folder_flag() {
  return value("--out-dir", "DIR", "Folder of the migrations");
}
Flag layout_flag() {
  return {"--migration-format",
          FlagKind::Value,
          "FORMAT",
          "Layout of the migrations",
          {"default", "flat", "flyway"}};
}
std::vector<Flag> scratch_flags() {
  return {value("--scratch-url", "URL", "A server that may create databases"),
          value("--pg-bin", "DIR", "Folder of initdb and postgres")};
}
std::vector<Flag> d1_flags() {
  return {value("--d1", "BINDING", "The D1 binding"), on("--remote", "D1: the remote database")};
}

std::vector<Flag> operator+(std::vector<Flag> left, const std::vector<Flag>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

app::DatabaseFlags database_flags(const Arguments& arguments) {
  app::DatabaseFlags flags;
  flags.db = arguments.find("--db");
  if (!flags.db && arguments.has("--db")) {
    flags.db = "";
  }
  flags.dialect = arguments.find("--dialect");
  flags.d1 = arguments.find("--d1");
  flags.remote = arguments.has("--remote");
  flags.out_dir = arguments.find("--out-dir");
  flags.format = arguments.find("--migration-format");
  flags.scratch_url = arguments.find("--scratch-url");
  flags.pg_bin = arguments.find("--pg-bin");
  return flags;
}

int show(Invocation& invocation, const app::MigrateResult& result) {
  invocation.terminal.err.write(report::migrate_diagnostics(result));
  invocation.terminal.out.write(invocation.json()
                                    ? document::write_json(report::migrate_json(result)) + "\n"
                                    : report::migrate_text(result));
  return result.exit;
}

// A run that could not begin still gives the document of its command.
int guarded(Invocation& invocation, const std::string& command,
            const std::function<app::MigrateResult()>& run) {
  try {
    return show(invocation, run());
  } catch (const Error& error) {
    app::MigrateResult result;
    result.command = command;
    result.errors.push_back(error.problem());
    const int exit = exit_code_of(error.code());
    result.exit = exit == 0 ? 2 : exit;
    return show(invocation, result);
  }
}

int roll_back(Invocation& invocation, const std::string& to) {
  return guarded(invocation, "migrate rollback", [&] {
    return app::roll_back(invocation.context, {database_flags(invocation.arguments), to});
  });
}

int migrate(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  if (const auto target = arguments.find("--rollback")) {
    if (arguments.has("--apply") || arguments.has("--dry-run")) {
      return guarded(invocation, "migrate", []() -> app::MigrateResult {
        throw Error(codes::ERR_USAGE, "--rollback excludes --apply and --dry-run");
      });
    }
    return roll_back(invocation, *target);
  }
  app::MigrateRequest request;
  request.database = database_flags(arguments);
  request.from_db = arguments.has("--from-db");
  request.dry_run = arguments.has("--dry-run");
  request.apply = arguments.has("--apply");
  request.yes = arguments.has("--yes");
  request.lax = arguments.has("--lax");
  request.no_probe = arguments.has("--no-probe");
  request.online = arguments.has("--online");
  request.no_impact = arguments.has("--no-impact");
  request.from_sql = arguments.find("--from-sql");
  request.slug = arguments.find("--slug");
  request.allow = arguments.list("--allow");
  request.rename_table = arguments.all("--rename-table");
  request.rename_column = arguments.all("--rename-column");
  request.on_ambiguous = arguments.find("--on-ambiguous");
  request.lock_timeout = arguments.find("--lock-timeout");
  request.statement_timeout = arguments.find("--statement-timeout");
  return guarded(invocation, "migrate",
                 [&] { return app::migrate_database(invocation.context, request); });
}

int apply_pending(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  app::ApplyRequest request;
  request.database = database_flags(arguments);
  request.dry_run = arguments.has("--dry-run");
  request.out_of_order = arguments.has("--out-of-order");
  request.ignore_missing = arguments.has("--ignore-missing");
  request.lock_timeout = arguments.find("--lock-timeout");
  const std::string retries = arguments.get("--lock-retries", "3");
  return guarded(invocation, "migrate apply-pending", [&] {
    if (retries.size() > 2 || retries.find_first_not_of("0123456789") != std::string::npos) {
      throw Error(codes::ERR_USAGE, "--lock-retries is a number up to 99");
    }
    request.lock_retries = std::stoi(retries);
    return app::apply_pending(invocation.context, request);
  });
}

int rollback(Invocation& invocation) {
  const auto to = invocation.arguments.find("--to");
  if (to.has_value() == invocation.arguments.has("--all")) {
    return guarded(invocation, "migrate rollback", []() -> app::MigrateResult {
      throw Error(codes::ERR_USAGE, "rollback takes --to NAME or --all");
    });
  }
  return roll_back(invocation, to.value_or(""));
}

int status(Invocation& invocation) {
  return guarded(invocation, "migrate status", [&] {
    return app::migration_status(invocation.context, database_flags(invocation.arguments));
  });
}

int baseline(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  return guarded(invocation, "migrate baseline", [&] {
    return app::baseline(invocation.context, {database_flags(arguments), arguments.has("--from-db"),
                                              arguments.has("--dry-run"), arguments.has("--force"),
                                              arguments.has("--emit-initial")});
  });
}

int resume(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  return guarded(invocation, "migrate resume", [&] {
    return app::resume_migration(
        invocation.context,
        {database_flags(arguments), arguments.positionals().front(), arguments.find("--mark")});
  });
}

int prove(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  return guarded(invocation, "migrate prove", [&] {
    const std::vector<std::string>& names = arguments.positionals();
    return app::prove_migration(
        invocation.context,
        {database_flags(arguments), names.empty() ? "" : names.front(), arguments.has("--keep")});
  });
}

int snapshot(Invocation& invocation) {
  return guarded(invocation, "migrate snapshot", [&]() -> app::MigrateResult {
    if (!invocation.arguments.has("--rebuild")) {
      throw Error(codes::ERR_USAGE, "migrate snapshot needs --rebuild",
                  "kedge snapshot SRC prints the shape of a source");
    }
    return app::rebuild_snapshot(invocation.context, database_flags(invocation.arguments));
  });
}

std::vector<Flag> migrate_flags() {
  return std::vector<Flag>{
             db_flag(),
             dialect_flag(),
             on("--from-db", "Start from the live database, not the snapshot"),
             value("--from-sql", "FILE|DIR", "Desired state from SQL files"),
             on("--dry-run", "Print the SQL, write nothing"),
             value("--slug", "TEXT", "Name part of the migration"),
             csv("--allow", "TOKENS", "Permissions for what may lose something"),
             csv("--rename-table", "OLD=NEW", "A table was renamed"),
             csv("--rename-column", "TABLE.OLD=NEW", "A column was renamed"),
             {"--on-ambiguous",
              FlagKind::Value,
              "RULE",
              "What to do with a likely rename",
              {"abort", "rename", "drop-add"}},
             folder_flag(),
             layout_flag(),
             on("--apply", "Apply pending migrations and this one"),
             {"--rollback",
              FlagKind::Value,
              "NAME",
              "Undo every migration newer than NAME; \"\" = all",
              {},
              true},
             on("--online", "Split into steps that do not block (postgres)"),
             value("--lock-timeout", "TIME", "Written into the files; off leaves it out"),
             value("--statement-timeout", "TIME", "Written into the files"),
             on("--no-impact", "Do not say what the migration breaks elsewhere"),
             on("--no-probe", "Do not ask the data whether changes fit"),
             on("--yes", "D1: do not pause before the remote database"),
             on("--lax", "Unknown metadata attributes are warnings")} +
         d1_flags() + scratch_flags();
}

}  // namespace

std::vector<Command> migrate_commands() {
  const std::vector<std::string> formats = {"text", "json"};
  const std::vector<Flag> place = {db_flag(), dialect_flag(), folder_flag(), layout_flag()};
  return {
      {"migrate",
       "Write a migration from the difference between metadata and database",
       migrate_flags(),
       {},
       migrate,
       "Exit code: 0 written or nothing to do, 1 blocked, 2 could not work.",
       formats},
      {"migrate apply-pending",
       "Run the committed migrations that a database lacks",
       place +
           std::vector<Flag>{on("--dry-run", "List what would run"),
                             on("--out-of-order", "Run older migrations too"),
                             on("--ignore-missing", "Applied migrations without file are fine"),
                             value("--lock-timeout", "TIME", "How long a statement waits"),
                             value("--lock-retries", "N", "Tries after a lock timeout")} +
           d1_flags(),
       {},
       apply_pending,
       "",
       formats},
      {"migrate baseline",
       "Record the shape of a database that exists already",
       place +
           std::vector<Flag>{on("--from-db", "Take it from the database"),
                             on("--dry-run", "Write nothing"),
                             on("--force", "Replace the snapshot"),
                             on("--emit-initial", "Also write a migration that creates it")} +
           d1_flags(),
       {},
       baseline,
       "",
       formats},
      {"migrate rollback",
       "Undo applied migrations",
       place + std::vector<Flag>{value("--to", "NAME", "The last migration to keep"),
                                 on("--all", "Undo every migration")},
       {},
       rollback,
       "",
       formats},
      {"migrate status",
       "Compare the committed migrations with the ledger",
       place,
       {},
       status,
       "Exit code: 0 all applied, 1 something is pending, edited, missing or out of order.",
       formats},
      {"migrate prove",
       "Run a migration up and down in a throw-away engine",
       place + scratch_flags() + std::vector<Flag>{on("--keep", "Keep the engine's folder")},
       {{"NAME", "The migration; default the newest", false, false}},
       prove,
       "",
       formats},
      {"migrate snapshot",
       "Write the snapshot from a replay of the chain",
       place + scratch_flags() + std::vector<Flag>{on("--rebuild", "Do it")},
       {},
       snapshot,
       "",
       formats},
      {"migrate resume",
       "Go on with a migration that stopped half way",
       place + std::vector<Flag>{{"--mark",
                                  FlagKind::Value,
                                  "STATE",
                                  "Only record it: repaired by hand",
                                  {"applied", "none"}}},
       {{"NAME", "The migration", true, false}},
       resume,
       "",
       formats},
  };
}

namespace {

GateResult gate_of(const app::VerifyResult& result) {
  GateResult gate;
  gate.exit = result.exit;
  gate.text = report::verify_text(result);
  gate.members = report::verify_members(result);
  gate.more.emplace_back("drift", report::drift_json(result));
  return gate;
}

GateResult database_gate(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  if (arguments.has("--skip-schema")) {
    GateResult skipped;
    skipped.ran = false;
    skipped.text = "verify: --skip-schema, so the database was not checked\n";
    return skipped;
  }
  return gate_of(app::verify_database(invocation.context,
                                      {database_flags(arguments), arguments.has("--lax")}));
}

GateResult replay_gate(Invocation& invocation, bool against_snapshot) {
  const Arguments& arguments = invocation.arguments;
  return gate_of(app::verify_replay(
      invocation.context,
      {database_flags(arguments), arguments.has("--with-down"), against_snapshot}));
}

bool wants_database(const Arguments& arguments) {
  const bool d1 = arguments.get("--dialect", "") == "d1" || arguments.has("--d1");
  return arguments.has("--db") ||
         (d1 && !arguments.has("--replay") && !arguments.has("--replay-snapshot"));
}

}  // namespace

std::vector<Gate> migrate_gates() {
  const std::vector<Flag> replay_flags =
      std::vector<Flag>{dialect_flag(), folder_flag(), layout_flag(),
                        on("--with-down", "Run each down and up again too")} +
      scratch_flags();
  Gate database;
  database.name = "db";
  database.help = "The live database is what the metadata says";
  database.flags = std::vector<Flag>{{"--db",
                                      FlagKind::OptionalValue,
                                      "NAME|URL",
                                      "Gate: the live database is what the metadata says",
                                      {}},
                                     dialect_flag(),
                                     folder_flag(),
                                     layout_flag(),
                                     csv("--allow", "TOKENS", "Accepted and without effect"),
                                     on("--skip-schema", "Leave the gate out"),
                                     on("--lax", "Unknown metadata attributes are warnings")} +
                   d1_flags();
  database.run = database_gate;
  database.chosen = wants_database;
  Gate replay;
  replay.name = "replay";
  replay.help = "The committed migrations apply to an empty database";
  replay.flags = replay_flags;
  replay.run = [](Invocation& invocation) { return replay_gate(invocation, false); };
  Gate snapshot;
  snapshot.name = "replay-snapshot";
  snapshot.help = "The committed migrations lead to the snapshot";
  snapshot.flags = replay_flags;
  snapshot.run = [](Invocation& invocation) { return replay_gate(invocation, true); };
  return {database, replay, snapshot};
}

}  // namespace kedge::cli
