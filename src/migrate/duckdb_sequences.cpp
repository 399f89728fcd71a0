#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "migrate/duckdb_parts.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Name;
using schema::Table;

bool holds(const std::vector<schema::Sequence>& sequences, const Name& name) {
  return std::any_of(sequences.begin(), sequences.end(),
                     [&](const schema::Sequence& one) { return one.name == name; });
}

}  // namespace

// Without double quotes: nextval() could not name it.
Name DuckdbSequences::name_of(const Table& table, const Column& column) const {
  const std::string& given = column.identity->sequence;
  return {table.name.schema,
          Identifier(base::replace_all(
              given.empty() ? table.name.name.text() + "_" + column.name.text() + "_seq" : given,
              "\"", ""))};
}

std::string DuckdbSequences::next_value(const Table& table, const Column& column) const {
  return "nextval(" + e_.ddl.literal(e_.ddl.name(name_of(table, column))) + ")";
}

void DuckdbSequences::make(const Table& table, const Column& column,
                           std::optional<std::size_t> change) {
  const Name name = is_counted(column) ? name_of(table, column) : Name{};
  if (is_counted(column) && !holds(e_.to.sequences, name)) {
    e_.draft.add({stage::kSequence, e_.rank_of(name), name.name.text()},
                 "CREATE SEQUENCE IF NOT EXISTS " + e_.ddl.name(name), change);
  }
}

void DuckdbSequences::keep_counting(const Table& table, const Column& column, const Table& rows,
                                    std::optional<std::size_t> change) {
  if (!is_counted(column)) {
    return;
  }
  const Column* was = find_column(rows, column_before(e_, table.name, column.name));
  if (holds(e_.from.sequences, name_of(table, column)) || (was != nullptr && was->identity)) {
    return;
  }
  make(table, column, change);
  if (was != nullptr) {  // behind the keys that are there
    e_.draft.add(
        {stage::kSequence, 1, table.name.name.text()},
        fmt::format("SELECT max({}) FROM range((SELECT coalesce(max({}), 0)::BIGINT "
                    "FROM {}))",
                    next_value(table, column), e_.ddl.quote(was->name), e_.ddl.name(rows.name)),
        change);
  }
}

std::set<Name> DuckdbSequences::all_of(const schema::Schema& shape) const {
  std::set<Name> names;
  for (const Table& table : shape.tables) {
    for (const Column& column : table.columns) {
      if (is_counted(column)) {
        names.insert(name_of(table, column));
      }
    }
  }
  return names;
}

void DuckdbSequences::drop_unused() {
  std::set<Name> kept = all_of(e_.to);
  for (const schema::Sequence& sequence : e_.to.sequences) {
    kept.insert(sequence.name);
  }
  for (const Name& name : all_of(e_.from)) {
    if (kept.contains(name)) {
      continue;
    }
    // A renamed table keeps its sequence, which another table's name may lead to as well.
    const bool read = std::any_of(e_.to.tables.begin(), e_.to.tables.end(), [&](const Table& t) {
      return std::any_of(t.columns.begin(), t.columns.end(), [&](const Column& column) {
        return column.default_value &&
               column.default_value->value.find(name.name.text()) != std::string::npos;
      });
    });
    if (!read) {
      e_.draft.add({stage::kDropSequence, e_.rank_of(name), name.name.text()},
                   "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(name));
    }
  }
}

}  // namespace kedge::migrate
