// JUnit XML as build servers read it: testsuites, testsuite, testcase, failure, system-out. There
// is no standard; the schema of Jenkins accepts it.
#include <map>

#include "base/text.h"
#include "report/findings.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

// XML 1.0 has no way to write most control characters: they become U+FFFD, as does broken UTF-8.
std::string xml_text(std::string_view text) {
  static constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string escaped;
  const bool valid = base::is_valid_utf8(text);
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '&') {
      escaped += "&amp;";
    } else if (character == '<') {
      escaped += "&lt;";
    } else if (character == '>') {
      escaped += "&gt;";
    } else if (character == '"') {
      escaped += "&quot;";
    } else if (character == '\n') {
      escaped += "&#10;";
    } else if (character == '\t') {
      escaped += "&#9;";
    } else if (byte < 0x20 || byte == 0x7f || (!valid && byte >= 0x80)) {
      escaped += kReplacement;
    } else {
      escaped += character;
    }
  }
  return escaped;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_text(value) + "\"";
}

std::string case_name(const Finding& finding) {
  std::string name = std::string(finding.problem.code.name());
  for (const std::string& part :
       {finding.subject.connection, finding.subject.container, finding.subject.name}) {
    name += part.empty() ? "" : " " + part;
  }
  return name;
}

std::string class_name(const Finding& finding) {
  const std::string guard = finding.guard.empty() ? "kedge" : "kedge." + finding.guard;
  return finding.problem.where ? guard + "." + finding.problem.where->file : guard;
}

enum class Checked { Yes, No };

std::string test_case(const Finding& finding, Checked checked) {
  std::string text = "    <testcase" + attribute("name", case_name(finding)) +
                     attribute("classname", class_name(finding)) + attribute("time", "0");
  const std::string detail = xml_text(finding_text(finding));
  if (finding.severity == Severity::Error) {
    const std::string element = checked == Checked::Yes ? "failure" : "error";
    return text + ">\n      <" + element + attribute("message", finding.problem.message) +
           attribute("type", finding.problem.code.name()) + ">" + detail + "</" + element +
           ">\n    </testcase>\n";
  }
  return text + ">\n      <system-out>" + detail + "</system-out>\n    </testcase>\n";
}

struct Suite {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
};

std::string counts(const Suite& suite) {
  return attribute("tests", std::to_string(suite.tests)) +
         attribute("failures", std::to_string(suite.failures)) +
         attribute("errors", std::to_string(suite.errors)) + attribute("time", "0");
}

}  // namespace

std::string findings_junit(const std::vector<Finding>& findings,
                           const std::vector<Finding>& unchecked, const std::string& name) {
  std::map<std::string, Suite> suites;
  Suite all;
  const auto add = [&](const Finding& finding, Checked checked) {
    const std::size_t failed = finding.severity == Severity::Error ? 1 : 0;
    Suite& own = suites[finding.guard.empty() ? name : finding.guard];
    own.cases += test_case(finding, checked);
    for (Suite* suite : {&own, &all}) {
      suite->tests += 1;
      (checked == Checked::Yes ? suite->failures : suite->errors) += failed;
    }
  };
  for (const Finding& finding : findings) {
    add(finding, Checked::Yes);
  }
  for (const Finding& finding : unchecked) {
    add(finding, Checked::No);
  }
  if (suites.empty()) {
    suites[name].cases = "    <testcase name=\"no findings\" classname=\"kedge\" time=\"0\"/>\n";
    suites[name].tests = 1;
    all.tests = 1;
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                     attribute("name", name) + counts(all) + ">\n";
  for (const auto& [suite_name, suite] : suites) {
    text += "  <testsuite" + attribute("name", suite_name) + counts(suite) + ">\n" + suite.cases +
            "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace kedge::report
