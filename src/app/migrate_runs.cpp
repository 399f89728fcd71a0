// The commands that run or look at a chain: apply-pending, rollback, status, resume, baseline.
#include <algorithm>

#include "app/adopted.h"
#include "app/author.h"
#include "app/desired.h"
#include "app/migrate.h"
#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

using migrate::ChainEntry;
using migrate::MigrationState;

// A run over a ledger; flyway and d1 keep their own.
class LedgerRun {
 public:
  LedgerRun(Context& context, const DatabaseFlags& flags, const std::string& command)
      : context_(context), setup_(make_setup(context, refuse_flyway(flags, command))) {
    refuse(setup_, command);
    result_.command = "migrate " + command;
    result_.dialect = schema::to_string(setup_.dialect);
  }

  void open(db::AccessMode access) {
    if (access != db::AccessMode::ReadOnly && setup_.dialect == schema::Dialect::Sqlite) {
      lock_folder();
    }
    connection_ = open_target(context_, setup_, access);
    result_.target = target_settings(context_, setup_, access).name;
    ledger_.emplace(*connection_, setup_.ledger, context_.clock);
  }

  std::vector<migrate::Migration> chain() const {
    return migrate::read_chain(context_.files, setup_.folder, setup_.format);
  }

  void take(migrate::RunResult run, std::vector<std::string>& into) {
    into = std::move(run.done);
    if (run.failure) {
      result_.errors.push_back(*run.failure);
      result_.exit = exit_code_of(run.failure->code);
    }
  }

  MigrateResult result_;
  Context& context_;
  MigrateSetup setup_;
  std::unique_ptr<db::Connection> connection_;
  std::optional<migrate::Ledger> ledger_;

 private:
  // The lock of sqlite ends with each transaction, and a migration may have none.
  void lock_folder() {
    folder_lock_.emplace(base::join_path(context_.folder, ".kedge/migrate.lock"),
                         static_cast<double>(setup_.ledger.lock_wait_ms) / 1000,
                         codes::ERR_LOCK_TIMEOUT);
  }
  // Before anything else is looked at: d1's binding does not matter then.
  static const DatabaseFlags& refuse_flyway(const DatabaseFlags& flags,
                                            const std::string& command) {
    if (flags.dialect == "d1") {
      refuse_d1(command);
    }
    return flags;
  }

  [[noreturn]] static void refuse_d1(const std::string& command) {
    throw Error(codes::ERR_UNSUPPORTED, "migrate " + command + " does not run on d1",
                command == "rollback" || command == "baseline"
                    ? "wrangler keeps d1's history"
                    : "run wrangler d1 migrations apply");
  }

  static void refuse(const MigrateSetup& setup, const std::string& command) {
    if (setup.is_d1()) {
      refuse_d1(command);
    }
    if (setup.format == migrate::Format::Flyway && command != "baseline") {
      throw Error(codes::ERR_UNSUPPORTED, "migrate " + command + " does not know flyway's history",
                  "run flyway migrate, flyway undo or flyway info");
    }
  }

  std::optional<base::FileLock> folder_lock_;
};

migrate::RunOptions run_options(const Context& context, const ApplyRequest& request) {
  migrate::RunOptions options;
  options.order = request.out_of_order ? migrate::OrderRule::Allow : migrate::OrderRule::Refuse;
  options.missing =
      request.ignore_missing ? migrate::MissingRule::Ignore : migrate::MissingRule::Refuse;
  options.lock_retries = request.lock_retries;
  options.progress = context.progress;
  return options;
}

}  // namespace

MigrateResult apply_pending(Context& context, const ApplyRequest& request) {
  LedgerRun run(context, request.database, "apply-pending");
  const std::vector<migrate::Migration> chain = run.chain();
  const migrate::RunOptions options = run_options(context, request);
  if (request.dry_run) {
    run.open(db::AccessMode::ReadOnly);
    const std::vector<ChainEntry> entries = migrate::compare_chain(chain, run.ledger_->read());
    migrate::check_chain(entries, options.order, options.missing);
    for (const ChainEntry& entry : entries) {
      if (entry.state == MigrationState::Pending || entry.state == MigrationState::OutOfOrder) {
        run.result_.pending.push_back(entry.name);
      }
    }
    run.result_.note = run.result_.pending.empty() ? "already up to date" : "would be applied";
    return std::move(run.result_);
  }
  run.open(chain.empty() ? db::AccessMode::ReadWrite : db::AccessMode::Create);
  if (request.lock_timeout && run.setup_.dialect == schema::Dialect::Postgres) {
    run.connection_->execute("SET lock_timeout = '" +
                             base::replace_all(*request.lock_timeout, "'", "") + "'");
  }
  run.take(migrate::apply_pending(*run.ledger_, chain, options), run.result_.applied);
  if (run.result_.applied.empty() && run.result_.errors.empty()) {
    run.result_.note = "already up to date";
  }
  return std::move(run.result_);
}

MigrateResult roll_back(Context& context, const RollbackRequest& request) {
  LedgerRun run(context, request.database, "rollback");
  run.open(db::AccessMode::ReadWrite);
  run.take(migrate::roll_back(*run.ledger_, run.chain(), request.to, {}), run.result_.rolled_back);
  if (run.result_.rolled_back.empty() && run.result_.errors.empty()) {
    run.result_.note = "nothing to undo";
  }
  return std::move(run.result_);
}

MigrateResult migration_status(Context& context, const DatabaseFlags& database) {
  LedgerRun run(context, database, "status");
  run.open(db::AccessMode::ReadOnly);
  const std::vector<migrate::Migration> chain = run.chain();
  run.result_.chain = migrate::compare_chain(chain, run.ledger_->read());
  for (const ChainEntry& entry : run.result_.chain) {
    if (entry.state != MigrationState::Applied) {
      run.result_.exit = 1;
    }
    if (entry.state == MigrationState::Pending || entry.state == MigrationState::OutOfOrder) {
      run.result_.pending.push_back(entry.name);
    }
  }
  for (const auto& [first, second] : migrate::find_forks(chain)) {
    Finding finding;
    finding.severity = Severity::Warning;
    finding.problem = {codes::WARN_CHAIN_FORKED,
                       first + " and " + second + " start from the same snapshot",
                       std::nullopt,
                       "two branches were merged; look at both",
                       {}};
    run.result_.warnings.push_back(std::move(finding));
  }
  return std::move(run.result_);
}

MigrateResult resume_migration(Context& context, const ResumeRequest& request) {
  LedgerRun run(context, request.database, "resume");
  if (request.mark && *request.mark != "applied" && *request.mark != "none") {
    throw Error(codes::ERR_USAGE, "--mark is applied or none");
  }
  run.open(db::AccessMode::ReadWrite);
  if (request.mark) {
    migrate::mark(*run.ledger_, run.chain(), request.name,
                  *request.mark == "applied" ? migrate::Mark::Applied : migrate::Mark::None);
    run.result_.note = "marked " + request.name + " as " + *request.mark;
    return std::move(run.result_);
  }
  run.take(migrate::resume(*run.ledger_, run.chain(), request.name, {}), run.result_.applied);
  return std::move(run.result_);
}

namespace {

class Baseline {
 public:
  Baseline(Context& context, const BaselineRequest& request)
      : request_(request), run_(context, request.database, "baseline") {}

  MigrateResult run() {
    const std::string& path = run_.setup_.snapshot_path;
    if (run_.context_.files.kind(path) && !request_.force && !request_.dry_run) {
      throw Error(codes::ERR_FILE_EXISTS,
                  "there is a snapshot already: " + shown_path(run_.context_, path),
                  "--force takes a new one");
    }
    schema::Schema shape = request_.from_db ? from_database() : from_metadata();
    shape.engine.version.clear();
    for (schema::Table& table : shape.tables) {
      table.rows_estimate.reset();
    }
    if (request_.dry_run) {
      run_.result_.note = "a dry run: no snapshot was written";
      return std::move(run_.result_);
    }
    if (request_.emit_initial) {
      initial(shape);
      run_.context_.files.remove(adopted_path(run_.setup_));
    } else {
      write_adopted(run_.context_, run_.setup_, shape, earlier());
      run_.context_.files.write(path, schema::write_snapshot(shape));
      run_.result_.written.push_back(shown_path(run_.context_, adopted_path(run_.setup_)));
      run_.result_.written.push_back(shown_path(run_.context_, path));
    }
    run_.result_.note = std::to_string(shape.tables.size()) + " tables, " +
                        std::to_string(shape.views.size()) + " views recorded";
    return std::move(run_.result_);
  }

 private:
  schema::Schema from_database() {
    run_.open(request_.emit_initial ? db::AccessMode::ReadWrite : db::AccessMode::ReadOnly);
    schema::Schema shape = read_live(*run_.connection_);
    std::vector<std::string> ignored = {run_.setup_.ledger.table};
    for (const project::Text& each : run_.setup_.project.migrate.ignore_tables) {
      ignored.push_back(each.text);
    }
    std::erase_if(shape.tables, [&](const schema::Table& table) {
      return diff::is_ignored_table(table.name.name.text(), ignored);
    });
    return shape;
  }

  // Where a chain has led until now.
  std::optional<schema::Schema> earlier() {
    if (run_.chain().empty()) {
      return std::nullopt;
    }
    try {
      return read_snapshot_file(run_.context_, run_.setup_);
    } catch (const Error&) {
      return std::nullopt;  // --force takes a new one over one that cannot be read
    }
  }

  schema::Schema from_metadata() {
    Finding finding;
    finding.severity = Severity::Warning;
    finding.problem = {codes::WARN_BASELINE_FROM_METADATA,
                       "the snapshot is taken from metadata: right only if the database matches",
                       std::nullopt,
                       "--from-db takes it from the database",
                       {}};
    run_.result_.warnings.push_back(std::move(finding));
    if (run_.setup_.target && has_no_tables()) {
      throw Error(codes::ERR_BASELINE_EMPTY_DB,
                  "the database " + run_.setup_.target_name + " has no tables",
                  "kedge migrate --apply creates them");
    }
    return desired_from_metadata(run_.context_, run_.setup_, UnknownAttributes::AsConfigured)
        .schema;
  }

  bool has_no_tables() {
    try {
      return from_database().tables.empty();
    } catch (const Error&) {
      return false;  // not reachable: nothing is known
    }
  }

  // A first migration that creates everything, recorded as applied.
  void initial(const schema::Schema& shape) {
    diff::Options options;
    options.dialect = run_.setup_.dialect;
    migrate::PlanOptions plan_options;
    plan_options.dialect = run_.setup_.dialect;
    plan_options.gate = migrate::Gate::Marked;
    schema::Schema empty;
    empty.engine = shape.engine;
    const migrate::Plan plan =
        migrate::make_plan(diff::compare(empty, shape, options), empty, shape, plan_options);
    AuthorRequest request;
    request.plan = &plan;
    request.slug = "initial";
    request.next = &shape;
    const Authored authored = author(run_.context_, run_.setup_, request);
    for (const std::string& path : authored.written) {
      run_.result_.written.push_back(shown_path(run_.context_, path));
    }
    if (run_.ledger_) {
      record(authored.names.front());
    }
  }

  void record(const std::string& name) {
    const migrate::LedgerLock lock(*run_.ledger_);
    run_.ledger_->ensure();
    for (const migrate::Migration& migration : run_.chain()) {
      if (migration.name == name) {
        migrate::LedgerRow row;
        row.name = name;
        row.checksum = migration.checksum;
        row.applied_at = base::format_utc(run_.context_.clock.now_milliseconds());
        run_.ledger_->insert(row);
        run_.result_.applied.push_back(name);
      }
    }
  }

  const BaselineRequest& request_;
  LedgerRun run_;
};

}  // namespace

MigrateResult baseline(Context& context, const BaselineRequest& request) {
  return Baseline(context, request).run();
}

}  // namespace kedge::app
