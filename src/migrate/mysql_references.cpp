#include "migrate/mysql_references.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "migrate/mysql_indexes.h"
#include "migrate/mysql_online.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Name;
using schema::Table;

bool names(const std::string& sql, const Identifier& column) {
  return mentions(sql, column.text(), schema::Dialect::Mysql);
}

}  // namespace

bool MysqlReferences::needs_both_keys(const Name& table) const {
  return std::any_of(e_.remaps.begin(), e_.remaps.end(),
                     [&](const Remap& remap) { return remap.parent == table; });
}

void MysqlReferences::add_open(const change::AddColumn& c, const Table& table, std::size_t change) {
  change_ = change;
  Column open = c.part;
  open.nullable = true;
  alter(stage::kAddColumn, c.table,
        "ADD COLUMN " + e_.ddl.column(open, table) + way_clause(e_, c.table, way_to_add(open)));
  alter(stage::kNotNull, c.table,
        "MODIFY COLUMN " + e_.ddl.column(c.part, table) + way_clause(e_, c.table, Way::InPlace));
}

void MysqlReferences::fill(const Name& parent, std::size_t change) {
  change_ = change;
  for (const Remap& remap : e_.remaps) {
    if (remap.parent == parent) {
      fill_one(remap);
    }
  }
}

void MysqlReferences::alter(int at, const Name& table, const std::string& clause) {
  e_.draft.add({at, e_.rank_of(table), table.name.text()}, e_.ddl.alter(table) + clause, change_);
}

void MysqlReferences::fill_one(const Remap& remap) {
  const Table* is = find_table(e_.to, remap.child);
  const Column* wanted = is == nullptr ? nullptr : find_column(*is, remap.new_column);
  if (wanted == nullptr) {
    return;
  }
  const bool same = remap.old_column == remap.new_column;
  Column target = *wanted;
  if (same) {
    target.name = Identifier("__kedge_" + wanted->name.text());
    target.nullable = true;
    target.default_value.reset();
    target.comment.clear();
    alter(stage::kFill, remap.child, "ADD COLUMN " + e_.ddl.column(target, *is));
  }
  e_.draft.add({stage::kFill, e_.rank_of(remap.child), remap.child.name.text()},
               fmt::format("UPDATE {} AS c JOIN {} AS p ON c.{} = p.{} SET c.{} = p.{}{}",
                           e_.ddl.name(remap.child), e_.ddl.name(remap.parent),
                           e_.ddl.quote(remap.old_column), e_.ddl.quote(remap.old_key),
                           e_.ddl.quote(target.name), e_.ddl.quote(remap.new_key),
                           mysql_clocks_stay(e_, *is, target.name, "c.")),
               change_);
  if (same) {
    take_over(*is, *wanted, target.name);
  }
}

// The filled column takes the place of the old one, with all that hangs on it, in one statement.
void MysqlReferences::take_over(const Table& table, const Column& column,
                                const Identifier& source) {
  std::vector<std::string> drops;
  std::vector<std::string> adds;
  const auto is_key = [&](const schema::PrimaryKey& key) {
    return std::count(key.columns.begin(), key.columns.end(), column.name) > 0;
  };
  const Table* was = table_before(e_, table.name);
  if (was != nullptr && was->primary_key && table.primary_key &&
      *was->primary_key == *table.primary_key && is_key(*table.primary_key)) {
    drops.emplace_back("DROP PRIMARY KEY");
    adds.push_back("ADD " + e_.ddl.primary_key(*table.primary_key, table.name));
  }
  for (const schema::Index& index : table.indexes) {
    const bool hangs = std::any_of(index.parts.begin(), index.parts.end(), [&](const auto& part) {
      return part.column == column.name || names(part.expression, column.name);
    });
    if (hangs && find_part_change<change::AddIndex>(e_, table.name, index.name) == nullptr) {
      drops.push_back("DROP INDEX " + e_.ddl.quote(index.name));
      adds.push_back("ADD " + mysql_index_clause(e_, index, table.name));
    }
  }
  for (const schema::Check& check : table.checks) {
    const bool stays =
        was != nullptr && std::any_of(was->checks.begin(), was->checks.end(),
                                      [&](const auto& one) { return one.name == check.name; });
    if (stays && names(check.expression, column.name)) {
      drops.push_back("DROP CONSTRAINT " + e_.ddl.quote(check.name));
      adds.push_back("ADD " + e_.ddl.check(check));
    }
  }
  drops.push_back("DROP COLUMN " + e_.ddl.quote(column.name));
  drops.push_back("CHANGE COLUMN " + e_.ddl.quote(source) + " " + e_.ddl.column(column, table));
  drops.insert(drops.end(), adds.begin(), adds.end());
  alter(stage::kFill, table.name, base::join(drops, ", "));
}

std::string mysql_clocks_stay(const Emission& e, const Table& table, const Identifier& but,
                              const std::string& prefix) {
  std::string items;
  for (const Column& column : table.columns) {
    if (column.options.contains("on_update") && column.name != but) {
      const std::string name = prefix + e.ddl.quote(column.name);
      items += ", " + name + " = " + name;
    }
  }
  return items;
}

}  // namespace kedge::migrate
