#include <deque>

#include "diff/passes.h"

namespace kedge::diff {
namespace {

using schema::Table;

void create_table(Passes& passes, const Table& table) {
  passes.add(change::CreateTable{table});
  for (const schema::Index& index : table.indexes) {
    passes.add(change::AddIndex{table.name, index});
  }
  for (const schema::ForeignKey& key : table.foreign_keys) {
    passes.add(change::AddForeignKey{table.name, key});
  }
}

bool same_options(const Table& actual, const Table& expected) {
  const auto key = [](const Table& table) {
    return table.partition ? table.partition->by : std::string();
  };
  return actual.options == expected.options && actual.unlogged == expected.unlogged &&
         key(actual) == key(expected);
}

void compare_partitions(Passes& passes, const Table& actual, const Table& expected) {
  const bool was = actual.partition && actual.partition->parent;
  const bool is = expected.partition && expected.partition->parent;
  if (was && is && actual.partition->parent == expected.partition->parent &&
      passes.meaning.same_expression(actual.partition->bound, expected.partition->bound)) {
    return;
  }
  if (was) {
    passes.add(change::DetachPartition{expected.name, *actual.partition});
  }
  if (is) {
    passes.add(change::AttachPartition{expected.name, *expected.partition});
  }
}

void compare_inheritance(Passes& passes, const Table& actual, const Table& expected) {
  const auto holds = [](const std::vector<schema::Name>& list, const schema::Name& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const schema::Name& parent : actual.inherits) {
    if (!holds(expected.inherits, parent)) {
      passes.add(change::DropInheritance{expected.name, parent});
    }
  }
  for (const schema::Name& parent : expected.inherits) {
    if (!holds(actual.inherits, parent)) {
      passes.add(change::AddInheritance{expected.name, parent});
    }
  }
}

// What only a database can say: a declaration leaves it alone (spec/metadata.md 8.1).
void compare_storage(Passes& passes, const Table& actual, const Table& expected) {
  if (passes.options.objects == Objects::Declared) {
    return;
  }
  if (!same_options(actual, expected)) {
    passes.add(change::ChangeTableOptions{actual, expected});
  }
  if (actual.row_security != expected.row_security ||
      actual.force_row_security != expected.force_row_security) {
    passes.add(change::ChangeRowSecurity{expected.name, actual.row_security,
                                         actual.force_row_security, expected.row_security,
                                         expected.force_row_security});
  }
  compare_partitions(passes, actual, expected);
  compare_inheritance(passes, actual, expected);
}

void compare_pair(Passes& passes, const Table& actual, const Table& expected) {
  if (actual == expected) {
    return;
  }
  compare_foreign_keys(passes, actual, expected);
  compare_checks(passes, actual, expected);
  compare_indexes(passes, expected.name, actual.indexes, expected.indexes);
  compare_primary_keys(passes, actual, expected);
  compare_columns(passes, actual, expected);
  compare_storage(passes, actual, expected);
  passes.comment("table", expected.name, {}, actual.comment, expected.comment);
}

}  // namespace

void compare_tables(Passes& passes, std::vector<const Table*> actual,
                    std::vector<const Table*> expected) {
  TablePairs pairs = pair_by<Table>(
      std::move(actual), std::move(expected),
      [](const Table& table) -> const auto& { return table.name; });
  find_renames(passes, pairs);
  std::deque<Table> translated;
  for (auto& [was, is] : pairs.both) {
    if (!passes.renames.empty()) {
      was = &translated.emplace_back(translate(*was, is->name, passes));
    }
    compare_pair(passes, *was, *is);
  }
  for (const Table* table : pairs.added) {
    create_table(passes, *table);
  }
  for (const Table* table : pairs.gone) {
    passes.add(change::DropTable{*table});
  }
}

}  // namespace kedge::diff
