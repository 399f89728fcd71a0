// mysql and MariaDB: one MODIFY a column whatever changed in it; a key moves in one statement; a
// counted column stays keyed throughout (spec/migrate.md 8.5).
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "dialect/mysql/partition.h"
#include "migrate/mysql_conversions.h"
#include "migrate/mysql_indexes.h"
#include "migrate/mysql_online.h"
#include "migrate/mysql_references.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Column;
using schema::Name;
using schema::Table;

bool is_row_column(const Column& column) {
  return column.options.contains("row");
}

class Mysql {
 public:
  explicit Mysql(Emission& e) : e_(e), references_(e), indexes_(e) {
    const std::set<Name> over_periods = tables_keyed_over_periods();
    for (const Change& change : e.changes) {
      const bool alone = over_periods.contains(subject_of(change));
      if (const auto* key = std::get_if<DropPrimaryKey>(&change); key != nullptr && !alone) {
        dropped_keys_.insert(key->table);
      } else if (const auto* made = std::get_if<AddPrimaryKey>(&change);
                 made != nullptr && !alone) {
        added_keys_.insert(made->table);
      }
    }
    for (const Change& change : e.changes) {
      const auto* added = std::get_if<AddColumn>(&change);
      if (added != nullptr && is_counted(added->part) && comes_with_its_key(added->table)) {
        if (references_.needs_both_keys(added->table)) {
          temporary_keys_[added->table] = e.ddl.quote("__kedge_" + added->part.name.text());
        } else {
          moved_keys_.insert(added->table);
        }
      }
      const auto* gone = std::get_if<DropColumn>(&change);
      if (gone != nullptr && is_counted(gone->part) && in_moving_key(*gone) &&
          !gains_counter(gone->table)) {
        gone_counters_[gone->table] = gone->part.name;
      }
    }
  }
  void at(std::size_t i) {
    index_ = i;
    if (moves_period(e_.changes[i])) {
      e_.refuse(i, "the columns of a period are made together with it",
                "ADD or DROP the columns, the PERIOD and SYSTEM VERSIONING in one statement");
      return;
    }
    std::visit(*this, e_.changes[i]);
  }

  void operator()(const CreateTable& c) {
    const Table* table = find_table(e_.to, c.object.name);
    add(stage::kCreateTable, c.object.name,
        e_.ddl.create_table(table == nullptr ? c.object : *table));
  }
  void operator()(const DropTable& c) {
    const std::size_t last = e_.table_rank.size() + 1;
    e_.draft
        .add({stage::kDropTable, last - e_.rank_of(c.object.name), c.object.name.name.text()},
             "DROP TABLE " + e_.if_exists() + e_.ddl.name(c.object.name), index_)
        .destructive = true;
  }
  void operator()(const RenameTable& c) {
    e_.draft.add(e_.rename_place(c),
                 "RENAME TABLE " + e_.ddl.name(c.from) + " TO " + e_.ddl.name(c.to), index_);
  }
  static bool holds_json(const schema::Type& type) {  // a list is kept as JSON
    return type.kind == schema::TypeKind::Json || type.kind == schema::TypeKind::Array;
  }
  // MariaDB loses the column of a JSON's own check at RENAME COLUMN when somebody has read the
  // table under an alias, and says "Unknown column in CHECK".
  void operator()(const RenameColumn& c) {
    const Table* before = table_before(e_, c.table);
    const Column* column = before == nullptr ? nullptr : find_column(*before, c.from);
    std::string sql = "RENAME COLUMN " + e_.ddl.quote(c.from) + " TO " + e_.ddl.quote(c.to);
    if (column != nullptr && holds_json(column->type)) {
      Column renamed = *column;
      renamed.name = c.to;
      sql = "CHANGE COLUMN " + e_.ddl.quote(c.from) + " " + e_.ddl.column(renamed, *before);
    }
    alter(stage::kRenameColumn, c.table, sql, Way::InPlace);
  }
  void operator()(const RenameIndex& c) { rename_index(c.table, c.from, c.to); }
  void operator()(const RenameConstraint& c) { rename_index(c.table, c.from, c.to); }
  // A counted column comes with its key, in one statement.
  void operator()(const AddColumn& c) {
    const Table* table = find_table(e_.to, c.table);
    const bool counted = is_counted(c.part);
    std::string sql = "ADD COLUMN " + e_.ddl.column(c.part, table == nullptr ? Table{} : *table);
    int at = counted ? stage::kPrimaryKey : stage::kAddColumn;
    if (counted && temporary_keys_.contains(c.table)) {
      sql +=
          ", ADD UNIQUE INDEX " + temporary_keys_[c.table] + " (" + e_.ddl.quote(c.part.name) + ")";
      at = stage::kAddColumn;
    } else if (counted && moved_keys_.contains(c.table)) {
      sql = (dropped_keys_.contains(c.table) ? "DROP PRIMARY KEY, " : "") + sql + ", ADD " +
            e_.ddl.primary_key(*table->primary_key, c.table);
    } else if (!c.part.nullable && remap_into(e_, c.table, c.part.name) != nullptr) {
      references_.add_open(c, table == nullptr ? Table{} : *table, index_);
      return;
    }
    alter(at, c.table, sql, way_to_add(c.part));
  }
  // A column of a key that moves goes after it: a table loses its key with its last key column.
  void operator()(const DropColumn& c) {
    if (gone_counters_.contains(c.table) && gone_counters_[c.table] == c.part.name) {
      return;  // a counted column is a key or is not there
    }
    if (is_counted(c.part) && gains_counter(c.table)) {  // there can be only one
      Column plain = c.part;
      plain.identity.reset();
      alter(stage::kDropConstraint + 1, c.table, "MODIFY COLUMN " + e_.ddl.column(plain, Table{}));
    }
    alter(in_moving_key(c) ? stage::kPrimaryKey + 1 : stage::kDropColumn, c.table,
          "DROP COLUMN " + e_.ddl.quote(c.part.name),
          c.part.generated ? Way::Unstated : Way::InPlace)
        .destructive = true;
  }
  void operator()(const ChangeColumnType& c) {
    if (!is_generated_otherwise(c.before, c.after)) {  // it is made anew
      modify(c.table, c.before, c.after);
    }
  }
  void operator()(const ChangeColumnGenerated& c) {
    if (!is_generated_otherwise(c.before, c.after)) {
      modify(c.table, c.before, c.after);
      return;
    }
    remake(c.table, c.after, !c.before.generated);
  }
  template <Attribute attribute>
  void operator()(const ChangeColumn<attribute>& c) {
    modify(c.table, c.before, c.after);
  }
  void operator()(const ChangeComment& c) {
    if (c.target.kind == "table") {
      alter(stage::kComment, c.target.name, "COMMENT = " + e_.ddl.literal(c.to), Way::InPlace);
    } else if (c.target.kind == "column" && find_table(e_.to, c.target.name) != nullptr) {
      const Column* column = find_column(*find_table(e_.to, c.target.name), c.target.part);
      if (column != nullptr) {
        Column after = *column;
        after.comment = c.to;
        modify(c.target.name, *column, after);
      }
    } else if (c.target.kind == "index") {
      indexes_.comment(c, index_);
    }
  }
  void operator()(const AddPrimaryKey& c) {
    references_.fill(c.table, index_);
    if (moved_keys_.contains(c.table)) {
      return;
    }
    std::string sql = "ADD " + e_.ddl.primary_key(c.part, c.table);
    const auto gone = gone_counters_.find(c.table);
    if (gone != gone_counters_.end()) {
      sql = "DROP COLUMN " + e_.ddl.quote(gone->second) + ", " + sql;
    }
    if (const auto key = temporary_keys_.find(c.table); key != temporary_keys_.end()) {
      sql += ", DROP INDEX " + key->second;
    }
    alter(stage::kPrimaryKey, c.table,
          (dropped_keys_.contains(c.table) ? "DROP PRIMARY KEY, " : "") + sql,
          c.part.include.empty() ? Way::InPlace : Way::Copy)
        .destructive = gone != gone_counters_.end();
  }
  void operator()(const DropPrimaryKey& c) {
    for (const Identifier& column : c.part.columns) {
      references_aside(c.table, column);
    }
    if (!added_keys_.contains(c.table)) {
      alter(stage::kDropPrimaryKey, c.table, "DROP PRIMARY KEY", Way::Copy);
    }
  }
  void operator()(const AddIndex& c) { indexes_.add(c, index_); }
  void operator()(const DropIndex& c) { indexes_.drop(c, index_); }
  void operator()(const AddForeignKey& c) {
    alter(stage::kConstraint, c.table, "ADD " + e_.ddl.foreign_key(c.part), Way::Copy);
  }
  void operator()(const DropForeignKey& c) {
    alter(stage::kDropConstraint, c.table, "DROP FOREIGN KEY " + e_.ddl.quote(c.part.name),
          Way::InPlace);
    indexes_.drop_implied(c, index_);
  }
  void operator()(const AddCheck& c) {
    alter(stage::kConstraint, c.table, "ADD " + e_.ddl.check(c.part), Way::Copy);
  }
  void operator()(const DropCheck& c) {
    alter(stage::kDropConstraint, c.table, "DROP CONSTRAINT " + e_.ddl.quote(c.part.name));
  }
  void operator()(const ChangeTableOptions& c) {
    std::vector<std::string> clauses;
    const auto value = option_of;
    const auto changed = [&](const char* key, const char* word) {
      if (value(c.before, key) != value(c.after, key) && !value(c.after, key).empty()) {
        clauses.push_back(std::string(word) + value(c.after, key));
      }
    };
    changed("engine", "ENGINE=");
    changed("charset", "DEFAULT CHARSET=");
    changed("collation", "COLLATE=");
    changed("row_format", "ROW_FORMAT=");
    if (!value(c.before, "row_format").empty() && value(c.after, "row_format").empty()) {
      clauses.emplace_back("ROW_FORMAT=DEFAULT");
    }
    for (const std::string& name : dialect::mysql::further_options(c.before, c.after)) {
      const std::string wanted = value(c.after, name.c_str());
      if (wanted == value(c.before, name.c_str())) {
        continue;
      }
      const std::string clause = dialect::mysql::option_clause(name, wanted);
      // Another engine may know no word to take it back with.
      if (wanted.empty() && value(c.before, "engine") != value(c.after, "engine")) {
        alter(stage::kTableOptions, c.after.name, clause);
      } else {
        clauses.push_back(clause);
      }
    }
    if (!clauses.empty()) {
      alter(stage::kTableOptions, c.after.name, base::join(clauses, " "));
    }
    recode_followers(c);
    const std::string partitions = dialect::mysql::partition_clause(c.after);
    if (partitions != dialect::mysql::partition_clause(c.before)) {
      alter(stage::kTableOptions, c.after.name,
            partitions.empty() ? "REMOVE PARTITIONING" : partitions);
    }
    if (value(c.before, "period") != value(c.after, "period")) {
      move_period(c.after.name, value(c.before, "period"), value(c.after, "period"));
    }
    const std::string versions = value(c.after, "system_versioning");
    if (versions != value(c.before, "system_versioning")) {  // no other change stands between
      alter(versions.empty() ? stage::kDetach : stage::kAttach, c.after.name,
            versions.empty() ? "DROP SYSTEM VERSIONING" : "ADD SYSTEM VERSIONING");
    }
  }
  void operator()(const CreateObject& c) {
    // A view cannot be made without the routines it calls; their bodies are not looked at.
    const bool routine = c.object.kind == schema::ObjectKind::Function ||
                         c.object.kind == schema::ObjectKind::Procedure;
    e_.draft.add({routine ? stage::kFunctionEarly : stage::kTrigger, 0, c.object.name.name.text()},
                 c.object.definition, index_);
  }
  void operator()(const DropObject& c) {
    e_.draft.add({stage::kEarlyDrop, 0, c.object.name.name.text()},
                 "DROP " + base::to_upper(to_string(c.object.kind)) + " " + e_.if_exists() +
                     e_.ddl.name(c.object.name),
                 index_);
  }
  void operator()(const ReplaceObject& c) {
    (*this)(DropObject{c.before});
    (*this)(CreateObject{c.after});
  }
  void operator()(const CreateSequence& c) { sequence("CREATE", c.object); }
  void operator()(const DropSequence& c) {
    e_.draft.add({stage::kDropSequence, 0, c.object.name.name.text()},
                 "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(c.object.name), index_);
  }
  void operator()(const AlterSequence& c) { sequence("ALTER", c.after); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  static bool is_generated_otherwise(const Column& before, const Column& after) {
    return before.generated.has_value() != after.generated.has_value() ||
           (before.generated && before.generated->stored != after.generated->stored);
  }
  // Their key goes before the period and comes after it: not in one statement.
  std::set<Name> tables_keyed_over_periods() const {
    std::set<Name> tables;
    for (const Change& change : e_.changes) {
      const auto* key = std::get_if<DropPrimaryKey>(&change);
      const auto* made = std::get_if<AddPrimaryKey>(&change);
      if ((key != nullptr && !key->part.include.empty()) ||
          (made != nullptr && !made->part.include.empty())) {
        tables.insert(subject_of(change));
      }
    }
    return tables;
  }
  // "`p` (`a`, `b`)": between the keys that go and those that come. Those that stay step aside.
  void move_period(const Name& table, const std::string& before, const std::string& after) {
    if (!moved_periods_.insert(table).second) {
      return;
    }
    if (!before.empty()) {
      alter(stage::kDropPrimaryKey + 1, table,
            "DROP PERIOD FOR " + before.substr(0, before.rfind(" (")));
    }
    if (!after.empty()) {
      alter(stage::kPrimaryKey - 2, table, "ADD PERIOD FOR " + after);
    }
    const Table* is = find_table(e_.to, table);
    if (is == nullptr || before.empty() || after.empty()) {
      return;
    }
    for (const schema::Index& index : is->indexes) {
      if (!index.include.empty() && find_part_change<AddIndex>(e_, table, index.name) == nullptr) {
        add(stage::kDropIndex, table, e_.ddl.drop_index(index, table, ""));
        add(stage::kIndex, table, e_.ddl.index(index, table));
      }
    }
    if (is->primary_key && !is->primary_key->include.empty() &&
        !tables_keyed_over_periods().contains(table)) {
      alter(stage::kDropPrimaryKey, table, "DROP PRIMARY KEY");
      alter(stage::kPrimaryKey, table, "ADD " + e_.ddl.primary_key(*is->primary_key, table));
    }
  }
  // Both columns of a period have one type: it goes while they get another.
  void period_aside(const Name& table, const Column& column) {
    const Table* was = table_before(e_, table);
    const Table* is = find_table(e_.to, table);
    if (was != nullptr && is != nullptr &&
        option_of(*was, "period").find(e_.ddl.quote(column.name)) != std::string::npos) {
      move_period(table, option_of(*was, "period"), option_of(*is, "period"));
    }
  }
  static std::string option_of(const Table& table, const char* key) {
    const auto found = table.options.find(key);
    return found == table.options.end() ? std::string() : found->second;
  }
  static bool changes_default(const Table& before, const Table& after) {
    return option_of(before, "charset") != option_of(after, "charset") ||
           option_of(before, "collation") != option_of(after, "collation");
  }
  // A text column that says nothing has its table's character set.
  bool follows_table(const Column& column) const {
    const std::string type = base::to_lower(e_.ddl.type(column.type));
    const bool text = type.find("char") != std::string::npos ||
                      type.find("text") != std::string::npos || type.starts_with("enum") ||
                      type.starts_with("set");
    return text && column.collation.empty() && !column.options.contains("charset");
  }
  // Another default is for new columns only: those that followed the old one are told to.
  void recode_followers(const ChangeTableOptions& c) {
    if (!changes_default(c.before, c.after)) {
      return;
    }
    for (const Column& after : c.after.columns) {
      const Column* before = find_column(c.before, after.name);
      if (before != nullptr && follows_table(*before) && follows_table(after)) {
        modify(c.after.name, *before, after);
      }
    }
  }
  bool is_recoded(const Name& table, const Column& before, const Column& after) const {
    const Table* was = table_before(e_, table);
    const Table* is = find_table(e_.to, table);
    return was != nullptr && is != nullptr && changes_default(*was, *is) &&
           (follows_table(before) || follows_table(after));
  }
  void sequence(const char* verb, const schema::Sequence& s) {
    std::string sql = fmt::format("{} SEQUENCE {} START WITH {} INCREMENT BY {}", verb,
                                  e_.ddl.name(s.name), s.start, s.increment);
    sql += s.minimum ? fmt::format(" MINVALUE {}", *s.minimum) : "";
    sql += s.maximum ? fmt::format(" MAXVALUE {}", *s.maximum) : "";
    sql += s.cache == 1 ? "" : fmt::format(" CACHE {}", s.cache);
    add(stage::kSequence, s.name, sql + (s.cycle ? " CYCLE" : " NOCYCLE"));
  }
  // A column under a foreign key cannot be altered: the keys on both of its ends step aside.
  void references_aside(const Name& table, const Identifier& column) {
    const auto uses = [&](const std::vector<Identifier>& columns) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    for (const Table& other : e_.to.tables) {
      for (const schema::ForeignKey& key : other.foreign_keys) {
        const bool in_the_way = (other.name == table && uses(key.columns)) ||
                                (key.referenced_table == table && uses(key.referenced_columns));
        if (in_the_way && find_part_change<AddForeignKey>(e_, other.name, key.name) == nullptr &&
            aside_.insert({other.name, key.name}).second) {
          alter(stage::kDropConstraint, other.name, "DROP FOREIGN KEY " + e_.ddl.quote(key.name),
                Way::InPlace);
          alter(stage::kConstraint, other.name, "ADD " + e_.ddl.foreign_key(key), Way::Copy);
        }
      }
    }
  }
  PlanStatement& add(int at, const Name& table, std::string sql) {
    return e_.draft.add({at, e_.rank_of(table), table.name.text()}, std::move(sql), index_);
  }
  PlanStatement& alter(int at, const Name& table, const std::string& clause,
                       Way way = Way::Unstated) {
    return add(at, table,
               with_history(table) + e_.ddl.alter(table) + clause + way_clause(e_, table, way));
  }
  // The server alters a table that keeps its old rows only when told what to do with them.
  std::string with_history(const Name& table) const {
    const Table* was = table_before(e_, table);
    const Table* is = find_table(e_.to, table);
    const bool stays = was != nullptr && is != nullptr &&
                       !option_of(*was, "system_versioning").empty() &&
                       !option_of(*is, "system_versioning").empty();
    return stays ? "SET STATEMENT system_versioning_alter_history=KEEP FOR " : "";
  }
  // The columns of the period come and go with the versions and change the key, in one statement.
  bool moves_period(const Change& change) const {
    const bool concerned = std::holds_alternative<ChangeTableOptions>(change) ||
                           std::holds_alternative<AddPrimaryKey>(change) ||
                           std::holds_alternative<DropPrimaryKey>(change) ||
                           std::holds_alternative<AddColumn>(change) ||
                           std::holds_alternative<DropColumn>(change);
    const Table* was = table_before(e_, subject_of(change));
    const Table* is = find_table(e_.to, subject_of(change));
    const auto shown = [](const Table& table) {
      return std::any_of(table.columns.begin(), table.columns.end(), is_row_column);
    };
    if (!concerned || was == nullptr || is == nullptr || shown(*was) == shown(*is)) {
      return false;
    }
    const auto* added = std::get_if<AddColumn>(&change);
    const auto* gone = std::get_if<DropColumn>(&change);
    return (added == nullptr || is_row_column(added->part)) &&
           (gone == nullptr || is_row_column(gone->part));
  }
  void rename_index(const Name& table, const Identifier& from, const Identifier& to) {
    alter(stage::kRenameName, table,
          "RENAME INDEX " + e_.ddl.quote(from) + " TO " + e_.ddl.quote(to), Way::InPlace);
  }
  // Once a column, with everything that changes in it, whichever change comes first.
  void modify(const Name& table, const Column& told, const Column& after) {
    const Remap* remap = remap_into(e_, table, after.name);
    if (remap != nullptr && remap->old_column == remap->new_column) {
      return;  // made anew, whole, with the new key's values
    }
    if (!modified_.insert({table, after.name}).second) {
      return;
    }
    const Table* old = table_before(e_, table);
    const Column* seen =
        old == nullptr ? nullptr : find_column(*old, column_before(e_, table, after.name));
    const Column& before = seen == nullptr ? told : *seen;
    const Table* is = find_table(e_.to, table);
    const Column* whole = is == nullptr ? nullptr : find_column(*is, after.name);
    Column column = whole == nullptr ? after : *whole;
    column.comment = after.comment;
    const Table none;
    const Table& around = is == nullptr ? none : *is;
    const bool makes_ids = column.identity && column.identity->kind == schema::Identity::Kind::Uuid;
    const bool fills = before.nullable && !column.nullable && (column.default_value || makes_ids) &&
                       !column.generated;
    const bool retyped = !(before.type == column.type);
    if (fills && !retyped) {
      fill(stage::kColumn, around, table, column);
    }
    references_aside(table, after.name);
    if (retyped) {
      period_aside(table, after);
    }
    int at = is_read_by_remap(e_, table, after.name) ? stage::kFill + 1 : stage::kColumn;
    if (is_counted(column) && !is_counted(before)) {
      at = stage::kIndex + 1;  // its key is there by now
    } else if (is_counted(before) && !is_counted(column)) {
      at = stage::kDropConstraint + 1;  // before its key goes
      if (column.nullable && dropped_keys_.contains(table)) {
        Column closed = column;  // until then
        closed.nullable = false;
        alter(stage::kPrimaryKey + 1, table, "MODIFY COLUMN " + e_.ddl.column(column, around),
              way_to_modify(closed, column));
        column = closed;
      }
    } else if (column.nullable && leaves_key(table, column.name)) {
      at = stage::kPrimaryKey + 1;  // a column of a key stays NOT NULL, whatever it is told
    }
    const Way way = is_recoded(table, before, column) && !column.generated
                        ? Way::Copy
                        : way_to_modify(before, column);
    if ((remap != nullptr && before.nullable && !column.nullable) || (fills && retyped)) {
      // First it is filled, in its new type.
      alter(stage::kNotNull, table, "MODIFY COLUMN " + e_.ddl.column(column, around), Way::InPlace);
      column.nullable = true;
    }
    if (at == stage::kDropConstraint + 1 && column.nullable) {  // a key holds it back until it goes
      alter(stage::kIndex + 1, table, "MODIFY COLUMN " + e_.ddl.column(column, around), way);
    }
    convert(at, table, before, column, around);
    alter(at, table, "MODIFY COLUMN " + e_.ddl.column(column, around), way);
    if (fills && retyped) {
      fill(at, around, table, column);
    }
  }
  void fill(int at, const Table& around, const Name& table, const Column& column) {
    add(at, table,
        fmt::format("UPDATE {} SET {} = {}{} WHERE {} IS NULL", e_.ddl.name(table),
                    e_.ddl.quote(column.name),
                    column.default_value ? e_.ddl.default_value(*column.default_value, column.type)
                                         : "uuid()",
                    mysql_clocks_stay(e_, around, column.name, ""), e_.ddl.quote(column.name)));
  }
  // By its text, where a MODIFY of the type would make something else of the values.
  void convert(int at, const Name& table, const Column& before, const Column& after,
               const Table& around) {
    const std::string name = e_.ddl.quote(after.name);
    const std::string value = mysql_converted(name, before.type, after.type);
    if (value.empty() || before.generated || after.generated) {
      return;
    }
    alter(at, table, "MODIFY COLUMN " + name + " LONGTEXT NULL", Way::Copy);
    add(at, table,
        fmt::format("UPDATE {} SET {} = {}{} WHERE {} IS NOT NULL", e_.ddl.name(table), name, value,
                    mysql_clocks_stay(e_, around, after.name, ""), name));
  }
  void remake(const Name& table, const Column& column, bool loses) {
    const Table* is = find_table(e_.to, table);
    alter(stage::kColumn, table, "DROP COLUMN " + e_.ddl.quote(column.name)).destructive = loses;
    alter(stage::kColumn, table,
          "ADD COLUMN " + e_.ddl.column(column, is == nullptr ? Table{} : *is));
    if (is == nullptr) {
      return;
    }
    for (const schema::Index& index : is->indexes) {
      const bool hangs = std::any_of(index.parts.begin(), index.parts.end(),
                                     [&](const auto& part) { return part.column == column.name; });
      if (hangs && index.parts.size() == 1 &&
          find_part_change<AddIndex>(e_, table, index.name) == nullptr) {
        add(stage::kIndex, table, e_.ddl.index(index, table));
      }
    }
  }

  bool comes_with_its_key(const Name& table) const {
    const Table* is = find_table(e_.to, table);
    return is != nullptr && is->primary_key && added_keys_.contains(table);
  }
  bool gains_counter(const Name& table) const {
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* one = std::get_if<AddColumn>(&change);
      return one != nullptr && one->table == table && is_counted(one->part);
    });
  }
  bool in_moving_key(const DropColumn& c) const { return is_in_moving_key(c.table, c.part.name); }
  bool leaves_key(const Name& table, const Identifier& column) const {
    return is_in_moving_key(table, column_before(e_, table, column));
  }
  bool is_in_moving_key(const Name& table, const Identifier& column) const {
    if (!dropped_keys_.contains(table) || !added_keys_.contains(table)) {
      return false;
    }
    const Table* before = table_before(e_, table);
    return before != nullptr && before->primary_key &&
           std::count(before->primary_key->columns.begin(), before->primary_key->columns.end(),
                      column) > 0;
  }

  Emission& e_;
  MysqlReferences references_;
  MysqlIndexes indexes_;
  std::size_t index_ = 0;
  std::set<std::pair<Name, Identifier>> modified_;
  std::set<std::pair<Name, Identifier>> aside_;
  std::set<Name> dropped_keys_;
  std::set<Name> added_keys_;
  std::set<Name> moved_keys_;
  std::set<Name> moved_periods_;
  std::map<Name, std::string> temporary_keys_;  // quoted
  std::map<Name, Identifier> gone_counters_;    // counted columns that go with their key
};

}  // namespace

void emit_mysql(Emission& e) {
  Mysql mysql(e);
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    mysql.at(i);
  }
  emit_views(e, {});
}

}  // namespace kedge::migrate
