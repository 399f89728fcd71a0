// From a difference to statements: gate, order, rendering, hazards; up and down. Pure: data probes
// are questions (Hazard::probe_sql) that the caller asks and answers through Options. The caller
// writes the files and runs them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kedge/diff.h"
#include "kedge/error.h"

namespace kedge::migrate {

enum class ProbeResult { Unknown, Holds, Violated };
std::string to_string(ProbeResult result);

struct Hazard {
  std::string hazard;  // "set-not-null": stable, spec/migrate.md 10.1
  schema::Name table;
  Identifier column;
  std::string object;   // index or constraint
  std::string text;     // one sentence for people
  std::string lock;     // postgres: "ACCESS EXCLUSIVE"; mysql: "NONE|SHARED|EXCLUSIVE"
  std::string rewrite;  // "rewrite", "scan" or empty
  std::optional<std::int64_t> rows_estimate;
  std::string online_form;  // how --online does it; empty when there is none
  std::string probe_sql;    // a row of it shows a violation; its first value is the sample
  ProbeResult probe = ProbeResult::Unknown;
  bool probed = false;
  std::string sample;
  bool operator==(const Hazard&) const = default;
};

enum class State { Allowed, Blocked };
struct Status {
  State state = State::Allowed;
  std::vector<std::string> tokens;  // what is still missing; all are needed
  std::string reason;
  std::string hint;
  Code code;  // ERR_BLOCKED or a more precise one
  bool operator==(const Status&) const = default;
};
struct PlannedChange {
  Change change;
  Status status;
};
// No statement of the engine does it; every other blocked change has its statements all the same.
bool is_impossible(const Status& status);

// Alone: cannot run in a transaction block, or must be committed before the next is run.
enum class Transactional { Inside, Alone };
// Which of the up to three migrations of --online it belongs to.
enum class Phase { Prepare, Online, Finish };

struct PlanStatement {
  std::string sql;                    // one statement, with its ';'
  std::optional<std::size_t> change;  // index into Plan::changes
  Transactional transactional = Transactional::Inside;
  Phase phase = Phase::Prepare;
  int stage = 0;  // spec/migrate.md 8.1
  std::vector<Hazard> hazards;
  bool destructive = false;           // takes something away that cannot be made again
  bool remakes = false;               // takes away what it makes anew: its grants go with it
  std::vector<std::string> comments;  // lines above it, without "-- "
  std::vector<std::size_t> undoes;    // down: the statements of `up` it is there for, from 1
};

struct Plan {
  schema::Dialect dialect = schema::Dialect::Postgres;
  std::vector<PlannedChange> changes;
  std::vector<PlanStatement> up;
  std::vector<PlanStatement> down;      // bare; NOTE and WARNING lines are comments of statements
  std::vector<std::string> down_notes;  // when there is no statement to hang them on
  std::vector<Hazard> hazards;          // of `up`, each once
  std::vector<diff::Unmanaged> unmanaged;
  std::vector<diff::Unmanaged> external;
  std::vector<diff::Unmanaged> out_of_scope;
  std::vector<diff::Ambiguity> ambiguous;
  std::set<schema::Name> destroyed;  // views of others that an allowed cascade takes along
  std::string lock_timeout;          // postgres: written as SET LOCAL; empty: not written
  std::string statement_timeout;
  bool is_blocked() const;
  bool is_empty() const { return changes.empty(); }
};

enum class Gate { Enforced, Marked };  // Marked (`kedge diff`): statements are made all the same
enum class Online { No, Yes };

// Who runs the statements. The client of sqlite goes on after an error, kedge does not.
enum class RunBy { Kedge, Client };

struct PlanOptions {
  schema::Dialect dialect = schema::Dialect::Postgres;
  Gate gate = Gate::Enforced;
  RunBy run_by = RunBy::Kedge;
  std::set<std::string> allow;
  const schema::Schema* snapshot = nullptr;  // 7.3, live mode only; null: no snapshot
  Online online = Online::No;
  std::string lock_timeout;       // "5s"; empty: left out
  std::string statement_timeout;  // empty: left out
  bool empty_metadata = false;    // 5.2: nothing at all is declared
  bool carry_sequence = true;     // migrate.d1.carry_sequence
  // Answers to probes by Hazard::probe_sql.
  std::map<std::string, std::pair<ProbeResult, std::string>> probes;
  // Tables known to be empty (probe): a key column without default is fillable there.
  std::set<schema::Name> empty_tables;
};

// The tokens of --allow, sorted.
const std::vector<std::string>& allow_tokens();

// `result` is diff::compare(actual, expected). Refusals of a whole plan (ERR_D1_FK_CYCLE,
// ERR_PRIMARY_KEY_REMAP, ...) are blocked changes too, never thrown.
Plan make_plan(const diff::Result& result, const schema::Schema& actual,
               const schema::Schema& expected, const PlanOptions& options);
// The same after the caller has asked Hazard::probe_sql: blocks ERR_DATA_VIOLATES.
void apply_probes(Plan& plan, const PlanOptions& options);

// NOT NULL and without a value of its own: a row that is there already cannot have the column.
bool cannot_be_filled(const schema::Column& column);

// The text of up.sql and down.sql: hazards and comments above each statement, ';' and a blank line.
std::string render_up(const Plan& plan);
std::string render_up(const Plan& plan, Phase phase);  // --online; empty when it has no statement
std::string render_down(const Plan& plan);
bool has_phase(const Plan& plan, Phase phase);

}  // namespace kedge::migrate
