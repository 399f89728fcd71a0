// Applies changes to a schema value, and turns a list of changes round.
#include <algorithm>
#include <map>

#include "base/overloaded.h"
#include "migrate/emission.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Name;
using schema::Schema;
using schema::Table;

template <class Items, class Key>
void erase_named(Items& items, const Key& name) {
  std::erase_if(items, [&](const auto& item) { return item.name == name; });
}

// The lists of a schema by name, so that each change costs a look-up.
class ShapeChanger {
 public:
  explicit ShapeChanger(Schema& schema) : schema_(schema) {
    for (Table& table : schema_.tables) {
      tables_.emplace(table.name, std::move(table));
    }
    for (schema::View& view : schema_.views) {
      views_.emplace(view.name, std::move(view));
    }
  }
  void finish() {
    schema_.tables.clear();
    for (auto& [name, table] : tables_) {
      schema_.tables.push_back(std::move(table));
    }
    schema_.views.clear();
    for (auto& [name, view] : views_) {
      schema_.views.push_back(std::move(view));
    }
    schema::normalise(schema_);
  }

  void operator()(const CreateNamespace& c) { schema_.namespaces.push_back(c.object); }
  void operator()(const DropNamespace& c) { erase_named(schema_.namespaces, c.object.name); }
  void operator()(const CreateEnum& c) { schema_.enums.push_back(c.object); }
  void operator()(const DropEnum& c) { erase_named(schema_.enums, c.object.name); }
  void operator()(const AlterEnum& c) { put(schema_.enums, c.after); }
  void operator()(const CreateDomain& c) { schema_.domains.push_back(c.object); }
  void operator()(const DropDomain& c) { erase_named(schema_.domains, c.object.name); }
  void operator()(const AlterDomain& c) { put(schema_.domains, c.after); }
  void operator()(const CreateComposite& c) { schema_.composites.push_back(c.object); }
  void operator()(const DropComposite& c) { erase_named(schema_.composites, c.object.name); }
  void operator()(const AlterComposite& c) { put(schema_.composites, c.after); }
  void operator()(const CreateSequence& c) { schema_.sequences.push_back(c.object); }
  void operator()(const DropSequence& c) { erase_named(schema_.sequences, c.object.name); }
  void operator()(const AlterSequence& c) { put(schema_.sequences, c.after); }
  // Indexes and keys of a new table come as changes of their own.
  void operator()(const CreateTable& c) {
    Table table = c.object;
    table.indexes.clear();
    table.foreign_keys.clear();
    tables_[table.name] = std::move(table);
  }
  void operator()(const DropTable& c) { tables_.erase(c.object.name); }
  void operator()(const RenameTable& c) {
    auto node = tables_.extract(c.from);
    if (!node.empty()) {
      node.key() = c.to;
      node.mapped().name = c.to;
      node.mapped().definition.text.clear();
      for (schema::Index& index : node.mapped().indexes) {
        index.definition.text.clear();
      }
      tables_.insert(std::move(node));
    }
    for (auto& [name, table] : tables_) {
      for (schema::ForeignKey& key : table.foreign_keys) {
        key.referenced_table = key.referenced_table == c.from ? c.to : key.referenced_table;
      }
      for (Name& parent : table.inherits) {
        parent = parent == c.from ? c.to : parent;
      }
    }
    for (schema::DefinedObject& object : schema_.objects) {
      if (object.table == c.from) {
        object.table = c.to;
      }
    }
  }
  void operator()(const AddColumn& c) {
    edit(c.table, [&](Table& t) { t.columns.push_back(c.part); });
  }
  void operator()(const DropColumn& c) {
    edit(c.table, [&](Table& t) { erase_named(t.columns, c.part.name); });
  }
  void operator()(const RenameColumn& c) {
    edit(c.table, [&](Table& t) { rename_in(t, c.from, c.to); });
    for (auto& [name, table] : tables_) {
      for (schema::ForeignKey& key : table.foreign_keys) {
        if (key.referenced_table == c.table) {
          std::replace(key.referenced_columns.begin(), key.referenced_columns.end(), c.from, c.to);
        }
      }
    }
  }
  void operator()(const ChangeColumnType& c) {
    column(c.table, c.after.name, [&](schema::Column& column) {
      column.type = c.after.type;
      column.default_value = c.after.default_value;
      column.collation = c.after.collation;
    });
  }
  void operator()(const ChangeColumnNullable& c) {
    column(c.table, c.after.name, [&](auto& column) { column.nullable = c.after.nullable; });
  }
  void operator()(const ChangeColumnDefault& c) {
    column(c.table, c.after.name,
           [&](auto& column) { column.default_value = c.after.default_value; });
  }
  void operator()(const ChangeColumnIdentity& c) {
    column(c.table, c.after.name, [&](auto& column) {
      column.identity = c.after.identity;
      column.default_value = c.after.default_value;
    });
  }
  void operator()(const ChangeColumnGenerated& c) {
    column(c.table, c.after.name, [&](auto& column) {
      column.generated = c.after.generated;
      column.default_value = c.after.default_value;
    });
  }
  void operator()(const ChangeColumnCollation& c) {
    column(c.table, c.after.name, [&](auto& column) { column.collation = c.after.collation; });
  }
  void operator()(const ChangeColumnOptions& c) {
    column(c.table, c.after.name, [&](auto& column) { column.options = c.after.options; });
  }
  void operator()(const AddPrimaryKey& c) {
    edit(c.table, [&](Table& t) { t.primary_key = c.part; });
  }
  void operator()(const DropPrimaryKey& c) {
    edit(c.table, [&](Table& t) { t.primary_key.reset(); });
  }
  void operator()(const AddIndex& c) {
    if (const auto view = views_.find(c.table); view != views_.end()) {
      view->second.indexes.push_back(c.part);
      return;
    }
    edit(c.table, [&](Table& t) { t.indexes.push_back(c.part); });
  }
  void operator()(const DropIndex& c) {
    if (const auto view = views_.find(c.table); view != views_.end()) {
      erase_named(view->second.indexes, c.part.name);
      return;
    }
    edit(c.table, [&](Table& t) { erase_named(t.indexes, c.part.name); });
  }
  void operator()(const RenameIndex& c) { rename_part(c.table, c.from, c.to); }
  void operator()(const RenameConstraint& c) { rename_part(c.table, c.from, c.to); }
  void operator()(const AddForeignKey& c) {
    edit(c.table, [&](Table& t) { t.foreign_keys.push_back(c.part); });
  }
  void operator()(const DropForeignKey& c) {
    edit(c.table, [&](Table& t) { erase_one(t.foreign_keys, c.part); });
  }
  void operator()(const AddCheck& c) {
    edit(c.table, [&](Table& t) { t.checks.push_back(c.part); });
  }
  void operator()(const DropCheck& c) {
    edit(c.table, [&](Table& t) { erase_one(t.checks, c.part); });
  }
  void operator()(const ValidateConstraint& c) {
    edit(c.table, [&](Table& t) {
      for (schema::Check& check : t.checks) {
        check.validated = check.validated || (c.check && c.check->name == check.name);
      }
      for (schema::ForeignKey& key : t.foreign_keys) {
        key.validated = key.validated || (c.foreign_key && c.foreign_key->name == key.name);
      }
    });
  }
  void operator()(const ChangeTableOptions& c) {
    edit(c.after.name, [&](Table& t) {
      t.options = c.after.options;
      t.unlogged = c.after.unlogged;
      const std::string by = c.after.partition ? c.after.partition->by : "";
      if (t.partition || !by.empty()) {
        schema::Partition partition = t.partition.value_or(schema::Partition{});
        partition.by = by;
        t.partition = std::move(partition);
      }
    });
  }
  void operator()(const ChangeRowSecurity& c) {
    edit(c.table, [&](Table& t) {
      t.row_security = c.enabled_after;
      t.force_row_security = c.forced_after;
    });
  }
  void operator()(const AttachPartition& c) {
    edit(c.table, [&](Table& t) { t.partition = c.partition; });
  }
  void operator()(const DetachPartition& c) {
    edit(c.table, [&](Table& t) {
      if (t.partition) {
        t.partition->parent.reset();
        t.partition->bound.clear();
      }
    });
  }
  void operator()(const AddInheritance& c) {
    edit(c.table, [&](Table& t) { t.inherits.push_back(c.parent); });
  }
  void operator()(const DropInheritance& c) {
    edit(c.table, [&](Table& t) { std::erase(t.inherits, c.parent); });
  }
  void operator()(const CreateView& c) {
    schema::View view = c.view;
    view.indexes.clear();
    views_[view.name] = std::move(view);
  }
  void operator()(const DropView& c) { views_.erase(c.view.name); }
  void operator()(const ReplaceView& c) { views_[c.after.name] = c.after; }
  void operator()(const CreateObject& c) { schema_.objects.push_back(c.object); }
  void operator()(const DropObject& c) {
    std::erase_if(schema_.objects, [&](const auto& o) { return same_object(o, c.object); });
  }
  void operator()(const ReplaceObject& c) {
    std::erase_if(schema_.objects, [&](const auto& o) { return same_object(o, c.before); });
    schema_.objects.push_back(c.after);
  }
  // Only what is made anew with what it carries needs it: tables and their parts, views.
  void operator()(const ChangeComment& c) {
    if (const auto view = views_.find(c.target.name); view != views_.end()) {
      if (c.target.kind == "column") {
        comment(view->second.columns, c);
      } else {
        view->second.comment = c.to;
      }
      return;
    }
    const auto found = tables_.find(c.target.name);
    if (found == tables_.end()) {
      return;
    }
    Table& table = found->second;
    if (c.target.kind == "table") {
      table.comment = c.to;
    } else if (c.target.kind == "column") {
      comment(table.columns, c);
    } else if (c.target.kind == "index") {
      comment(table.indexes, c);
    } else if (c.target.kind == "constraint") {
      comment(table.checks, c);
      comment(table.foreign_keys, c);
      comment(table.indexes, c);
      if (table.primary_key && table.primary_key->name == c.target.part) {
        table.primary_key->comment = c.to;
      }
    }
  }

 private:
  template <class Items>
  static void comment(Items& items, const ChangeComment& c) {
    for (auto& item : items) {
      if (item.name == c.target.part) {
        item.comment = c.to;
      }
    }
  }
  static bool same_object(const schema::DefinedObject& a, const schema::DefinedObject& b) {
    return a.kind == b.kind && a.name == b.name && a.signature == b.signature && a.table == b.table;
  }
  template <class Items, class Item>
  static void erase_one(Items& items, const Item& item) {
    auto found = std::find(items.begin(), items.end(), item);
    if (found == items.end() && !item.name.empty()) {
      found = std::find_if(items.begin(), items.end(),
                           [&](const auto& one) { return one.name == item.name; });
    }
    if (found != items.end()) {
      items.erase(found);
    }
  }
  template <class Items, class Item>
  static void put(Items& items, const Item& item) {
    erase_named(items, item.name);
    items.push_back(item);
  }
  template <class Edit>
  void edit(const Name& name, const Edit& with) {
    const auto found = tables_.find(name);
    if (found != tables_.end()) {
      found->second.definition.text.clear();
      with(found->second);
    }
  }
  template <class Edit>
  void column(const Name& table, const Identifier& name, const Edit& with) {
    edit(table, [&](Table& t) {
      for (schema::Column& column : t.columns) {
        if (column.name == name) {
          with(column);
        }
      }
    });
  }
  void rename_part(const Name& table, const Identifier& from, const Identifier& to) {
    edit(table, [&](Table& t) {
      const auto rename = [&](auto& part) { part.name = part.name == from ? to : part.name; };
      std::for_each(t.indexes.begin(), t.indexes.end(), rename);
      std::for_each(t.foreign_keys.begin(), t.foreign_keys.end(), rename);
      std::for_each(t.checks.begin(), t.checks.end(), rename);
      if (t.primary_key) {
        rename(*t.primary_key);
      }
    });
  }
  static void rename_in(Table& t, const Identifier& from, const Identifier& to) {
    const auto swap = [&](std::vector<Identifier>& columns) {
      std::replace(columns.begin(), columns.end(), from, to);
    };
    for (schema::Column& column : t.columns) {
      column.name = column.name == from ? to : column.name;
    }
    if (t.primary_key) {
      swap(t.primary_key->columns);
    }
    for (schema::Index& index : t.indexes) {
      for (schema::IndexPart& part : index.parts) {
        part.column = part.column == from ? to : part.column;
      }
      swap(index.include);
      index.definition.text.clear();
    }
    for (schema::ForeignKey& key : t.foreign_keys) {
      swap(key.columns);
    }
    for (schema::Check& check : t.checks) {
      check.column = check.column == from ? to : check.column;
    }
  }

  Schema& schema_;
  std::map<Name, Table> tables_;
  std::map<Name, schema::View> views_;
};

// The column order and the stored text of the wanted table, where it has exactly these columns.
void take_order(Table& table, const Table& wanted) {
  if (table.columns.size() != wanted.columns.size()) {
    return;
  }
  std::vector<schema::Column> ordered;
  for (const schema::Column& column : wanted.columns) {
    const schema::Column* found = find_column(table, column.name);
    if (found == nullptr) {
      return;
    }
    ordered.push_back(*found);
  }
  table.columns = std::move(ordered);
}

std::size_t parts_of(const Table& table) {
  return table.indexes.size() + table.foreign_keys.size() + table.checks.size() +
         (table.primary_key ? 1U : 0U);
}

// Renamed tables keep expressions in old names; the wanted side has them in new ones.
void take_expressions(Table& table, const Table& wanted) {
  for (schema::Check& check : table.checks) {
    for (const schema::Check& one : wanted.checks) {
      if (one.name == check.name && !one.name.empty()) {
        check.expression = one.expression;
        check.members = one.members;
      }
    }
  }
  for (schema::Index& index : table.indexes) {
    for (const schema::Index& one : wanted.indexes) {
      if (one.name == index.name && one.parts.size() == index.parts.size()) {
        const schema::Index::Constraint kind = index.constraint;  // it stays what it is
        index = one;
        index.constraint = kind;
      }
    }
  }
  for (schema::Column& column : table.columns) {
    const schema::Column* one = find_column(wanted, column.name);
    if (one != nullptr && one->generated && column.generated) {
      column.generated = one->generated;
    }
  }
}

}  // namespace

Schema apply_changes(const Schema& actual, const Schema& expected,
                     const std::vector<Change>& changes) {
  Schema after = actual;
  ShapeChanger applier(after);
  for (const Change& change : changes) {
    std::visit(applier, change);
  }
  applier.finish();
  for (Table& table : after.tables) {
    const Table* wanted = find_table(expected, table.name);
    if (wanted == nullptr || !table.definition.text.empty()) {
      continue;
    }
    take_order(table, *wanted);
    take_expressions(table, *wanted);
    if (parts_of(table) == parts_of(*wanted) && table.columns.size() == wanted->columns.size()) {
      table.definition = wanted->definition;
    }
  }
  return after;
}

namespace {

class Returner {
 public:
  Returner(const std::vector<Change>& changes, const Schema& actual) : actual_(actual) {
    for (const Change& change : changes) {
      if (const auto* table = std::get_if<RenameTable>(&change)) {
        tables_[table->to] = table->from;
      }
      if (const auto* column = std::get_if<RenameColumn>(&change)) {
        columns_[{column->table, column->to}] = column->from;
      }
    }
  }

  Change operator()(const Change& back) const {
    return std::visit([&](const auto& one) -> Change { return turned(one); }, back);
  }

 private:
  Name old_table(const Name& name) const {
    const auto found = tables_.find(name);
    return found == tables_.end() ? name : found->second;
  }
  Identifier old_column(const Name& table, const Identifier& name) const {
    const auto found = columns_.find({table, name});
    return found == columns_.end() ? name : found->second;
  }
  const Table* old(const Name& table) const { return find_table(actual_, old_table(table)); }

  template <class Part>
  static const Part* find_part(const std::vector<Part>& parts, const Part& part) {
    for (const Part& one : parts) {
      if (one.name == part.name && (!part.name.empty() || one == part)) {
        return &one;
      }
    }
    return nullptr;
  }
  template <class Part>
  const Part* original(const Name& table, const Part& part) const {
    const Table* was = old(table);
    if (was == nullptr) {
      return nullptr;
    }
    if constexpr (std::is_same_v<Part, schema::Index>) {
      return find_part(was->indexes, part);
    } else if constexpr (std::is_same_v<Part, schema::ForeignKey>) {
      return find_part(was->foreign_keys, part);
    } else if constexpr (std::is_same_v<Part, schema::Check>) {
      return find_part(was->checks, part);
    } else if constexpr (std::is_same_v<Part, schema::PrimaryKey>) {
      return was->primary_key ? &*was->primary_key : nullptr;
    } else {
      return nullptr;
    }
  }

  template <class Part>
  Change turned(const Add<Part>& c) const {
    const Part* was = original(c.table, c.part);
    return Add<Part>{old_table(c.table), was == nullptr ? c.part : *was};
  }
  template <class Part>
  Change turned(const Remove<Part>& c) const {
    return Remove<Part>{old_table(c.table), c.part};
  }
  template <class Changed>
  Change column(Changed c) const {
    const Identifier name = old_column(c.table, c.after.name);
    c.before.name = name;
    c.after.name = name;
    c.table = old_table(c.table);
    return c;
  }
  template <Attribute attribute>
  Change turned(const ChangeColumn<attribute>& c) const {
    return column(c);
  }
  Change turned(const ChangeColumnType& c) const { return column(c); }
  Change turned(RenameColumn c) const {
    c.table = old_table(c.table);
    return c;
  }
  Change turned(RenameIndex c) const {
    c.table = old_table(c.table);
    return c;
  }
  Change turned(RenameConstraint c) const {
    c.table = old_table(c.table);
    return c;
  }
  Change turned(ChangeComment c) const {
    c.target.part =
        c.target.kind == "column" ? old_column(c.target.name, c.target.part) : c.target.part;
    c.target.name = old_table(c.target.name);
    return c;
  }
  template <class Other>
  Change turned(const Other& c) const {
    return c;
  }

  const Schema& actual_;
  std::map<Name, Name> tables_;
  std::map<std::pair<Name, Identifier>, Identifier> columns_;
};

}  // namespace

namespace {

template <class Kind, class Part>
bool adds(const std::vector<Change>& changes, const Name& table, const Part& part) {
  return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
    const auto* added = std::get_if<Kind>(&change);
    return added != nullptr && added->table == table && added->part == part;
  });
}

// A dropped table comes back with its indexes and keys, which a difference lists beside a new one.
void bring_back(const schema::Table& table, std::vector<Change>& back) {
  for (const schema::Index& index : table.indexes) {
    if (!adds<change::AddIndex>(back, table.name, index)) {
      back.emplace_back(change::AddIndex{table.name, index});
    }
  }
  for (const schema::ForeignKey& key : table.foreign_keys) {
    if (!adds<change::AddForeignKey>(back, table.name, key)) {
      back.emplace_back(change::AddForeignKey{table.name, key});
    }
  }
}

}  // namespace

std::vector<Change> down_changes(const std::vector<Change>& changes, const Schema& actual) {
  const Returner returner(changes, actual);
  std::vector<Change> back;
  for (const Change& change : reverse_all(changes)) {
    back.push_back(returner(change));
  }
  for (const Change& change : changes) {
    if (const auto* drop = std::get_if<change::DropTable>(&change)) {
      bring_back(drop->object, back);
    } else if (const auto* view = std::get_if<change::DropView>(&change)) {
      for (const schema::Index& index : view->view.indexes) {
        if (!adds<change::AddIndex>(back, view->view.name, index)) {
          back.emplace_back(change::AddIndex{view->view.name, index});
        }
      }
    }
  }
  return back;
}

}  // namespace kedge::migrate
