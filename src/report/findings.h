// The list of findings in the forms that machines read: SARIF 2.1.0, JUnit XML and the annotations
// of GitHub Actions. Every form holds every finding, in the order of the list.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "document/json.h"
#include "kedge/finding.h"

namespace kedge::report {

// Whether all that was asked for could be checked.
enum class Execution { Successful, Failed };

// One run; a rule a code, a result a finding. Files are relative to %SRCROOT%. `folder` is cut off
// absolute paths below it. The run has one invocation, which says whether it could check all
// (executionSuccessful, SARIF 2.1.0 section 3.20.14).
document::Json findings_sarif(const std::vector<Finding>& findings, const std::string& folder,
                              Execution execution);

// A guard that could not check for a reason that is told elsewhere: "PZ0101 at project.yml:20:1".
struct Referral {
  std::string guard;
  std::string reason;
};

struct JunitReport {
  std::string name;
  std::vector<Finding> findings;
  std::vector<Finding> unchecked;  // what could not be checked, each once
  std::vector<Referral> referrals;
  std::vector<std::string> in_line;            // guards that found nothing
  std::map<std::string, double> seconds = {};  // that each guard took
};

// A testsuite a guard, a testcase a finding; notes pass, warnings pass with their text in
// system-out, errors fail; what could not be checked is an error of the test, and skips a test of
// every other guard that it concerns. A guard in line is one passing testcase, as is nothing.
// The time of a guard is that of its suite and of its first testcase; the times of all add up.
std::string findings_junit(const JunitReport& report);

// ::error file=...,line=...,col=...,title=CODE::message, one line each.
std::string findings_github(const std::vector<Finding>& findings, const std::string& folder);

// The path as it is told: below `folder` without it.
std::string relative_file(const std::string& file, const std::string& folder);

}  // namespace kedge::report
