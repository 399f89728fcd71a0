// The results of `kedge migrate` and of the migrate gates of `kedge verify` as text and JSON
// (spec/migrate.md 18). Field order is fixed.
#pragma once

#include <string>

#include "app/migrate.h"
#include "app/verify.h"
#include "document/json.h"

namespace kedge::report {

document::Json migrate_json(const app::MigrateResult& result);
std::string migrate_text(const app::MigrateResult& result);
// Blocked changes, ambiguities, errors and warnings, for standard error.
std::string migrate_diagnostics(const app::MigrateResult& result);
// One problem a blocked change, then the result's own errors.
std::vector<Problem> migrate_problems(const app::MigrateResult& result);

document::Json drift_json(const app::VerifyResult& result);
std::string verify_text(const app::VerifyResult& result);
// external, out_of_scope, unmanaged, warnings, problems: members of the gate.
document::Json verify_members(const app::VerifyResult& result);

}  // namespace kedge::report
