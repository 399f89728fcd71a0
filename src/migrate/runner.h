// Applying, undoing and resuming migrations against one database (spec/migrate.md 12, 13). The
// ledger is read after the lock is held; a migration and its row commit together where the engine
// has transactions for DDL.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "migrate/chain.h"
#include "migrate/files.h"
#include "migrate/ledger.h"

namespace kedge::migrate {

struct RunOptions {
  OrderRule order = OrderRule::Refuse;
  MissingRule missing = MissingRule::Refuse;
  int lock_retries = 3;
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

struct RunResult {
  std::vector<std::string> done;   // applied, or rolled back
  std::optional<Problem> failure;  // what stopped the run; `done` stays done
};

RunResult apply_pending(Ledger& ledger, const std::vector<Migration>& chain,
                        const RunOptions& options);

// Undoes every applied migration newer than `target` ("" = all), newest first. All downs are
// checked first. Throws ERR_ROLLBACK_TARGET, ERR_ROLLBACK_NO_DOWN.
RunResult roll_back(Ledger& ledger, const std::vector<Migration>& chain, const std::string& target,
                    const RunOptions& options);

// Goes on with a half-applied or half-undone migration. Throws ERR_ROLLBACK_TARGET when it is not
// half applied.
RunResult resume(Ledger& ledger, const std::vector<Migration>& chain, const std::string& name,
                 const RunOptions& options);
enum class Mark { Applied, None };
void mark(Ledger& ledger, const std::vector<Migration>& chain, const std::string& name, Mark as);

// Runs one script against a database that needs no ledger (replay, prove). Throws.
void run_script(db::Connection& connection, const std::string& name, const std::string& path,
                std::string_view sql, Code failure_code);

}  // namespace kedge::migrate
