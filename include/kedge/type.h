// The one type system: a column type as its server spells it (`native`) and as a canonical,
// dialect-neutral type (spec/metadata.md 3.1). Buckets (models) and DuckDB types (contracts) are
// projections of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::schema {

enum class TypeKind {
  Unknown,  // the server gives no type (a sqlite expression)
  Boolean,
  Int8,
  Int16,
  Int32,
  Int64,
  Int128,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  UInt128,
  Real4,
  Real8,
  Numeric,  // precision, scale; both absent = unbounded
  Text,     // length absent = unbounded
  Char,     // fixed length, blank padded
  Blob,
  Bit,
  Date,
  Time,
  TimeTz,
  Timestamp,
  TimestampTz,
  Interval,
  Uuid,
  Json,
  Inet,
  Array,   // element[0]
  Struct,  // fields in `native`
  Map,
  Enum,    // a named enum (postgres, duckdb) or an inline one (mysql): `labels` where inline
  Domain,  // a named domain: element[0] is the base type where known
  Native   // anything else: only `native` says what it is
};

struct Type {
  TypeKind kind = TypeKind::Unknown;
  std::optional<int> length;        // Text, Char, Blob, Bit
  std::optional<int> precision;     // Numeric; fraction digits of times and timestamps
  std::optional<int> scale;         // Numeric
  std::vector<Type> element;        // Array, Domain: one
  std::vector<std::string> labels;  // Enum
  std::string native;               // the server's own spelling, normalised; empty when declared
  bool operator==(const Type&) const = default;
};

// Canonical text of metadata.md 3.1: "text(12)", "numeric(5,2)", "timestamp(tz)", "array(text)",
// "native(citext)".
std::string to_string(const Type& type);
std::string_view kind_name(TypeKind kind);  // "text", "timestamp", "array", ...
// The inverse for every text that to_string() writes from a type that stands on its own (no
// spelling of a server beside it); nullopt for anything else.
std::optional<Type> parse_canonical(std::string_view text);

// The four buckets of models.md 7, or Undetermined, which never drifts.
enum class Bucket { Number, String, Boolean, Temporal, Undetermined };
std::string to_string(Bucket bucket);

}  // namespace kedge::schema
