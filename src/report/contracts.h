// Texts and JSON of the contract and pipeline commands (spec/contracts.md 8.3, 9.3, 11, 15, 19).
#pragma once

#include <string>
#include <vector>

#include "app/contract_formats.h"
#include "app/contracts.h"
#include "app/pipeline.h"
#include "app/run_state.h"
#include "app/validate.h"
#include "document/json.h"

namespace kedge::report {

// "error PZ0334: message (file:line:col) — hint: ..." with a newline.
std::string contract_line(const Problem& problem, Severity severity);
document::Json contract_problem_json(const Problem& problem);
// {"ok": false, "exit": 2, "errors": [...]}
document::Json contract_failure_json(const std::vector<Problem>& problems, int exit_code);

std::string validation_diagnostics(const app::Validation& result);  // for stderr
std::string validation_summary(const app::Validation& result);      // for stdout
document::Json validation_json(const app::Validation& result);

std::string accept_text(const app::AcceptResult& result);
document::Json accept_json(const app::AcceptResult& result);
std::string show_text(const app::ShowResult& result);
document::Json show_json(const app::ShowResult& result);

std::string list_text(const app::ListResult& result);
document::Json list_json(const app::ListResult& result);

// "ok   name  412 rows  95 ms", with the error below it.
std::string node_line(const pipeline::NodeRecord& node);
std::string run_summary(const pipeline::RunRecord& record);
document::Json run_json(const app::RunOutcome& outcome);

std::string contract_diff_text(const app::ContractDiff& result);
document::Json contract_diff_json(const app::ContractDiff& result);

std::string runs_text(const std::vector<app::RunSummary>& runs);
document::Json runs_json(const std::vector<app::RunSummary>& runs);
std::string cursors_text(const pipeline::Cursors& cursors);
document::Json cursors_json(const pipeline::Cursors& cursors);
std::string cursor_change_text(const app::CursorResult& result);
document::Json cursor_change_json(const app::CursorResult& result);

std::string plan_text(const app::PlanResult& result);
document::Json plan_json(const app::PlanResult& result);

}  // namespace kedge::report
