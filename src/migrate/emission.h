// One direction of a plan while it is made: what is there, what shall be, the changes between, and
// the statements so far with the keys that order them (spec/migrate.md 8.1).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dialect/ddl.h"
#include "migrate/plan.h"
#include "migrate/remap.h"

namespace kedge::migrate {

enum class Direction { Up, Down };

// Stages of 8.1, times ten, with places between for the object kinds of postgres.
namespace stage {
inline constexpr int kOpen = -10;
inline constexpr int kNamespace = 0;
inline constexpr int kEarlyDrop = 2;  // triggers, policies and rules that go or are remade
inline constexpr int kDropView = 10;
inline constexpr int kDropFunctionEarly = 12;
inline constexpr int kLabel = 14;  // enum labels, each committed alone
inline constexpr int kType = 15;
inline constexpr int kSequence = 16;
inline constexpr int kFunctionEarly = 18;
inline constexpr int kRenameTable = 20;
inline constexpr int kRenameName = 21;
inline constexpr int kDetach = 25;
inline constexpr int kDropConstraint = 30;
inline constexpr int kDropIndex = 40;
inline constexpr int kDropPrimaryKey = 50;
inline constexpr int kRenameColumn = 60;
inline constexpr int kCreateTable = 70;
inline constexpr int kTableOptions = 75;
inline constexpr int kAddColumn = 80;
inline constexpr int kColumn = 90;
inline constexpr int kFill = 95;  // references to a key that moves, through its old values
inline constexpr int kDropColumn = 100;
inline constexpr int kNotNull = 110;
inline constexpr int kIdentity = 112;
inline constexpr int kPrimaryKey = 120;
inline constexpr int kIndex = 130;
inline constexpr int kConstraint = 140;
inline constexpr int kAttach = 145;
inline constexpr int kDropTable = 150;
inline constexpr int kDropFunction = 152;
inline constexpr int kDropSequence = 153;
inline constexpr int kDropType = 154;
inline constexpr int kDropNamespace = 156;
inline constexpr int kView = 160;
inline constexpr int kFunction = 164;
inline constexpr int kTrigger = 166;
inline constexpr int kPrivilege = 168;
inline constexpr int kComment = 170;
inline constexpr int kClose = 200;
}  // namespace stage

struct Keys {
  int stage = 0;
  std::size_t rank = 0;  // dependency inside the stage
  std::string name;
};

class Draft {
 public:
  PlanStatement& add(Keys keys, std::string sql, std::optional<std::size_t> change = std::nullopt);
  std::vector<PlanStatement> sorted();
  template <class Edit>
  void edit(const Edit& edit) {
    for (Item& item : items_) {
      item.statement.sql = edit(item.statement.sql);
    }
  }

 private:
  struct Item {
    Keys keys;
    std::size_t order;
    PlanStatement statement;
  };
  std::vector<Item> items_;
};

struct Emission {
  const schema::Schema& from;
  const schema::Schema& to;
  const std::vector<Change>& changes;
  const PlanOptions& options;
  Direction direction = Direction::Up;
  const dialect::Ddl& ddl;
  Draft draft = {};
  std::vector<Status> refusals = {};  // of the whole: blocked changes are made from them
  std::map<std::size_t, Status> impossible = {};  // by change: the engine has no statement for it
  std::vector<std::string> notes = {};  // down: what cannot come back, without a statement
  std::map<schema::Name, std::size_t> table_rank = {};        // referenced before referencing
  std::map<schema::Name, std::size_t> view_rank = {};         // read before reading
  std::map<schema::Name, std::size_t> object_rank = {};       // called before calling
  std::map<schema::Name, schema::Name> old_table_names = {};  // by the new name
  std::vector<Remap> remaps = {};
  // Statements that take away what an --online form has while it is under way: for a way back from
  // there. Before the others, in names of after; and behind them.
  std::vector<std::string> leftovers = {};
  std::vector<std::string> leftover_sequences = {};
  std::set<schema::Name> untouchable = {};  // tables and views of somebody else
  std::set<schema::Name> destroyed = {};    // of those, what an allowed cascade takes along

  bool up() const { return direction == Direction::Up; }
  std::string if_exists() const { return up() ? "IF EXISTS " : ""; }
  std::size_t rank_of(const schema::Name& table) const;
  // Of a rename of a table: one takes a name when another has left it.
  Keys rename_place(const change::RenameTable& rename) const;
  void refuse(std::size_t change, std::string reason, std::string hint);
};

// Does a foreign key that is there or comes refer to this table (by both of its names)?
bool is_referenced(const schema::Schema& from, const std::vector<Change>& changes,
                   const schema::Name& before, const schema::Name& after);

// Fills the ranks and old names.
void prepare(Emission& emission);
// What a column of a table of `to` was called before the renames, and one of before is called now.
Identifier column_before(const std::vector<Change>& changes, const schema::Name& table,
                         const Identifier& column);
Identifier column_after(const std::vector<Change>& changes, const schema::Name& table,
                        const Identifier& column);
inline Identifier column_before(const Emission& emission, const schema::Name& table,
                                const Identifier& column) {
  return column_before(emission.changes, table, column);
}
// What a table of `to` was called.
schema::Name name_before(const Emission& emission, const schema::Name& table);
// The change of this kind (AddIndex, DropForeignKey, ...) that speaks of a part of a table, or
// none.
template <class Kind>
const Kind* find_part_change(const Emission& emission, const schema::Name& table,
                             const Identifier& part) {
  for (const Change& change : emission.changes) {
    const auto* one = std::get_if<Kind>(&change);
    if (one != nullptr && one->table == table && one->part.name == part) {
      return one;
    }
  }
  return nullptr;
}
// Does the database count its values?
bool is_counted(const schema::Column& column);
// A table of `to` as it was, or none.
const schema::Table* table_before(const Emission& emission, const schema::Name& table);

struct Touched {
  schema::Name table;             // or the view itself
  std::set<std::string> columns;  // empty: any
};
// Views of `from` that must step aside, with everything that reads them: those that changes drop
// and those that read one of `touched` (and mention one of its columns, where given) or are named.
std::set<schema::Name> views_in_the_way(const Emission& emission,
                                        const std::vector<Touched>& touched);
// Drops what changes drop and what is in the way, makes it again after, replaces, stamps.
// `touched` as for views_in_the_way. Gives the views that step aside.
std::set<schema::Name> emit_views(Emission& emission, const std::vector<Touched>& touched);
// Of an index that no constraint owns.
std::string index_sql(const Emission& emission, const schema::Index& index,
                      const schema::Name& table);

void emit_postgres(Emission& emission);
void emit_sqlite(Emission& emission);  // and d1
void emit_mysql(Emission& emission);
void emit_duckdb(Emission& emission);

// The schema after the changes: `actual` with them applied. What no change speaks of stays.
schema::Schema apply_changes(const schema::Schema& actual, const schema::Schema& expected,
                             const std::vector<Change>& changes);
// The changes that lead back, in names from before the renames and with the parts as they were.
std::vector<Change> down_changes(const std::vector<Change>& changes, const schema::Schema& actual);

// Does the text hold this identifier, quoted or plain?
bool mentions(std::string_view sql, std::string_view identifier, schema::Dialect dialect);

}  // namespace kedge::migrate
