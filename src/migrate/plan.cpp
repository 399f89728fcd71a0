#include "migrate/plan.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/emission.h"
#include "migrate/gate.h"
#include "migrate/hazards.h"
#include "migrate/notes.h"
#include "sql/analysis.h"
#include "sql/lexer.h"

namespace kedge::migrate {
namespace {

void emit(Emission& emission) {
  prepare(emission);
  switch (emission.options.dialect) {
    case schema::Dialect::Sqlite:
    case schema::Dialect::D1:
      return emit_sqlite(emission);
    case schema::Dialect::Mysql:
      return emit_mysql(emission);
    case schema::Dialect::Duckdb:
      return emit_duckdb(emission);
    case schema::Dialect::Postgres:
    case schema::Dialect::Ansi:
      return emit_postgres(emission);
  }
}

std::set<schema::Name> untouchable(const diff::Result& result) {
  std::set<schema::Name> names;
  for (const auto* list : {&result.external, &result.out_of_scope, &result.unmanaged}) {
    for (const diff::Unmanaged& one : *list) {
      names.insert(one.name);
    }
  }
  return names;
}

// A declared table or view may be the first of its schema (spec/migrate.md 8.1, stage 0).
void create_schemas(Emission& e) {
  if (schema::is_sqlite(e.options.dialect)) {
    return;
  }
  std::set<Identifier> missing;
  for (const Change& change : e.changes) {
    const auto* table = std::get_if<change::CreateTable>(&change);
    const auto* view = std::get_if<change::CreateView>(&change);
    if (table != nullptr || view != nullptr) {
      missing.insert(table != nullptr ? table->object.name.schema : view->view.name.schema);
    }
  }
  missing.erase(Identifier());
  for (const schema::Namespace& space : e.from.namespaces) {
    missing.erase(space.name);
  }
  for (const Change& change : e.changes) {
    if (const auto* made = std::get_if<change::CreateNamespace>(&change)) {
      missing.erase(made->object.name);
    }
  }
  for (const Identifier& name : missing) {
    e.draft.add({0, 0, name.text()}, "CREATE SCHEMA IF NOT EXISTS " + e.ddl.quote(name));
  }
}

// What an allowed cascade takes along is gone afterwards; its text is kept for whoever misses it.
void forget_destroyed(schema::Schema& after, const std::set<schema::Name>& destroyed,
                      std::vector<std::string>& notes) {
  for (const schema::View& view : after.views) {
    if (destroyed.contains(view.name)) {
      notes.push_back("WARNING: not restored: CREATE " +
                      std::string(view.materialized ? "MATERIALIZED VIEW " : "VIEW ") +
                      to_string(view.name) + " AS\n" + view.body);
    }
  }
  std::erase_if(after.views,
                [&](const schema::View& view) { return destroyed.contains(view.name); });
}

// The table that a statement begins to rebuild.
const schema::Name* rebuilt_table(const PlanStatement& statement) {
  for (const Hazard& hazard : statement.hazards) {
    if (hazard.hazard == "table-rebuild") {
      return &hazard.table;
    }
  }
  return nullptr;
}

// A rebuild bundles the changes of its table; those without a statement have hazards all the same.
void attach_to_rebuild(PlanStatement& statement, std::vector<std::vector<Hazard>>& by_change) {
  const schema::Name* rebuilt = rebuilt_table(statement);
  if (rebuilt == nullptr) {
    return;
  }
  const schema::Name table = *rebuilt;
  for (std::vector<Hazard>& hazards : by_change) {
    std::erase_if(hazards, [&](const Hazard& hazard) {
      if (hazard.table != table) {
        return false;
      }
      statement.hazards.push_back(hazard);
      return true;
    });
  }
}

// Each hazard stands above the first statement of its change; a plan lists each once.
void attach_hazards(Plan& plan, const std::vector<Change>& changes, const schema::Schema& actual,
                    const std::vector<Remap>& remaps, const PlanOptions& options) {
  std::vector<std::vector<Hazard>> by_change = hazards_of(changes, actual, options);
  for (std::vector<Hazard>& hazards : by_change) {
    // A column that is filled through the old key of its parent needs no default.
    std::erase_if(hazards, [&](const Hazard& hazard) {
      return hazard.hazard == "add-required-column" &&
             std::any_of(remaps.begin(), remaps.end(), [&](const Remap& remap) {
               return remap.child == hazard.table && remap.new_column == hazard.column;
             });
    });
    // What it holds before says nothing of a reference that it is filled for.
    for (Hazard& hazard : hazards) {
      if (hazard.hazard == "add-fk" &&
          std::any_of(remaps.begin(), remaps.end(), [&](const Remap& remap) {
            return remap.child == hazard.table && remap.new_column == hazard.column;
          })) {
        hazard.probe_sql.clear();
      }
    }
  }
  for (PlanStatement& statement : plan.up) {
    if (statement.change && !by_change[*statement.change].empty()) {
      auto& hazards = by_change[*statement.change];
      statement.hazards.insert(statement.hazards.begin(), hazards.begin(), hazards.end());
      hazards.clear();
    }
  }
  for (PlanStatement& statement : plan.up) {
    attach_to_rebuild(statement, by_change);
    plan.hazards.insert(plan.hazards.end(), statement.hazards.begin(), statement.hazards.end());
  }
  for (auto& hazards : by_change) {
    plan.hazards.insert(plan.hazards.end(), hazards.begin(), hazards.end());
  }
}

// D1 takes statements of up to 100 KB (spec/migrate.md 8.4).
void refuse_long_statements(Emission& e, const std::vector<PlanStatement>& statements) {
  static constexpr std::size_t kLongest = 100'000;
  for (const PlanStatement& statement : statements) {
    if (e.options.dialect == schema::Dialect::D1 && statement.sql.size() > kLongest) {
      Status refusal;
      refusal.state = State::Blocked;
      refusal.reason = "a statement of " + std::to_string(statement.sql.size()) +
                       " bytes is longer than D1 takes: " + statement.sql.substr(0, 60) + " ...";
      refusal.hint = "D1 takes statements of up to 100 KB";
      refusal.code = codes::ERR_D1_UNSUPPORTED;
      e.refusals.push_back(std::move(refusal));
    }
  }
}

// Down: a dropped column whose values are gone comes back for rows that have none; where it was
// NOT NULL it cannot be that again, unless a moved key fills it or there are no rows. Gives what
// the down leads to.
schema::Schema open_lost_columns(std::vector<Change>& back, const schema::Schema& after,
                                 const schema::Schema& actual, const PlanOptions& options,
                                 const dialect::Ddl& ddl) {
  schema::Schema to = actual;
  Emission probe{.from = after,
                 .to = actual,
                 .changes = back,
                 .options = options,
                 .direction = Direction::Down,
                 .ddl = ddl};
  prepare(probe);
  for (Change& change : back) {
    auto* added = std::get_if<change::AddColumn>(&change);
    const bool filled =
        added != nullptr &&
        std::any_of(probe.remaps.begin(), probe.remaps.end(), [&](const Remap& remap) {
          return remap.child == added->table && remap.new_column == added->part.name;
        });
    if (added == nullptr || filled || !cannot_be_filled(added->part) ||
        options.empty_tables.contains(added->table)) {
      continue;
    }
    for (schema::Table& table : to.tables) {
      const bool keyed =
          table.primary_key &&
          std::find(table.primary_key->columns.begin(), table.primary_key->columns.end(),
                    added->part.name) != table.primary_key->columns.end();
      if (table.name != added->table || keyed) {
        continue;
      }
      for (schema::Column& column : table.columns) {
        if (column.name == added->part.name) {
          column.nullable = true;
          added->part.nullable = true;
          table.definition.text.clear();
        }
      }
    }
  }
  return to;
}

// Which way up each statement of the way down is there for: that of the change it turns round.
void tell_what_is_undone(Plan& plan, const std::vector<Change>& changes,
                         const std::vector<Change>& back) {
  std::vector<std::size_t> turned;
  for (std::size_t i = changes.size(); i-- > 0;) {
    if (!std::holds_alternative<change::ValidateConstraint>(changes[i])) {
      turned.push_back(i);
    }
  }
  std::vector<std::vector<std::size_t>> ups(changes.size() + 1);
  for (std::size_t up = 0; up < plan.up.size(); ++up) {
    if (plan.up[up].change) {
      ups[*plan.up[up].change].push_back(up + 1);
    }
  }
  for (PlanStatement& statement : plan.down) {
    if (!statement.change) {
      continue;
    }
    std::size_t origin = changes.size();
    if (*statement.change < turned.size()) {
      origin = turned[*statement.change];
    } else {  // an index or key that comes back with its table
      const schema::Name subject = subject_of(back[*statement.change]);
      const auto drop = std::find_if(changes.begin(), changes.end(), [&](const Change& one) {
        return subject_of(one) == subject && sign_of(one) == '-';
      });
      origin = static_cast<std::size_t>(drop - changes.begin());
    }
    statement.undoes = ups[origin];
  }
}

// The parts of --online may stop between one another; the way back from there finds what they use.
void clear_leftovers(Plan& plan, const Emission& up) {
  std::vector<PlanStatement> first;
  for (const std::string& sql : up.leftovers) {
    first.emplace_back().sql = sql + ";";
  }
  plan.down.insert(plan.down.begin(), first.begin(), first.end());
  for (const std::string& sql : up.leftover_sequences) {
    plan.down.emplace_back().sql = sql + ";";
  }
}

// A refusal of the whole blocks the first change that is still allowed.
void apply_refusals(Plan& plan, std::vector<Status>& refusals, const PlanOptions& options) {
  for (Status& refusal : refusals) {
    const bool permitted =
        !refusal.tokens.empty() &&
        std::all_of(refusal.tokens.begin(), refusal.tokens.end(),
                    [&](const std::string& token) { return options.allow.contains(token); });
    const auto place = std::find_if(plan.changes.begin(), plan.changes.end(), [](const auto& one) {
      return one.status.state == State::Allowed;
    });
    if (permitted || plan.changes.empty()) {
      continue;
    }
    if (place != plan.changes.end()) {
      place->status = std::move(refusal);
      continue;
    }
    Status& status = plan.changes.front().status;
    status.reason += "; " + refusal.reason;
    status.tokens.insert(status.tokens.end(), refusal.tokens.begin(), refusal.tokens.end());
  }
}

std::string folded(std::string_view sql, const sql::Token& token) {
  const std::string_view word = sql.substr(token.begin, token.end - token.begin);
  return base::to_lower(token.kind == sql::TokenKind::QuotedIdentifier ? sql::decode_name(word)
                                                                       : std::string(word));
}

// What goes with the table or view that it hangs on, and has no statement of its own.
bool goes_along(const Change& change, const std::set<std::string>& words) {
  const auto* gone = std::get_if<change::DropObject>(&change);
  return gone != nullptr && gone->object.table &&
         words.contains(base::to_lower(gone->object.table->name.text()));
}

// The last net of `kedge diff`: a change that no statement belongs to, nor speaks of, is refused.
void refuse_unwritten(Emission& e, const std::vector<PlanStatement>& statements) {
  std::set<std::size_t> open;
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    open.insert(i);
  }
  for (const PlanStatement& statement : statements) {
    if (statement.change) {
      open.erase(*statement.change);
    }
  }
  if (open.empty()) {
    return;
  }
  std::set<std::string> words;
  for (const PlanStatement& statement : statements) {
    for (const sql::Token& token : sql::tokenize(statement.sql, e.options.dialect)) {
      words.insert(folded(statement.sql, token));
    }
  }
  for (const std::size_t i : open) {
    if (!words.contains(base::to_lower(subject_of(e.changes[i]).name.text())) &&
        !goes_along(e.changes[i], words)) {
      e.refuse(i, "no statement of " + to_string(e.options.dialect) + " does it",
               "make the object anew by hand");
    }
  }
}

void apply_impossible(Plan& plan, std::map<std::size_t, Status>& impossible) {
  for (auto& [change, status] : impossible) {
    plan.changes[change].status = std::move(status);
  }
}

}  // namespace

std::string to_string(ProbeResult result) {
  switch (result) {
    case ProbeResult::Unknown:
      return "unknown";
    case ProbeResult::Holds:
      return "holds";
    case ProbeResult::Violated:
      return "violated";
  }
  return "unknown";
}

bool is_impossible(const Status& status) {
  return status.state == State::Blocked && status.code == codes::ERR_UNSUPPORTED;
}

bool cannot_be_filled(const schema::Column& column) {
  return !column.nullable && !column.default_value && !column.identity && !column.generated;
}

bool Plan::is_blocked() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const PlannedChange& one) { return one.status.state == State::Blocked; });
}

Plan make_plan(const diff::Result& result, const schema::Schema& actual,
               const schema::Schema& expected, const PlanOptions& options) {
  Plan plan;
  plan.dialect = options.dialect;
  plan.unmanaged = result.unmanaged;
  plan.external = result.external;
  plan.out_of_scope = result.out_of_scope;
  plan.ambiguous = result.ambiguous;
  plan.lock_timeout = options.lock_timeout;
  plan.statement_timeout = options.statement_timeout;
  std::vector<Status> statuses = gate(result, actual, expected, options);
  for (std::size_t i = 0; i < result.changes.size(); ++i) {
    plan.changes.push_back({result.changes[i], std::move(statuses[i])});
  }
  if (result.changes.empty()) {
    return plan;
  }
  const dialect::Ddl& ddl = dialect::get_ddl(options.dialect);
  schema::Schema after = apply_changes(actual, expected, result.changes);
  Emission up{.from = actual,
              .to = after,
              .changes = result.changes,
              .options = options,
              .direction = Direction::Up,
              .ddl = ddl};
  up.untouchable = untouchable(result);
  emit(up);
  create_schemas(up);
  plan.up = up.draft.sorted();
  forget_destroyed(after, up.destroyed, plan.down_notes);
  plan.destroyed = up.destroyed;
  refuse_long_statements(up, plan.up);
  if (options.online == Online::Yes) {
    std::stable_sort(
        plan.up.begin(), plan.up.end(),
        [](const PlanStatement& a, const PlanStatement& b) { return a.phase < b.phase; });
  }
  if (options.gate == Gate::Marked) {
    refuse_unwritten(up, plan.up);
  }
  apply_impossible(plan, up.impossible);
  apply_refusals(plan, up.refusals, options);
  std::vector<Change> back = down_changes(result.changes, actual);
  PlanOptions down_options = options;
  down_options.online = Online::No;
  const schema::Schema before = open_lost_columns(back, after, actual, down_options, ddl);
  Emission down{.from = after,
                .to = before,
                .changes = back,
                .options = down_options,
                .direction = Direction::Down,
                .ddl = ddl};
  emit(down);
  plan.down = down.draft.sorted();
  clear_leftovers(plan, up);
  for (const auto& [change, status] : down.impossible) {
    plan.down_notes.push_back("WARNING: " + status.reason + ": " + describe(back[change]));
  }
  tell_what_is_undone(plan, result.changes, back);
  add_notes(plan, back, result.changes);
  attach_hazards(plan, result.changes, actual, up.remaps, options);
  apply_probes(plan, options);
  return plan;
}

namespace {

// A rebuild bundles all changes of its table: the hazard says which of them it is about.
PlannedChange* change_of(Plan& plan, const PlanStatement& statement, const Hazard& hazard) {
  // A column that takes over a reference to a moved key is filled by the same migration.
  const auto fills = [&](const PlannedChange& one) {
    const auto* key = std::get_if<change::AddForeignKey>(&one.change);
    return key != nullptr && key->table == hazard.table &&
           std::find(key->part.columns.begin(), key->part.columns.end(), hazard.column) !=
               key->part.columns.end();
  };
  const bool moved = std::any_of(plan.changes.begin(), plan.changes.end(), [](const auto& one) {
    return std::holds_alternative<change::DropPrimaryKey>(one.change);
  });
  if (moved && hazard.hazard == "add-required-column" &&
      std::any_of(plan.changes.begin(), plan.changes.end(), fills)) {
    return nullptr;
  }
  if (statement.change) {
    return &plan.changes[*statement.change];
  }
  PlannedChange* found = nullptr;
  for (PlannedChange& planned : plan.changes) {
    const std::string part = part_of(planned.change);
    const bool fits = !part.empty() && (part == hazard.object || part == hazard.column.text());
    if (subject_of(planned.change) == hazard.table && fits && sign_of(planned.change) != '-') {
      found = &planned;
    }
  }
  return found;
}

void block(PlannedChange* planned, const Hazard& hazard) {
  if (planned == nullptr) {
    return;
  }
  Status& status = planned->status;
  status.state = State::Blocked;
  status.code = codes::ERR_DATA_VIOLATES;
  status.reason = "rows of " + to_string(hazard.table) + " violate it (" + hazard.hazard +
                  (hazard.column.empty() ? "" : ", column " + hazard.column.text()) +
                  "), for instance '" + hazard.sample + "'";
  status.hint = "correct the rows first";
}

}  // namespace

void apply_probes(Plan& plan, const PlanOptions& options) {
  const auto answer = [&](Hazard& hazard) {
    const auto found = options.probes.find(hazard.probe_sql);
    if (!hazard.probe_sql.empty() && found != options.probes.end()) {
      hazard.probed = true;
      hazard.probe = found->second.first;
      hazard.sample = found->second.second;
    }
    return hazard.probe == ProbeResult::Violated;
  };
  for (PlanStatement& statement : plan.up) {
    const PlanStatement none;
    const PlanStatement& of = rebuilt_table(statement) == nullptr ? statement : none;
    for (Hazard& hazard : statement.hazards) {
      block(answer(hazard) ? change_of(plan, of, hazard) : nullptr, hazard);
    }
  }
  for (Hazard& hazard : plan.hazards) {  // some hang on no statement
    const bool violated = answer(hazard);
    const bool told = std::any_of(plan.changes.begin(), plan.changes.end(), [&](const auto& one) {
      return one.status.code == codes::ERR_DATA_VIOLATES && subject_of(one.change) == hazard.table;
    });
    block(violated && !told ? change_of(plan, {}, hazard) : nullptr, hazard);
  }
}

}  // namespace kedge::migrate
