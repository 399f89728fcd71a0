// sqlite: native statements where the engine allows them on a table with rows, else one rebuild a
// table that bundles all of its changes (spec/migrate.md 8.3).
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "migrate/sqlite_rebuild.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Column;
using schema::Name;
using schema::Table;

// The changes of one existing table.
struct TableChanges {
  std::vector<std::size_t> all;
  std::vector<std::size_t> added_columns;
  std::vector<std::size_t> dropped_columns;
  std::vector<std::size_t> added_keys;  // foreign keys and checks that may ride with a new column
  bool must_rebuild = false;
};

class Sorter {
 public:
  Sorter(const Emission& e, std::map<Name, TableChanges>& tables) : e_(e), tables_(tables) {}
  void at(std::size_t i) {
    index_ = i;
    std::visit(*this, e_.changes[i]);
  }

  void operator()(const AddColumn& c) { table(c.table).added_columns.push_back(index_); }
  void operator()(const DropColumn& c) { table(c.table).dropped_columns.push_back(index_); }
  void operator()(const AddForeignKey& c) { table(c.table).added_keys.push_back(index_); }
  void operator()(const AddCheck& c) { table(c.table).added_keys.push_back(index_); }
  void operator()(const AddIndex& c) { rebuild_if(c.table, owned(c.part)); }
  void operator()(const DropIndex& c) { rebuild_if(c.table, owned(c.part)); }
  void operator()(const DropForeignKey& c) { rebuild_if(c.table, true); }
  void operator()(const DropCheck& c) { rebuild_if(c.table, true); }
  void operator()(const AddPrimaryKey& c) { rebuild_if(c.table, true); }
  void operator()(const DropPrimaryKey& c) { rebuild_if(c.table, true); }
  void operator()(const ChangeColumnType& c) { rebuild_if(c.table, true); }
  template <Attribute attribute>
  void operator()(const ChangeColumn<attribute>& c) {
    rebuild_if(c.table, true);
  }
  void operator()(const ChangeTableOptions& c) { rebuild_if(c.after.name, true); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  static bool owned(const schema::Index& index) {
    return index.constraint != schema::Index::Constraint::None;
  }
  TableChanges& table(const Name& name) {
    TableChanges& changes = tables_[name];
    changes.all.push_back(index_);
    return changes;
  }
  void rebuild_if(const Name& name, bool rebuild) {
    if (rebuild) {
      table(name).must_rebuild = true;
    }
  }
  const Emission& e_;
  std::map<Name, TableChanges>& tables_;
  std::size_t index_ = 0;
};

bool is_constant(const schema::Default& value) {
  return value.kind == schema::Default::Kind::Literal ||
         (dialect::is_plain_default(value.value) &&
          !base::to_lower(value.value).starts_with("current_"));
}
bool is_null_default(const std::optional<schema::Default>& value) {
  return !value || (value->kind == schema::Default::Kind::Expression &&
                    base::equals_ignoring_case(value->value, "null"));
}

bool in_key(const Table& table, const Identifier& column) {
  return table.primary_key &&
         std::find(table.primary_key->columns.begin(), table.primary_key->columns.end(), column) !=
             table.primary_key->columns.end();
}
bool in_unique(const Table& table, const Identifier& column) {
  return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const schema::Index& index) {
    return index.constraint != schema::Index::Constraint::None &&
           std::any_of(index.parts.begin(), index.parts.end(),
                       [&](const auto& part) { return part.column == column; });
  });
}

bool adds_natively(const Column& column, const Table& table, const schema::ForeignKey* key) {
  if ((!column.nullable && is_null_default(column.default_value) && !column.generated) ||
      (column.default_value && !is_constant(*column.default_value)) || column.identity ||
      (column.generated && column.generated->stored) || in_key(table, column.name) ||
      in_unique(table, column.name)) {
    return false;
  }
  return key == nullptr || is_null_default(column.default_value);
}

class TableWork {
 public:
  TableWork(Emission& e, const Table& was, const Table& is, const TableChanges& changes)
      : e_(e), was_(was), is_(is), changes_(changes) {}

  template <class Kind>
  const auto& part(std::size_t i) const {
    return std::get<Kind>(e_.changes[i]).part;
  }
  // Must the table be rebuilt? Else native() adds its statements.
  bool needs_rebuild() {
    return changes_.must_rebuild || !place_keys() ||
           !std::all_of(changes_.added_columns.begin(), changes_.added_columns.end(),
                        [&](std::size_t i) { return can_add(part<AddColumn>(i)); }) ||
           !std::all_of(changes_.dropped_columns.begin(), changes_.dropped_columns.end(),
                        [&](std::size_t i) { return can_drop(part<DropColumn>(i)); });
  }
  void native() {
    for (const std::size_t i : changes_.added_columns) {
      add_column(part<AddColumn>(i), i);
    }
    for (const std::size_t i : changes_.dropped_columns) {
      e_.draft
          .add({stage::kDropColumn, e_.rank_of(is_.name), is_.name.name.text()},
               e_.ddl.alter(is_.name) + "DROP COLUMN " + e_.ddl.quote(part<DropColumn>(i).name), i)
          .destructive = true;
    }
  }

 private:
  bool is_new(const Identifier& column) const {
    return std::any_of(changes_.added_columns.begin(), changes_.added_columns.end(),
                       [&](std::size_t i) { return part<AddColumn>(i).name == column; });
  }
  // Each added key and check must belong to one new column.
  bool place_keys() {
    for (const std::size_t i : changes_.added_keys) {
      if (const auto* key = std::get_if<AddForeignKey>(&e_.changes[i])) {
        if (key->part.columns.size() != 1 || !is_new(key->part.columns[0])) {
          return false;
        }
        keys_[key->part.columns[0]] = i;
        continue;
      }
      const Identifier column = only_column(std::get<AddCheck>(e_.changes[i]).part);
      if (!is_new(column)) {
        return false;
      }
      checks_[column].push_back(i);
    }
    return true;
  }
  Identifier only_column(const schema::Check& check) const {
    if (!check.column.empty()) {
      return check.column;
    }
    Identifier found;
    for (const Column& column : is_.columns) {
      if (mentions(check.expression, column.name.text(), schema::Dialect::Sqlite)) {
        if (!found.empty()) {
          return {};
        }
        found = column.name;
      }
    }
    return found;
  }
  bool can_add(const Column& column) const {
    const auto key = keys_.find(column.name);
    const schema::ForeignKey* foreign =
        key == keys_.end() ? nullptr : &std::get<AddForeignKey>(e_.changes[key->second]).part;
    return adds_natively(column, is_, foreign);
  }
  bool can_drop(const Column& column) const {
    if (in_key(was_, column.name) || in_unique(was_, column.name)) {
      return false;
    }
    const std::string& name = column.name.text();
    const auto names_it = [&](std::string_view sql) {
      return mentions(sql, name, schema::Dialect::Sqlite);
    };
    const auto uses = [&](const std::vector<Identifier>& columns) {
      return std::find(columns.begin(), columns.end(), column.name) != columns.end();
    };
    return std::none_of(was_.checks.begin(), was_.checks.end(),
                        [&](const auto& check) { return names_it(check.expression); }) &&
           std::none_of(was_.foreign_keys.begin(), was_.foreign_keys.end(),
                        [&](const auto& key) { return uses(key.columns); }) &&
           std::none_of(was_.columns.begin(), was_.columns.end(),
                        [&](const Column& other) {
                          return other.generated && names_it(other.generated->expression);
                        }) &&
           std::none_of(is_.indexes.begin(), is_.indexes.end(),
                        [&](const schema::Index& index) {
                          return names_it(index.where) ||
                                 std::any_of(index.parts.begin(), index.parts.end(),
                                             [&](const auto& index_part) {
                                               return index_part.column == column.name ||
                                                      names_it(index_part.expression);
                                             });
                        }) &&
           std::none_of(e_.from.objects.begin(), e_.from.objects.end(),
                        [&](const auto& object) { return names_it(object.definition); }) &&
           std::none_of(e_.from.views.begin(), e_.from.views.end(),
                        [&](const auto& view) { return names_it(view.body); });
  }
  void add_column(const Column& column, std::size_t i) {
    std::string sql = e_.ddl.alter(is_.name) + "ADD COLUMN " + e_.ddl.column(column, is_);
    for (const std::size_t check : checks_[column.name]) {
      sql += " " + e_.ddl.check(std::get<AddCheck>(e_.changes[check]).part);
    }
    if (const auto key = keys_.find(column.name); key != keys_.end()) {
      const std::string whole =
          e_.ddl.foreign_key(std::get<AddForeignKey>(e_.changes[key->second]).part);
      // CONSTRAINT "n" FOREIGN KEY ("c") REFERENCES ...: the column form leaves the middle out.
      const std::string middle = "FOREIGN KEY (" + e_.ddl.quote(column.name) + ") ";
      sql += " " + base::replace_all(whole, middle, "");
    }
    e_.draft.add({stage::kAddColumn, e_.rank_of(is_.name), is_.name.name.text()}, sql, i);
  }

  Emission& e_;
  const Table& was_;
  const Table& is_;
  const TableChanges& changes_;
  std::map<Identifier, std::size_t> keys_;
  std::map<Identifier, std::vector<std::size_t>> checks_;
};

// Statements that stand alone: whole tables, indexes, renames, triggers.
struct Simple {
  Emission& e;
  std::size_t index = 0;
  const std::set<Name>& rebuilt;
  Keys keys(int at, const Name& table) const { return {at, e.rank_of(table), table.name.text()}; }

  void operator()(const CreateTable& c) const {
    const Table* table = find_table(e.to, c.object.name);
    e.draft.add(keys(stage::kCreateTable, c.object.name),
                table_sql(e, table == nullptr ? c.object : *table, c.object.name), index);
  }
  // On D1 a table that references a rebuilt one goes first.
  int drop_stage(const Table& table) const {
    const bool first =
        e.options.dialect == schema::Dialect::D1 &&
        std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                    [&](const auto& key) { return rebuilt.contains(key.referenced_table); });
    return first ? stage::kAddColumn : stage::kDropTable;
  }
  void operator()(const DropTable& c) const {
    const std::size_t last = e.table_rank.size() + 1;
    e.draft
        .add({drop_stage(c.object), last - e.rank_of(c.object.name), c.object.name.name.text()},
             "DROP TABLE " + e.if_exists() + e.ddl.name(c.object.name), index)
        .destructive = true;
  }
  void operator()(const RenameTable& c) const {
    Name from = c.from;
    if (base::equals_ignoring_case(from.name.text(), c.to.name.text())) {  // taken by itself
      from.name = Identifier("__kedge_" + c.to.name.text());
      e.draft.add(e.rename_place(c), e.ddl.alter(c.from) + "RENAME TO " + e.ddl.quote(from.name),
                  index);
    }
    e.draft.add(e.rename_place(c), e.ddl.alter(from) + "RENAME TO " + e.ddl.quote(c.to.name),
                index);
  }
  void operator()(const RenameColumn& c) const {
    e.draft.add(
        keys(stage::kRenameColumn, c.table),
        e.ddl.alter(c.table) + "RENAME COLUMN " + e.ddl.quote(c.from) + " TO " + e.ddl.quote(c.to),
        index);
  }
  void operator()(const AddIndex& c) const {
    if (c.part.constraint == schema::Index::Constraint::None && !rebuilt.contains(c.table)) {
      e.draft.add(keys(stage::kIndex, c.table), index_sql(e, c.part, c.table), index);
    }
  }
  void operator()(const DropIndex& c) const {
    if (c.part.constraint == schema::Index::Constraint::None) {
      e.draft.add(keys(stage::kDropIndex, c.table),
                  e.ddl.drop_index(c.part, c.table, e.if_exists()), index);
    }
  }
  void operator()(const CreateObject& c) const { make(c.object); }
  void operator()(const DropObject& c) const { drop(c.object); }
  void operator()(const ReplaceObject& c) const {
    drop(c.before);
    make(c.after);
  }
  template <class Other>
  void operator()(const Other&) const {}

 private:
  void make(const schema::DefinedObject& object) const {
    if (object.kind == schema::ObjectKind::Trigger) {
      e.draft.add({stage::kTrigger, 0, object.name.name.text()}, object.definition, index);
    }
  }
  void drop(const schema::DefinedObject& object) const {
    if (object.kind == schema::ObjectKind::Trigger) {
      e.draft.add({stage::kEarlyDrop, 0, object.name.name.text()},
                  "DROP TRIGGER IF EXISTS " + e.ddl.quote(object.name.name), index);
    }
  }
};

std::set<std::string> changed_triggers(const Emission& e) {
  std::set<std::string> names;
  for (const Change& change : e.changes) {
    if (const auto* made = std::get_if<CreateObject>(&change)) {
      names.insert(made->object.name.name.text());
    } else if (const auto* gone = std::get_if<DropObject>(&change)) {
      names.insert(gone->object.name.name.text());
    } else if (const auto* swapped = std::get_if<ReplaceObject>(&change)) {
      names.insert(swapped->after.name.name.text());
    }
  }
  return names;
}

// A trigger that names a table or view while that is away makes every RENAME fail.
void triggers_aside(Emission& e, const std::set<Name>& away) {
  const std::set<std::string> changed = changed_triggers(e);
  for (const schema::DefinedObject& object : e.from.objects) {
    const bool touched = std::any_of(away.begin(), away.end(), [&](const Name& name) {
      return mentions(object.definition, name.name.text(), schema::Dialect::Sqlite);
    });
    const std::string& name = object.name.name.text();
    if (object.kind != schema::ObjectKind::Trigger || !touched || changed.contains(name)) {
      continue;
    }
    e.draft.add({stage::kEarlyDrop, 0, name}, "DROP TRIGGER IF EXISTS " + e.ddl.quote(name));
    const auto after = std::find_if(e.to.objects.begin(), e.to.objects.end(), [&](const auto& one) {
      return one.kind == object.kind && one.name == object.name;
    });
    if (after != e.to.objects.end()) {
      e.draft.add({stage::kTrigger, 0, name}, after->definition);
    }
  }
}

void wrap(Emission& e, const std::set<Name>& rebuilt) {
  e.draft.add({stage::kOpen, 0, ""}, "PRAGMA foreign_keys = OFF").transactional =
      Transactional::Alone;
  e.draft.add({stage::kOpen, 2, ""}, "BEGIN IMMEDIATE");
  if (needs_stand_ins(e)) {
    add_stand_ins(e, rebuilt);
  }
  for (const Name& table : rebuilt) {
    e.draft.add({stage::kClose, 0, table.name.text()},
                "PRAGMA foreign_key_check(" + e.ddl.quote(table.name) + ")");
  }
  e.draft.add({stage::kClose, 2, ""}, "COMMIT");
  e.draft.add({stage::kClose, 3, ""}, "PRAGMA foreign_keys = ON").transactional =
      Transactional::Alone;
}

}  // namespace

void emit_sqlite(Emission& e) {
  std::map<Name, TableChanges> tables;
  Sorter sorter(e, tables);
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    sorter.at(i);
  }
  std::vector<Rebuild> rebuilds;
  std::set<Name> rebuilt;
  for (auto& [name, changes] : tables) {
    const Table* was = table_before(e, name);
    const Table* is = find_table(e.to, name);
    if (was == nullptr || is == nullptr) {
      continue;
    }
    TableWork work(e, *was, *is, changes);
    if (work.needs_rebuild()) {
      rebuilds.push_back({was, is, changes.all});
      rebuilt.insert(name);
    } else {
      work.native();
    }
  }
  const bool d1 = e.options.dialect == schema::Dialect::D1;
  if (d1) {
    rebuilt = emit_d1_rebuilds(e, rebuilds);
  } else {
    for (const Rebuild& rebuild : rebuilds) {
      emit_rebuild(e, rebuild);
    }
  }
  std::vector<Touched> touched;
  for (const Name& name : rebuilt) {
    touched.push_back({name, {}});
    if (const auto old = e.old_table_names.find(name); old != e.old_table_names.end()) {
      touched.push_back({old->second, {}});
    }
  }
  if (!rebuilt.empty()) {
    for (const Change& change : e.changes) {
      if (const auto* drop = std::get_if<DropTable>(&change)) {
        touched.push_back({drop->object.name, {}});
      }
    }
  }
  std::set<Name> away = emit_views(e, touched);
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    std::visit(Simple{e, i, rebuilt}, e.changes[i]);
  }
  for (const Touched& one : touched) {
    away.insert(one.table);
  }
  triggers_aside(e, away);
  if (!rebuilt.empty() && !d1) {
    wrap(e, rebuilt);
  }
}

}  // namespace kedge::migrate
