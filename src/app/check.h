// `kedge check`: every guard that the project has, in one run with one report. A guard is data;
// each chapter's guard lives in its own guard_<name>.cpp and calls that chapter's app function.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/revision_changes.h"
#include "kedge/finding.h"

namespace kedge::app {

// One step of a cascade: what fell, and the step that took it along (an index of the same list).
struct ChainStep {
  std::string text;
  std::optional<Position> where;
  std::optional<std::size_t> cause;
};

struct GuardReport {
  std::string guard;
  bool present = false;           // the project has what it guards
  std::vector<Finding> findings;  // sorted; Finding::guard is set
  std::vector<Problem> failures;  // what could not be checked: exit 2
  std::string message;            // one line for people, for instance what was compared
  std::vector<ChainStep> chain;   // models: the cascade behind the findings
  double seconds = 0;
  bool skipped = false;  // left out by --only, --skip or --changed-since
};

struct Guard {
  std::string name;
  std::string summary;
  std::function<Inputs(const Context&)> inputs;  // --changed-since runs it when one changed
  std::function<bool(const Context&)> present;
  std::function<void(Context&, GuardReport&)> run;  // an Error thrown becomes a failure
  bool reads_databases = false;                     // they share one introspection of each
};

std::vector<Guard> all_guards();  // in the order of the report
Guard models_guard();
Guard metadata_guard();
Guard replay_guard();
Guard contracts_guard();
Guard templates_guard();
Guard code_guard();
Guard docs_guard();

struct CheckRequest {
  std::vector<std::string> only;
  std::vector<std::string> skip;
  std::optional<std::string> changed_since;  // a git revision
  std::optional<std::string> baseline;       // path of a JSON document with known findings
};

// What kept guards from checking, told once whatever the number of guards that met it.
struct Unchecked {
  Problem problem;
  std::vector<std::string> guards;  // in the order of the report; never empty
};

struct CheckResult {
  std::string project_name;
  std::string project_version;
  std::int64_t time = 0;  // milliseconds since 1970 UTC
  std::vector<GuardReport> guards;
  std::vector<Finding> findings;  // of all guards, those of the baseline left out; sorted
  std::vector<Unchecked> errors;  // the failures of all guards, each once
  std::size_t known = 0;          // left out because the baseline has them
  int exit_code = 0;              // 0, 1 findings of severity error, 2 something was not checked
};

// Throws ERR_USAGE for an unknown guard, ERR_IO for a baseline that is not there, ERR_SOURCE when
// git does not know the revision.
CheckResult check(Context& context, const CheckRequest& request);

// The identity of a finding in a baseline: code, subject, file and words, but no line, so that
// edits above it do not make it new. The words belong to it: one code covers a column that has
// another type and one that is gone.
std::string finding_key(const Finding& finding);
// Throws ERR_IO with the place of what is no finding.
std::vector<std::string> read_baseline(const Context& context, const std::string& path);

bool folder_has_files(const Context& context, const std::string& folder);

}  // namespace kedge::app
