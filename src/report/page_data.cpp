// The data object of the page (src/report/page/page.js).
#include "base/environment.h"
#include "base/text.h"
#include "kedge/change.h"
#include "report/check.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

// The cascade of which a finding is a part: what took it along, up to the live change, and what it
// takes along itself.
Json chain_graph(const app::GuardReport& guard, const Finding& finding) {
  const std::string label =
      finding.subject.kind == "model"
          ? finding.subject.name + " model:" + finding.subject.name
          : finding.subject.container + " " + finding.subject.kind + ":" + finding.subject.name;
  std::optional<std::size_t> start;
  for (std::size_t i = 0; i < guard.chain.size(); ++i) {
    if (guard.chain[i].text == label) {
      start = i;
    }
  }
  if (!start) {
    return {};
  }
  std::vector<bool> part(guard.chain.size(), false);
  std::vector<std::size_t> open;
  for (std::optional<std::size_t> at = start; at && !part[*at]; at = guard.chain[*at].cause) {
    part[*at] = true;
  }
  open.push_back(*start);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < guard.chain.size(); ++i) {
      if (guard.chain[i].cause == at && !part[i]) {
        part[i] = true;
        open.push_back(i);
      }
    }
  }
  Json nodes = Json::array();
  Json edges = Json::array();
  for (std::size_t i = 0; i < guard.chain.size(); ++i) {
    if (!part[i]) {
      continue;
    }
    Json node;
    node.set("id", std::to_string(i)).set("label", guard.chain[i].text).set("state", "breaks");
    nodes.push(std::move(node));
    if (guard.chain[i].cause && part[*guard.chain[i].cause]) {
      Json edge;
      edge.set("from", std::to_string(*guard.chain[i].cause)).set("to", std::to_string(i));
      edges.push(std::move(edge));
    }
  }
  Json graph;
  graph.set("nodes", std::move(nodes)).set("edges", std::move(edges));
  return graph;
}

Json databases_json(const app::PageParts& parts) {
  Json list = Json::array();
  for (const app::DatabaseState& state : parts.databases) {
    Json json;
    json.set("connection", state.connection).set("reachable", state.error.empty());
    if (state.error.empty()) {
      json.set("product", state.product).set("version", state.version);
      json.set("tables", state.tables).set("views", state.views);
    } else {
      json.set("error", state.error);
    }
    list.push(std::move(json));
  }
  return list;
}

Json entities_json(const app::PageParts& parts) {
  Json list = Json::array();
  for (const app::EntityPicture& entity : parts.entities) {
    Json columns = Json::array();
    for (const app::EntityColumn& column : entity.columns) {
      Json json;
      json.set("name", column.name).set("type", column.type);
      json.set("key", column.key).set("drifted", column.drifted);
      json.set("undeclared", column.undeclared);
      columns.push(std::move(json));
    }
    Json json;
    json.set("name", entity.name).set("drifted", entity.drifted);
    json.set("columns", std::move(columns));
    list.push(std::move(json));
  }
  return list;
}

Json relations_json(const app::PageParts& parts) {
  Json list = Json::array();
  for (const app::RelationPicture& relation : parts.relations) {
    Json columns = Json::array();
    for (const std::string& column : relation.columns) {
      columns.push(column);
    }
    Json json;
    json.set("from", relation.from).set("to", relation.to).set("columns", std::move(columns));
    list.push(std::move(json));
  }
  return list;
}

std::string state_text(app::LineState state) {
  switch (state) {
    case app::LineState::Same:
      return "same";
    case app::LineState::Added:
      return "added";
    case app::LineState::Removed:
      return "removed";
    case app::LineState::Changed:
      return "changed";
  }
  return "same";
}

Json difference_json(const app::PageParts& parts) {
  Json rows = Json::array();
  for (const app::ObjectSides& object : parts.sides) {
    Json lines = Json::array();
    for (const app::SideLine& line : object.lines) {
      Json one;
      one.set("left", line.left).set("right", line.right).set("state", state_text(line.state));
      lines.push(std::move(one));
    }
    Json row;
    row.set("object", object.object).set("state", state_text(object.state));
    row.set("lines", std::move(lines));
    rows.push(std::move(row));
  }
  Json json;
  json.set("left", parts.difference->from).set("right", parts.difference->to);
  json.set("rows", std::move(rows));
  return json;
}

Json plan_json(const migrate::Plan& plan) {
  Json statements = Json::array();
  for (const migrate::PlanStatement& statement : plan.up) {
    Json json;
    json.set("sql", statement.sql);
    bool blocked = false;
    if (statement.change) {
      const migrate::PlannedChange& planned = plan.changes.at(*statement.change);
      json.set("kind", kind_of(planned.change));
      blocked = planned.status.state == migrate::State::Blocked;
      if (blocked) {
        json.set("reason", planned.status.reason);
        json.set("allow", base::join(planned.status.tokens, ","));
      }
    }
    json.set("status", blocked ? "blocked" : "allowed");
    Json hazards = Json::array();
    for (const migrate::Hazard& hazard : statement.hazards) {
      Json one;
      one.set("hazard", hazard.hazard).set("text", hazard.text).set("lock", hazard.lock);
      hazards.push(std::move(one));
    }
    json.set("hazards", std::move(hazards));
    statements.push(std::move(json));
  }
  Json json;
  json.set("statements", std::move(statements));
  return json;
}

std::string shape_text(const std::vector<contracts::ShapeColumn>& columns) {
  std::string text;
  for (const contracts::ShapeColumn& column : columns) {
    text += column.name + " " + column.type + "\n";
  }
  return text;
}

Json contracts_json(const app::PageParts& parts) {
  Json list = Json::array();
  for (const app::ShownSchema& shown : parts.contracts) {
    Json json;
    json.set("entity", shown.entity).set("state", shown.pending.empty() ? "ok" : "changed");
    if (shown.baseline) {
      json.set("baseline", shape_text(shown.baseline->shape.columns));
    }
    if (shown.observed) {
      json.set("observed", shape_text(shown.observed->columns));
    }
    Json history = Json::array();
    for (const contracts::ShapeChange& change : shown.pending) {
      history.push(contracts::change_text(change));
    }
    json.set("history", std::move(history));
    list.push(std::move(json));
  }
  for (const std::string& entity : parts.declared) {
    list.push(Json::object().set("entity", entity).set("state", "declared"));
  }
  return list;
}

}  // namespace

Json page_data(const app::CheckResult& result, const app::PageParts& parts) {
  Json json = check_json(result);
  json.set("generated", base::format_utc(result.time));
  Json findings = Json::array();
  for (const Finding& finding : reported_findings(result)) {
    Json item = finding_json(finding);
    for (const app::GuardReport& guard : result.guards) {
      if (guard.guard == finding.guard) {
        Json graph = chain_graph(guard, finding);
        if (!graph.is_null()) {
          item.set("graph", std::move(graph));
        }
      }
    }
    findings.push(std::move(item));
  }
  json.set("findings", std::move(findings));
  json.set("databases", databases_json(parts));
  json.set("entities", entities_json(parts)).set("relations", relations_json(parts));
  if (parts.difference) {
    Json diffs;
    diffs.push(difference_json(parts));
    json.set("diffs", std::move(diffs)).set("plan", plan_json(parts.difference->plan));
  }
  json.set("contracts", contracts_json(parts));
  return json;
}

}  // namespace kedge::report
