#include "migrate/mysql_online.h"

#include <algorithm>

#include "base/text.h"
#include "dialect/ddl.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Table;
using schema::TypeKind;

std::string option(const Table& table, const char* key) {
  const auto found = table.options.find(key);
  return found == table.options.end() ? std::string() : base::to_lower(found->second);
}

// InnoDB without what its online forms exclude, as it was and as it will be.
bool is_ordinary(const Table* table) {
  if (table == nullptr) {
    return true;
  }
  const std::string engine = option(*table, "engine");
  return (engine.empty() || engine == "innodb") && option(*table, "row_format") != "compressed" &&
         option(*table, "system_versioning").empty() && !table->partition &&
         std::none_of(table->indexes.begin(), table->indexes.end(), is_special);
}

// Rows that go or change with their parents': mysql has no LOCK=NONE there.
bool follows_parents(const Table& table) {
  const auto acts = [](schema::ReferentialAction action) {
    return action == schema::ReferentialAction::Cascade ||
           action == schema::ReferentialAction::SetNull;
  };
  return std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                     [&](const auto& key) { return acts(key.on_delete) || acts(key.on_update); });
}

// The bytes of the length before a value: up to 255 one, beyond that two. Four bytes a character.
bool same_length_bytes(int before, int after) {
  constexpr int kBytesPerCharacter = 4;
  constexpr int kOneByte = 255;
  return (before * kBytesPerCharacter > kOneByte) == (after * kBytesPerCharacter > kOneByte);
}

bool grows_in_place(const schema::Type& before, const schema::Type& after) {
  const auto is_varchar = [](const schema::Type& type) {
    return type.kind == TypeKind::Text && type.length &&
           (type.native.empty() || base::to_lower(type.native).starts_with("varchar"));
  };
  return is_varchar(before) && is_varchar(after) && *after.length >= *before.length &&
         same_length_bytes(*before.length, *after.length);
}

// A clock that gives one value for the whole statement; both engines keep it in the catalog.
bool is_clock(const std::string& sql) {
  std::string word = base::to_lower(sql);
  while (word.size() > 2 && word.front() == '(' && word.back() == ')') {
    word = word.substr(1, word.size() - 2);
  }
  const std::string name = word.substr(0, word.find('('));
  return word.find_first_of(" ,+-") == std::string::npos &&
         (name == "now" || name == "current_timestamp" || name == "localtime" ||
          name == "localtimestamp");
}

}  // namespace

bool is_special(const schema::Index& index) {
  const std::string kind = base::to_lower(index.method);
  return kind == "fulltext" || kind == "spatial";
}

Way way_to_add(const Column& column) {
  if (is_counted(column)) {
    return Way::Shared;
  }
  if (column.generated) {
    return column.generated->stored ? Way::Copy : Way::Instant;
  }
  const bool computed =
      column.identity ||
      (column.default_value && column.default_value->kind == schema::Default::Kind::Expression &&
       !dialect::is_plain_default(column.default_value->value) &&
       !is_clock(column.default_value->value));
  return computed ? Way::Unstated : Way::Instant;
}

Way way_to_modify(const Column& before, const Column& after) {
  if (before.identity != after.identity || before.collation != after.collation ||
      before.options != after.options || before.generated || after.generated) {
    return before.generated || after.generated ? Way::Unstated : Way::Copy;
  }
  if (!(before.type == after.type)) {
    const bool only_type = before.nullable == after.nullable;
    return only_type && grows_in_place(before.type, after.type) ? Way::InPlace : Way::Copy;
  }
  if (before.nullable == after.nullable) {
    return Way::Instant;
  }
  // In place MariaDB makes a column NOT NULL only where its default is one value for every row.
  const bool computed = after.default_value &&
                        after.default_value->kind == schema::Default::Kind::Expression &&
                        !dialect::is_plain_default(after.default_value->value);
  const bool clock = after.default_value && is_clock(after.default_value->value);
  return !after.nullable && (computed || clock) ? Way::Unstated : Way::InPlace;
}

Way way_to_index(const schema::Index& index) {
  if (!index.include.empty()) {
    return Way::Copy;  // over a period
  }
  return is_special(index) ? Way::Shared : Way::InPlace;
}

std::string way_clause(const Emission& e, const schema::Name& table, Way way,
                       const char* separator) {
  const Table* before = table_before(e, table);
  if (before == nullptr || !is_ordinary(before) || !is_ordinary(find_table(e.to, table))) {
    return "";  // a new table is empty
  }
  const auto words = [&](const char* algorithm, const char* lock) {
    return std::string(separator) + "ALGORITHM=" + algorithm + separator + "LOCK=" + lock;
  };
  switch (way) {
    case Way::Instant:
      return std::string(separator) + "ALGORITHM=INSTANT";
    case Way::InPlace:
      return words("INPLACE", follows_parents(*before) ? "SHARED" : "NONE");
    case Way::Shared:
      return words("INPLACE", "SHARED");
    case Way::Copy:
      return words("COPY", "SHARED");
    case Way::Unstated:
      return "";
  }
  return "";
}

}  // namespace kedge::migrate
