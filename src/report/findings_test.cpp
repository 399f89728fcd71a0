// The published schemas are not part of this repository: these tests check the structure that they
// ask for (required members, enumerations, no unknown members), on findings with everything in
// them.
#include "report/findings.h"

#include <gtest/gtest.h>

#include <set>

#include "kedge/codes.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

Finding full(Severity severity) {
  Finding finding;
  finding.problem = {codes::ERR_CONFIG,
                     "an <unknown> key \"x\" & more, 100%",
                     Position{"/srv/p/models/a b.yml", 3, 7},
                     "take it out",
                     {{"the driver said\nno", std::nullopt},
                      {"the other side", Position{"/srv/p/other.yml", 1, 0}}}};
  finding.severity = severity;
  finding.subject = {"column", "db", "vessel", "kg"};
  finding.guard = "models";
  return finding;
}

Finding bare() {
  Finding finding;
  finding.problem.code = codes::schema_difference;
  finding.problem.message = "control \x01 and broken \xff bytes";
  return finding;
}

const Json& member(const Json& json, std::string_view key) {
  static const Json kNone;
  const Json* found = json.find(key);
  EXPECT_NE(found, nullptr) << key;
  return found == nullptr ? kNone : *found;
}

void expect_only(const Json& json, const std::set<std::string>& known) {
  for (const auto& [key, value] : *json.as_object()) {
    EXPECT_TRUE(known.contains(key)) << key << " is no member of the standard";
  }
}

void check_location(const Json& location) {
  expect_only(location, {"id", "physicalLocation", "logicalLocations", "message"});
  if (const Json* physical = location.find("physicalLocation")) {
    expect_only(*physical, {"artifactLocation", "region"});
    expect_only(member(*physical, "artifactLocation"), {"uri", "uriBaseId"});
    EXPECT_EQ(member(member(*physical, "artifactLocation"), "uri").as_string()->find(' '),
              std::string::npos);
    if (const Json* region = physical->find("region")) {
      expect_only(*region, {"startLine", "startColumn"});
    }
  }
}

void check_result(const Json& result, std::size_t rules) {
  expect_only(result, {"ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations",
                       "partialFingerprints", "properties"});
  EXPECT_TRUE((std::set<std::string>{"note", "warning", "error", "none"}.contains(
      *member(result, "level").as_string())));
  EXPECT_FALSE(member(member(result, "message"), "text").as_string()->empty());
  EXPECT_LT(std::get<std::int64_t>(member(result, "ruleIndex").value()),
            static_cast<std::int64_t>(rules));
  for (const std::string_view key : {"locations", "relatedLocations"}) {
    if (const Json* list = result.find(key)) {
      for (const Json& location : *list->as_array()) {
        check_location(location);
      }
    }
  }
}

TEST(SarifTest, HasTheStructureOfTheStandard) {
  const Json log = findings_sarif({full(Severity::Error), full(Severity::Note), bare()}, "/srv/p",
                                  Execution::Successful);
  expect_only(log, {"$schema", "version", "runs"});
  EXPECT_EQ(*member(log, "version").as_string(), "2.1.0");
  const Json& run = member(log, "runs").as_array()->at(0);
  expect_only(run, {"tool", "invocations", "columnKind", "results"});
  const Json& driver = member(member(run, "tool"), "driver");
  expect_only(driver, {"name", "version", "rules"});
  const auto& rules = *member(driver, "rules").as_array();
  ASSERT_EQ(rules.size(), 2U);  // a rule a code, once
  for (const Json& rule : rules) {
    expect_only(rule, {"id", "shortDescription", "defaultConfiguration", "help"});
  }
  const auto& results = *member(run, "results").as_array();
  ASSERT_EQ(results.size(), 3U);
  for (const Json& result : results) {
    check_result(result, rules.size());
  }
}

TEST(SarifTest, TheInvocationSaysWhetherAllWasChecked) {
  for (const Execution execution : {Execution::Successful, Execution::Failed}) {
    const Json log = findings_sarif({}, "", execution);
    const Json& run = log.find("runs")->as_array()->at(0);
    const auto& invocations = *run.find("invocations")->as_array();
    ASSERT_EQ(invocations.size(), 1U);
    EXPECT_EQ(*invocations[0].find("executionSuccessful"),
              Json(execution == Execution::Successful));
  }
}

TEST(SarifTest, FilesAreRelativeAndEncoded) {
  const std::string text = document::write_json(
      findings_sarif({full(Severity::Error)}, "/srv/p", Execution::Successful), -1);
  EXPECT_NE(text.find("\"uri\":\"models/a%20b.yml\",\"uriBaseId\":\"%SRCROOT%\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"startLine\":3,\"startColumn\":7"), std::string::npos) << text;
}

TEST(SarifTest, AFindingKeepsItsIdentityWhenLinesMove) {
  Finding moved = full(Severity::Error);
  moved.problem.where->line = 99;
  const auto identity = [](const Finding& finding) {
    const Json log = findings_sarif({finding}, "", Execution::Successful);
    const Json& run = log.find("runs")->as_array()->at(0);
    return *run.find("results")->as_array()->at(0).find("partialFingerprints");
  };
  EXPECT_EQ(identity(full(Severity::Error)), identity(moved));
  moved.problem.notes.front().text = "another loss";
  EXPECT_FALSE(identity(full(Severity::Error)) == identity(moved));
  moved = full(Severity::Error);
  moved.subject.name = "other";
  EXPECT_FALSE(identity(full(Severity::Error)) == identity(moved));
}

TEST(JunitTest, ErrorsFailAndTheRestPasses) {
  const std::string text = findings_junit(
      {"kedge check", {full(Severity::Error), full(Severity::Warning), bare()}, {}, {}, {}});
  EXPECT_NE(text.find("<testsuites name=\"kedge check\" tests=\"3\" failures=\"2\" errors=\"0\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<testsuite name=\"models\" tests=\"2\" failures=\"1\""), std::string::npos);
  EXPECT_NE(text.find("message=\"an &lt;unknown&gt; key &quot;x&quot; &amp; more, 100%\""),
            std::string::npos);
  EXPECT_NE(text.find("control \xEF\xBF\xBD and broken \xEF\xBF\xBD bytes"), std::string::npos);
}

TEST(JunitTest, TimesAreThoseOfTheGuards) {
  const std::string text = findings_junit({"kedge check",
                                           {full(Severity::Error), full(Severity::Warning)},
                                           {},
                                           {},
                                           {"docs"},
                                           {{"models", 1.25}, {"docs", 0.5}}});
  EXPECT_NE(text.find("errors=\"0\" time=\"1.750\">"), std::string::npos) << text;
  EXPECT_NE(text.find("errors=\"0\" time=\"1.250\" skipped"), std::string::npos) << text;
  EXPECT_NE(text.find("classname=\"kedge.docs\" time=\"0.500\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("models/a b.yml\" time=\"1.250\">"), std::string::npos) << text;
  EXPECT_NE(text.find("models/a b.yml\" time=\"0.000\">"), std::string::npos) << text;
}

TEST(JunitTest, ANoteWithoutACodeHasAName) {
  Finding note = full(Severity::Note);
  note.problem.code = Code();
  const std::string text = findings_junit({"kedge check", {note}, {}, {}, {}});
  EXPECT_NE(text.find("<testcase name=\"note "), std::string::npos) << text;
}

TEST(JunitTest, NothingFoundIsOnePassedTest) {
  const std::string text = findings_junit({"kedge check", {}, {}, {}, {}});
  EXPECT_NE(text.find("tests=\"1\" failures=\"0\""), std::string::npos);
  EXPECT_NE(text.find("<testcase name=\"no findings\" classname=\"kedge\" time=\"0.000\"/>"),
            std::string::npos);
}

TEST(GithubTest, OneEscapedLineAFinding) {
  EXPECT_EQ(findings_github({full(Severity::Warning)}, "/srv/p"),
            "::warning file=models/a b.yml,line=3,col=7,title=ERR_CONFIG::an <unknown> key \"x\" & "
            "more, 100%25%0Athe driver said%0Ano%0Athe other side%0Atake it out\n");
  EXPECT_TRUE(findings_github({bare()}, "").starts_with("::error title=schema_difference::"));
}

TEST(JunitTest, WhatCouldNotBeCheckedIsAnError) {
  const std::string text =
      findings_junit({"kedge check", {full(Severity::Error)}, {bare()}, {}, {}});
  EXPECT_NE(text.find("tests=\"2\" failures=\"1\" errors=\"1\""), std::string::npos) << text;
  EXPECT_NE(text.find("<error message="), std::string::npos) << text;
  EXPECT_NE(text.find("<failure message="), std::string::npos) << text;
}

TEST(JunitTest, OneErrorIsToldOnceAndSkipsTheOtherGuards) {
  const std::string text = findings_junit(
      {"kedge check", {}, {bare()}, {{"code", "ERR_CONFIG at project.yml:2:1"}}, {"docs"}});
  EXPECT_NE(text.find("<testsuites name=\"kedge check\" tests=\"3\" failures=\"0\" errors=\"1\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<skipped>ERR_CONFIG at project.yml:2:1</skipped>"), std::string::npos);
  EXPECT_NE(text.find("<testcase name=\"in line\" classname=\"kedge.docs\" time=\"0.000\"/>"),
            std::string::npos);
}

// Names of a database may hold what a terminal obeys, or look like lines of the report.
TEST(TextTest, NamesAreShownAndNotObeyed) {
  Finding finding = bare();
  finding.problem.message = "table 'a\x1b[2J\r\xc2\x9b\nerror[X]: no \xff \xc3\xa9'";
  EXPECT_EQ(finding_text(finding),
            "error[schema_difference]: table 'a\\x1b[2J\\x0d\\x9b\n    error[X]: no "
            "\xEF\xBF\xBD \xc3\xa9'\n");
  const std::string github = findings_github({finding}, "");
  EXPECT_EQ(github.find('\x1b'), std::string::npos);
  EXPECT_EQ(github.find('\xff'), std::string::npos);
  EXPECT_EQ(github.find('\n'), github.size() - 1);
}

}  // namespace
}  // namespace kedge::report
