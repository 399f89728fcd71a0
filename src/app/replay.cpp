#include "app/replay.h"

#include "app/desired.h"
#include "app/migrate.h"
#include "app/source.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "migrate/runner.h"
#include "migrate/script.h"
#include "schema/snapshot.h"
#include "sql/analysis.h"

namespace kedge::app {
namespace {

diff::Options exact(const MigrateSetup& setup) {
  diff::Options options;
  options.dialect = setup.dialect;
  options.ignore_tables.push_back(setup.ledger.table);
  const schema::Dialect dialect = setup.dialect;
  options.normal_expression = [dialect](std::string_view text) {
    return sql::normal_expression(text, dialect);
  };
  options.normal_query = [dialect](std::string_view text) {
    return sql::normal_query(text, dialect);
  };
  return options;
}

// Why a chain that stands in the repository may not apply to nothing, and what helps.
std::string remedies(std::size_t place) {
  std::string text =
      "correct it in place if no database has applied it; else take a new baseline (kedge migrate "
      "baseline --from-db); where it drops what was never created, a compensating migration";
  text += place == 0 ? "; a first migration that fails often builds on a schema that comes from "
                       "outside this chain"
                     : "; a later migration cannot help an earlier one that fails";
  return text;
}

// What a down leaves: a schema that its up has made may hold things of others by now.
diff::Result without_schemas_left(diff::Result result) {
  std::erase_if(result.changes, [](const Change& change) {
    return std::holds_alternative<change::DropNamespace>(change);
  });
  return result;
}

std::string difference_text(const diff::Result& result) {
  std::string text;
  std::size_t shown = 0;
  for (const Change& change : result.changes) {
    if (++shown > 20) {
      return text + "\n... and " + std::to_string(result.changes.size() - 20) + " more";
    }
    text += (text.empty() ? "" : "\n") + describe(change);
  }
  return text;
}

// The databases that a chain of mysql made beside its own, on a server that is thrown away.
std::vector<Identifier> databases_beside(const MigrateSetup& setup, db::Connection& connection) {
  std::vector<Identifier> beside;
  if (setup.dialect == schema::Dialect::Mysql && setup.scratch.url.empty()) {
    const db::ResultSet names = connection.query(
        "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('mysql', "
        "'sys', 'information_schema', 'performance_schema', 'test') AND SCHEMA_NAME NOT LIKE "
        "'kedge\\_scratch\\_%'");
    for (const db::Row& row : names.rows) {
      beside.emplace_back(db::to_text(row.at(0)));
    }
  }
  return beside;
}

schema::Schema read_scratch(const MigrateSetup& setup, db::Connection& connection) {
  return read_live(connection, databases_beside(setup, connection));
}

// On a server that stays, a database of its own name may be somebody's.
void refuse_other_databases(const MigrateSetup& setup, const migrate::Migration& migration) {
  if (setup.dialect != schema::Dialect::Mysql || setup.scratch.url.empty()) {
    return;
  }
  const migrate::Script script =
      migrate::read_script(migration.name, migration.up, schema::Dialect::Mysql);
  for (const migrate::ScriptStatement& statement : script.statements) {
    const std::string words = base::to_lower(statement.sql.substr(0, 40));
    if (words.starts_with("create schema") || words.starts_with("create database")) {
      throw Error(codes::ERR_UNSUPPORTED,
                  "migration " + migration.name + " makes a database beside its own",
                  "leave --scratch-url out: on a throw-away server it is nobody's");
    }
  }
}

class Replaying {
 public:
  Replaying(const Context& context, const MigrateSetup& setup, WithDown with_down, EndShape shape)
      : context_(context), setup_(setup), with_down_(with_down), shape_(shape) {}

  Replay run() {
    const std::vector<migrate::Migration> chain =
        migrate::read_chain(context_.files, setup_.folder, setup_.format);
    out_.migrations = chain.size();
    for (const auto& [first, second] : migrate::find_forks(chain)) {
      Finding finding;
      finding.severity = Severity::Warning;
      finding.problem.code = codes::WARN_CHAIN_FORKED;
      finding.problem.message = first + " and " + second + " start from the same snapshot";
      out_.warnings.push_back(std::move(finding));
    }
    if (chain.empty()) {
      return std::move(out_);
    }
    scratch_ = open_scratch(context_, setup_);
    for (std::size_t i = 0; i < chain.size() && !out_.failure; ++i) {
      const migrate::Parts parts = migrate::parts_of(chain, i);
      step(chain, parts);
      i = parts.last;
    }
    if (!out_.failure && shape_ == EndShape::Read) {
      out_.schema = read_scratch(setup_, *scratch_.connection);
    }
    return std::move(out_);
  }

 private:
  bool script(const std::vector<migrate::Migration>& chain, std::size_t place,
              const std::string& path, const std::string& sql) {
    try {
      migrate::run_script(*scratch_.connection, chain[place].name, shown_path(context_, path), sql,
                          codes::ERR_REPLAY_FAILED);
      return true;
    } catch (const Error& error) {
      Problem problem = error.problem();
      problem.code = codes::ERR_REPLAY_FAILED;
      problem.message +=
          " (migration " + std::to_string(place + 1) + " of " + std::to_string(chain.size()) + ")";
      problem.hint = remedies(place);
      out_.failure = std::move(problem);
      return false;
    }
  }

  bool ups(const std::vector<migrate::Migration>& chain, const migrate::Parts& parts) {
    for (std::size_t i = parts.first; i <= parts.last; ++i) {
      refuse_other_databases(setup_, chain[i]);
      if (!script(chain, i, chain[i].up_path, chain[i].up)) {
        return false;
      }
    }
    return true;
  }

  void step(const std::vector<migrate::Migration>& chain, const migrate::Parts& parts) {
    const std::size_t place = parts.first;
    const migrate::Migration& migration = chain[place];
    const bool down = with_down_ == WithDown::Yes && migration.down &&
                      migrate::has_statements(*migration.down, setup_.dialect);
    const schema::Schema before =
        down ? read_scratch(setup_, *scratch_.connection) : schema::Schema();
    if (!ups(chain, parts) || !down) {
      return;
    }
    const schema::Schema after = read_scratch(setup_, *scratch_.connection);
    if (!script(chain, place, migration.down_path, *migration.down)) {
      return;
    }
    same(migration.name, "its down does not lead back", read_scratch(setup_, *scratch_.connection),
         before);
    if (!out_.failure && ups(chain, parts)) {
      same(migration.name, "its up does not lead to the same shape again",
           read_scratch(setup_, *scratch_.connection), after);
    }
  }

  void same(const std::string& name, const std::string& what, const schema::Schema& actual,
            const schema::Schema& wanted) {
    const diff::Result result = without_schemas_left(diff::compare(actual, wanted, exact(setup_)));
    if (!result.changes.empty()) {
      Problem problem;
      problem.code = codes::ERR_REPLAY_FAILED;
      problem.message = "migration " + name + ": " + what;
      problem.notes.push_back({difference_text(result), std::nullopt});
      out_.failure = std::move(problem);
    }
  }

  const Context& context_;
  const MigrateSetup& setup_;
  WithDown with_down_;
  EndShape shape_;
  ScratchConnection scratch_;
  Replay out_;
};

}  // namespace

ScratchConnection open_scratch(const Context& context, const MigrateSetup& setup) {
  ScratchConnection scratch;
  const schema::Dialect dialect = setup.is_d1() ? schema::Dialect::Sqlite : setup.dialect;
  scratch.database = context.scratch.create(dialect, setup.scratch);
  scratch.connection = context.registry.connect(scratch.database->settings());
  if (dialect == schema::Dialect::Sqlite) {  // nobody needs it after a crash
    scratch.connection->execute("PRAGMA synchronous = OFF");
  }
  for (const Identifier& left : databases_beside(setup, *scratch.connection)) {
    scratch.connection->execute("DROP DATABASE " + dialect::get_dialect(dialect).quote(left));
  }
  return scratch;
}

void refuse_d1_replay() {
  throw Error(codes::ERR_UNSUPPORTED, "a d1 chain is not replayed",
              "run wrangler d1 migrations apply against a local database");
}

void check_replayable(const MigrateSetup& setup) {
  if (setup.format == migrate::Format::Flyway) {
    throw Error(codes::ERR_UNSUPPORTED, "a flyway chain is not replayed",
                "run flyway migrate against a scratch database");
  }
  if (setup.is_d1()) {
    refuse_d1_replay();
  }
}

Replay replay_chain(const Context& context, const MigrateSetup& setup, WithDown with_down,
                    EndShape shape) {
  check_replayable(setup);
  return Replaying(context, setup, with_down, shape).run();
}

// --- prove

namespace {

class ProveRun {
 public:
  ProveRun(Context& context, const ProveRequest& request)
      : context_(context), setup_(make_setup(context, request.database)), request_(request) {}

  MigrateResult run() {
    check_replayable(setup_);
    refuse_wrong_guess(context_, setup_, codes::ERR_NO_DIALECT);
    result_.command = "migrate prove";
    result_.dialect = schema::to_string(setup_.dialect);
    setup_.scratch.keep = setup_.scratch.keep || request_.keep;
    const std::vector<migrate::Migration> chain =
        migrate::read_chain(context_.files, setup_.folder, setup_.format);
    const migrate::Parts parts = migrate::parts_of(chain, find(chain));
    scratch_ = open_scratch(context_, setup_);
    for (std::size_t i = 0; i < parts.first; ++i) {
      run_up(chain[i]);
    }
    prove(chain, parts);
    result_.exit = result_.errors.empty() ? 0 : 1;
    return std::move(result_);
  }

 private:
  std::size_t find(const std::vector<migrate::Migration>& chain) const {
    if (request_.name.empty() && !chain.empty()) {
      return chain.size() - 1;
    }
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i].name == request_.name) {
        return i;
      }
    }
    throw Error(codes::ERR_ROLLBACK_TARGET, chain.empty()
                                                ? "there is no migration to prove"
                                                : "there is no migration '" + request_.name + "'");
  }

  void run_up(const migrate::Migration& migration) {
    refuse_other_databases(setup_, migration);
    migrate::run_script(*scratch_.connection, migration.name,
                        shown_path(context_, migration.up_path), migration.up,
                        codes::ERR_REPLAY_FAILED);
  }

  void prove(const std::vector<migrate::Migration>& chain, const migrate::Parts& parts) {
    const migrate::Migration& migration = chain[parts.first];
    const schema::Schema before = read_scratch(setup_, *scratch_.connection);
    for (std::size_t i = parts.first; i <= parts.last; ++i) {
      run_up(chain[i]);
      result_.applied.push_back(chain[i].name);
    }
    if (parts.last + 1 == chain.size()) {
      reaches_snapshot(migration.name);
    }
    if (!migration.down || !migrate::has_statements(*migration.down, setup_.dialect)) {
      result_.note = migration.name + " has no down to prove";
      return;
    }
    migrate::run_script(*scratch_.connection, migration.name,
                        shown_path(context_, migration.down_path), *migration.down,
                        codes::ERR_ROLLBACK_FAILED);
    for (std::size_t i = parts.last + 1; i-- > parts.first;) {
      result_.rolled_back.push_back(chain[i].name);
    }
    differ(read_scratch(setup_, *scratch_.connection), before,
           migration.name + ": down does not lead back", exact(setup_));
  }

  void reaches_snapshot(const std::string& name) {
    const auto snapshot = read_snapshot_file(context_, setup_);
    if (!snapshot) {
      return;
    }
    Desired desired;
    desired.schema = *snapshot;
    diff::Options options = diff_options(setup_, desired, {});
    options.on_ambiguous = diff::OnAmbiguous::DropAdd;
    differ(read_scratch(setup_, *scratch_.connection), *snapshot,
           name + ": up does not lead to the snapshot", options);
  }

  void differ(const schema::Schema& actual, const schema::Schema& wanted, const std::string& what,
              const diff::Options& options) {
    const diff::Result result = without_schemas_left(diff::compare(actual, wanted, options));
    if (!result.changes.empty()) {
      Problem problem;
      problem.code = codes::ERR_PROVE_FAILED;
      problem.message = what;
      problem.notes.push_back({difference_text(result), std::nullopt});
      result_.errors.push_back(std::move(problem));
    }
  }

  Context& context_;
  MigrateSetup setup_;
  const ProveRequest& request_;
  ScratchConnection scratch_;
  MigrateResult result_;
};

}  // namespace

MigrateResult prove_migration(Context& context, const ProveRequest& request) {
  return ProveRun(context, request).run();
}

MigrateResult rebuild_snapshot(Context& context, const DatabaseFlags& database) {
  const MigrateSetup setup = make_setup(context, database);
  Replay replay = replay_chain(context, setup, WithDown::No);
  MigrateResult result;
  result.command = "migrate snapshot";
  result.dialect = schema::to_string(setup.dialect);
  result.warnings = replay.warnings;
  if (replay.failure) {
    result.errors.push_back(*replay.failure);
    result.exit = 1;
    return result;
  }
  replay.schema.engine.dialect = setup.dialect;
  replay.schema.engine.version.clear();
  for (schema::Table& table : replay.schema.tables) {
    table.rows_estimate.reset();
  }
  context.files.write(setup.snapshot_path, schema::write_snapshot(replay.schema));
  result.written.push_back(shown_path(context, setup.snapshot_path));
  result.note = "snapshot written from " + std::to_string(replay.migrations) + " migrations";
  return result;
}

// --- --from-sql

Desired desired_from_sql(Context& context, const MigrateSetup& setup, const std::string& path) {
  Desired desired;
  desired.from_sql = true;
  const ScratchConnection scratch = open_scratch(context, setup);
  std::vector<Problem> warnings;
  run_sql_files(context, *scratch.database, *scratch.connection, path, warnings);
  for (Problem& problem : warnings) {
    Finding finding;
    finding.severity = Severity::Warning;
    finding.problem = std::move(problem);
    desired.warnings.push_back(std::move(finding));
  }
  desired.schema = read_scratch(setup, *scratch.connection);
  std::vector<Identifier> schemas = {Identifier()};
  for (const schema::Namespace& each : desired.schema.namespaces) {
    schemas.push_back(each.name);
  }
  desired.managed_schemas = std::move(schemas);
  return desired;
}

}  // namespace kedge::app
