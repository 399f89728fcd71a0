// PostgreSQL's binary format of COPY, field by field: what the send and receive functions of the
// built-in types exchange. Numbers are big-endian; times count from 2000-01-01.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/bulk.h"

namespace kedge::db::postgres {

// The kind in which a result type is delivered when its binary form is understood; nullopt: it has
// to be read as text.
std::optional<schema::TypeKind> find_binary_kind(std::uint32_t oid);

// Appends one field (not NULL) of the type to the column, whose kind is find_binary_kind(oid);
// false for a moment that a Cell cannot hold.
[[nodiscard]] bool decode_field(std::uint32_t oid, std::string_view field, ColumnChunk& column);

// Appends a numeric(p,s) of up to 18 digits to a column of that scale; false when it is none (NaN).
bool decode_scaled_numeric(std::string_view field, ColumnChunk& column);

// A column of a table that is written to.
struct TargetType {
  std::uint32_t oid = 0;
  int modifier = -1;
  bool is_enum = false;
};

enum class Encoded { Yes, DoesNotFit };

// Can values of this kind be sent in binary form to a column of this type?
bool can_encode(schema::TypeKind kind, const TargetType& type);
// Appends length and bytes of a cell (not NULL).
Encoded encode_field(const ColumnChunk& column, std::size_t row, const TargetType& type,
                     std::string& out);
// Would the type round the value? (numeric(p,s), timestamp(p))
bool would_round(const ColumnChunk& column, std::size_t row, const TargetType& type);

}  // namespace kedge::db::postgres
