// Fields as canonical and as stored types (spec/metadata.md 3.1).
#pragma once

#include "kedge/metadata.h"
#include "kedge/schema.h"

namespace kedge::metadata {

bool is_number(FieldType type);
schema::Type type_of_kind(schema::TypeKind kind);  // nothing else said of it
// Dialect-neutral, lists included.
schema::Type canonical_type(const Field& field);
// How a field is used in its table: decides TEXT or VARCHAR(255) on mysql.
enum class Use { Plain, KeyedOrDefaulted };
schema::Type stored_type(const Field& field, schema::Dialect dialect, Use use);

}  // namespace kedge::metadata
