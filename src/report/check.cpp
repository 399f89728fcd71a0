#include "report/check.h"

#include <fmt/core.h>

#include "base/environment.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

std::string state_of(const app::GuardReport& guard) {
  if (guard.skipped) {
    return "skipped";
  }
  if (!guard.present && guard.failures.empty()) {
    return "nothing to guard";
  }
  if (!guard.failures.empty()) {
    return "could not check";
  }
  std::size_t errors = 0;
  for (const Finding& finding : guard.findings) {
    errors += finding.severity == Severity::Error ? 1 : 0;
  }
  return errors > 0 ? fmt::format("{} finding(s)", errors) : "in line";
}

Json guard_json(const app::GuardReport& guard) {
  Json json;
  const bool ran = guard.present && !guard.skipped;
  bool ok = ran && guard.failures.empty();
  for (const Finding& finding : guard.findings) {
    ok = ok && finding.severity != Severity::Error;
  }
  json.set("guard", guard.guard).set("ran", ran).set("ok", ok);
  json.set("skipped", guard.skipped).set("failed", !guard.failures.empty());
  json.set("findings", guard.findings.size());
  if (!guard.message.empty()) {
    json.set("message", guard.message);
  }
  json.set("seconds", guard.seconds);
  return json;
}

Json errors_json(const app::CheckResult& result) {
  Json errors = Json::array();
  for (const app::GuardReport& guard : result.guards) {
    for (const Problem& problem : guard.failures) {
      Json json = problem_json(problem);
      json.set("guard", guard.guard);
      errors.push(std::move(json));
    }
  }
  return errors;
}

Json project_json(const app::CheckResult& result) {
  Json project;
  project.set("name", result.project_name).set("version", result.project_version);
  return project;
}

}  // namespace

std::string check_text(const app::CheckResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    text += finding_text(finding);
  }
  for (const app::GuardReport& guard : result.guards) {
    for (const Problem& problem : guard.failures) {
      text += problem_text(problem, Severity::Error);
    }
  }
  if (!text.empty()) {
    text += "\n";
  }
  for (const app::GuardReport& guard : result.guards) {
    const bool ran = guard.present && !guard.skipped && !guard.message.empty();
    text += fmt::format("{:10} {}{}\n", guard.guard, state_of(guard),
                        ran ? " (" + guard.message + ")" : "");
  }
  if (result.known > 0) {
    text += fmt::format("{} known finding(s) of the baseline are left out\n", result.known);
  }
  return text;
}

Json check_json(const app::CheckResult& result) {
  Json json;
  json.set("command", "check").set("project", project_json(result));
  json.set("time", base::format_utc(result.time));
  Json guards = Json::array();
  for (const app::GuardReport& guard : result.guards) {
    guards.push(guard_json(guard));
  }
  Json findings = Json::array();
  for (const Finding& finding : result.findings) {
    findings.push(finding_json(finding));
  }
  json.set("guards", std::move(guards)).set("findings", std::move(findings));
  json.set("known", result.known).set("errors", errors_json(result));
  json.set("exit_code", result.exit_code);
  return json;
}

std::vector<Finding> unchecked(const app::CheckResult& result) {
  std::vector<Finding> findings;
  for (const app::GuardReport& guard : result.guards) {
    for (const Problem& problem : guard.failures) {
      Finding finding;
      finding.problem = problem;
      finding.guard = guard.guard;
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> reported_findings(const app::CheckResult& result) {
  std::vector<Finding> findings = result.findings;
  for (Finding& finding : unchecked(result)) {
    findings.push_back(std::move(finding));
  }
  sort_findings(findings);
  return findings;
}

}  // namespace kedge::report
