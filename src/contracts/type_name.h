// The types of `columns:` (spec/contracts.md 5.1, 5.2, 5.5, 13.1): DuckDB's, compared by kind and
// facets. Their names are dialect/duckdb_names.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/duckdb_names.h"
#include "kedge/type.h"

namespace kedge::contracts {

using ParsedType = dialect::DuckdbType;
ParsedType parse_type_name(std::string_view text);
// For names that DuckDB itself gave: what is not understood is Native with the text as it stands.
schema::Type duckdb_type(std::string_view text);
// Upper-case canonical spelling: "BIGINT", "DECIMAL(12,3)", "VARCHAR(11)", "STRUCT(a INTEGER)".
std::string type_name(const schema::Type& type);
inline bool is_text(schema::TypeKind kind) {
  return kind == schema::TypeKind::Text || kind == schema::TypeKind::Char;
}
// The type as DuckDB keeps it: without text lengths.
schema::Type underlying_type(schema::Type type);

enum class TypeVerdict { Equal, SameUnderlying, Different };
// What the actual side is: sqlite has one storage class for all integers.
enum class ActualSide { Typed, IntegerAffinity };
TypeVerdict compare_types(const schema::Type& declared, const schema::Type& actual,
                          ActualSide side = ActualSide::Typed);

enum class Widening {
  None,      // equal
  Safe,      // the target's type may be altered to the incoming one
  Narrower,  // the incoming type is narrower: nothing to do when all values fit
  Refused
};
struct WideningVerdict {
  Widening widening = Widening::Refused;
  std::string reason;  // for Refused: "narrowing", "change of kind"
};
WideningVerdict judge_widening(const schema::Type& target, const schema::Type& incoming);

bool is_integer(schema::TypeKind kind);
bool is_cursor_type(const schema::Type& type);  // spec 17.2
std::string cursor_type_names();                // "tinyint, smallint, ..."

}  // namespace kedge::contracts
