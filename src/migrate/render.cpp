// The text of up.sql and down.sql.
#include "migrate/render.h"

#include <algorithm>

#include "base/text.h"
#include "migrate/plan.h"

namespace kedge::migrate {
namespace {

std::string hazard_line(const Hazard& hazard) {
  std::string line = "HAZARD: " + hazard.hazard + " " + to_string(hazard.table);
  line += hazard.column.empty() ? "" : "." + hazard.column.text();
  line += hazard.object.empty() ? "" : " " + hazard.object;
  line += ": " + hazard.text;
  line += hazard.lock.empty() ? "" : "; lock " + hazard.lock;
  return line + (hazard.rewrite.empty() ? "" : ", " + hazard.rewrite);
}

void comment(std::string& text, const std::string& line) {
  text += comment_lines(line);
}

void write_statement(std::string& text, const PlanStatement& statement) {
  for (const std::string& line : statement.comments) {
    comment(text, line);
  }
  for (const Hazard& hazard : statement.hazards) {
    comment(text, hazard_line(hazard));
  }
  text += statement.sql + "\n\n";
}

std::string header(const Plan& plan, bool transactional) {
  std::string text = transactional ? "" : "-- kedge: transaction off\n";
  if (plan.dialect == schema::Dialect::Postgres) {
    const std::string set = transactional ? "SET LOCAL " : "SET ";
    if (!plan.lock_timeout.empty()) {
      text += set + "lock_timeout = '" + plan.lock_timeout + "';\n\n";
    }
    if (!plan.statement_timeout.empty()) {
      text += set + "statement_timeout = '" + plan.statement_timeout + "';\n\n";
    }
  }
  return text;
}

bool runs_in_transaction(const std::vector<PlanStatement>& statements, const Plan& plan) {
  return plan.dialect != schema::Dialect::Postgres ||
         std::none_of(statements.begin(), statements.end(), [](const PlanStatement& one) {
           return one.transactional == Transactional::Alone;
         });
}

std::string render(const Plan& plan, const std::vector<PlanStatement>& statements) {
  if (statements.empty()) {
    return "";
  }
  std::string text = header(plan, runs_in_transaction(statements, plan));
  for (const PlanStatement& statement : statements) {
    write_statement(text, statement);
  }
  return text;
}

}  // namespace

std::string comment_lines(std::string_view text) {
  std::string lines;
  for (const std::string& line :
       base::split(base::replace_all(std::string(text), "\r", " "), '\n')) {
    lines += base::trim(line).starts_with("kedge:") ? "-- > " : "-- ";
    lines += line + "\n";
  }
  return lines;
}

std::string render_up(const Plan& plan) {
  return render(plan, plan.up);
}

std::string render_up(const Plan& plan, Phase phase) {
  std::vector<PlanStatement> statements;
  for (const PlanStatement& statement : plan.up) {
    if (statement.phase == phase) {
      statements.push_back(statement);
    }
  }
  return render(plan, statements);
}

bool has_phase(const Plan& plan, Phase phase) {
  return std::any_of(plan.up.begin(), plan.up.end(),
                     [&](const PlanStatement& one) { return one.phase == phase; });
}

std::string render_down(const Plan& plan) {
  std::string text = render(plan, plan.down);
  for (const std::string& note : plan.down_notes) {
    comment(text, note);
  }
  return text;
}

}  // namespace kedge::migrate
