#include "report/connections.h"

#include "report/problem.h"

namespace kedge::report {

std::string connections_text(const std::vector<app::ListedConnection>& connections) {
  std::string text = connections.empty() ? "no connections\n" : "";
  for (const app::ListedConnection& connection : connections) {
    text += connection.name + "  " + connection.connector;
    text += connection.where.empty() ? "" : "  " + connection.where;
    text += "  " + std::to_string(connection.entities) +
            (connection.entities == 1 ? " entity" : " entities");
    text += connection.description.empty() ? "\n" : "  " + connection.description + "\n";
  }
  return text;
}

document::Json connections_json(const std::vector<app::ListedConnection>& connections) {
  document::Json list = document::Json::array();
  for (const app::ListedConnection& connection : connections) {
    document::Json json;
    json.set("name", connection.name);
    json.set("connector", connection.connector);
    json.set("where", connection.where);
    if (!connection.description.empty()) {
      json.set("description", connection.description);
    }
    json.set("entities", connection.entities);
    list.push(std::move(json));
  }
  return list;
}

std::string tested_text(const std::vector<app::TestedConnection>& tested) {
  std::string text;
  for (const app::TestedConnection& connection : tested) {
    text += connection.name + ": ";
    if (connection.engine) {
      text += connection.engine->product +
              (connection.engine->version.empty() ? "" : " " + connection.engine->version) + ", " +
              std::to_string(connection.milliseconds) + " ms\n";
    } else if (connection.problem) {
      text += problem_text(*connection.problem, Severity::Error);
    }
  }
  return text;
}

document::Json tested_json(const std::vector<app::TestedConnection>& tested) {
  document::Json list = document::Json::array();
  for (const app::TestedConnection& connection : tested) {
    document::Json json;
    json.set("name", connection.name);
    json.set("ok", connection.engine.has_value());
    if (connection.engine) {
      json.set("product", connection.engine->product);
      json.set("version", connection.engine->version);
    }
    json.set("milliseconds", connection.milliseconds);
    if (connection.problem) {
      json.set("error", problem_json(*connection.problem));
    }
    list.push(std::move(json));
  }
  return list;
}

}  // namespace kedge::report
