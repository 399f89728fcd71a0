#include "report/contracts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

void set_text(Json& json, std::string_view key, const std::string& value) {
  if (!value.empty()) {
    json.set(key, value);
  }
}

Json item_json(const app::ValidationItem& item) {
  const Problem& problem = item.finding.problem;
  const Subject& subject = item.finding.subject;
  Json json;
  set_text(json, "code", std::string(problem.code.name()));
  json.set("message", problem.message);
  set_text(json, "connection", subject.connection);
  set_text(json, "entity", subject.container);
  set_text(json, "column", subject.name);
  set_text(json, "kind", item.kind);
  if (!item.kind.empty()) {
    json.set("declared", item.declared.empty() ? Json() : Json(item.declared));
    json.set("found", item.found.empty() ? Json() : Json(item.found));
  }
  if (problem.where) {
    json.set("file", problem.where->file);
    json.set("line", problem.where->line);
    json.set("col", problem.where->column);
  }
  set_text(json, "pointer", item.pointer);
  set_text(json, "hint", problem.hint);
  if (!item.suggestions.empty()) {
    Json names = Json::array();
    for (const std::string& name : item.suggestions) {
      names.push(name);
    }
    json.set("suggestions", std::move(names));
  }
  Json related = Json::array();
  for (const Note& note : problem.notes) {
    if (note.where) {
      Json place;
      place.set("message", note.text);
      place.set("file", note.where->file);
      place.set("line", note.where->line);
      place.set("col", note.where->column);
      related.push(std::move(place));
    }
  }
  if (!related.as_array()->empty()) {
    json.set("related", std::move(related));
  }
  return json;
}

Json items_json(const app::Validation& result, Severity severity) {
  Json list = Json::array();
  for (const app::ValidationItem& item : result.items) {
    if (item.finding.severity == severity) {
      list.push(item_json(item));
    }
  }
  return list;
}

std::string columns_text(const std::vector<contracts::ShapeColumn>& columns) {
  std::string text;
  for (const contracts::ShapeColumn& column : columns) {
    text += "  " + column.name + "  " + column.type +
            (column.native ? "  (" + *column.native + ")" : "") + "\n";
  }
  return text;
}

Json changes_json(const std::vector<contracts::ShapeChange>& changes) {
  Json list = Json::array();
  for (const contracts::ShapeChange& change : changes) {
    list.push(contracts::change_json(change));
  }
  return list;
}

}  // namespace

std::string contract_line(const Problem& problem, Severity severity) {
  std::string line = to_string(severity);
  if (!problem.code.name().empty()) {
    line += " " + std::string(problem.code.name());
  }
  line += ": " + problem.message;
  if (problem.where) {
    line += " (" + kedge::to_string(*problem.where) + ")";
  }
  if (!problem.hint.empty()) {
    line += " — hint: " + problem.hint;
  }
  line += "\n";
  for (const Note& note : problem.notes) {
    line += "  note: " + note.text +
            (note.where ? " (" + kedge::to_string(*note.where) + ")" : "") + "\n";
  }
  return line;
}

Json contract_problem_json(const Problem& problem) {
  app::ValidationItem item;
  item.finding.problem = problem;
  return item_json(item);
}

Json contract_failure_json(const std::vector<Problem>& problems, int exit_code) {
  Json errors = Json::array();
  for (const Problem& problem : problems) {
    errors.push(contract_problem_json(problem));
  }
  Json json;
  json.set("ok", false);
  json.set("exit", exit_code);
  json.set("errors", std::move(errors));
  return json;
}

std::string validation_diagnostics(const app::Validation& result) {
  std::string text;
  for (const app::ValidationItem& item : result.items) {
    text += contract_line(item.finding.problem, item.finding.severity);
  }
  return text;
}

std::string validation_summary(const app::Validation& result) {
  std::set<std::string> connections;
  std::size_t problems = 0;
  for (const app::ValidationItem& item : result.items) {
    if (item.finding.severity == Severity::Error) {
      ++problems;
      connections.insert(item.finding.subject.connection);
    }
  }
  connections.erase("");
  if (problems == 0) {
    return "validation passed (" + std::to_string(result.pipelines) + " pipelines, " +
           std::to_string(result.connections) + " connections checked)\n";
  }
  const std::string where =
      connections.empty() ? "" : " in " + std::to_string(connections.size()) + " connection(s)";
  return std::to_string(problems) + " problem(s)" + where + "\n";
}

Json validation_json(const app::Validation& result) {
  const int exit_code = result.exit();
  Json json;
  json.set("ok", exit_code == 0);
  json.set("exit", exit_code);
  json.set("pipelines", result.pipelines);
  json.set("connections", result.connections);
  json.set("errors", items_json(result, Severity::Error));
  json.set("warnings", items_json(result, Severity::Warning));
  json.set("notes", items_json(result, Severity::Note));
  return json;
}

std::string accept_text(const app::AcceptResult& result) {
  if (result.changes.empty()) {
    return "nothing to accept\n";
  }
  std::string text;
  for (const contracts::AcceptedChange& change : result.changes) {
    text += change.entity + ": " + contracts::change_text(change.change) + "\n";
  }
  return text + "accepted " + std::to_string(result.changes.size()) + " schema change(s)\n";
}

Json accept_json(const app::AcceptResult& result) {
  Json changes = Json::array();
  for (const contracts::AcceptedChange& change : result.changes) {
    Json item;
    item.set("entity", change.entity);
    const Json members = contracts::change_json(change.change);
    for (const auto& [name, value] : *members.as_object()) {
      item.set(name, value);
    }
    changes.push(std::move(item));
  }
  Json json;
  json.set("accepted", result.changes.size());
  json.set("changes", std::move(changes));
  return json;
}

std::string show_text(const app::ShowResult& result) {
  if (result.schemas.empty()) {
    return "no baselines and no observed schemas\n";
  }
  std::string text;
  for (const app::ShownSchema& schema : result.schemas) {
    text += schema.entity + "\n";
    if (schema.baseline) {
      text += "  baseline: " + schema.baseline->source + " of run " + schema.baseline->run_id +
              " at " + schema.baseline->at + "\n" + columns_text(schema.baseline->shape.columns);
    } else {
      text += "  no baseline\n";
    }
    for (const contracts::ShapeChange& change : schema.pending) {
      text += "pending: " + schema.entity + ": " + contracts::change_text(change) + "\n";
    }
  }
  return text;
}

Json show_json(const app::ShowResult& result) {
  Json schemas = Json::array();
  for (const app::ShownSchema& schema : result.schemas) {
    Json item;
    item.set("entity", schema.entity);
    if (schema.baseline) {
      Json baseline = contracts::to_json(schema.baseline->shape);
      baseline.set("run_id", schema.baseline->run_id);
      baseline.set("source", schema.baseline->source);
      baseline.set("at", schema.baseline->at);
      item.set("baseline", std::move(baseline));
    }
    if (schema.observed) {
      item.set("observed", contracts::to_json(*schema.observed));
    }
    item.set("pending", changes_json(schema.pending));
    schemas.push(std::move(item));
  }
  Json json;
  json.set("schemas", std::move(schemas));
  return json;
}

std::string list_text(const app::ListResult& result) {
  std::string text;
  for (const app::ListedNode& node : result.nodes) {
    text += node.kind + std::string(node.kind.size() < 10 ? 10 - node.kind.size() : 1, ' ') +
            node.name + (node.tags.empty() ? "" : "  [" + base::join(node.tags, ", ") + "]") + "\n";
  }
  return text;
}

Json list_json(const app::ListResult& result) {
  Json nodes = Json::array();
  for (const app::ListedNode& node : result.nodes) {
    Json tags = Json::array();
    for (const std::string& tag : node.tags) {
      tags.push(tag);
    }
    Json item;
    item.set("kind", node.kind);
    item.set("name", node.name);
    item.set("tags", std::move(tags));
    nodes.push(std::move(item));
  }
  Json json;
  json.set("nodes", std::move(nodes));
  return json;
}

std::string node_line(const pipeline::NodeRecord& node) {
  std::string word = "ok  ";
  if (node.status == pipeline::NodeStatus::Failed) {
    word = "FAIL";
  } else if (node.status == pipeline::NodeStatus::Skipped) {
    word = "skip";
  }
  const std::size_t width = 28;
  const std::string blanks(node.name.size() < width ? width - node.name.size() : 1, ' ');
  std::string line = word + " " + node.name + blanks + std::to_string(node.rows) + " rows  " +
                     std::to_string(node.duration_ms) + " ms" +
                     (node.provenance.empty() ? "" : "  " + node.provenance) + "\n";
  if (node.error) {
    line += "     " + node.error->code + ": " + node.error->message + "\n";
  }
  return line;
}

std::string run_summary(const pipeline::RunRecord& record) {
  return "run " + record.run_id + ": " +
         std::to_string(record.count(pipeline::NodeStatus::Success)) + " succeeded, " +
         std::to_string(record.count(pipeline::NodeStatus::Failed)) + " failed, " +
         std::to_string(record.count(pipeline::NodeStatus::Skipped)) + " skipped (.kedge/runs/" +
         record.run_id + "/run.json)\n";
}

Json run_json(const app::RunOutcome& outcome) {
  const int exit_code = outcome.exit();
  if (!outcome.record) {
    Json json;
    json.set("status", "success");
    json.set("message", outcome.nothing);
    json.set("nodes", Json::array());
    json.set("exit", exit_code);
    return json;
  }
  Json json = pipeline::to_json(*outcome.record);
  json.set("exit", exit_code);
  json.set("succeeded", outcome.record->count(pipeline::NodeStatus::Success));
  json.set("failed", outcome.record->count(pipeline::NodeStatus::Failed));
  json.set("skipped", outcome.record->count(pipeline::NodeStatus::Skipped));
  return json;
}

}  // namespace kedge::report
