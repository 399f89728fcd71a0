#include "report/migrate.h"

#include <array>
#include <map>

#include "base/text.h"
#include "report/diff.h"
#include "report/impact.h"
#include "report/problem.h"
#include "schema/change_json.h"

namespace kedge::report {
namespace {

using document::Json;

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& each : list) {
    json.push(each);
  }
  return json;
}

Json names(const std::vector<diff::Unmanaged>& list) {
  Json json = Json::array();
  for (const diff::Unmanaged& each : list) {
    Json one = Json::object();
    one.set("kind", each.kind);
    one.set("name", schema::to_string(each.name));
    json.push(std::move(one));
  }
  return json;
}

Json status_json(const migrate::Status& status) {
  Json json = Json::object();
  json.set("state", status.state == migrate::State::Blocked ? "blocked" : "allowed");
  if (!status.tokens.empty()) {
    json.set("token", status.tokens.front());
    json.set("tokens", texts(status.tokens));
  }
  if (status.state == migrate::State::Blocked) {
    json.set("code", status.code.name());
    json.set("reason", status.reason);
    if (!status.hint.empty()) {
      json.set("hint", status.hint);
    }
  }
  return json;
}

Json change_json(const migrate::PlannedChange& planned) {
  Json json = schema::to_json(planned.change);
  json.set("status", status_json(planned.status));
  return json;
}

Json ambiguity_json(const diff::Ambiguity& ambiguity) {
  Json json = Json::object();
  json.set("table", schema::to_string(ambiguity.table));
  if (ambiguity.to_table) {
    json.set("to", schema::to_string(*ambiguity.to_table));
  } else {
    json.set("from", ambiguity.from.text());
    json.set("to", ambiguity.to.text());
  }
  return json;
}

Problem problem_of(const migrate::PlannedChange& planned) {
  Problem problem;
  problem.code = planned.status.code;
  problem.message =
      planned.status.reason.empty() ? describe(planned.change) : planned.status.reason;
  problem.hint = planned.status.hint;
  if (problem.hint.empty() && !planned.status.tokens.empty()) {
    problem.hint = "--allow " + base::join(planned.status.tokens, ",");
  }
  return problem;
}

Json error_json(const migrate::PlannedChange& planned) {
  Json json = problem_json(problem_of(planned));
  json.set("object", schema::to_string(subject_of(planned.change)));
  if (!planned.status.tokens.empty()) {
    json.set("token", base::join(planned.status.tokens, ","));
  }
  return json;
}

bool is_blocked(const migrate::PlannedChange& planned) {
  return planned.status.state == migrate::State::Blocked;
}

Json chain_json(const std::vector<migrate::ChainEntry>& chain) {
  Json json = Json::array();
  for (const migrate::ChainEntry& entry : chain) {
    Json one = Json::object();
    one.set("name", entry.name);
    one.set("state", migrate::to_string(entry.state));
    if (!entry.applied_at.empty()) {
      one.set("applied_at", entry.applied_at);
    }
    if (migrate::is_half_done(entry.state)) {
      one.set("statements_done", entry.statements_done);
    }
    json.push(std::move(one));
  }
  return json;
}

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json();
}

Json warnings_json(const std::vector<Finding>& warnings) {
  Json json = Json::array();
  for (const Finding& finding : warnings) {
    json.push(problem_json(finding.problem));
  }
  return json;
}

}  // namespace

std::vector<Problem> migrate_problems(const app::MigrateResult& result) {
  std::vector<Problem> problems;
  for (const migrate::PlannedChange& planned : result.plan.changes) {
    if (is_blocked(planned)) {
      problems.push_back(problem_of(planned));
    }
  }
  problems.insert(problems.end(), result.errors.begin(), result.errors.end());
  return problems;
}

Json migrate_json(const app::MigrateResult& result) {
  Json json = Json::object();
  json.set("command", result.command);
  json.set("mode", result.mode);
  json.set("dialect", result.dialect);
  json.set("target", result.target);
  Json changes = Json::array();
  Json blocked = Json::array();
  Json errors = Json::array();
  for (const migrate::PlannedChange& planned : result.plan.changes) {
    changes.push(change_json(planned));
    if (is_blocked(planned)) {
      blocked.push(change_json(planned));
      errors.push(error_json(planned));
    }
  }
  for (const Problem& problem : result.errors) {
    errors.push(problem_json(problem));
  }
  Json ambiguous = Json::array();
  for (const diff::Ambiguity& ambiguity : result.plan.ambiguous) {
    ambiguous.push(ambiguity_json(ambiguity));
  }
  Json hazards = Json::array();
  for (const migrate::Hazard& hazard : result.plan.hazards) {
    Json one = hazard_json(hazard);
    if (const auto bytes = result.table_bytes.find(hazard.table);
        bytes != result.table_bytes.end()) {
      one.set("bytes_estimate", bytes->second);
    }
    hazards.push(one);
  }
  json.set("changes", std::move(changes));
  json.set("blocked", std::move(blocked));
  json.set("ambiguous", std::move(ambiguous));
  json.set("hazards", std::move(hazards));
  json.set("unmanaged", names(result.plan.unmanaged));
  json.set("out_of_scope", names(result.plan.out_of_scope));
  json.set("external", names(result.plan.external));
  json.set("written", texts(result.written));
  json.set("applied", texts(result.applied));
  json.set("pending", texts(result.pending));
  if (!result.rolled_back.empty()) {
    json.set("rolled_back", texts(result.rolled_back));
  }
  if (!result.chain.empty()) {
    json.set("migrations", chain_json(result.chain));
  }
  if (result.impact) {
    json.set("impact", planned_impact_json(*result.impact));
  }
  json.set("up", optional_text(result.up));
  json.set("down", optional_text(result.down));
  json.set("warnings", warnings_json(result.warnings));
  json.set("errors", std::move(errors));
  json.set("exit_code", result.exit);
  return json;
}

namespace {

void summary(const app::MigrateResult& result, std::string& out) {
  std::map<std::string, std::size_t> kinds;
  for (const migrate::PlannedChange& planned : result.plan.changes) {
    ++kinds[kind_of(planned.change)];
    out += "  " + describe(planned.change) + "\n";
  }
  if (kinds.empty()) {
    return;
  }
  std::string line;
  for (const auto& [kind, count] : kinds) {
    line += (line.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  out += line + "\n";
}

std::string size_text(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {" bytes", " kB", " MB", " GB", " TB"};
  constexpr std::int64_t kStep = 1024;
  std::size_t unit = 0;
  while (bytes >= 10 * kStep && unit + 1 < kUnits.size()) {
    bytes /= kStep;
    ++unit;
  }
  return std::to_string(bytes) + kUnits.at(unit);
}

std::string hazard_text(const migrate::Hazard& hazard, const app::MigrateResult& result) {
  std::string text = "hazard " + hazard.hazard + ": " + hazard.text;
  if (!hazard.lock.empty()) {
    text += " [lock: " + hazard.lock + (hazard.rewrite.empty() ? "" : ", " + hazard.rewrite) + "]";
  }
  std::vector<std::string> size;
  if (hazard.rows_estimate && *hazard.rows_estimate >= 0) {
    size.push_back("about " + std::to_string(*hazard.rows_estimate) + " rows");
  }
  if (const auto bytes = result.table_bytes.find(hazard.table); bytes != result.table_bytes.end()) {
    size.push_back(size_text(bytes->second));
  }
  text += size.empty() ? "" : " (" + base::join(size, ", ") + ")";
  if (hazard.probed && hazard.probe == migrate::ProbeResult::Holds) {
    text += " (checked: the data fits)";
  }
  return text + "\n";
}

void list(const char* word, const std::vector<std::string>& names, std::string& out) {
  for (const std::string& name : names) {
    out += std::string(word) + " " + name + "\n";
  }
}

void scope(const app::MigrateResult& result, std::string& out) {
  const auto& hidden = result.plan.out_of_scope;
  if (hidden.empty()) {
    return;
  }
  out += std::to_string(hidden.size()) + " object(s) out of scope:";
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    out += (i == 0 ? " " : ", ") + schema::to_string(hidden[i].name);
  }
  out += "\n";
}

std::string compared_line(const app::MigrateResult& result) {
  return result.compared.empty() ? "" : "compared with the " + result.compared + "\n";
}

}  // namespace

std::string migrate_text(const app::MigrateResult& result) {
  if (result.up) {
    return "-- UP --\n" + *result.up + "-- DOWN --\n" + result.down.value_or("");
  }
  std::string out = compared_line(result);
  summary(result, out);
  for (const migrate::Hazard& hazard : result.plan.hazards) {
    out += hazard_text(hazard, result);
  }
  if (result.impact) {
    out += planned_impact_text(*result.impact);
  }
  scope(result, out);
  for (const migrate::ChainEntry& entry : result.chain) {
    out += migrate::to_string(entry.state) + "  " + entry.name +
           (entry.applied_at.empty() ? "" : "  " + entry.applied_at) + "\n";
    if (migrate::is_half_done(entry.state)) {
      out += "  " + std::to_string(entry.statements_done) +
             " statements are done; kedge migrate resume " + entry.name + "\n";
    }
  }
  list("wrote", result.written, out);
  list("applied", result.applied, out);
  list("undid", result.rolled_back, out);
  if (result.chain.empty()) {
    list("pending", result.pending, out);
  }
  if (!result.note.empty()) {
    out += result.note + "\n";
  }
  return out;
}

std::string migrate_diagnostics(const app::MigrateResult& result) {
  std::string out;
  if (result.up) {  // standard output holds the SQL and nothing else
    out += compared_line(result);
    out += result.impact ? planned_impact_text(*result.impact) : "";
  }
  for (const Finding& finding : result.warnings) {
    out += problem_text(finding.problem, Severity::Warning);
  }
  for (const Problem& problem : migrate_problems(result)) {
    out += problem_text(problem, Severity::Error);
  }
  return out;
}

Json drift_json(const app::VerifyResult& result) {
  Json json = Json::array();
  for (const app::DriftLine& line : result.drift) {
    Json one = Json::object();
    one.set("sign", std::string(1, line.sign));
    one.set("noun", line.noun);
    one.set("detail", line.detail);
    one.set("change", line.change ? schema::to_json(*line.change) : Json());
    json.push(std::move(one));
  }
  return json;
}

Json verify_members(const app::VerifyResult& result) {
  Json json = Json::object();
  json.set("dialect", result.dialect);
  if (!result.target.empty()) {
    json.set("target", result.target);
  }
  json.set("checked", result.checked);
  json.set("unmanaged", names(result.unmanaged));
  json.set("external", names(result.external));
  json.set("out_of_scope", names(result.out_of_scope));
  json.set("warnings", warnings_json(result.warnings));
  Json findings = Json::array();
  for (const Problem& problem : result.problems) {
    findings.push(problem_json(problem));
  }
  json.set("findings", std::move(findings));
  return json;
}

std::string verify_text(const app::VerifyResult& result) {
  std::string out;
  for (const app::DriftLine& line : result.drift) {
    out += std::string(1, line.sign) + " " + line.noun + " " + line.detail + "\n";
  }
  for (const Problem& problem : result.problems) {
    out += problem_text(problem, Severity::Error);
  }
  for (const diff::Unmanaged& each : result.external) {
    out += "external (declared): " + schema::to_string(each.name) + "\n";
  }
  if (!result.out_of_scope.empty()) {
    out += std::to_string(result.out_of_scope.size()) + " object(s) out of scope:";
    for (const diff::Unmanaged& each : result.out_of_scope) {
      out += " " + schema::to_string(each.name);
    }
    out += "\n";
  }
  for (const Finding& finding : result.warnings) {
    out += problem_text(finding.problem, Severity::Warning);
  }
  return out + "verify: " + result.summary + "\n";
}

}  // namespace kedge::report
