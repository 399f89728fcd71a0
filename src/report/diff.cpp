#include "report/diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "migrate/render.h"
#include "report/problem.h"
#include "schema/change_json.h"

namespace kedge::report {
namespace {

using document::Json;

// Of each change. A column that goes in a rebuild has no statement of its own.
std::vector<bool> destructive_changes(const migrate::Plan& plan) {
  std::vector<bool> destructive(plan.changes.size(), false);
  for (std::size_t i = 0; i < plan.changes.size(); ++i) {
    destructive[i] = std::holds_alternative<change::DropColumn>(plan.changes[i].change);
  }
  for (const migrate::PlanStatement& statement : plan.up) {
    if (statement.destructive && statement.change && *statement.change < destructive.size()) {
      destructive[*statement.change] = true;
    }
  }
  return destructive;
}

std::string refusal_of(const migrate::Status& status) {
  return std::string(status.code.name()) + ": " + status.reason + "; " + status.hint;
}

std::string proof_line(const app::Proof& proof) {
  if (!proof.ran) {
    return "";
  }
  if (proof.holds()) {
    return fmt::format("proved: applied to a copy ({} rows), the copy equals the target\n",
                       proof.rows_copied);
  }
  std::string text = "not proved:";
  if (!proof.failure.empty()) {
    text += " " + proof.failure;
  }
  for (const std::string& table : proof.lost) {
    text += "\n  rows lost in " + table;
  }
  for (const std::string& table : proof.altered) {
    text += "\n  other values in " + table;
  }
  for (const Change& change : proof.left) {
    text += "\n  still " + describe(change);
  }
  return text + "\n";
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// The statements in steps: what must commit alone is a step of its own.
std::vector<std::vector<const migrate::PlanStatement*>> steps_of(const migrate::Plan& plan) {
  std::vector<std::vector<const migrate::PlanStatement*>> steps;
  bool alone = true;
  for (const migrate::PlanStatement& statement : plan.up) {
    const bool apart = statement.transactional == migrate::Transactional::Alone;
    if (steps.empty() || apart || alone) {
      steps.emplace_back();
    }
    steps.back().push_back(&statement);
    alone = apart;
  }
  return steps;
}

void write_lines(std::string& sql, const migrate::PlanStatement& statement) {
  for (const std::string& line : statement.comments) {
    sql += migrate::comment_lines(line);
  }
  if (statement.destructive) {
    sql += "-- DESTRUCTIVE: what this takes away cannot be made again\n";
  }
  for (const migrate::Hazard& hazard : statement.hazards) {
    sql += migrate::comment_lines("HAZARD: " + hazard.hazard + " " + to_string(hazard.table) +
                                  ": " + hazard.text);
  }
  sql += statement.sql + "\n";
}

// The sqlite3 program goes on after a statement that failed. No rows are lost by that (a copy that
// fails rolls back, migrate::RunBy::Client), but what follows is run.
bool needs_bail(const app::ShapeDiff& result) {
  const auto copies = [](const migrate::PlanStatement& one) {
    return std::any_of(one.hazards.begin(), one.hazards.end(), [](const migrate::Hazard& hazard) {
      return hazard.hazard == "table-rebuild";
    });
  };
  return schema::is_sqlite(result.dialect) &&
         std::any_of(result.plan.up.begin(), result.plan.up.end(), copies);
}

const char* open_of(schema::Dialect dialect) {
  switch (dialect) {
    case schema::Dialect::Postgres:
      return "BEGIN;\n";
    case schema::Dialect::Duckdb:
      return "BEGIN TRANSACTION;\n";
    case schema::Dialect::Sqlite:
    case schema::Dialect::Mysql:
    case schema::Dialect::D1:
    case schema::Dialect::Ansi:
      return "";
  }
  return "";
}

Json objects_json(const std::vector<diff::Unmanaged>& objects) {
  Json list = Json::array();
  for (const diff::Unmanaged& one : objects) {
    list.push(Json::object().set("kind", one.kind).set("name", to_string(one.name)));
  }
  return list;
}

Json ambiguous_json(const std::vector<diff::Ambiguity>& questions) {
  Json list = Json::array();
  for (const diff::Ambiguity& one : questions) {
    Json json = Json::object();
    json.set("table", to_string(one.table));
    if (one.to_table) {
      json.set("to_table", to_string(*one.to_table));
    } else {
      json.set("from", one.from.text());
      json.set("to", one.to.text());
    }
    list.push(json);
  }
  return list;
}

Json proof_json(const app::Proof& proof) {
  if (!proof.ran) {
    return {};
  }
  Json left = Json::array();
  for (const Change& change : proof.left) {
    left.push(schema::to_json(change));
  }
  const auto list = [](const std::vector<std::string>& tables) {
    Json names = Json::array();
    for (const std::string& table : tables) {
      names.push(table);
    }
    return names;
  };
  Json json = Json::object();
  json.set("holds", proof.holds());
  json.set("rows_copied", proof.rows_copied);
  json.set("left", left);
  json.set("rows_lost", list(proof.lost));
  json.set("rows_changed", list(proof.altered));
  json.set("failure", proof.failure);
  return json;
}

}  // namespace

Json hazard_json(const migrate::Hazard& hazard) {
  Json json = Json::object();
  json.set("hazard", hazard.hazard);
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      json.set(key, value);
    }
  };
  text("schema", hazard.table.schema.text());
  json.set("table", hazard.table.name.text());
  text("column", hazard.column.text());
  text("object", hazard.object);
  text("lock", hazard.lock);
  text("rewrite", hazard.rewrite);
  if (hazard.rows_estimate) {
    json.set("rows_estimate", *hazard.rows_estimate);
  }
  if (hazard.probed) {
    json.set("probe", migrate::to_string(hazard.probe));
  }
  text("sample", hazard.sample);
  text("online_form", hazard.online_form);
  text("text", hazard.text);
  return json;
}

Json planned_change_json(const migrate::PlannedChange& planned) {
  Json json = schema::to_json(planned.change);
  Json status = Json::object();
  const bool allowed = planned.status.state == migrate::State::Allowed;
  status.set("state", allowed ? "allowed" : "blocked");
  if (!allowed) {
    if (!planned.status.tokens.empty()) {
      status.set("token", base::join(planned.status.tokens, ","));
    }
    status.set("reason", planned.status.reason);
    status.set("code", planned.status.code.name());
    status.set("hint", planned.status.hint);
  }
  json.set("status", status);
  return json;
}

namespace {

// Names of a database are shown, not obeyed, and do not look like lines of the report.
std::string one_line(const std::string& text) {
  return base::replace_all(printable(text), "\n", "\\n");
}

}  // namespace

std::string diff_text(const app::ShapeDiff& result) {
  std::string text;
  const std::vector<bool> destructive = destructive_changes(result.plan);
  for (std::size_t i = 0; i < result.plan.changes.size(); ++i) {
    text += one_line(describe(result.plan.changes[i].change));
    text += destructive[i] ? "  (destructive)\n" : "\n";
    if (const migrate::Status& status = result.plan.changes[i].status; is_impossible(status)) {
      text += "  refused, " + refusal_of(status) + "\n";
    }
  }
  for (const diff::Ambiguity& one : result.plan.ambiguous) {
    const std::string from = one_line(one.to_table ? to_string(one.table)
                                                   : to_string(one.table) + "." + one.from.text());
    const std::string to = one_line(one.to_table ? to_string(*one.to_table) : one.to.text());
    text += "? is " + from + " -> " + to + " a rename? " +
            (one.to_table ? "--rename-table " : "--rename-column ") + from + "=" + to + "\n";
  }
  text += result.is_equal()
              ? "no difference\n"
              : counted(result.plan.changes.size(), "difference", "differences") + "\n";
  for (const schema::Unmodelled& one : result.unmodelled) {
    text += "seen, not modelled: " + one.kind + " " + one_line(to_string(one.name)) + "\n";
  }
  return text + proof_line(result.proof);
}

std::string diff_sql(const app::ShapeDiff& result) {
  std::string sql;
  if (needs_bail(result)) {
    sql =
        "-- Run it with sqlite3 -bail, or with what else stops at the first statement that "
        "fails.\n";
  }
  for (const migrate::PlannedChange& planned : result.plan.changes) {
    if (is_impossible(planned.status)) {
      sql += migrate::comment_lines("REFUSED: " + describe(planned.change) + "\n" +
                                    refusal_of(planned.status));
    }
  }
  const auto steps = steps_of(result.plan);
  const std::string open = open_of(result.dialect);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool alone = steps[i].front()->transactional == migrate::Transactional::Alone;
    if (steps.size() > 1) {
      sql += fmt::format("-- step {} of {}{}\n", i + 1, steps.size(),
                         alone ? ": must be committed alone" : "");
    }
    sql += alone ? "" : open;
    for (const migrate::PlanStatement* statement : steps[i]) {
      write_lines(sql, *statement);
    }
    sql += alone || open.empty() ? "" : "COMMIT;\n";
  }
  return sql;
}

Json diff_json(const app::ShapeDiff& result) {
  Json changes = Json::array();
  const std::vector<bool> destructive = destructive_changes(result.plan);
  for (std::size_t i = 0; i < result.plan.changes.size(); ++i) {
    Json change = planned_change_json(result.plan.changes[i]);
    change.set("destructive", destructive[i]);
    change.set("text", describe(result.plan.changes[i].change));
    changes.push(change);
  }
  Json statements = Json::array();
  for (const migrate::PlanStatement& statement : result.plan.up) {
    Json one = Json::object();
    one.set("sql", statement.sql);
    one.set("alone", statement.transactional == migrate::Transactional::Alone);
    one.set("destructive", statement.destructive);
    one.set("change", statement.change ? Json(*statement.change) : Json());
    statements.push(one);
  }
  Json hazards = Json::array();
  for (const migrate::Hazard& hazard : result.plan.hazards) {
    hazards.push(hazard_json(hazard));
  }
  Json unmodelled = Json::array();
  for (const schema::Unmodelled& one : result.unmodelled) {
    unmodelled.push(Json::object().set("kind", one.kind).set("name", to_string(one.name)));
  }
  Json warnings = Json::array();
  for (const Problem& warning : result.warnings) {
    warnings.push(problem_json(warning));
  }
  Json json = Json::object();
  json.set("command", "diff");
  json.set("from", result.from);
  json.set("to", result.to);
  json.set("dialect", to_string(result.dialect));
  json.set("equal", result.is_equal());
  json.set("changes", changes);
  json.set("ambiguous", ambiguous_json(result.plan.ambiguous));
  json.set("hazards", hazards);
  json.set("statements", statements);
  json.set("unmanaged", objects_json(result.plan.unmanaged));
  json.set("external", objects_json(result.plan.external));
  json.set("out_of_scope", objects_json(result.plan.out_of_scope));
  json.set("unmodelled", unmodelled);
  json.set("proof", proof_json(result.proof));
  json.set("warnings", warnings);
  json.set("errors", Json::array());
  json.set("exit_code", result.is_equal() ? 0 : 1);
  return json;
}

}  // namespace kedge::report
