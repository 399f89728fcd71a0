// Tables, columns, keys and indexes on postgres (spec/migrate.md 8.2).
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "migrate/hazards.h"
#include "migrate/postgres_options.h"
#include "migrate/postgres_statements.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Check;
using schema::Column;
using schema::Index;
using schema::Name;
using schema::Table;

class Tables {
 public:
  Tables(Emission& e, PostgresPlanParts& parts)
      : e_(e), parts_(parts), statements_(e), identity_(statements_), online_(statements_) {
    for (std::size_t i = 0; i < e.changes.size(); ++i) {
      if (const auto* type = std::get_if<ChangeColumnType>(&e.changes[i])) {
        note_generated(i, type->table, type->before.name);
      } else if (const auto* one = std::get_if<ChangeColumnCollation>(&e.changes[i])) {
        note_generated(i, one->table, one->before.name);
      }
    }
  }
  // The server retypes no column that a generated one reads: that goes before and comes after.
  void remake_generated() {
    for (const auto& [place, change] : generated_aside_) {
      const Table* is = find_table(e_.to, place.first);
      index_ = change;
      statements_.write_for(change);
      remake_column(place.first, *find_column(*is, place.second), false, 1);
    }
  }
  void at(std::size_t i) {
    index_ = i;
    statements_.write_for(i);
    std::visit(*this, e_.changes[i]);
  }

  void operator()(const CreateTable& c) {
    const Table* wanted = find_table(e_.to, c.object.name);
    Table table = wanted == nullptr ? c.object : *wanted;
    const std::vector<Check> later = take_unvalidated(table);
    for (const Column& column : table.columns) {
      if (is_serial(column)) {
        identity_.make_sequence(table.name, column, stage::kSequence);
      }
    }
    add(stage::kCreateTable, table.name,
        is_partition(table) ? partition_sql(table) : e_.ddl.create_table(table));
    for (const Column& column : table.columns) {
      if (is_serial(column)) {
        identity_.own_sequence(table.name, column);
      }
    }
    options_of(table);
    for (const Check& check : later) {
      alter(stage::kConstraint, table.name, "ADD " + e_.ddl.check(check));
      table.checks.push_back(check);
    }
    comments_of(table);
    if (table.row_security || table.force_row_security) {
      (*this)(ChangeRowSecurity{table.name, false, false, table.row_security,
                                table.force_row_security});
    }
  }
  void operator()(const DropTable& c) {
    if (makes_room(c.object)) {
      (*this)(DetachPartition{c.object.name, *c.object.partition});
    }
    const std::size_t last = e_.table_rank.size() + 1;
    PlanStatement& statement = e_.draft.add(
        {stage::kDropTable, last - e_.rank_of(c.object.name), c.object.name.name.text()},
        "DROP TABLE " + e_.if_exists() + e_.ddl.name(c.object.name), index_);
    statement.destructive = true;
    statement.phase = online() ? Phase::Finish : Phase::Prepare;
  }
  void operator()(const RenameTable& c) {
    e_.draft.add(e_.rename_place(c), e_.ddl.alter(c.from) + "RENAME TO " + e_.ddl.quote(c.to.name),
                 index_);
  }
  void operator()(const RenameColumn& c) {
    alter(stage::kRenameColumn, c.table,
          "RENAME COLUMN " + e_.ddl.quote(c.from) + " TO " + e_.ddl.quote(c.to));
  }
  void operator()(const RenameIndex& c) {
    e_.draft.add(
        place_of_name(c),
        "ALTER INDEX " + e_.ddl.name({c.table.schema, c.from}) + " RENAME TO " + e_.ddl.quote(c.to),
        index_);
  }
  void operator()(const RenameConstraint& c) {
    e_.draft.add(place_of_name(c),
                 e_.ddl.alter(c.table) + "RENAME CONSTRAINT " + e_.ddl.quote(c.from) + " TO " +
                     e_.ddl.quote(c.to),
                 index_);
  }

  void operator()(const AddColumn& c) {
    if (c.part.identity && online() && is_live(c.table) &&
        (!becomes_key(c) || key_comes_online(c.table))) {
      online_.add_counted(c, identity_);
      return;
    }
    if (is_serial(c.part)) {
      identity_.make_sequence(c.table, c.part, stage::kSequence);
    }
    const Table* table = find_table(e_.to, c.table);
    if (is_filled_later(c.table, c.part)) {
      online_.add_and_fill(c);
      return;
    }
    // One that is generated comes when those it reads have their types.
    alter(c.part.generated ? stage::kColumn + 2 : stage::kAddColumn - levels_above(c), c.table,
          "ADD COLUMN " + e_.ddl.column(c.part, table == nullptr ? Table{} : *table));
    if (is_serial(c.part)) {
      identity_.own_sequence(c.table, c.part);
    }
    statements_.column_comment(c.table, c.part);
  }
  void operator()(const DropColumn& c) {
    touch(c.table, c.part.name);
    PlanStatement& statement =
        alter(stage::kDropColumn, c.table, "DROP COLUMN " + e_.ddl.quote(c.part.name));
    statement.destructive = true;
    statement.phase = online() ? Phase::Finish : Phase::Prepare;
  }
  void operator()(const ChangeColumnType& c) {
    touch(c.table, c.after.name);
    if (generated_aside_.contains({c.table, c.after.name})) {
      return;
    }
    const Remap* remap = remap_into(e_, c.table, c.after.name);
    if (remap != nullptr && remap->old_column == remap->new_column) {
      return;  // take_over() gives it its type with the new key's values
    }
    const int at = is_read_by_remap(e_, c.table, c.after.name) ? stage::kFill + 1 : stage::kColumn;
    const std::string column = "ALTER COLUMN " + e_.ddl.quote(c.after.name) + " ";
    const bool generated = c.after.generated.has_value();
    const bool serial = is_serial(c.before) && is_serial(c.after);
    if ((c.before.default_value || is_uuid(c.before)) && !serial && !generated) {
      alter(at, c.table, column + "DROP DEFAULT");
    }
    std::string sql = column + "TYPE " + e_.ddl.type(c.after.type);
    if (!c.after.collation.empty()) {
      sql += " COLLATE " + e_.ddl.quote(c.after.collation);
    }
    alter(at, c.table, sql + (generated ? "" : using_clause(e_, parts_, c)));
    if (c.after.default_value && !serial && !generated) {
      alter(at, c.table,
            column + "SET DEFAULT " + e_.ddl.default_value(*c.after.default_value, c.after.type));
    }
    if (serial) {
      add(at, c.table,
          "ALTER SEQUENCE " + sequence_name(e_, c.table, c.after) + " AS " +
              e_.ddl.type(c.after.type));
    }
  }
  void operator()(const ChangeColumnCollation& c) {
    ChangeColumnType same{c.table, c.before, c.after, Widening::Yes};
    same.before.default_value.reset();
    same.after.default_value.reset();
    if (same.after.collation.empty()) {
      same.after.collation = "default";
    }
    (*this)(same);
  }
  void operator()(const ChangeColumnNullable& c) {
    const std::string column = "ALTER COLUMN " + e_.ddl.quote(c.after.name) + " ";
    if (!c.after.nullable && online()) {
      online_.set_not_null(c.table, c.after);
      return;
    }
    if (c.after.nullable) {
      alter(stage::kColumn, c.table, column + "DROP NOT NULL");
      return;
    }
    if (c.after.default_value && !c.after.generated) {
      add(stage::kNotNull, c.table,
          fmt::format("UPDATE {} SET {} = {} WHERE {} IS NULL", e_.ddl.name(c.table),
                      e_.ddl.quote(c.after.name),
                      e_.ddl.default_value(*c.after.default_value, c.after.type),
                      e_.ddl.quote(c.after.name)));
    }
    alter(stage::kNotNull, c.table, column + "SET NOT NULL");
  }
  void operator()(const ChangeColumnDefault& c) {
    // Tables that inherit the column have a change of their own where they have another default.
    const std::string column = (has_children(c.table) ? "ALTER TABLE ONLY " : "ALTER TABLE ") +
                               e_.ddl.name(c.table) + " ALTER COLUMN " +
                               e_.ddl.quote(c.after.name) + " ";
    add(stage::kColumn, c.table,
        c.after.default_value
            ? column + "SET DEFAULT " + e_.ddl.default_value(*c.after.default_value, c.after.type)
            : column + "DROP DEFAULT");
  }
  void operator()(const ChangeColumnIdentity& c) { identity_.change(c); }
  void operator()(const ChangeColumnGenerated& c) {
    if (generated_aside_.contains({c.table, c.after.name})) {
      return;
    }
    if (c.before.generated && !c.after.generated) {
      const std::string column = "ALTER COLUMN " + e_.ddl.quote(c.after.name) + " ";
      alter(stage::kColumn, c.table, column + "DROP EXPRESSION");
      if (c.after.default_value) {
        alter(stage::kColumn, c.table,
              column + "SET DEFAULT " + e_.ddl.default_value(*c.after.default_value, c.after.type));
      }
      return;
    }
    remake_column(c.table, c.after, !c.before.generated);
  }
  void operator()(const ChangeColumnOptions& c) {
    for (const std::string& clause : column_option_clauses(e_.ddl, c.before, c.after)) {
      alter(stage::kColumn, c.table, clause);
    }
  }

  void operator()(const AddPrimaryKey& c) {
    for (const Remap& remap : e_.remaps) {
      if (remap.parent == c.table) {
        fill_reference(remap);
      }
    }
    if (key_comes_online(c.table)) {
      online_.add_key(c);
    } else {
      alter(stage::kPrimaryKey, c.table, "ADD " + e_.ddl.primary_key(c.part, c.table));
    }
  }
  void operator()(const DropPrimaryKey& c) {
    references_aside(c.table, c.part.columns);
    drop_constraint(stage::kDropPrimaryKey, c.table, c.part.name).phase =
        key_comes_online(c.table) ? Phase::Finish : Phase::Prepare;
  }
  void operator()(const AddIndex& c) {
    add_index(c.table, c.part);
    index_comment(c.table, c.part);
  }
  void operator()(const DropIndex& c) {
    references_aside(c.table, c.part);
    drop_index(c.table, c.part);
  }
  void operator()(const AddForeignKey& c) {
    online_.add_constraint(c.table, c.part.name, c.part.validated, e_.ddl.foreign_key(c.part));
    constraint_comment(c.table, c.part);
  }
  void operator()(const DropForeignKey& c) {
    drop_constraint(stage::kDropConstraint, c.table, c.part.name);
  }
  void operator()(const AddCheck& c) {
    online_.add_constraint(c.table, c.part.name, c.part.validated, e_.ddl.check(c.part));
    constraint_comment(c.table, c.part);
  }
  void operator()(const DropCheck& c) {
    drop_constraint(stage::kDropConstraint, c.table, c.part.name);
  }
  void operator()(const ValidateConstraint& c) {
    alter(stage::kConstraint, c.table,
          "VALIDATE CONSTRAINT " + e_.ddl.quote(c.check ? c.check->name : c.foreign_key->name));
  }
  void operator()(const ChangeTableOptions& c) {
    const auto key = [](const Table& table) {
      return table.partition ? table.partition->by : std::string();
    };
    if (key(c.before) != key(c.after)) {
      refuse_key(c.after.name);
      return;
    }
    if (c.before.unlogged != c.after.unlogged) {
      alter(stage::kTableOptions, c.after.name, c.after.unlogged ? "SET UNLOGGED" : "SET LOGGED");
    }
    for (const std::string& clause : storage_clauses(c.before.options, c.after.options)) {
      alter(stage::kTableOptions, c.after.name, clause);
    }
    for (const std::string& clause : own_clauses(e_.ddl, c.before.options, c.after.options)) {
      alter(stage::kIndex + 1, c.after.name, clause);
    }
  }
  void operator()(const ChangeRowSecurity& c) {
    if (c.enabled_before != c.enabled_after) {
      alter(stage::kTableOptions, c.table,
            c.enabled_after ? "ENABLE ROW LEVEL SECURITY" : "DISABLE ROW LEVEL SECURITY");
    }
    if (c.forced_before != c.forced_after) {
      alter(stage::kTableOptions, c.table,
            c.forced_after ? "FORCE ROW LEVEL SECURITY" : "NO FORCE ROW LEVEL SECURITY");
    }
  }
  // Other bounds in the same parent: it is back before columns of the parent come and go.
  void operator()(const AttachPartition& c) {
    // A table that stands alone must have the parent's CHECKs; one that was a partition has them.
    const Table* parent = find_table(e_.to, *c.partition.parent);
    const Table* was = table_before(e_, c.table);
    if (parent != nullptr && was != nullptr && !is_partition(*was)) {
      for (const Check& check : parent->checks) {
        const bool has = std::any_of(was->checks.begin(), was->checks.end(),
                                     [&](const Check& one) { return one.name == check.name; });
        const bool goes = find_part_change<DropCheck>(e_, c.table, check.name) != nullptr;
        if (!check.no_inherit && (!has || goes)) {
          alter(stage::kAttach, c.table, "ADD " + e_.ddl.check(check));
        }
      }
    }
    add(is_detached(c) ? stage::kDetach + 1 : stage::kAttach, c.table,
        e_.ddl.alter(*c.partition.parent) + "ATTACH PARTITION " + e_.ddl.name(c.table) + " " +
            c.partition.bound);
  }
  void operator()(const DetachPartition& c) {
    add(stage::kDetach, c.table,
        e_.ddl.alter(*c.partition.parent) + "DETACH PARTITION " + e_.ddl.name(c.table));
    // The parent's CHECKs stay behind; those that are wanted come as their own.
    const Table* parent = table_before(e_, *c.partition.parent);
    const Table* is = find_table(e_.to, c.table);
    if (parent != nullptr && is != nullptr && !is_partition(*is)) {
      for (const Check& check : parent->checks) {
        if (!check.no_inherit) {
          drop_constraint(stage::kDetach + 1, c.table, check.name);
        }
      }
    }
  }
  void operator()(const AddInheritance& c) {
    // Before the parent's new CHECKs, which then come to it as well; old ones it must have.
    const Table* parent = table_before(e_, c.parent);
    const Table* child = table_before(e_, c.table);
    for (const schema::Check& check :
         parent == nullptr ? std::vector<schema::Check>{} : parent->checks) {
      const bool has = child != nullptr && std::any_of(child->checks.begin(), child->checks.end(),
                                                       [&](const schema::Check& one) {
                                                         return one.name == check.name;
                                                       });
      if (!check.no_inherit && !has) {
        alter(stage::kIdentity + 1, c.table, "ADD " + e_.ddl.check(check));
      }
    }
    alter(stage::kIdentity + 2, c.table, "INHERIT " + e_.ddl.name(c.parent));
  }
  void operator()(const DropInheritance& c) {
    alter(stage::kDetach, c.table, "NO INHERIT " + e_.ddl.name(c.parent));
    // The parent's CHECKs stay behind; those that are wanted come as their own.
    const Table* parent = table_before(e_, c.parent);
    const Table* is = find_table(e_.to, c.table);
    if (parent != nullptr && is != nullptr && is->inherits.empty()) {
      for (const schema::Check& check : parent->checks) {
        if (!check.no_inherit) {
          drop_constraint(stage::kDetach + 1, c.table, check.name);
        }
      }
    }
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  static bool is_partition(const Table& table) {
    return table.partition && table.partition->parent;
  }
  // How many tables above this one get the column too. The lowest comes first: a parent's new
  // column is merged with one that is there, a child's is not.
  int levels_above(const AddColumn& c) const {
    constexpr int kMost = stage::kAddColumn - stage::kTableOptions - 1;
    const Table* table = find_table(e_.to, c.table);
    int levels = 0;
    for (const Name& parent : table == nullptr ? std::vector<Name>{} : table->inherits) {
      if (const auto* same = find_part_change<AddColumn>(e_, parent, c.part.name)) {
        levels = std::max(levels, 1 + levels_above(*same));
      }
    }
    return std::min(levels, kMost);
  }
  bool has_children(const Name& table) const {
    return std::any_of(e_.to.tables.begin(), e_.to.tables.end(), [&](const Table& one) {
      return std::find(one.inherits.begin(), one.inherits.end(), table) != one.inherits.end();
    });
  }
  void refuse_key(const Name& table) {
    refuse_script(
        e_, index_, table,
        "the partition key of table " + to_string(table) + " can be set when it is made only",
        "make a new table and move the rows");
  }
  bool is_detached(const AttachPartition& c) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* gone = std::get_if<DetachPartition>(&change);
      return gone != nullptr && gone->table == c.table &&
             gone->partition.parent == c.partition.parent;
    });
  }
  // Its values go to another partition, which cannot come while this one holds the bounds.
  bool makes_room(const Table& table) const {
    return table.partition && table.partition->parent &&
           find_table(e_.to, *table.partition->parent) != nullptr &&
           std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
             const auto* attached = std::get_if<AttachPartition>(&change);
             const auto* made = std::get_if<CreateTable>(&change);
             return (attached != nullptr &&
                     attached->partition.parent == table.partition->parent) ||
                    (made != nullptr && made->object.partition &&
                     made->object.partition->parent == table.partition->parent);
           });
  }
  // The names of indexes are those of their schema: one is taken when another has left it.
  template <class Rename>
  Keys place_of_name(const Rename& c) const {
    std::map<std::pair<Identifier, Identifier>, Identifier> left;
    for (const Change& change : e_.changes) {
      if (const auto* index = std::get_if<RenameIndex>(&change)) {
        left[{index->table.schema, index->from}] = index->to;
      } else if (const auto* constraint = std::get_if<RenameConstraint>(&change)) {
        left[{constraint->table.schema, constraint->from}] = constraint->to;
      }
    }
    std::size_t before = 0;
    auto next = left.find({c.table.schema, c.to});
    for (; next != left.end() && before <= left.size(); ++before) {
      next = left.find({c.table.schema, next->second});
    }
    return {stage::kRenameName, before * (e_.table_rank.size() + 1) + e_.rank_of(c.table),
            c.table.name.text()};
  }
  PlanStatement& add(int at, const Name& table, std::string sql) {
    return statements_.add(at, table, std::move(sql));
  }
  PlanStatement& alter(int at, const Name& table, const std::string& clause) {
    return statements_.alter(at, table, clause);
  }
  PlanStatement& drop_constraint(int at, const Name& table, const Identifier& name) {
    return statements_.drop_constraint(at, table, name);
  }
  bool online() const { return statements_.online(); }
  bool is_live(const Name& table) const { return statements_.is_live(table); }
  // A CREATE TABLE takes NOT VALID and forgets it: such a CHECK comes after it.
  static std::vector<Check> take_unvalidated(Table& table) {
    std::vector<Check> taken;
    for (const Check& check : table.checks) {
      if (!check.validated) {
        taken.push_back(check);
      }
    }
    std::erase_if(table.checks, [](const Check& check) { return !check.validated; });
    return taken;
  }
  // What a CREATE TABLE cannot say of a new table.
  void options_of(const Table& table) {
    for (const Column& column : table.columns) {
      for (const std::string& clause : column_option_clauses(e_.ddl, {}, column)) {
        alter(stage::kColumn, table.name, clause);
      }
    }
    TableOptions later = table.options;
    later.erase("tablespace");
    later.erase("access_method");
    for (const std::string& clause : own_clauses(e_.ddl, {}, later)) {
      alter(stage::kIndex + 1, table.name, clause);
    }
  }
  void add_index(const Name& table, const Index& index) {
    const bool on_view = find_view(e_.to, table) != nullptr;
    const bool apart = online() && !on_view && is_live(table);
    if (index.constraint == Index::Constraint::None) {
      const std::string sql = e_.ddl.index(index, table);
      const int at = on_view ? stage::kView + 1 : stage::kIndex;
      if (apart) {
        online_.build_index(at, table, sql);
      } else {
        add(at, table, sql);
      }
    } else if (apart && index.constraint == Index::Constraint::Unique && !index.deferrable) {
      online_.build_index(stage::kIndex, table, e_.ddl.index(index, table));
      alter(stage::kIndex + 1, table,
            "ADD CONSTRAINT " + e_.ddl.quote(index.name) + " UNIQUE USING INDEX " +
                e_.ddl.quote(index.name))
          .phase = Phase::Finish;
    } else {
      alter(stage::kIndex, table, "ADD " + e_.ddl.unique(index));
    }
    if (!on_view && index.options.contains("clustered")) {
      alter(stage::kIndex + 1, table, "CLUSTER ON " + e_.ddl.quote(index.name));
    }
  }
  void drop_index(const Name& table, const Index& index) {
    if (index.constraint != Index::Constraint::None) {
      drop_constraint(stage::kDropIndex, table, index.name);
      return;
    }
    const bool apart = online() && is_live(table);
    PlanStatement& statement =
        add(stage::kDropIndex, table,
            e_.ddl.drop_index(index, table, (apart ? "CONCURRENTLY " : "") + e_.if_exists()));
    if (apart) {
      statement.phase = Phase::Online;
      statement.transactional = Transactional::Alone;
    }
  }

  bool is_remapped(const Name& table, const Identifier& column) const {
    return remap_into(e_, table, column) != nullptr;
  }
  // Rows that come while references are filled again would be missed, and no index can become a
  // deferrable key: such a key moves at once.
  bool key_comes_online(const Name& table) const {
    const Table* was = table_before(e_, table);
    const Table* is = find_table(e_.to, table);
    const bool deferrable = is != nullptr && is->primary_key && is->primary_key->deferrable;
    return online() && was != nullptr && !deferrable &&
           !is_referenced(e_.from, e_.changes, was->name, table);
  }
  bool becomes_key(const AddColumn& c) const {
    const Table* table = find_table(e_.to, c.table);
    return table == nullptr ||
           (table->primary_key && std::count(table->primary_key->columns.begin(),
                                             table->primary_key->columns.end(), c.part.name) > 0);
  }
  // A key's column waits for its values; so does what the server would write row by row.
  bool is_filled_later(const Name& table, const Column& column) const {
    if (column.identity) {
      return false;
    }
    return (!column.nullable && is_remapped(table, column.name)) ||
           (online() && is_live(table) && !column.generated && has_volatile_default(column));
  }

  // ---- references to a key that moves are filled through the old values

  void fill_reference(const Remap& remap) {
    const std::string child = e_.ddl.name(remap.child);
    const std::string parent = e_.ddl.name(remap.parent);
    const bool same = remap.old_column == remap.new_column;
    const Identifier target(same ? "__kedge_" + remap.new_column.text() : remap.new_column.text());
    constexpr int kAt = stage::kFill;
    const Table* is = find_table(e_.to, remap.child);
    const Column* wanted = is == nullptr ? nullptr : find_column(*is, remap.new_column);
    if (wanted == nullptr) {
      return;
    }
    if (same) {
      Column open = *wanted;
      open.name = target;
      open.nullable = true;
      open.default_value.reset();
      alter(kAt, remap.child, "ADD COLUMN " + e_.ddl.column(open, Table{}));
    }
    add(kAt, remap.child,
        fmt::format("UPDATE {} AS c SET {} = p.{} FROM {} AS p WHERE c.{} = p.{}", child,
                    e_.ddl.quote(target), e_.ddl.quote(remap.new_key), parent,
                    e_.ddl.quote(remap.old_column), e_.ddl.quote(remap.old_key)));
    if (same) {
      take_over(remap.child, *wanted, target);
    }
  }
  // In place, so that the indexes and checks of the column stay.
  void take_over(const Name& table, const Column& column, const Identifier& source) {
    constexpr int kAt = stage::kFill;
    touch(table, column.name);
    const std::string clause = "ALTER COLUMN " + e_.ddl.quote(column.name) + " ";
    const Column* was =
        find_column(*table_before(e_, table), column_before(e_, table, column.name));
    if (was != nullptr && was->default_value) {
      alter(kAt, table, clause + "DROP DEFAULT");
    }
    alter(kAt, table,
          clause + "TYPE " + e_.ddl.type(column.type) + " USING " + e_.ddl.quote(source));
    if (column.default_value) {
      alter(kAt, table,
            clause + "SET DEFAULT " + e_.ddl.default_value(*column.default_value, column.type));
    }
    alter(kAt, table, "DROP COLUMN " + e_.ddl.quote(source));
  }

  // Foreign keys that stand on a key which goes, also those that do not change.
  void references_aside(const Name& table, std::vector<Identifier> key) {
    std::sort(key.begin(), key.end());
    for (const Table& other : e_.to.tables) {
      for (const schema::ForeignKey& one : other.foreign_keys) {
        if (one.referenced_table != table) {
          continue;
        }
        std::vector<Identifier> columns = one.referenced_columns;
        std::sort(columns.begin(), columns.end());
        if (columns == key &&
            find_part_change<AddForeignKey>(e_, other.name, one.name) == nullptr &&
            aside_.insert({other.name, one.name}).second) {
          drop_constraint(stage::kDropConstraint, other.name, one.name);
          foreign_key_back(other.name, one);
        }
      }
    }
  }
  // Those that stand on a unique index.
  void references_aside(const Name& table, const Index& index) {
    if (!index.unique || !index.where.empty()) {
      return;
    }
    std::vector<Identifier> columns;
    for (const schema::IndexPart& part : index.parts) {
      columns.push_back(part.column);
    }
    references_aside(table, columns);
  }
  void foreign_key_back(const Name& table, const schema::ForeignKey& key) {
    if (parts_.constraints_back.emplace(table, key.name).second) {
      alter(stage::kConstraint, table, "ADD " + e_.ddl.foreign_key(key));
      constraint_comment(table, key);
    }
  }
  void touch(const Name& table, const Identifier& column) {
    parts_.touched.push_back({table, {column.text()}});
    if (const auto old = e_.old_table_names.find(table); old != e_.old_table_names.end()) {
      parts_.touched.push_back({old->second, {column.text()}});
    }
  }
  std::string partition_sql(const Table& table) const {
    std::string by = table.partition->by.empty() ? "" : " PARTITION BY " + table.partition->by;
    std::vector<std::string> own;
    for (const Check& check : table.checks) {
      own.push_back(e_.ddl.check(check));
    }
    const std::string checks = own.empty() ? "" : "(" + base::join(own, ", ") + ") ";
    return "CREATE TABLE " + e_.ddl.name(table.name) + " PARTITION OF " +
           e_.ddl.name(*table.partition->parent) + " " + checks + table.partition->bound + by;
  }

  // ---- a column that must be dropped and added: what hangs on it comes back

  // The expressions of before know the column by its old name.
  void note_generated(std::size_t change, const Name& table, const Identifier& now) {
    const Identifier read = column_before(e_, table, now);
    const Table* was = table_before(e_, table);
    const Table* is = find_table(e_.to, table);
    for (const Column& column : is == nullptr ? std::vector<Column>{} : is->columns) {
      const Column* before =
          was == nullptr ? nullptr : find_column(*was, column_before(e_, table, column.name));
      if (column.generated && before != nullptr && before->generated &&
          mentions(before->generated->expression, read.text(), schema::Dialect::Postgres)) {
        generated_aside_.emplace(std::pair(table, column.name), change);
      }
    }
  }
  // `apart`: stages before and after the other changes of columns.
  void remake_column(const Name& table, const Column& column, bool loses, int apart = 0) {
    touch(table, column.name);
    PlanStatement& drop =
        alter(stage::kColumn - apart, table, "DROP COLUMN " + e_.ddl.quote(column.name));
    drop.destructive = loses;
    drop.remakes = true;
    const Table* is = find_table(e_.to, table);
    alter(stage::kColumn + apart, table,
          "ADD COLUMN " + e_.ddl.column(column, is == nullptr ? Table{} : *is));
    statements_.column_comment(table, column);
    if (is == nullptr) {
      return;
    }
    const auto uses = [&](const std::vector<Identifier>& columns) {
      return std::find(columns.begin(), columns.end(), column.name) != columns.end();
    };
    for (const schema::DefinedObject& object : e_.to.objects) {
      if (object.kind == schema::ObjectKind::Privilege && object.table == table &&
          names(object.definition, column)) {
        add(stage::kPrivilege, table, object.definition);
      }
    }
    for (const Index& index : is->indexes) {
      const bool hangs = uses(index.include) || names(index.where, column) ||
                         std::any_of(index.parts.begin(), index.parts.end(), [&](const auto& part) {
                           return part.column == column.name || names(part.expression, column);
                         });
      if (hangs) {
        references_aside(table, index);
      }
      if (hangs && find_part_change<AddIndex>(e_, table, index.name) == nullptr &&
          parts_.indexes_back.emplace(table, index.name).second) {
        add_index(table, index);
        index_comment(table, index);
      }
    }
    if (is->primary_key && uses(is->primary_key->columns)) {
      references_aside(table, is->primary_key->columns);
      if (find_part_change<AddPrimaryKey>(e_, table, is->primary_key->name) == nullptr &&
          parts_.constraints_back.emplace(table, is->primary_key->name).second) {
        alter(stage::kPrimaryKey, table, "ADD " + e_.ddl.primary_key(*is->primary_key, table));
        constraint_comment(table, *is->primary_key);
      }
    }
    for (const schema::Check& check : is->checks) {
      if (names(check.expression, column) &&
          find_part_change<AddCheck>(e_, table, check.name) == nullptr &&
          parts_.constraints_back.emplace(table, check.name).second) {
        alter(stage::kConstraint, table, "ADD " + e_.ddl.check(check));
        constraint_comment(table, check);
      }
    }
    for (const schema::ForeignKey& key : is->foreign_keys) {
      if (uses(key.columns) && find_part_change<AddForeignKey>(e_, table, key.name) == nullptr) {
        foreign_key_back(table, key);
      }
    }
  }
  bool names(const std::string& sql, const Column& column) const {
    return !sql.empty() && mentions(sql, column.name.text(), schema::Dialect::Postgres);
  }

  // ---- comments of what is made

  void index_comment(const Name& table, const Index& index) {
    if (!index.comment.empty()) {
      const char* kind = index.constraint == Index::Constraint::None ? "index" : "constraint";
      add(stage::kComment, table, comment_sql(e_, {kind, table, index.name, ""}, index.comment));
    }
  }
  template <class Constraint>
  void constraint_comment(const Name& table, const Constraint& constraint) {
    if (!constraint.comment.empty()) {
      add(stage::kComment, table,
          comment_sql(e_, {"constraint", table, constraint.name, ""}, constraint.comment));
    }
  }
  void comments_of(const Table& table) {
    if (!table.comment.empty()) {
      add(stage::kComment, table.name,
          comment_sql(e_, {"table", table.name, {}, ""}, table.comment));
    }
    for (const Column& column : table.columns) {
      statements_.column_comment(table.name, column);
    }
    for (const schema::Check& check : table.checks) {
      constraint_comment(table.name, check);
    }
    if (table.primary_key) {
      constraint_comment(table.name, *table.primary_key);
    }
  }

  Emission& e_;
  PostgresPlanParts& parts_;
  PostgresStatements statements_;
  PostgresIdentity identity_;
  PostgresOnline online_;
  std::size_t index_ = 0;
  std::set<std::pair<Name, Identifier>> aside_;                         // foreign keys
  std::map<std::pair<Name, Identifier>, std::size_t> generated_aside_;  // by the change
};

}  // namespace

void emit_postgres_tables(Emission& e, PostgresPlanParts& parts) {
  Tables tables(e, parts);
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    tables.at(i);
  }
  tables.remake_generated();
}

}  // namespace kedge::migrate
