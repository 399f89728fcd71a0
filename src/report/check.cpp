#include "report/check.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/environment.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

bool concerns(const app::Unchecked& error, const std::string& guard) {
  return std::find(error.guards.begin(), error.guards.end(), guard) != error.guards.end();
}

std::string reference(const Problem& problem) {
  return std::string(problem.code.name()) +
         (problem.where ? " at " + printable(to_string(*problem.where)) : "");
}

// "PZ0101 at project.yml:20:1 and 2 more"
std::string reasons_of(const app::CheckResult& result, const std::string& guard) {
  std::string first;
  std::size_t more = 0;
  for (const app::Unchecked& error : result.errors) {
    if (concerns(error, guard)) {
      more += first.empty() ? 0 : 1;
      first = first.empty() ? reference(error.problem) : first;
    }
  }
  return first + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string state_of(const app::CheckResult& result, const app::GuardReport& guard) {
  if (guard.skipped) {
    return "skipped";
  }
  if (!guard.present && guard.failures.empty()) {
    return "nothing to guard";
  }
  if (!guard.failures.empty()) {
    return "could not check: " + reasons_of(result, guard.guard);
  }
  const bool fails =
      std::any_of(guard.findings.begin(), guard.findings.end(),
                  [](const Finding& finding) { return finding.severity == Severity::Error; });
  const std::string count = fmt::format("{} finding(s)", guard.findings.size());
  return fails ? count : guard.findings.empty() ? "in line" : "in line, " + count;
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
  for (const app::Unchecked& error : result.errors) {
    Json json = problem_json(error.problem);
    json.set("guard", error.guards.front());
    if (error.guards.size() > 1) {
      Json others = Json::array();
      for (std::size_t i = 1; i < error.guards.size(); ++i) {
        others.push(error.guards[i]);
      }
      json.set("also", std::move(others));
    }
    errors.push(std::move(json));
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
  for (const app::Unchecked& error : result.errors) {
    text += problem_text(error.problem, Severity::Error);
  }
  if (!text.empty()) {
    text += "\n";
  }
  for (const app::GuardReport& guard : result.guards) {
    const bool says = !guard.skipped && !guard.message.empty();
    text += fmt::format("{:10} {}{}\n", guard.guard, state_of(result, guard),
                        says ? " (" + guard.message + ")" : "");
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
  for (const app::Unchecked& error : result.errors) {
    Finding finding;
    finding.problem = error.problem;
    finding.guard = error.guards.front();
    findings.push_back(std::move(finding));
  }
  return findings;
}

JunitReport junit_report(const app::CheckResult& result) {
  JunitReport report{"kedge check", result.findings, unchecked(result), {}, {}, {}};
  for (const app::GuardReport& guard : result.guards) {
    report.seconds[guard.guard] = guard.seconds;
    const bool told = std::any_of(
        result.errors.begin(), result.errors.end(),
        [&](const app::Unchecked& error) { return error.guards.front() == guard.guard; });
    if (!guard.failures.empty() && !told) {
      report.referrals.push_back({guard.guard, reasons_of(result, guard.guard)});
    }
    if (guard.present && !guard.skipped && guard.failures.empty() && guard.findings.empty()) {
      report.in_line.push_back(guard.guard);
    }
  }
  return report;
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
