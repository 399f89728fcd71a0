#include "report/impact.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

std::string line_of(const app::Impact& impact) {
  std::string text =
      fmt::format("{} [{}] {}", to_string(impact.effect), impact.part, impact.message);
  if (impact.where && !impact.where->file.empty()) {
    text += " (" + kedge::to_string(*impact.where) + ")";
  }
  return text;
}

void tree(const app::ImpactResult& result, std::optional<std::size_t> cause,
          const std::string& indent, std::string& text) {
  std::vector<std::size_t> children;
  for (std::size_t i = 0; i < result.impacts.size(); ++i) {
    if (result.impacts[i].cause == cause) {
      children.push_back(i);
    }
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool last = i + 1 == children.size();
    text += indent + (last ? "└─ " : "├─ ") + line_of(result.impacts[children[i]]) + "\n";
    tree(result, children[i], indent + (last ? "   " : "│  "), text);
  }
}

std::string quoted(const std::string& text) {
  return "\"" + base::replace_all(base::replace_all(text, "\\", "\\\\"), "\"", "\\\"") + "\"";
}

std::size_t count(const app::ImpactResult& result, app::Effect effect) {
  std::size_t number = 0;
  for (const app::Impact& impact : result.impacts) {
    number += impact.effect == effect ? 1 : 0;
  }
  return number;
}

}  // namespace

std::string planned_impact_text(const app::ImpactResult& result) {
  std::string text;
  tree(result, std::nullopt, "  ", text);
  if (!text.empty()) {
    text = fmt::format("impact: {} break(s), {} change(s), {} safe\n",
                       count(result, app::Effect::Breaks), count(result, app::Effect::Changes),
                       count(result, app::Effect::Safe)) +
           text;
  }
  for (const Problem& problem : result.failures) {
    text += "impact: a part could not be judged: " + problem.message + "\n";
  }
  return text;
}

std::string impact_text(const app::ImpactResult& result) {
  std::string text = result.connection + ": " + base::join(result.changes, "; ") + "\n";
  tree(result, std::nullopt, "", text);
  if (result.impacts.empty()) {
    text += "breaks nothing that kedge knows of\n";
  } else {
    text += fmt::format("{} break(s), {} change(s), {} safe\n", count(result, app::Effect::Breaks),
                        count(result, app::Effect::Changes), count(result, app::Effect::Safe));
  }
  for (const Problem& problem : result.failures) {
    text += problem_text(problem, Severity::Error);
  }
  return text;
}

namespace {

Json impacts_json(const app::ImpactResult& result) {
  Json impacts = Json::array();
  for (const app::Impact& impact : result.impacts) {
    Finding finding;
    finding.problem.code = impact.code;
    finding.problem.message = impact.message;
    finding.problem.where = impact.where;
    finding.subject = impact.subject;
    finding.severity = impact.effect == app::Effect::Breaks ? Severity::Error : Severity::Note;
    Json json = finding_json(finding);
    json.set("part", impact.part).set("effect", to_string(impact.effect));
    json.set("cause", impact.cause ? Json(*impact.cause) : Json());
    impacts.push(std::move(json));
  }
  return impacts;
}

Json errors_json(const app::ImpactResult& result) {
  Json errors = Json::array();
  for (const Problem& problem : result.failures) {
    errors.push(problem_json(problem));
  }
  return errors;
}

}  // namespace

Json planned_impact_json(const app::ImpactResult& result) {
  Json json;
  json.set("connection", result.connection).set("impacts", impacts_json(result));
  json.set("errors", errors_json(result));
  return json;
}

Json impact_json(const app::ImpactResult& result) {
  Json changes = Json::array();
  for (const std::string& change : result.changes) {
    changes.push(change);
  }
  Json json;
  json.set("command", "impact").set("connection", result.connection);
  json.set("changes", std::move(changes)).set("impacts", impacts_json(result));
  json.set("errors", errors_json(result));
  json.set("exit_code", !result.failures.empty() ? 2 : result.breaks() ? 1 : 0);
  return json;
}

std::string impact_mermaid(const app::ImpactResult& result) {
  const auto label = [](const std::string& text) {
    return "[\"" + base::replace_all(text, "\"", "#quot;") + "\"]";
  };
  std::string text = "flowchart LR\n  change" + label(base::join(result.changes, "; ")) + "\n";
  for (std::size_t i = 0; i < result.impacts.size(); ++i) {
    const app::Impact& impact = result.impacts[i];
    text += fmt::format("  n{}{}:::{}\n", i, label(impact.message), to_string(impact.effect));
    text += impact.cause ? fmt::format("  n{} --> n{}\n", *impact.cause, i)
                         : fmt::format("  change --> n{}\n", i);
  }
  return text +
         "  classDef breaks stroke:#b3261e\n  classDef changes stroke:#8a5a00\n"
         "  classDef safe stroke:#1b6e3c\n";
}

std::string impact_dot(const app::ImpactResult& result) {
  std::string text = "digraph impact {\n  rankdir=LR;\n  node [shape=box];\n  change [label=" +
                     quoted(base::join(result.changes, "; ")) + "];\n";
  for (std::size_t i = 0; i < result.impacts.size(); ++i) {
    const app::Impact& impact = result.impacts[i];
    const char* color = impact.effect == app::Effect::Breaks    ? "red"
                        : impact.effect == app::Effect::Changes ? "orange"
                                                                : "green";
    text += fmt::format("  n{} [label={}, color={}];\n", i, quoted(impact.message), color);
    text += impact.cause ? fmt::format("  n{} -> n{};\n", *impact.cause, i)
                         : fmt::format("  change -> n{};\n", i);
  }
  return text + "}\n";
}

}  // namespace kedge::report
