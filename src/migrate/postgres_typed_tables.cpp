// Tables of a composite type: they leave it before anything of either changes, and enter it last.
#include <algorithm>

#include "migrate/postgres_emission.h"

namespace kedge::migrate {
namespace {

using schema::Name;
using schema::Table;

std::string type_of(const Table* table) {
  const auto found = table == nullptr ? std::map<std::string, std::string>::const_iterator()
                                      : table->options.find("of_type");
  return table == nullptr || found == table->options.end() ? std::string() : found->second;
}

// The first change of the table itself, or of any type: to tell which table follows it is not
// worth the while.
std::optional<std::size_t> disturbing(const Emission& e, const Name& table) {
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    const Change& change = e.changes[i];
    const bool of_table = std::holds_alternative<change::AddColumn>(change) ||
                          std::holds_alternative<change::DropColumn>(change) ||
                          std::holds_alternative<change::RenameColumn>(change) ||
                          std::holds_alternative<change::ChangeColumnType>(change) ||
                          std::holds_alternative<change::ChangeColumnCollation>(change) ||
                          std::holds_alternative<change::ChangeTableOptions>(change);
    if (std::holds_alternative<change::AlterComposite>(change) ||
        (of_table && subject_of(change) == table)) {
      return i;
    }
  }
  return std::nullopt;
}

// The server takes a table for its type only when both have the same columns in the same order.
bool fits(const Emission& e, const Table& table) {
  const auto type =
      std::find_if(e.to.composites.begin(), e.to.composites.end(), [&](const auto& one) {
        return e.ddl.name(one.name) == type_of(&table) || to_string(one.name) == type_of(&table);
      });
  return type == e.to.composites.end() ||
         std::equal(
             table.columns.begin(), table.columns.end(), type->fields.begin(), type->fields.end(),
             [](const auto& column, const auto& field) { return column.name == field.name; });
}

bool is_created(const Emission& e, const Name& table) {
  return std::any_of(e.changes.begin(), e.changes.end(), [&](const Change& change) {
    const auto* made = std::get_if<change::CreateTable>(&change);
    return made != nullptr && made->object.name == table;
  });
}

}  // namespace

void emit_postgres_typed_tables(Emission& e) {
  for (const Table& table : e.to.tables) {
    if (type_of(&table).empty() && type_of(table_before(e, table.name)).empty()) {
      continue;
    }
    const Table* was = is_created(e, table.name) ? nullptr : table_before(e, table.name);
    const std::optional<std::size_t> change = disturbing(e, table.name);
    if (was != nullptr && !change) {
      continue;
    }
    if (!type_of(was).empty()) {
      e.draft.add({stage::kEarlyDrop, 0, was->name.name.text()}, e.ddl.alter(was->name) + "NOT OF",
                  change);
    }
    const std::string type = type_of(&table);
    if (type.empty()) {
      continue;
    }
    if (was != nullptr && change && !fits(e, table)) {
      e.refuse(*change,
               "the columns of table " + to_string(table.name) + " stand in another order than " +
                   "those of type " + type,
               "make a new table of the type and move the rows");
      continue;
    }
    e.draft.add({stage::kIndex + 1, e.rank_of(table.name), table.name.name.text()},
                e.ddl.alter(table.name) + "OF " + type, change);
  }
  for (const Table& table : e.from.tables) {  // its type may go or change before it does
    if (!type_of(&table).empty() && find_table(e.to, table.name) == nullptr &&
        std::none_of(e.old_table_names.begin(), e.old_table_names.end(),
                     [&](const auto& names) { return names.second == table.name; })) {
      e.draft.add({stage::kEarlyDrop, 0, table.name.name.text()},
                  e.ddl.alter(table.name) + "NOT OF");
    }
  }
}

}  // namespace kedge::migrate
