#include "app/migrate.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/author.h"
#include "app/desired.h"
#include "app/table_sizes.h"
#include "app/wrangler.h"
#include "base/text.h"
#include "dialect/dialect.h"
#include "kedge/codes.h"
#include "migrate/grants.h"
#include "schema/snapshot.h"

namespace kedge::app {
namespace {

using migrate::PlanOptions;

constexpr double kProbeSeconds = 5;

std::set<std::string> allowed_tokens(const MigrateSetup& setup,
                                     const std::vector<std::string>& flags) {
  const std::vector<std::string>& known = migrate::allow_tokens();
  std::set<std::string> tokens;
  const auto add = [&](const std::string& token, Code code, std::optional<Position> where) {
    if (std::find(known.begin(), known.end(), token) == known.end()) {
      throw Error(
          Problem{code,
                  "there is no permission '" + token + "'" + base::did_you_mean(token, known),
                  std::move(where),
                  "one of " + base::join(known, ", "),
                  {}});
    }
    tokens.insert(token);
  };
  for (const project::Text& each : setup.project.migrate.allow) {
    add(each.text, codes::ERR_CONFIG, each.where);
  }
  for (const std::string& token : flags) {
    add(token, codes::ERR_USAGE, std::nullopt);
  }
  return tokens;
}

diff::OnAmbiguous to_rule(const std::string& text) {
  if (text == "rename") {
    return diff::OnAmbiguous::Rename;
  }
  if (text == "drop-add") {
    return diff::OnAmbiguous::DropAdd;
  }
  if (text != "abort") {
    throw Error(codes::ERR_USAGE, "--on-ambiguous is abort, rename or drop-add");
  }
  return diff::OnAmbiguous::Abort;
}

std::string timeout_of(const std::optional<std::string>& flag,
                       const std::optional<std::string>& configured) {
  const std::string text = flag.value_or(configured.value_or("off"));
  return text == "off" ? std::string() : text;
}

class Authoring {
 public:
  Authoring(Context& context, const MigrateRequest& request)
      : context_(context), request_(request), setup_(make_setup(context, request.database)) {}

  MigrateResult run() {
    check_arguments();
    allow_ = allowed_tokens(setup_, request_.allow);
    result_.dialect = schema::to_string(setup_.dialect);
    desired_ = request_.from_sql
                   ? desired_from_sql(context_, setup_, *request_.from_sql)
                   : desired_from_metadata(
                         context_, setup_,
                         request_.lax ? UnknownAttributes::Warn : UnknownAttributes::AsConfigured);
    result_.warnings = desired_.warnings;
    if (request_.apply) {
      lock_folder();
    }
    start();
    if (!result_.errors.empty()) {
      return finish(exit_code_of(result_.errors.front().code));
    }
    plan();
    impact();
    return outcome();
  }

 private:
  void check_arguments() {
    if (setup_.format == migrate::Format::Flyway && request_.apply) {
      throw Error(codes::ERR_UNSUPPORTED, "--apply does not know flyway's history",
                  "run flyway migrate");
    }
    if (request_.apply && request_.dry_run) {
      throw Error(codes::ERR_USAGE, "--apply and --dry-run exclude each other");
    }
    const project::MigrateSettings& settings = setup_.project.migrate;
    renames_.tables = request_.rename_table;
    renames_.columns = request_.rename_column;
    renames_.on_ambiguous = to_rule(request_.on_ambiguous.value_or(settings.on_ambiguous));
    if ((request_.online || settings.online) && setup_.dialect == schema::Dialect::Postgres) {
      online_ = migrate::Online::Yes;
    }
  }

  // Two runs would write the same difference twice. The database is locked too, for those that
  // work from other folders.
  void lock_folder() {
    folder_lock_.emplace(base::join_path(context_.folder, ".kedge/migrate.lock"),
                         static_cast<double>(setup_.ledger.lock_wait_ms) / 1000,
                         codes::ERR_LOCK_TIMEOUT);
  }

  // --- where it starts

  void start() {
    const bool asked_live =
        request_.from_db || request_.apply || setup_.target_on_command_line || setup_.is_d1();
    snapshot_ = read_snapshot_file(context_, setup_);
    if (asked_live || (!snapshot_ && setup_.target)) {
      return start_live();
    }
    if (!snapshot_) {
      refuse_wrong_guess(context_, setup_, codes::ERR_NO_SNAPSHOT);
      throw Error(codes::ERR_NO_SNAPSHOT,
                  "there is neither a snapshot (" + shown_path(context_, setup_.snapshot_path) +
                      ") nor a database to start from",
                  "kedge migrate --db <url> --apply for a new database, "
                  "kedge migrate baseline --from-db --db <url> for an existing one");
    }
    result_.mode = "offline";
    result_.target = shown_path(context_, setup_.snapshot_path);
    result_.compared = "snapshot " + result_.target + "; to compare with the database: --from-db";
    start_ = *snapshot_;
  }

  void start_live() {
    result_.mode = "live";
    result_.target = target_settings(context_, setup_, db::AccessMode::ReadOnly).name;
    result_.compared = "live database " + result_.target;
    if (!request_.apply && is_to_be_made(context_, setup_)) {
      connection_ = open_empty(context_, setup_);
      result_.compared =
          "database " + result_.target + ", which is not there yet: --apply makes it";
    } else {
      connection_ = open_target(context_, setup_,
                                request_.apply ? db::AccessMode::Create : db::AccessMode::ReadOnly);
    }
    if (!setup_.is_d1() && setup_.format != migrate::Format::Flyway) {
      pending();
    }
    if (result_.errors.empty()) {
      start_ = read_live(*connection_, schemas_beside(desired_));
    }
  }

  void pending() {
    ledger_.emplace(*connection_, setup_.ledger, context_.clock);
    if (request_.apply) {
      ledger_lock_.emplace(*ledger_);
    }
    const std::vector<migrate::Migration> chain =
        migrate::read_chain(context_.files, setup_.folder, setup_.format);
    if (request_.apply) {
      return apply_chain(chain);
    }
    std::vector<std::string> names;
    for (const migrate::ChainEntry& entry : migrate::compare_chain(chain, ledger_->read())) {
      if (entry.state == migrate::MigrationState::Pending ||
          entry.state == migrate::MigrationState::OutOfOrder) {
        names.push_back(entry.name);
      }
    }
    if (!names.empty()) {
      result_.pending = names;
      throw Error(codes::ERR_PENDING_MIGRATIONS,
                  "the database lacks committed migrations: " + base::join(names, ", "),
                  "kedge migrate apply-pending first, or use --apply");
    }
  }

  void apply_chain(const std::vector<migrate::Migration>& chain) {
    migrate::RunOptions options;
    options.progress = context_.progress;
    const migrate::RunResult run = migrate::apply_pending(*ledger_, chain, options);
    result_.applied = run.done;
    if (run.failure) {
      result_.errors.push_back(*run.failure);
    }
  }

  // --- the plan

  void plan() {
    scratch_version();
    const diff::Options options = diff_options(setup_, desired_, renames_);
    const diff::Result difference = compare_desired(start_, desired_, options);
    plan_options(difference);
    result_.plan = migrate::make_plan(difference, start_, desired_.schema, plan_options_);
    if (result_.mode == "live" && connection_ != nullptr &&
        migrate::drops_what_may_be_granted(result_.plan)) {
      granted_ = migrate::with_grants(*connection_, start_);
      result_.plan = migrate::make_plan(difference, *granted_, desired_.schema, plan_options_);
    }
    if (result_.mode == "live" && !request_.no_probe && connection_ != nullptr) {
      probe(difference);
    }
    if (result_.mode == "live" && connection_ != nullptr) {
      result_.table_bytes = find_table_sizes(*connection_, result_.plan);
    }
  }

  // Desired SQL ran in a throw-away engine: another one than the target may take other SQL.
  void scratch_version() {
    const schema::Engine& made = desired_.schema.engine;
    const schema::Engine& live = start_.engine;
    if (!desired_.from_sql || result_.mode != "live" || made.major == 0 || live.major == 0 ||
        (made.major == live.major && made.product == live.product)) {
      return;
    }
    Finding finding;
    finding.severity = Severity::Warning;
    finding.problem = {codes::WARN_SCRATCH_VERSION,
                       "the SQL files ran in " + made.product + " " + made.version +
                           ", the database is " + live.product + " " + live.version,
                       std::nullopt,
                       "give --pg-bin or --scratch-url of the same version",
                       {}};
    result_.warnings.push_back(std::move(finding));
  }

  void plan_options(const diff::Result&) {
    const project::MigrateSettings& settings = setup_.project.migrate;
    plan_options_.dialect = setup_.dialect;
    plan_options_.allow = allow_;
    if (result_.mode == "live" && snapshot_) {
      plan_options_.snapshot = &*snapshot_;
    }
    plan_options_.online = online_;
    plan_options_.lock_timeout = timeout_of(request_.lock_timeout, settings.lock_timeout);
    plan_options_.statement_timeout =
        timeout_of(request_.statement_timeout, settings.statement_timeout);
    plan_options_.empty_metadata = desired_.declares_nothing;
    plan_options_.carry_sequence = settings.d1.carry_sequence;
  }

  // What it breaks elsewhere is said before anything is written, and decides nothing.
  void impact() {
    if (request_.no_impact || result_.plan.is_empty()) {
      return;
    }
    std::vector<Change> changes;
    for (const migrate::PlannedChange& planned : result_.plan.changes) {
      changes.push_back(planned.change);
    }
    try {
      result_.impact = find_planned_impact(
          context_, {setup_.target.value_or(""), start_, next_snapshot(start_, desired_), changes,
                     result_.mode == "offline"});
    } catch (const Error& error) {
      result_.impact.emplace().failures.push_back(error.problem());
    }
  }

  void probe(const diff::Result& difference) {
    if (find_empty_tables()) {
      result_.plan = migrate::make_plan(difference, granted_ ? *granted_ : start_, desired_.schema,
                                        plan_options_);
    }
    for (const migrate::Hazard& hazard : result_.plan.hazards) {
      if (!hazard.probe_sql.empty() && !plan_options_.probes.contains(hazard.probe_sql)) {
        plan_options_.probes[hazard.probe_sql] = ask(hazard.probe_sql);
      }
    }
    migrate::apply_probes(result_.plan, plan_options_);
  }

  std::pair<migrate::ProbeResult, std::string> ask(const std::string& sql) {
    try {
      const db::ResultSet rows = connection_->query(sql, {}, {kProbeSeconds});
      if (rows.rows.empty()) {
        return {migrate::ProbeResult::Holds, ""};
      }
      return {migrate::ProbeResult::Violated,
              rows.rows[0].empty() ? "" : db::to_text(rows.rows[0][0])};
    } catch (const Error&) {
      return {migrate::ProbeResult::Unknown, ""};  // too slow, or no right to read
    }
  }

  // A moved key without a value for old rows is fine where there are none; so is a down that makes
  // a dropped column NOT NULL again.
  bool find_empty_tables() {
    bool found = false;
    for (const migrate::PlannedChange& change : result_.plan.changes) {
      const auto* dropped = std::get_if<change::DropColumn>(&change.change);
      const bool must_hold = dropped != nullptr && migrate::cannot_be_filled(dropped->part);
      if (!must_hold && change.status.code != codes::ERR_PRIMARY_KEY_UNFILLABLE) {
        continue;
      }
      const schema::Name table = subject_of(change.change);
      const dialect::Dialect& dialect = dialect::get_dialect(setup_.dialect);
      const auto answer = ask("SELECT 1 FROM " + dialect::quote_name(dialect, table) + " LIMIT 1");
      if (answer.first == migrate::ProbeResult::Holds) {
        plan_options_.empty_tables.insert(table);
        found = true;
      }
    }
    return found;
  }

  // --- what comes of it

  MigrateResult outcome() {
    if (result_.plan.is_blocked()) {
      return finish(1);
    }
    if (result_.plan.is_empty()) {
      result_.note = "migrate: no changes";
      return finish(0);
    }
    if (request_.dry_run) {
      result_.up = migrate::render_up(result_.plan);
      result_.down = migrate::render_down(result_.plan);
      return finish(0);
    }
    write();
    if (request_.apply || (setup_.is_d1() && setup_.project.migrate.d1.auto_apply)) {
      apply_written();
    }
    return finish(result_.errors.empty() || result_.exit != 0
                      ? result_.exit
                      : exit_code_of(result_.errors.front().code));
  }

  void write() {
    schema::Schema next = next_snapshot(start_, desired_);
    std::erase_if(next.views, [&](const schema::View& view) {
      return result_.plan.destroyed.contains(view.name);
    });
    AuthorRequest author_request;
    author_request.plan = &result_.plan;
    author_request.slug = request_.slug.value_or("");
    author_request.online = online_;
    author_request.allow = {allow_.begin(), allow_.end()};
    author_request.parent = snapshot_ ? schema::fingerprint(*snapshot_) : "";
    next.engine = start_.engine;
    next.engine.version.clear();
    author_request.next = setup_.is_d1() ? nullptr : &next;
    authored_ = author(context_, setup_, author_request);
    for (const std::string& path : authored_.written) {
      result_.written.push_back(shown_path(context_, path));
    }
  }

  void apply_written() {
    if (setup_.is_d1()) {
      const bool remote = setup_.project.migrate.d1.remote;
      if (remote && !request_.yes) {
        context_.progress("applying to the remote database in 2 seconds");
        std::this_thread::sleep_for(std::chrono::seconds(2));
      }
      std::string words;
      result_.exit =
          apply_with_wrangler(context_, {setup_.binding, setup_.wrangler_config, remote}, words);
      if (result_.exit != 0) {
        result_.errors.push_back({codes::ERR_WRANGLER,
                                  "wrangler could not apply the migration",
                                  std::nullopt,
                                  "",
                                  {{words, std::nullopt}}});
      } else {
        result_.applied = authored_.names;
      }
      return;
    }
    const std::size_t before = result_.applied.size();
    try {
      apply_chain(migrate::read_chain(context_.files, setup_.folder, setup_.format));
    } catch (const Error& error) {  // before its first statement: a lock, a ledger, a right
      result_.errors.push_back(error.problem());
    }
    if (!result_.errors.empty() && result_.applied.size() == before) {
      not_applied();
    }
  }

  // The file leaves the chain, unless a part of it is in the database or nobody can say.
  void not_applied() {
    const auto rows = recorded();
    std::vector<Note>& notes = result_.errors.back().notes;
    if (!rows) {
      notes.push_back({"the database cannot be asked what it has; the migration stays in the chain",
                       std::nullopt});
      return;
    }
    const bool known = std::any_of(rows->begin(), rows->end(), [&](const auto& row) {
      return std::find(authored_.names.begin(), authored_.names.end(), row.name) !=
             authored_.names.end();
    });
    if (!known) {
      set_aside(context_, setup_, authored_);
      result_.written.clear();
      notes.push_back(
          {"the migration was moved to " + shown_path(context_, setup_.folder) + "/.failed",
           std::nullopt});
    }
  }

  // By another connection when this one is gone.
  std::optional<std::vector<migrate::LedgerRow>> recorded() {
    try {
      return ledger_->read();
    } catch (const Error&) {
      ledger_lock_.reset();
      ledger_.reset();
      connection_.reset();
    }
    try {
      connection_ = open_target(context_, setup_, db::AccessMode::ReadOnly);
      return migrate::Ledger(*connection_, setup_.ledger, context_.clock).read();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  MigrateResult finish(int exit) {
    result_.exit = exit;
    return std::move(result_);
  }

  Context& context_;
  const MigrateRequest& request_;
  MigrateSetup setup_;
  MigrateResult result_;
  std::set<std::string> allow_;
  RenameFlags renames_;
  migrate::Online online_ = migrate::Online::No;
  Desired desired_;
  std::optional<schema::Schema> snapshot_;
  schema::Schema start_;
  std::optional<schema::Schema> granted_;  // start_ with its grants, where the plan needs them
  std::optional<base::FileLock> folder_lock_;
  std::unique_ptr<db::Connection> connection_;
  std::optional<migrate::Ledger> ledger_;
  std::optional<migrate::LedgerLock> ledger_lock_;
  PlanOptions plan_options_;
  Authored authored_;
};

}  // namespace

MigrateResult migrate_database(Context& context, const MigrateRequest& request) {
  return Authoring(context, request).run();
}

}  // namespace kedge::app
