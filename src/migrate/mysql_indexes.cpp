#include "migrate/mysql_indexes.h"

#include <algorithm>

#include "migrate/mysql_online.h"

namespace kedge::migrate {
namespace {

using change::AddIndex;
using change::DropForeignKey;
using change::DropIndex;
using schema::Column;
using schema::ForeignKey;
using schema::Index;
using schema::Name;
using schema::Table;

using Columns = std::vector<Identifier>;

bool starts_with(const Columns& columns, const Columns& first) {
  return columns.size() >= first.size() && std::equal(first.begin(), first.end(), columns.begin());
}

bool covers(const Index& index, const Columns& columns) {
  return !is_special(index) && index.parts.size() >= columns.size() &&
         std::equal(columns.begin(), columns.end(), index.parts.begin(),
                    [](const Identifier& column, const schema::IndexPart& part) {
                      return part.column == column && !part.prefix;
                    });
}

template <class Part>
const Part* find_named(const std::vector<Part>& parts, const Identifier& name) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

Index index_of(const ForeignKey& key) {
  Index index;
  index.name = key.name;
  for (const Identifier& column : key.columns) {
    index.parts.emplace_back().column = column;
  }
  return index;
}

// Of keys that begin alike the longest, of equal ones the first: one index is enough for them.
std::vector<const ForeignKey*> longest(const std::vector<const ForeignKey*>& keys) {
  std::vector<const ForeignKey*> found;
  for (const ForeignKey* key : keys) {
    const bool shorter = std::any_of(keys.begin(), keys.end(), [&](const ForeignKey* other) {
      return other != key && starts_with(other->columns, key->columns) &&
             (other->columns.size() > key->columns.size() || other < key);
    });
    if (!shorter) {
      found.push_back(key);
    }
  }
  return found;
}

// What the engine makes for foreign keys that no index of the table carries. Kedge's schemas leave
// it out.
std::vector<Index> implied_indexes(const Table& table) {
  std::vector<const ForeignKey*> bare;
  for (const ForeignKey& key : table.foreign_keys) {
    const bool carried =
        (table.primary_key && starts_with(table.primary_key->columns, key.columns)) ||
        std::any_of(table.indexes.begin(), table.indexes.end(),
                    [&](const Index& index) { return covers(index, key.columns); });
    if (!carried) {
      bare.push_back(&key);
    }
  }
  std::vector<Index> indexes;
  for (const ForeignKey* key : longest(bare)) {
    indexes.push_back(index_of(*key));
  }
  return indexes;
}

// Does the index of a foreign key that goes serve the one that comes under its name?
bool comes_again(const Emission& e, const DropForeignKey& c) {
  const auto* add = find_part_change<change::AddForeignKey>(e, c.table, c.part.name);
  return add != nullptr && add->part.columns == c.part.columns;
}

}  // namespace

MysqlIndexes::MysqlIndexes(Emission& e) : e_(e) {
  note_references();
  for (const Change& change : e.changes) {
    if (const auto* drop = std::get_if<DropIndex>(&change)) {
      const Table* was = table_before(e, drop->table);
      const Index* index = was == nullptr ? nullptr : find_named(was->indexes, drop->part.name);
      note(drop->table, index == nullptr ? drop->part : *index);
    } else if (const auto* key = std::get_if<DropForeignKey>(&change)) {
      const Table* was = table_before(e, key->table);
      const std::vector<Index> implied =
          was == nullptr || find_table(e.to, key->table) == nullptr || comes_again(e, *key)
              ? std::vector<Index>{}
              : implied_indexes(*was);
      if (const Index* index = find_named(implied, key->part.name)) {
        note(key->table, *index);
      }
    }
  }
  for (auto& [part, going] : going_) {
    weigh(part.first, going);
    find_successor(part.first, going);
  }
  for (const Change& change : e.changes) {
    if (const auto* add = std::get_if<AddIndex>(&change)) {
      release(*add);
    }
  }
}

void MysqlIndexes::note_references() {
  for (const Table& table : e_.to.tables) {
    for (const ForeignKey& key : table.foreign_keys) {
      references_[table.name].push_back({&table, &key});
      if (key.referenced_table != table.name) {
        references_[key.referenced_table].push_back({&table, &key});
      }
    }
  }
  for (const Change& change : e_.changes) {
    if (const auto* drop = std::get_if<DropForeignKey>(&change)) {
      dropped_keys_.emplace(drop->table, drop->part.name);
    } else if (const auto* primary = std::get_if<change::DropPrimaryKey>(&change)) {
      without_primary_key_.insert(primary->table);
    }
  }
}

const ForeignKey* MysqlIndexes::stays(const Name& table, const ForeignKey& key) const {
  const Table* was = table_before(e_, table);
  return was == nullptr || dropped_keys_.contains({table, key.name})
             ? nullptr
             : find_named(was->foreign_keys, key.name);
}

void MysqlIndexes::note(const Name& table, Index index) {
  Going& going = going_[{table, index.name}];
  going.aside = index.name;
  going.index = std::move(index);
}

void MysqlIndexes::weigh(const Name& table, Going& going) {
  if (leads_with_counted(table, going.index) &&
      (without_primary_key_.contains(table) || !is_covered(table, {going.index.parts[0].column}))) {
    going.goes_late = true;
    going.carried.push_back({going.index.parts[0].column});
  }
  const auto found = references_.find(table);
  if (found == references_.end()) {
    return;
  }
  for (const auto& [other, key] : found->second) {
    const ForeignKey* old = stays(other->name, *key);
    if (old == nullptr) {
      continue;
    }
    const Part part(other->name, key->name);
    const auto is_last = [&](const Columns& columns, const char* end) {
      return covers(going.index, columns) && !is_covered(table, columns) &&
             cared_for_.insert({part, end}).second;
    };
    if (other->name == table && is_last(old->columns, "from")) {
      going.carried.push_back(key->columns);
      going.keys.push_back(key);
    }
    if (key->referenced_table == table && is_last(old->referenced_columns, "to")) {
      going.carried.push_back(key->referenced_columns);
      going.goes_late = true;
    }
  }
}

// Does an index that is there and stays carry them, in their old names?
bool MysqlIndexes::is_covered(const Name& table, const Columns& columns) const {
  const Table* was = table_before(e_, table);
  const auto carries = [&](const Index& index) {
    return covers(index, columns) && !going_.contains({table, index.name});
  };
  if (was == nullptr) {
    return false;
  }
  const std::vector<Index> implied = implied_indexes(*was);
  return (was->primary_key && starts_with(was->primary_key->columns, columns)) ||
         std::any_of(was->indexes.begin(), was->indexes.end(), carries) ||
         std::any_of(implied.begin(), implied.end(), carries);
}

const AddIndex* MysqlIndexes::coming(const Name& table, const std::vector<Columns>& carried) const {
  for (const Change& change : e_.changes) {
    const auto* add = std::get_if<AddIndex>(&change);
    if (add != nullptr && add->table == table &&
        std::all_of(carried.begin(), carried.end(),
                    [&](const Columns& columns) { return covers(add->part, columns); })) {
      return add;
    }
  }
  return nullptr;
}

bool MysqlIndexes::is_over_retyped(const Name& table, const Index& index) const {
  return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
    const auto* type = std::get_if<change::ChangeColumnType>(&change);
    return type != nullptr && type->table == table &&
           std::any_of(index.parts.begin(), index.parts.end(), [&](const auto& part) {
             return part.column == type->before.name || part.column == type->after.name;
           });
  });
}

// One that comes takes the place of an old one in its own statement. It comes when columns have
// their new types; an old one that could be in the way of those goes before, for a while in favour
// of one for the foreign key alone.
void MysqlIndexes::find_successor(const Name& table, Going& going) {
  const AddIndex* next = going.carried.empty() ? nullptr : coming(table, going.carried);
  if (next != nullptr && !is_over_retyped(table, going.index)) {
    going.has_successor = true;
    step_aside(table, going, next);
    replaced_[{table, next->part.name}].push_back(going.aside);
    return;
  }
  if (going.goes_late) {
    step_aside(table, going, nullptr);
    std::erase_if(going.keys,
                  [&](const ForeignKey* key) { return coming(table, {key->columns}) != nullptr; });
    return;
  }
  for (const ForeignKey* key : longest(going.keys)) {
    if (const AddIndex* later = coming(table, {key->columns})) {
      replaced_[{table, later->part.name}].push_back(key->name);
    }
  }
}

// While it is still there another may come under its name.
void MysqlIndexes::step_aside(const Name& table, Going& going, const AddIndex* successor) {
  const auto* other = find_part_change<AddIndex>(e_, table, going.index.name);
  if (other != nullptr && other != successor) {
    going.aside = Identifier(going.index.name.text().substr(0, 58) + "__old");
  }
}

// The engine drops what it made for a foreign key when another index carries that, and keeps what
// kedge made in the place of one that went. Named, both go.
void MysqlIndexes::release(const AddIndex& c) {
  const Table* was = table_before(e_, c.table);
  const Table* is = find_table(e_.to, c.table);
  if (was == nullptr || is == nullptr) {
    return;
  }
  for (const Index& implied : implied_indexes(*was)) {
    const ForeignKey* key = find_named(is->foreign_keys, implied.name);
    const ForeignKey* old = key == nullptr ? nullptr : stays(c.table, *key);
    const bool is_plain =
        old != nullptr &&
        std::count_if(was->foreign_keys.begin(), was->foreign_keys.end(),
                      [&](const ForeignKey& other) { return other.columns == old->columns; }) == 1;
    if (is_plain && covers(c.part, key->columns) &&
        cared_for_.insert({{c.table, key->name}, "from"}).second) {
      replaced_[{c.table, c.part.name}].push_back(implied.name);
    }
  }
}

void MysqlIndexes::add(const AddIndex& c, std::size_t change) {
  if (came_inline(c.table, c.part)) {
    return;
  }
  // What keeps a counted column keyed comes before its old key goes.
  const int at = leads_with_counted(c.table, c.part) ? stage::kPrimaryKey - 1 : stage::kIndex;
  const Way way = way_to_index(c.part);
  const auto replaced = replaced_.find({c.table, c.part.name});
  if (replaced == replaced_.end()) {
    statement(at, c.table, e_.ddl.index(c.part, c.table) + way_clause(e_, c.table, way, " "),
              change);
    return;
  }
  std::string sql = e_.ddl.alter(c.table);
  for (const Identifier& name : replaced->second) {
    sql += "DROP INDEX " + e_.ddl.quote(name) + ", ";
  }
  statement(at, c.table,
            sql + "ADD " + mysql_index_clause(e_, c.part, c.table) + way_clause(e_, c.table, way),
            change);
}

void MysqlIndexes::drop(const DropIndex& c, std::size_t change) {
  drop(c.table, c.part.name, change);
}

void MysqlIndexes::drop_implied(const DropForeignKey& c, std::size_t change) {
  if (going_.contains({c.table, c.part.name})) {
    drop(c.table, c.part.name, change);
  }
}

void MysqlIndexes::drop(const Name& table, const Identifier& index, std::size_t change) {
  Going going = going_.at({table, index});
  if (going.aside != index) {
    statement(stage::kDropIndex, table,
              e_.ddl.alter(table) + "RENAME INDEX " + e_.ddl.quote(index) + " TO " +
                  e_.ddl.quote(going.aside),
              change);
    going.index.name = going.aside;
  }
  if (going.has_successor) {
    return;
  }
  const int at = going.goes_late ? stage::kIndex + 2 : stage::kDropIndex;
  std::string more;
  for (const ForeignKey* key : longest(going.keys)) {
    const ForeignKey* named = going.goes_late ? key : stays(table, *key);
    more += ", ADD " + mysql_index_clause(e_, index_of(*named), table);
  }
  if (more.empty()) {
    statement(at, table, e_.ddl.drop_index(going.index, table, ""), change);
  } else {
    statement(at, table,
              e_.ddl.alter(table) + "DROP INDEX " + e_.ddl.quote(going.index.name) + more +
                  way_clause(e_, table, Way::InPlace),
              change);
  }
}

void MysqlIndexes::comment(const change::ChangeComment& c, std::size_t change) {
  const Table* is = find_table(e_.to, c.target.name);
  const Index* index = is == nullptr ? nullptr : find_named(is->indexes, c.target.part);
  if (index != nullptr) {
    Index commented = *index;
    commented.comment = c.to;
    statement(stage::kIndex, is->name,
              e_.ddl.alter(is->name) + "DROP INDEX " + e_.ddl.quote(index->name) + ", ADD " +
                  mysql_index_clause(e_, commented, is->name),
              change);
  }
}

bool MysqlIndexes::leads_with_counted(const Name& name, const Index& index) const {
  const Table* table = find_table(e_.to, name);
  const Column* column = table == nullptr || index.parts.empty()
                             ? nullptr
                             : find_column(*table, index.parts[0].column);
  return column != nullptr && is_counted(*column);
}

// Written inside CREATE TABLE because a counted column needs it there.
bool MysqlIndexes::came_inline(const Name& name, const Index& index) const {
  const Table* table = find_table(e_.to, name);
  return table != nullptr && table_before(e_, name) == nullptr && leads_with_counted(name, index) &&
         (!table->primary_key || table->primary_key->columns[0] != index.parts[0].column);
}

void MysqlIndexes::statement(int at, const Name& table, const std::string& sql,
                             std::size_t change) {
  e_.draft.add({at, e_.rank_of(table), table.name.text()}, sql, change);
}

std::string mysql_index_clause(const Emission& e, const Index& index, const Name& table) {
  std::string sql = e.ddl.index(index, table).substr(std::string_view("CREATE ").size());
  const std::string on = " ON " + e.ddl.name(table);
  return sql.erase(sql.find(on), on.size());
}

}  // namespace kedge::migrate
