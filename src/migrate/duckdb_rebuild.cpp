// Rows aside, old tables dropped (referring ones first), new tables made (referenced ones first)
// and filled. New and old tables that refer to a rebuilt one are made and dropped in that order
// too: DuckDB keeps a referenced table as it is.
#include <fmt/format.h>

#include <algorithm>

#include "base/graph.h"
#include "base/text.h"
#include "migrate/duckdb_parts.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Name;
using schema::Table;

constexpr const char* kRank = "__kedge_rank";
constexpr std::size_t kRanks = 16;

Name keep_name(const Name& table) {
  return {table.schema, Identifier("__keep_" + table.name.text())};
}

bool points_at(const Table& table, const Name& target) {
  return table.name != target &&
         std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                     [&](const auto& key) { return key.referenced_table == target; });
}

std::vector<const Table*> referenced_first(const std::vector<const Table*>& tables) {
  base::Graph graph(tables.size());
  for (std::size_t child = 0; child < tables.size(); ++child) {
    for (std::size_t parent = 0; parent < tables.size(); ++parent) {
      if (points_at(*tables[child], tables[parent]->name)) {
        graph.add_edge(parent, child);
      }
    }
  }
  std::vector<const Table*> sorted;
  for (const std::size_t node : base::sort_topologically(graph).order) {
    sorted.push_back(tables[node]);
  }
  return sorted;
}

// Of `candidates`, those that refer to one of `targets`, directly or through one another.
template <class FindTable>
std::map<Name, std::size_t> referring(const std::map<Name, std::size_t>& candidates,
                                      const std::set<Name>& targets, const FindTable& find) {
  std::map<Name, std::size_t> found;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [name, change] : candidates) {
      const Table* table = find(name);
      const auto is_target = [&](const schema::ForeignKey& key) {
        return targets.contains(key.referenced_table) || found.contains(key.referenced_table);
      };
      if (table != nullptr && !found.contains(name) &&
          std::any_of(table->foreign_keys.begin(), table->foreign_keys.end(), is_target)) {
        found.emplace(name, change);
        grew = true;
      }
    }
  }
  return found;
}

// The change that leaves a column out of the rebuild of this table of `from`.
std::optional<std::size_t> lost_column(const Emission& e, const Name& table) {
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    const auto* drop = std::get_if<change::DropColumn>(&e.changes[i]);
    const Table* was = drop == nullptr ? nullptr : table_before(e, drop->table);
    if (was != nullptr && was->name == table) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

void DuckdbRebuilds::run(const std::map<Name, std::vector<std::size_t>>& tables) {
  changes_ = tables;
  find_neighbours();
  for (const auto& [name, changes] : changes_) {
    change_ = changes.empty() ? std::nullopt : std::optional(changes.front());
    keep_rows(name);
  }
  drop_all();
  make_all();
  for (const auto& [name, changes] : changes_) {
    if (is_asked_for_keys(name)) {
      change_ = changes.front();
      drop_rows(name);
    }
  }
}

void DuckdbRebuilds::find_neighbours() {
  std::map<Name, std::size_t> made;
  std::map<Name, std::size_t> dropped;
  for (std::size_t i = 0; i < e_.changes.size(); ++i) {
    if (const auto* create = std::get_if<change::CreateTable>(&e_.changes[i])) {
      made.emplace(create->object.name, i);
    } else if (const auto* drop = std::get_if<change::DropTable>(&e_.changes[i])) {
      dropped.emplace(drop->object.name, i);
    }
  }
  std::set<Name> now;
  std::set<Name> then;
  for (const auto& [name, changes] : changes_) {
    now.insert(name);
    then.insert(table_before(e_, name)->name);
  }
  made_ = referring(made, now, [&](const Name& name) { return find_table(e_.to, name); });
  dropped_ = referring(dropped, then, [&](const Name& name) { return find_table(e_.from, name); });
}

PlanStatement& DuckdbRebuilds::step(std::string sql) {
  return e_.draft.add({stage::kColumn, ++at_, ""}, std::move(sql), change_);
}

void DuckdbRebuilds::keep_rows(const Name& table) {
  Hazard hazard;
  hazard.hazard = "table-rebuild";
  hazard.table = table;
  hazard.text = "the whole table is copied";
  step("CREATE TABLE " + e_.ddl.name(keep_name(table)) + " AS " + ranked(table) + "SELECT t.*" +
       new_keys_of(table) + (own_references(table).empty() ? "" : ", r." + std::string(kRank)) +
       " FROM " + e_.ddl.name(table_before(e_, table)->name) + " AS t" +
       (own_references(table).empty() ? "" : " JOIN ranks AS r ON r.row = t.rowid"))
      .hazards.push_back(hazard);
}

void DuckdbRebuilds::drop_all() {
  std::map<Name, std::optional<std::size_t>> all(dropped_.begin(), dropped_.end());
  for (const auto& [name, changes] : changes_) {
    all[table_before(e_, name)->name] =
        changes.empty() ? std::nullopt : std::optional(changes.front());
  }
  std::vector<const Table*> tables;
  for (const auto& [name, change] : all) {
    tables.push_back(find_table(e_.from, name));
  }
  tables = referenced_first(tables);
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    const Name& name = (*table)->name;
    const bool goes = dropped_.contains(name);
    const std::optional<std::size_t> lost = lost_column(e_, name);
    change_ = lost ? lost : all[name];
    step("DROP TABLE " + (goes ? e_.if_exists() : "") + e_.ddl.name(name)).destructive =
        goes || lost.has_value();
  }
}

void DuckdbRebuilds::make_all() {
  std::vector<const Table*> tables;
  for (const auto& [name, change] : made_) {
    tables.push_back(find_table(e_.to, name));
  }
  for (const auto& [name, changes] : changes_) {
    tables.push_back(find_table(e_.to, name));
  }
  for (const Table* table : referenced_first(tables)) {
    const auto created = made_.find(table->name);
    if (created == made_.end()) {
      make_again(table->name);
      continue;
    }
    change_ = created->second;
    for (const Column& column : table->columns) {
      sequences_.make(*table, column, change_);
    }
    step(e_.ddl.create_table(*table));
    duckdb_comments_of(e_, *table, change_);
  }
}

void DuckdbRebuilds::make_again(const Name& name) {
  const Table& is = *find_table(e_.to, name);
  const std::vector<std::size_t>& changes = changes_[name];
  change_ = changes.empty() ? std::nullopt : std::optional(changes.front());
  for (const Column& column : is.columns) {
    sequences_.keep_counting(is, column, *table_before(e_, name), change_);
  }
  step(e_.ddl.create_table(is));
  for (const std::string& copy : copies_into(name)) {
    step(copy);
  }
  if (!is_asked_for_keys(name)) {
    drop_rows(name);
  }
  for (const schema::Index& index : is.indexes) {
    const bool added = find_part_change<change::AddIndex>(e_, name, index.name) != nullptr;
    if (index.constraint == schema::Index::Constraint::None && !added) {
      e_.draft.add({stage::kIndex, e_.rank_of(name), name.name.text()}, index_sql(e_, index, name),
                   change_);
      if (!index.comment.empty()) {
        duckdb_comment(e_, {"index", name, index.name, ""}, index.comment, change_);
      }
    }
  }
  duckdb_comments_of(e_, is, change_);
}

void DuckdbRebuilds::drop_rows(const Name& table) {
  step("DROP TABLE " + e_.ddl.name(keep_name(table)));
}

// ---- a key that moves: the rows kept aside hold its old and its new values

bool DuckdbRebuilds::is_asked_for_keys(const Name& table) const {
  return std::any_of(e_.remaps.begin(), e_.remaps.end(),
                     [&](const Remap& remap) { return remap.parent == table; });
}

// Is this a key that the table gets now, and that other tables must know?
bool DuckdbRebuilds::is_new_key(const Name& table, const Column& column) const {
  return std::any_of(e_.remaps.begin(), e_.remaps.end(), [&](const Remap& remap) {
    return remap.parent == table && remap.new_key == column.name &&
           find_column(*table_before(e_, table), column_before(e_, table, column.name)) == nullptr;
  });
}

std::string DuckdbRebuilds::new_keys_of(const Name& table) const {
  const Table& is = *find_table(e_.to, table);
  std::string items;
  for (const Column& column : is.columns) {
    if (!is_new_key(table, column)) {
      continue;
    }
    std::string value = "NULL";
    if (column.identity) {
      value = column.identity->kind == schema::Identity::Kind::Uuid
                  ? "uuid()"
                  : sequences_.next_value(is, column);
    } else if (column.default_value) {
      value = e_.ddl.default_value(*column.default_value, column.type);
    }
    items += ", " + value + " AS " + e_.ddl.quote(column.name);
  }
  return items;
}

// ---- rows that refer to one another: DuckDB takes a row when the one that it refers to is there
// already, from an earlier statement. They go in by their rank in the tree; of the deepest there
// may be none, and what lies deeper still fails there.

// What of the old rows, c, refers to which others, p; by the references that come.
std::vector<std::string> DuckdbRebuilds::own_references(const Name& table) const {
  const Table& was = *table_before(e_, table);
  std::vector<std::string> conditions;
  for (const schema::ForeignKey& key : find_table(e_.to, table)->foreign_keys) {
    std::vector<std::string> pairs;
    for (std::size_t i = 0; key.referenced_table == table && i < key.columns.size(); ++i) {
      const Remap* remap = remap_into(e_, table, key.columns[i]);
      const Identifier from =
          column_before(e_, table, remap != nullptr ? remap->old_column : key.columns[i]);
      const Identifier to =
          column_before(e_, table, remap != nullptr ? remap->old_key : key.referenced_columns[i]);
      if (find_column(was, from) != nullptr && find_column(was, to) != nullptr) {
        pairs.push_back("c." + e_.ddl.quote(from) + " = p." + e_.ddl.quote(to));
      }
    }
    if (!pairs.empty() && pairs.size() == key.columns.size()) {
      conditions.push_back("(" + base::join(pairs, " AND ") + ")");
    }
  }
  return conditions;
}

std::string DuckdbRebuilds::ranked(const Name& table) const {
  const std::vector<std::string> references = own_references(table);
  const std::string name = e_.ddl.name(table_before(e_, table)->name);
  return references.empty()
             ? ""
             : fmt::format(
                   "WITH RECURSIVE steps AS (SELECT rowid AS row, 0 AS rank FROM {} UNION "
                   "SELECT c.rowid, s.rank + 1 FROM steps AS s JOIN {} AS p ON p.rowid = "
                   "s.row JOIN {} AS c ON {}), ranks AS (SELECT row, max(rank) AS {} FROM "
                   "steps GROUP BY row) ",
                   name, name, name, base::join(references, " OR "), kRank);
}

std::vector<std::string> DuckdbRebuilds::copies_into(const Name& table) const {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Column& column : find_table(e_.to, table)->columns) {
    const std::string value = column.generated ? "" : copied(table, column);
    if (!value.empty()) {
      names.push_back(e_.ddl.quote(column.name));
      values.push_back(value);
    }
  }
  if (names.empty()) {
    return {};
  }
  const std::string copy =
      fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}", e_.ddl.name(table),
                  base::join(names, ", "), base::join(values, ", "), e_.ddl.name(keep_name(table)));
  if (own_references(table).empty()) {
    return {copy};
  }
  std::vector<std::string> copies;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    copies.push_back(
        fmt::format("{} WHERE {} {} {}", copy, kRank, rank + 1 == kRanks ? ">=" : "=", rank));
  }
  return copies;
}

std::string DuckdbRebuilds::copied(const Name& table, const Column& column) const {
  const auto before = [&](const Name& of, const Identifier& name) {
    return e_.ddl.quote(column_before(e_, of, name));
  };
  if (const Remap* remap = remap_into(e_, table, column.name)) {
    return fmt::format("(SELECT p.{} FROM {} AS p WHERE p.{} = {}.{})",
                       before(remap->parent, remap->new_key), e_.ddl.name(keep_name(remap->parent)),
                       before(remap->parent, remap->old_key), e_.ddl.name(keep_name(table)),
                       before(table, remap->old_column));
  }
  const Column* source =
      find_column(*table_before(e_, table), column_before(e_, table, column.name));
  if (source == nullptr) {
    return is_new_key(table, column) ? e_.ddl.quote(column.name) : "";
  }
  std::string value = duckdb_converted(e_, e_.ddl.quote(source->name), source->type, column.type);
  if (!source->nullable || column.nullable || !column.default_value) {
    return value;
  }
  if (source->type != column.type) {  // the default is of the new type
    value = fmt::format("CAST({} AS {})", value, e_.ddl.type(column.type));
  }
  return duckdb_filled(e_, value, column);
}

}  // namespace kedge::migrate
