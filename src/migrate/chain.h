// The committed migrations beside the rows of the ledger: what each is, and whether a run may start
// (spec/migrate.md 12). Reads and runs nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kedge/error.h"
#include "migrate/files.h"
#include "migrate/ledger.h"

namespace kedge::migrate {

// Running, Failed: half applied; Undoing: half rolled back.
enum class MigrationState {
  Applied,
  Pending,
  OutOfOrder,
  Edited,
  Missing,
  Running,
  Failed,
  Undoing
};
bool is_half_done(MigrationState state);
std::string to_string(MigrationState state);  // "applied", "out of order", ...

struct ChainEntry {
  std::string name;
  MigrationState state = MigrationState::Pending;
  std::string applied_at;
  std::int64_t statements_done = 0;
  std::string file_checksum;
  std::string ledger_checksum;
};
// Every migration of the chain or the ledger, by name.
std::vector<ChainEntry> compare_chain(const std::vector<Migration>& chain,
                                      const std::vector<LedgerRow>& rows);

// What is wrong with an entry; nothing when it is applied.
std::optional<Problem> problem_of(const ChainEntry& entry, const std::vector<ChainEntry>& entries);

enum class OrderRule { Refuse, Allow };
enum class MissingRule { Refuse, Ignore };
// Throws ERR_MIGRATION_EDITED, ERR_MIGRATION_MISSING, ERR_HALF_APPLIED, ERR_OUT_OF_ORDER.
void check_chain(const std::vector<ChainEntry>& entries, OrderRule order, MissingRule missing);

// A migration, or its way back, that stopped half way.
Problem half_applied(const std::string& name, bool undo, std::int64_t done);

}  // namespace kedge::migrate
