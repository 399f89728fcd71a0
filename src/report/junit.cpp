// JUnit XML as build servers read it: testsuites, testsuite, testcase, failure, system-out. There
// is no standard; the schema of Jenkins accepts it.
#include <map>

#include <fmt/core.h>

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
  const std::string_view code = finding.problem.code.name();  // a note may have none
  std::string name(code.empty() ? "note" : code);
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

enum class Judged { Yes, No };

std::string test_case(const Finding& finding, Judged checked, const std::string& time) {
  std::string text = "    <testcase" + attribute("name", case_name(finding)) +
                     attribute("classname", class_name(finding)) + attribute("time", time);
  const std::string detail = xml_text(finding_text(finding));
  if (finding.severity == Severity::Error) {
    const std::string element = checked == Judged::Yes ? "failure" : "error";
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
  std::size_t skipped = 0;
  double seconds = 0;
};

std::string time_text(double seconds) {
  return fmt::format("{:.3f}", seconds);
}

std::string counts(const Suite& suite) {
  return attribute("tests", std::to_string(suite.tests)) +
         attribute("failures", std::to_string(suite.failures)) +
         attribute("errors", std::to_string(suite.errors)) +
         attribute("time", time_text(suite.seconds));
}

std::string plain_case(const std::string& name, const std::string& class_name,
                       const std::string& content, const std::string& time) {
  const std::string start = "    <testcase" + attribute("name", name) +
                            attribute("classname", class_name) + attribute("time", time);
  return content.empty() ? start + "/>\n" : start + ">\n      " + content + "\n    </testcase>\n";
}

}  // namespace

std::string findings_junit(const JunitReport& report) {
  std::map<std::string, Suite> suites;
  Suite all;
  // `text` makes the testcase with its time: the first one of a guard has that of the guard.
  const auto add = [&](const std::string& guard, const auto& text, std::size_t Suite::*outcome,
                       std::size_t count) {
    Suite& own = suites[guard.empty() ? report.name : guard];
    const auto taken = report.seconds.find(guard);
    const double seconds = own.tests == 0 && taken != report.seconds.end() ? taken->second : 0;
    own.cases += text(time_text(seconds));
    own.seconds += seconds;
    all.seconds += seconds;
    for (Suite* suite : {&own, &all}) {
      suite->tests += 1;
      suite->*outcome += count;
    }
  };
  const auto add_all = [&](const std::vector<Finding>& findings, Judged checked) {
    for (const Finding& finding : findings) {
      add(
          finding.guard, [&](const std::string& time) { return test_case(finding, checked, time); },
          checked == Judged::Yes ? &Suite::failures : &Suite::errors,
          finding.severity == Severity::Error ? 1 : 0);
    }
  };
  const auto add_plain = [&](const std::string& guard, const std::string& name,
                             const std::string& content, std::size_t Suite::*outcome,
                             std::size_t count) {
    const std::string class_name = guard.empty() ? "kedge" : "kedge." + guard;
    add(
        guard, [&](const std::string& time) { return plain_case(name, class_name, content, time); },
        outcome, count);
  };
  add_all(report.findings, Judged::Yes);
  add_all(report.unchecked, Judged::No);
  for (const Referral& referral : report.referrals) {
    add_plain(referral.guard, "not checked", "<skipped>" + xml_text(referral.reason) + "</skipped>",
              &Suite::skipped, 1);
  }
  for (const std::string& guard : report.in_line) {
    add_plain(guard, "in line", "", &Suite::failures, 0);
  }
  if (suites.empty()) {
    add_plain("", "no findings", "", &Suite::failures, 0);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                     attribute("name", report.name) + counts(all) + ">\n";
  for (const auto& [suite_name, suite] : suites) {
    text += "  <testsuite" + attribute("name", suite_name) + counts(suite) +
            attribute("skipped", std::to_string(suite.skipped)) + ">\n" + suite.cases +
            "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace kedge::report
