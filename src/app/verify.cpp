#include "app/verify.h"

#include <algorithm>

#include "app/desired.h"
#include "app/metadata.h"
#include "app/replay.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/runner.h"

namespace kedge::app {
namespace {

DriftLine line_of(const Change& change) {
  DriftLine line;
  line.sign = sign_of(change);
  line.noun = noun_of(change);
  line.detail = describe(change);
  // describe() opens with sign and noun, which are members of their own here.
  const std::string prefix = std::string(1, line.sign) + " " + line.noun + " ";
  if (line.detail.rfind(prefix, 0) == 0) {
    line.detail = line.detail.substr(prefix.size());
  }
  line.change = change;
  return line;
}

Finding warning(Code code, std::string message, std::string hint) {
  Finding finding;
  finding.severity = Severity::Warning;
  finding.problem = {code, std::move(message), std::nullopt, std::move(hint), {}};
  return finding;
}

class DatabaseCheck {
 public:
  DatabaseCheck(Context& context, const VerifyDatabaseRequest& request)
      : context_(context), request_(request), setup_(make_setup(context, request.database)) {}

  VerifyResult run() {
    result_.dialect = schema::to_string(setup_.dialect);
    desired_ = desired_from_metadata(
        context_, setup_, request_.lax ? UnknownAttributes::Warn : UnknownAttributes::AsConfigured);
    result_.warnings = desired_.warnings;
    const db::ConnectionSettings settings =
        target_settings(context_, setup_, db::AccessMode::ReadOnly);
    local_state(settings);
    result_.target = settings.name;
    if (setup_.is_d1()) {
      result_.target += setup_.project.migrate.d1.remote ? " (remote)" : " (local)";
    }
    connection_ = context_.registry.connect(settings);
    live_ = read_live(context_, *connection_, settings, schemas_beside(desired_));
    compare();
    if (!setup_.is_d1()) {
      if (result_.drift.empty()) {
        snapshot();
      }
      ledger();
    }
    close();
    return std::move(result_);
  }

 private:
  void local_state(const db::ConnectionSettings& settings) {
    const auto path = settings.options.find("path");
    if (settings.connector == "sqlite" && path != settings.options.end() &&
        path->second.find(".wrangler/state/") != std::string::npos &&
        path->second.find("/d1/") != std::string::npos) {
      result_.warnings.push_back(warning(
          codes::WARN_D1_LOCAL_STATE, "only wrangler's local copy of a D1 database is verified",
          "kedge verify --dialect d1 --remote verifies the real one"));
    }
  }

  diff::Options options(const Desired& desired) const {
    RenameFlags renames;
    renames.on_ambiguous = diff::OnAmbiguous::DropAdd;
    return diff_options(setup_, desired, renames);
  }

  void compare() {
    const diff::Result difference = compare_desired(live_, desired_, options(desired_));
    result_.checked = desired_.schema.tables.size() + desired_.schema.views.size();
    result_.unmanaged = difference.unmanaged;
    result_.external = difference.external;
    for (const schema::Name& name : desired_.external) {
      const diff::Unmanaged declared{"table", name};
      const bool known = std::any_of(result_.external.begin(), result_.external.end(),
                                     [&](const auto& each) { return each.name == name; });
      if (!known) {
        result_.external.push_back(declared);
      }
    }
    result_.out_of_scope = difference.out_of_scope;
    const auto snapshot = read_snapshot_file(context_, setup_);
    for (const Change& change : difference.changes) {
      result_.drift.push_back(line_of(change));
      if (const auto* drop = std::get_if<change::DropTable>(&change);
          drop != nullptr && snapshot &&
          schema::find_table(*snapshot, drop->object.name) == nullptr) {
        result_.drift.back().detail += " (not in the snapshot)";
      }
      adoption(change);
    }
  }

  void adoption(const Change& change) {
    const auto* drop = std::get_if<change::DropView>(&change);
    const auto* replace = std::get_if<change::ReplaceView>(&change);
    const bool adopts = (drop != nullptr && drop->reason == change::DropReason::Adopt) ||
                        (replace != nullptr && replace->adopt == change::Adopt::Yes);
    if (adopts) {
      result_.problems.push_back(
          {codes::ERR_VIEW_NOT_ADOPTED,
           "view '" + schema::to_string(subject_of(change)) + "' does not carry kedge's stamp",
           declared_at(subject_of(change)),
           "kedge migrate --allow adopt-view stamps it",
           {}});
    }
  }

  std::optional<Position> declared_at(const schema::Name& name) const {
    const auto found = desired_.declared_at.find(name);
    return found != desired_.declared_at.end() ? std::optional(found->second) : std::nullopt;
  }

  void snapshot() {
    const auto recorded = read_snapshot_file(context_, setup_);
    if (!recorded) {
      return;
    }
    Desired wanted = desired_;
    wanted.schema = *recorded;
    wanted.former_tables.clear();
    wanted.former_columns.clear();
    if (wanted.has_scope) {
      restrict(wanted.schema, desired_.schema);
    }
    const diff::Result difference = compare_desired(live_, wanted, options(wanted));
    if (difference.changes.empty()) {
      return;
    }
    Problem problem;
    problem.code = codes::ERR_SNAPSHOT_STALE;
    problem.message = "the committed snapshot and the live database differ";
    problem.hint = "kedge migrate baseline --from-db --force takes a new one";
    problem.where = Position{shown_path(context_, setup_.snapshot_path), 0, 0};
    for (const Change& change : difference.changes) {
      problem.notes.push_back({describe(change), std::nullopt});
    }
    result_.problems.push_back(std::move(problem));
  }

  static void restrict(schema::Schema& shape, const schema::Schema& wanted) {
    std::erase_if(shape.tables, [&](const schema::Table& table) {
      return schema::find_table(wanted, table.name) == nullptr;
    });
    std::erase_if(shape.views, [&](const schema::View& view) {
      return schema::find_view(wanted, view.name) == nullptr;
    });
  }

  void ledger() {
    if (setup_.format == migrate::Format::Flyway) {
      return;
    }
    migrate::Ledger ledger(*connection_, setup_.ledger, context_.clock);
    const std::vector<migrate::Migration> chain =
        migrate::read_chain(context_.files, setup_.folder, setup_.format);
    const std::vector<migrate::LedgerRow> rows = ledger.read();
    const std::vector<migrate::ChainEntry> entries = migrate::compare_chain(chain, rows);
    for (const migrate::ChainEntry& entry : entries) {
      std::optional<Problem> problem = migrate::problem_of(entry, entries);
      if (!problem) {
        continue;
      }
      const auto file = std::find_if(chain.begin(), chain.end(), [&](const auto& migration) {
        return migration.name == entry.name;
      });
      // Of one whose file is gone: where the folder of migrations is named.
      problem->where =
          file != chain.end()
              ? Position{shown_path(context_, file->up_path), 0, 0}
              : setup_.project.migrate.dir.where.value_or(Position{"project.yml", 1, 1});
      result_.drift.push_back({entry.state == migrate::MigrationState::Pending ? '+' : '~',
                               "migration", entry.name + " is " + to_string(entry.state),
                               std::nullopt, entry.name, std::move(problem)});
    }
  }

  void close() {
    const bool drifted = !result_.drift.empty() || !result_.problems.empty();
    result_.exit = drifted ? 1 : 0;
    result_.summary = drifted ? "drift: " + result_.target + " is not what the metadata says"
                              : result_.target + " matches the metadata (" +
                                    std::to_string(result_.checked) + " tables and views)";
    if (result_.checked == 0 && !drifted) {
      result_.summary = "nothing was checked: the metadata declares no table and no view";
    }
  }

  Context& context_;
  const VerifyDatabaseRequest& request_;
  MigrateSetup setup_;
  Desired desired_;
  schema::Schema live_;
  std::unique_ptr<db::Connection> connection_;
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_database(Context& context, const VerifyDatabaseRequest& request) {
  return DatabaseCheck(context, request).run();
}

namespace {

void against_snapshot(Context& context, const MigrateSetup& setup, const Replay& replay,
                      VerifyResult& result) {
  const auto recorded = read_snapshot_file(context, setup);
  if (!recorded) {
    result.summary = "no snapshot to compare with";
    return;
  }
  Desired wanted;
  wanted.schema = *recorded;
  RenameFlags renames;
  renames.on_ambiguous = diff::OnAmbiguous::DropAdd;
  diff::Options options = diff_options(setup, wanted, renames);
  options.comments = setup.dialect == schema::Dialect::Sqlite ? diff::Comments::Ignore
                                                              : diff::Comments::CompareDeclared;
  const diff::Result difference = diff::compare(replay.schema, wanted.schema, options);
  if (difference.changes.empty()) {
    result.summary =
        "the chain (" + std::to_string(replay.migrations) + " migrations) leads to the snapshot";
    return;
  }
  Problem problem;
  problem.code = codes::ERR_REPLAY_SNAPSHOT_MISMATCH;
  problem.message = "the replayed chain and the snapshot differ";
  problem.where = Position{shown_path(context, setup.snapshot_path), 0, 0};
  problem.hint =
      "a project that adopted an existing database (baseline) differs by construction: use "
      "--replay; else kedge migrate snapshot --rebuild";
  for (const Change& change : difference.changes) {
    problem.notes.push_back({describe(change), std::nullopt});
    result.drift.push_back(line_of(change));
  }
  result.problems.push_back(std::move(problem));
  result.summary = "the replayed chain and the snapshot differ";
  result.exit = 1;
}

}  // namespace

VerifyResult verify_replay(Context& context, const VerifyReplayRequest& request) {
  // Before anything is looked for that only d1 has.
  const project::Project project = require_project(context);
  const auto& configured = project.migrate.dialect;
  if (request.database.dialect.value_or(configured ? configured->text : "") == "d1") {
    refuse_d1_replay();
  }
  const MigrateSetup setup = make_setup(context, request.database);
  check_replayable(setup);
  if (!request.database.dialect && !setup.project.migrate.dialect) {
    throw Error(codes::ERR_NO_DIALECT, "a replay needs to know the dialect",
                "give --dialect, or migrate.dialect in project.yml");
  }
  VerifyResult result;
  result.dialect = schema::to_string(setup.dialect);
  const Replay replay =
      replay_chain(context, setup, request.with_down ? WithDown::Yes : WithDown::No,
                   request.against_snapshot ? EndShape::Read : EndShape::NotNeeded);
  result.checked = replay.migrations;
  result.warnings = replay.warnings;
  if (replay.failure) {
    result.problems.push_back(*replay.failure);
    result.summary = "the chain does not apply to an empty database";
    result.exit = 1;
    return result;
  }
  result.summary = replay.migrations == 0 ? "no committed migrations: nothing to replay"
                                          : "replayed " + std::to_string(replay.migrations) +
                                                " migrations into an empty database";
  if (request.against_snapshot) {
    against_snapshot(context, setup, replay, result);
  }
  return result;
}

}  // namespace kedge::app
