// Texts and JSON of runs, cursors and contract differences.
#include "migrate/render.h"
#include "report/contracts.h"

namespace kedge::report {

using document::Json;

std::string contract_diff_text(const app::ContractDiff& result) {
  if (result.changes.empty()) {
    return "no differences\n";
  }
  std::string text;
  for (const contracts::ContractChange& change : result.changes) {
    text += std::string(change.kind == contracts::DiffKind::Breaking ? "breaking    "
                                                                     : "compatible  ") +
            change.entity + ": " + change.text + "\n";
  }
  return text;
}

Json contract_diff_json(const app::ContractDiff& result) {
  Json changes = Json::array();
  for (const contracts::ContractChange& change : result.changes) {
    Json item;
    item.set("kind", change.kind == contracts::DiffKind::Breaking ? "breaking" : "compatible");
    item.set("entity", change.entity);
    item.set("text", change.text);
    changes.push(std::move(item));
  }
  Json json;
  json.set("breaking", result.breaking());
  json.set("changes", std::move(changes));
  return json;
}

std::string runs_text(const std::vector<app::RunSummary>& runs) {
  if (runs.empty()) {
    return "no runs\n";
  }
  std::string text;
  for (const app::RunSummary& run : runs) {
    const pipeline::RunRecord& record = run.record;
    text += record.run_id + "  " + pipeline::to_string(record.status) + "  " +
            std::to_string(record.count(pipeline::NodeStatus::Success)) + " succeeded, " +
            std::to_string(record.count(pipeline::NodeStatus::Failed)) + " failed, " +
            std::to_string(record.count(pipeline::NodeStatus::Skipped)) + " skipped, " +
            std::to_string(run.drifts) + " drifted\n";
  }
  return text;
}

Json runs_json(const std::vector<app::RunSummary>& runs) {
  Json list = Json::array();
  for (const app::RunSummary& run : runs) {
    const pipeline::RunRecord& record = run.record;
    Json item;
    item.set("run_id", record.run_id);
    item.set("status", pipeline::to_string(record.status));
    item.set("started_at", record.started_at);
    if (!record.finished_at.empty()) {
      item.set("finished_at", record.finished_at);
    }
    item.set("selection", record.selection);
    item.set("succeeded", record.count(pipeline::NodeStatus::Success));
    item.set("failed", record.count(pipeline::NodeStatus::Failed));
    item.set("skipped", record.count(pipeline::NodeStatus::Skipped));
    item.set("drifted", run.drifts);
    list.push(std::move(item));
  }
  Json json;
  json.set("runs", std::move(list));
  return json;
}

std::string cursors_text(const pipeline::Cursors& cursors) {
  if (cursors.empty()) {
    return "no cursors\n";
  }
  std::string text;
  for (const auto& [entity, cursor] : cursors) {
    text += entity + "  " + cursor.cursor + " " + cursor.type + "  " + cursor.value + "  (run " +
            cursor.run_id + ", " + cursor.at + ")\n";
  }
  return text;
}

Json cursors_json(const pipeline::Cursors& cursors) {
  Json json = Json::object();
  for (const auto& [entity, cursor] : cursors) {
    Json item;
    item.set("cursor", cursor.cursor);
    item.set("type", cursor.type);
    item.set("value", cursor.value);
    item.set("run_id", cursor.run_id);
    item.set("at", cursor.at);
    json.set(entity, std::move(item));
  }
  return json;
}

std::string cursor_change_text(const app::CursorResult& result) {
  return result.key + ": " + result.before.value_or("(none)") + " -> " +
         result.after.value_or("(none)") + (result.stored ? "\n" : " (not stored)\n");
}

Json cursor_change_json(const app::CursorResult& result) {
  Json json;
  json.set("key", result.key);
  json.set("from", result.before ? Json(*result.before) : Json());
  json.set("to", result.after ? Json(*result.after) : Json());
  json.set("stored", result.stored);
  return json;
}

std::string plan_text(const app::PlanResult& result) {
  std::string text;
  for (const app::CompiledPipeline& pipeline : result.pipelines) {
    text += migrate::comment_lines(pipeline.name) + pipeline.sql + "\n\n";
  }
  for (const app::PlannedWrite& write : result.writes) {
    text +=
        migrate::comment_lines("write " + write.target + " (" + write.strategy + ", " +
                               write.policy + ")" + (write.note.empty() ? "" : ": " + write.note));
    for (const std::string& statement : write.statements) {
      text += statement + ";\n";
    }
    for (const std::string& refusal : write.refusals) {
      text += migrate::comment_lines("would be refused: " + refusal);
    }
  }
  return text;
}

Json plan_json(const app::PlanResult& result) {
  const auto texts = [](const std::vector<std::string>& items) {
    Json list = Json::array();
    for (const std::string& item : items) {
      list.push(item);
    }
    return list;
  };
  Json pipelines = Json::array();
  for (const app::CompiledPipeline& pipeline : result.pipelines) {
    Json item;
    item.set("name", pipeline.name);
    item.set("sql", pipeline.sql);
    pipelines.push(std::move(item));
  }
  Json writes = Json::array();
  for (const app::PlannedWrite& write : result.writes) {
    Json item;
    item.set("target", write.target);
    item.set("strategy", write.strategy);
    item.set("policy", write.policy);
    item.set("statements", texts(write.statements));
    item.set("refusals", texts(write.refusals));
    if (!write.note.empty()) {
      item.set("note", write.note);
    }
    writes.push(std::move(item));
  }
  app::ListResult nodes;
  nodes.nodes = result.nodes;
  Json json = list_json(nodes);
  json.set("pipelines", std::move(pipelines));
  json.set("writes", std::move(writes));
  return json;
}

}  // namespace kedge::report
