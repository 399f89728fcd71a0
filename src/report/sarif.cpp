// SARIF 2.1.0 (OASIS standard, sarif-schema-2.1.0).
#include <map>

#include "base/text.h"
#include "kedge/codes.h"
#include "report/findings.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

Json message(const std::string& text) {
  Json json;
  json.set("text", text);
  return json;
}

bool is_plain(unsigned char character) {
  return (character < 128 && std::isalnum(character) != 0) || character == '-' ||
         character == '.' || character == '_' || character == '~' || character == '/';
}

// A URI reference: everything but unreserved characters and '/' is percent-encoded.
std::string uri_of(const std::string& path) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri;
  for (const char character : path) {
    const auto byte = static_cast<unsigned char>(character);
    if (is_plain(byte)) {
      uri += character;
    } else {
      uri += '%';
      uri += kDigits[byte >> 4U];
      uri += kDigits[byte & 15U];
    }
  }
  return uri;
}

Json physical_location(const Position& where, const std::string& folder) {
  const std::string file = relative_file(where.file, folder);
  Json artifact;
  artifact.set("uri", (file.starts_with('/') ? "file://" : "") + uri_of(file));
  if (!file.starts_with('/')) {
    artifact.set("uriBaseId", "%SRCROOT%");
  }
  Json physical;
  physical.set("artifactLocation", std::move(artifact));
  if (where.line > 0) {
    Json region;
    region.set("startLine", where.line);
    if (where.column > 0) {
      region.set("startColumn", where.column);
    }
    physical.set("region", std::move(region));
  }
  return physical;
}

std::string qualified(const Subject& subject) {
  std::string text;
  for (const std::string& part : {subject.connection, subject.container, subject.name}) {
    if (!part.empty()) {
      text += (text.empty() ? "" : ".") + part;
    }
  }
  return text;
}

Json location_of(const Finding& finding, const std::string& folder) {
  Json location;
  if (finding.problem.where) {
    location.set("physicalLocation", physical_location(*finding.problem.where, folder));
  }
  if (finding.subject != Subject{}) {
    Json logical;
    if (!finding.subject.name.empty()) {
      logical.set("name", finding.subject.name);
    }
    logical.set("fullyQualifiedName", qualified(finding.subject));
    if (!finding.subject.kind.empty()) {
      logical.set("kind", finding.subject.kind);
    }
    Json list = Json::array();
    list.push(std::move(logical));
    location.set("logicalLocations", std::move(list));
  }
  return location;
}

// A note may have no code, but every result has a rule.
std::string_view rule_id(Code code) {
  return code.name().empty() ? "note" : code.name();
}

Json rule_of(Code code) {
  Json rule;
  rule.set("id", rule_id(code));
  if (const CodeEntry* entry = find_code(code.name())) {
    rule.set("shortDescription", message(std::string(entry->purpose) + "."));
    Json configuration;
    configuration.set("level", to_string(entry->severity));
    rule.set("defaultConfiguration", std::move(configuration));
  }
  if (!code.name().empty()) {
    rule.set("help", message("kedge explain " + std::string(code.name())));
  }
  return rule;
}

// The same finding keeps its identity when lines move: by what it says, not where it stands.
std::string identity_of(const Finding& finding) {
  const Subject& subject = finding.subject;
  std::string text = std::string(finding.problem.code.name()) + '\n' + subject.kind + '\n' +
                     qualified(subject) + '\n' + finding.problem.message;
  for (const Note& note : finding.problem.notes) {
    text += '\n' + note.text;
  }
  return base::sha256_hex(text).substr(0, 32);
}

Json related_locations(const Finding& finding, const std::string& folder) {
  Json list = Json::array();
  for (const Note& note : finding.problem.notes) {
    if (note.where) {
      Json location;
      location.set("physicalLocation", physical_location(*note.where, folder));
      location.set("message", message(note.text));
      list.push(std::move(location));
    }
  }
  return list;
}

std::string full_message(const Finding& finding) {
  std::string text = finding.problem.message;
  for (const Note& note : finding.problem.notes) {
    text += "\n" + note.text;
  }
  return finding.problem.hint.empty() ? text : text + "\nHint: " + finding.problem.hint;
}

Json result_of(const Finding& finding, std::size_t rule, const std::string& folder) {
  Json result;
  result.set("ruleId", rule_id(finding.problem.code));
  result.set("ruleIndex", rule);
  result.set("level", to_string(finding.severity));
  result.set("message", message(full_message(finding)));
  Json location = location_of(finding, folder);
  if (!location.is_null()) {
    Json locations = Json::array();
    locations.push(std::move(location));
    result.set("locations", std::move(locations));
  }
  Json related = related_locations(finding, folder);
  if (!related.as_array()->empty()) {
    result.set("relatedLocations", std::move(related));
  }
  Json identity;
  identity.set("kedge/v1", identity_of(finding));
  result.set("partialFingerprints", std::move(identity));
  if (!finding.guard.empty()) {
    Json properties;
    properties.set("guard", finding.guard);
    result.set("properties", std::move(properties));
  }
  return result;
}

}  // namespace

std::string relative_file(const std::string& file, const std::string& folder) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  return !folder.empty() && file.starts_with(prefix) ? file.substr(prefix.size()) : file;
}

Json findings_sarif(const std::vector<Finding>& findings, const std::string& folder,
                    Execution execution) {
  std::map<Code, std::size_t> rules;
  Json rule_list = Json::array();
  Json results = Json::array();
  for (const Finding& finding : findings) {
    const auto [found, is_new] = rules.emplace(finding.problem.code, rules.size());
    if (is_new) {
      rule_list.push(rule_of(finding.problem.code));
    }
    results.push(result_of(finding, found->second, folder));
  }
  Json driver;
  driver.set("name", "kedge");
  driver.set("version", KEDGE_VERSION);
  driver.set("rules", std::move(rule_list));
  Json tool;
  tool.set("driver", std::move(driver));
  Json run;
  run.set("tool", std::move(tool));
  Json invocation;
  invocation.set("executionSuccessful", execution == Execution::Successful);
  Json invocations = Json::array();
  invocations.push(std::move(invocation));
  run.set("invocations", std::move(invocations));
  run.set("columnKind", "unicodeCodePoints");
  run.set("results", std::move(results));
  Json runs = Json::array();
  runs.push(std::move(run));
  Json log;
  log.set("$schema",
          "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
          "sarif-schema-2.1.0.json");
  log.set("version", "2.1.0");
  log.set("runs", std::move(runs));
  return log;
}

}  // namespace kedge::report
