#include "app/migrate_setup.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/connections.h"
#include "app/metadata.h"
#include "app/wrangler.h"
#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

using schema::Dialect;

std::optional<Dialect> dialect_of(const std::string& connector) {
  return schema::find_dialect(connector == "mariadb" ? "mysql" : connector);
}

Dialect parse_dialect(const std::string& text, std::optional<Position> where) {
  const auto found = schema::find_dialect(text);
  if (!found || *found == Dialect::Ansi) {
    const std::vector<std::string> known = {"postgres", "sqlite", "d1", "mysql", "duckdb"};
    throw Error(Problem{where ? codes::ERR_CONFIG : codes::ERR_USAGE,
                        "there is no dialect '" + text + "'" + base::did_you_mean(text, known),
                        where,
                        "one of " + base::join(known, ", "),
                        {}});
  }
  return *found;
}

class Setup {
 public:
  Setup(const Context& context, const DatabaseFlags& flags) : context_(context), flags_(flags) {}

  MigrateSetup run() {
    out_.project = require_project(context_);
    out_.project.migrate.d1.remote = out_.project.migrate.d1.remote || flags_.remote;
    target();
    dialect();
    format();
    folders();
    ledger();
    const project::ScratchSettings& scratch = migrate().scratch;
    out_.scratch.url = flags_.scratch_url.value_or(scratch.url.value_or(""));
    out_.scratch.pg_bin = flags_.pg_bin.value_or(scratch.pg_bin.value_or(""));
    out_.scratch.user = scratch.user.value_or("");
    out_.scratch.keep = scratch.keep_on_failure;
    return std::move(out_);
  }

 private:
  const project::MigrateSettings& migrate() const { return out_.project.migrate; }

  void target() {
    if (flags_.db && !flags_.db->empty()) {
      out_.target = flags_.db;
    } else if (migrate().target) {
      out_.target = migrate().target->text;
    } else if (const auto url = context_.environment.get("DATABASE_URL"); url && !url->empty()) {
      out_.target = url;
    }
    out_.target_on_command_line = flags_.db.has_value();
    if (out_.target) {
      out_.target_name = db::redact_url(*out_.target);
    }
  }

  void dialect() {
    std::optional<Dialect> asked;
    if (flags_.dialect) {
      asked = parse_dialect(*flags_.dialect, std::nullopt);
    }
    const std::optional<Dialect> configured =
        migrate().dialect
            ? std::optional(parse_dialect(migrate().dialect->text, migrate().dialect->where))
            : std::nullopt;
    if (asked == Dialect::D1 || (!asked && configured == Dialect::D1)) {
      out_.dialect = Dialect::D1;
      if (flags_.db) {
        throw Error(codes::ERR_USAGE, "--db and dialect d1 exclude each other",
                    "name the binding with --d1");
      }
      return;
    }
    if (flags_.d1 || flags_.remote) {
      throw Error(codes::ERR_USAGE, "--d1 and --remote are for dialect d1 only",
                  "add --dialect d1");
    }
    const std::optional<Dialect> live = target_dialect();
    if (asked && live && *asked != *live && out_.target_on_command_line) {
      throw Error(codes::ERR_DIALECT_MISMATCH, "--dialect says " + schema::to_string(*asked) +
                                                   ", the database is " + schema::to_string(*live));
    }
    const std::optional<Dialect> best = asked ? asked : live ? live : configured;
    out_.dialect = best.value_or(Dialect::Postgres);
    out_.dialect_is_guessed = !best;
    if (asked && live && *asked != *live) {
      out_.target.reset();  // a configured target of another dialect is not meant
    }
  }

  std::optional<Dialect> target_dialect() {
    if (!out_.target) {
      return std::nullopt;
    }
    const db::ConnectionSettings settings =
        settings_of(context_, *out_.target, db::AccessMode::ReadOnly);
    out_.target_name = settings.name;
    const auto found = dialect_of(settings.connector);
    if (!found) {
      throw Error(codes::ERR_UNSUPPORTED,
                  "migrations are not written for the connector '" + settings.connector + "'");
    }
    return found;
  }

  void format() {
    const std::string text = flags_.format.value_or(migrate().format);
    const auto found = migrate::find_format(text);
    if (!found) {
      throw Error(codes::ERR_USAGE, "there is no migration format '" + text + "'",
                  "default, flat or flyway");
    }
    out_.format = *found;
    if (out_.is_d1()) {
      if (*found == migrate::Format::Flyway) {
        throw Error(codes::ERR_UNSUPPORTED, "flyway has no d1",
                    "wrangler d1 migrations apply runs d1's migrations");
      }
      out_.format = migrate::Format::D1;
    }
  }

  void folders() {
    const std::string dir = migrate().dir.text;
    std::string folder = dir;
    if (flags_.out_dir) {
      folder = *flags_.out_dir;
    } else if (out_.format == migrate::Format::Flyway) {
      folder = "src/main/resources/db/migration";
    } else if (out_.is_d1()) {
      const Wrangler wrangler = find_wrangler(context_, migrate().d1.wrangler_config, flags_.d1);
      out_.binding = wrangler.binding;
      out_.wrangler_config = wrangler.config;
      folder = wrangler.migrations_folder;
    }
    out_.folder = base::join_path(context_.folder, folder);
    const std::string home = flags_.out_dir && out_.format != migrate::Format::Flyway
                                 ? out_.folder
                                 : base::join_path(context_.folder, dir);
    out_.snapshot_path =
        base::join_path(home, ".schema." + schema::to_string(out_.dialect) + ".json");
  }

  void ledger() {
    const project::LedgerSettings& from = migrate().ledger;
    out_.ledger.table = from.table;
    out_.ledger.schema = from.schema.value_or("");
    out_.ledger.lock_name = from.lock_name.value_or("");
    out_.ledger.lock_wait_ms = from.lock_wait_ms;
    if (out_.dialect != Dialect::Postgres && out_.ledger.schema == "public") {
      out_.ledger.schema.clear();
    }
    migrate::check_ledger_settings(out_.ledger);
  }

  const Context& context_;
  const DatabaseFlags& flags_;
  MigrateSetup out_;
};

}  // namespace

MigrateSetup make_setup(const Context& context, const DatabaseFlags& flags) {
  return Setup(context, flags).run();
}

std::string shown_path(const Context& context, const std::string& path) {
  const std::string prefix = context.folder + "/";
  return path.rfind(prefix, 0) == 0 ? path.substr(prefix.size()) : path;
}

db::ConnectionSettings target_settings(const Context& context, const MigrateSetup& setup,
                                       db::AccessMode access) {
  if (setup.is_d1()) {
    db::ConnectionSettings settings;
    settings.name = "d1:" + setup.binding;
    settings.connector = "d1";
    settings.options["database"] = setup.binding;
    settings.options["folder"] = context.folder;
    if (!setup.wrangler_config.empty()) {
      settings.options["config"] = setup.wrangler_config;
    }
    settings.options["remote"] = setup.project.migrate.d1.remote ? "true" : "false";
    settings.access = access;
    return settings;
  }
  if (!setup.target) {
    throw Error(codes::ERR_NO_DATABASE, "no database is named and one is needed",
                "give --db, or migrate.target in project.yml");
  }
  return settings_of(context, *setup.target, access);
}

namespace {

// By dialect: .schema.sqlite.json.
std::vector<std::string> other_snapshots(const Context& context, const MigrateSetup& setup) {
  std::vector<std::string> dialects;
  const std::size_t slash = setup.snapshot_path.rfind('/');
  const std::string folder = setup.snapshot_path.substr(0, slash);
  if (context.files.kind(setup.snapshot_path) || !context.files.kind(folder)) {
    return dialects;
  }
  for (const base::FolderEntry& entry : context.files.list(folder)) {
    static constexpr std::string_view kBefore = ".schema.";
    static constexpr std::string_view kAfter = ".json";
    if (entry.name.starts_with(kBefore) && entry.name.ends_with(kAfter) &&
        entry.name.size() > kBefore.size() + kAfter.size()) {
      dialects.push_back(
          entry.name.substr(kBefore.size(), entry.name.size() - kBefore.size() - kAfter.size()));
    }
  }
  return dialects;
}

}  // namespace

void refuse_wrong_guess(const Context& context, const MigrateSetup& setup, Code code) {
  const std::vector<std::string> others = other_snapshots(context, setup);
  if (setup.dialect_is_guessed && !others.empty()) {
    throw Error(code,
                "nothing says the dialect: of " + schema::to_string(setup.dialect) +
                    ", the default, there is no snapshot, but of " + base::join(others, " and "),
                "--dialect " + others.front() + ", or migrate.dialect in project.yml");
  }
}

bool is_to_be_made(const Context& context, const MigrateSetup& setup) {
  if (!setup.target || setup.is_d1()) {
    return false;
  }
  const db::ConnectionSettings settings = target_settings(context, setup, db::AccessMode::Create);
  const auto path = settings.options.find("path");
  return (settings.connector == "sqlite" || settings.connector == "duckdb") &&
         path != settings.options.end() && path->second != ":memory:" &&
         !context.files.kind(path->second) &&
         context.files.kind(base::parent_path(path->second)) == base::EntryKind::Folder;
}

std::unique_ptr<db::Connection> open_empty(const Context& context, const MigrateSetup& setup) {
  db::ConnectionSettings settings = target_settings(context, setup, db::AccessMode::Create);
  settings.options["path"] = ":memory:";
  return context.registry.connect(settings);
}

std::unique_ptr<db::Connection> open_target(const Context& context, const MigrateSetup& setup,
                                            db::AccessMode access) {
  const db::ConnectionSettings settings = target_settings(context, setup, access);
  const std::int64_t end = context.clock.monotonic_milliseconds() + setup.ledger.lock_wait_ms;
  for (;;) {
    try {
      return context.registry.connect(settings);
    } catch (const db::DatabaseError& error) {
      // One process at a time has a duckdb file for writing: that is the lock of a run there.
      if (access == db::AccessMode::ReadOnly || error.failure() != db::FailureClass::Lock) {
        throw;
      }
      if (context.clock.monotonic_milliseconds() >= end) {
        Problem problem = error.problem();
        problem.code = codes::ERR_LOCK_TIMEOUT;
        problem.hint = "try again, or raise migrate.ledger.lock_wait";
        throw Error(std::move(problem));
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace kedge::app
