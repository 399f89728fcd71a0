#include "migrate/chain.h"

#include <algorithm>
#include <map>

#include "kedge/codes.h"

namespace kedge::migrate {

bool is_half_done(MigrationState state) {
  return state == MigrationState::Running || state == MigrationState::Failed ||
         state == MigrationState::Undoing;
}

std::string to_string(MigrationState state) {
  switch (state) {
    case MigrationState::Applied:
      return "applied";
    case MigrationState::Pending:
      return "pending";
    case MigrationState::OutOfOrder:
      return "out of order";
    case MigrationState::Edited:
      return "edited";
    case MigrationState::Missing:
      return "missing";
    case MigrationState::Running:
      return "running";
    case MigrationState::Failed:
      return "failed";
    case MigrationState::Undoing:
      return "rolling back";
  }
  return {};
}

std::vector<ChainEntry> compare_chain(const std::vector<Migration>& chain,
                                      const std::vector<LedgerRow>& rows) {
  std::map<std::string, ChainEntry> entries;
  std::string newest;
  for (const LedgerRow& row : rows) {
    ChainEntry& entry = entries[row.name];
    entry.name = row.name;
    entry.state = row.is_whole()          ? MigrationState::Missing
                  : row.is_undone()       ? MigrationState::Undoing
                  : row.status == kFailed ? MigrationState::Failed
                                          : MigrationState::Running;
    entry.applied_at = row.applied_at;
    entry.statements_done = row.statements_done;
    entry.ledger_checksum = row.checksum;
    newest = std::max(newest, row.name);
  }
  for (const Migration& migration : chain) {
    const auto [found, fresh] = entries.try_emplace(migration.name);
    ChainEntry& entry = found->second;
    entry.name = migration.name;
    entry.file_checksum = migration.checksum;
    if (fresh) {
      entry.state = migration.name < newest ? MigrationState::OutOfOrder : MigrationState::Pending;
    } else if (entry.state == MigrationState::Missing) {
      entry.state = entry.ledger_checksum == migration.checksum ? MigrationState::Applied
                                                                : MigrationState::Edited;
    }
  }
  std::vector<ChainEntry> out;
  for (auto& [name, entry] : entries) {
    out.push_back(std::move(entry));
  }
  return out;
}

Problem half_applied(const std::string& name, bool undo, std::int64_t done) {
  return {codes::ERR_HALF_APPLIED,
          (undo ? "the rollback of migration " : "migration ") + name + " stopped after " +
              std::to_string(done) + " statements",
          std::nullopt,
          "kedge migrate resume " + name + ", or repair by hand and add --mark applied|none",
          {}};
}

namespace {

std::string newest_applied(const std::vector<ChainEntry>& entries) {
  std::string newest;
  for (const ChainEntry& entry : entries) {
    newest = entry.state == MigrationState::Applied ? std::max(newest, entry.name) : newest;
  }
  return newest;
}

}  // namespace

std::optional<Problem> problem_of(const ChainEntry& entry, const std::vector<ChainEntry>& entries) {
  switch (entry.state) {
    case MigrationState::Applied:
      return std::nullopt;
    case MigrationState::Pending:
      return Problem{codes::ERR_PENDING_MIGRATIONS,
                     "migration " + entry.name + " is committed and not applied",
                     std::nullopt,
                     "kedge migrate apply-pending applies it",
                     {}};
    case MigrationState::OutOfOrder:
      return Problem{codes::ERR_OUT_OF_ORDER,
                     "migration " + entry.name + " is older than the newest applied one, " +
                         newest_applied(entries),
                     std::nullopt,
                     "rename it, or go on with --out-of-order",
                     {}};
    case MigrationState::Edited:
      return Problem{codes::ERR_MIGRATION_EDITED,
                     "migration " + entry.name + " was changed after it was applied (applied " +
                         entry.ledger_checksum.substr(0, 12) + ", file " +
                         entry.file_checksum.substr(0, 12) + ")",
                     std::nullopt,
                     "restore the file, or write a new compensating migration",
                     {}};
    case MigrationState::Missing:
      return Problem{codes::ERR_MIGRATION_MISSING,
                     "migration " + entry.name + " is applied, but its file is not there",
                     std::nullopt,
                     "bring the file back, or go on with --ignore-missing",
                     {}};
    case MigrationState::Running:
    case MigrationState::Failed:
    case MigrationState::Undoing:
      return half_applied(entry.name, entry.state == MigrationState::Undoing,
                          entry.statements_done);
  }
  return std::nullopt;
}

void check_chain(const std::vector<ChainEntry>& entries, OrderRule order, MissingRule missing) {
  for (const ChainEntry& entry : entries) {
    const bool allowed =
        entry.state == MigrationState::Pending ||
        (entry.state == MigrationState::Missing && missing == MissingRule::Ignore) ||
        (entry.state == MigrationState::OutOfOrder && order == OrderRule::Allow);
    if (std::optional<Problem> problem = problem_of(entry, entries); problem && !allowed) {
      throw Error(*std::move(problem));
    }
  }
}

}  // namespace kedge::migrate
