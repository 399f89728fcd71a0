// Result types by OID: the built-in ones from a table, the rest through one format_type query.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "db/connection.h"

namespace kedge::db::postgres {

struct TypeKey {
  std::uint32_t oid = 0;
  int modifier = -1;
  auto operator<=>(const TypeKey&) const = default;
};

// Types whose OID is fixed, arrays of them included. nullopt: ask the server.
std::optional<schema::Type> find_builtin(TypeKey key);

// The query that names types: $1 = oids, $2 = modifiers, as array texts. Gives one row a type:
// oid, modifier, format_type, typtype, typelem.
extern const char* const kTypeQuery;
schema::Type type_of_row(const Row& row);

// A result cell in text form as a value.
Value value_of(std::uint32_t oid, const char* text, std::size_t size);

}  // namespace kedge::db::postgres
