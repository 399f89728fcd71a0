#include <algorithm>
#include <tuple>

#include "kedge/schema.h"

namespace kedge::schema {
namespace {

template <typename Items, typename Key>
void sort_by(Items& items, const Key& key) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

template <typename Items>
void sort_by_name(Items& items) {
  sort_by(items, [](const auto& item) -> decltype(auto) { return (item.name); });
}

void normalise_table(Table& table) {
  sort_by_name(table.indexes);
  sort_by(table.foreign_keys, [](const ForeignKey& key) {
    return std::tie(key.name, key.columns, key.referenced_table);
  });
  sort_by(table.checks, [](const Check& check) { return std::tie(check.name, check.expression); });
}

// InnoDB knows no difference between the two, and the servers report either for "nothing said".
void merge_restrict(Table& table) {
  for (ForeignKey& key : table.foreign_keys) {
    for (ReferentialAction* action : {&key.on_delete, &key.on_update}) {
      if (*action == ReferentialAction::Restrict) {
        *action = ReferentialAction::NoAction;
      }
    }
  }
}

void normalise_view(View& view) {
  sort_by_name(view.indexes);
  std::sort(view.depends_on.begin(), view.depends_on.end());
  sort_by(view.dependents,
          [](const Dependent& dependent) { return std::tie(dependent.name, dependent.kind); });
}

template <typename Items>
auto* find_by_name(Items& items, const Name& name) {
  const auto found =
      std::lower_bound(items.begin(), items.end(), name,
                       [](const auto& item, const Name& key) { return item.name < key; });
  return found != items.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

void normalise(Schema& schema) {
  sort_by_name(schema.namespaces);
  sort_by_name(schema.tables);
  std::for_each(schema.tables.begin(), schema.tables.end(), normalise_table);
  if (schema.engine.dialect == Dialect::Mysql) {
    std::for_each(schema.tables.begin(), schema.tables.end(), merge_restrict);
  }
  sort_by_name(schema.views);
  std::for_each(schema.views.begin(), schema.views.end(), normalise_view);
  sort_by_name(schema.sequences);
  sort_by_name(schema.enums);
  sort_by_name(schema.domains);
  for (DomainType& domain : schema.domains) {
    sort_by(domain.checks,
            [](const Check& check) { return std::tie(check.name, check.expression); });
  }
  sort_by_name(schema.composites);
  for (DefinedObject& object : schema.objects) {
    std::sort(object.depends_on.begin(), object.depends_on.end());
  }
  sort_by(schema.objects, [](const DefinedObject& object) {
    return std::tie(object.kind, object.name, object.signature, object.table, object.definition);
  });
  std::sort(schema.unmodelled.begin(), schema.unmodelled.end());
}

const Table* find_table(const Schema& schema, const Name& name) {
  return find_by_name(schema.tables, name);
}

const View* find_view(const Schema& schema, const Name& name) {
  return find_by_name(schema.views, name);
}

const Column* find_column(const Table& table, const Identifier& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

bool Table::operator==(const Table& other) const {
  const auto shape = [](const Table& table) {
    return std::tie(table.name, table.columns, table.primary_key, table.indexes, table.foreign_keys,
                    table.checks, table.comment, table.options, table.partition, table.inherits,
                    table.row_security, table.force_row_security, table.unlogged);
  };
  return shape(*this) == shape(other);
}

}  // namespace kedge::schema
