#include "contracts/type_name.h"

namespace kedge::contracts {

ParsedType parse_type_name(std::string_view text) {
  return dialect::parse_duckdb_type(text);
}

schema::Type duckdb_type(std::string_view text) {
  ParsedType parsed = parse_type_name(text);
  if (parsed.type) {
    return std::move(*parsed.type);
  }
  schema::Type type;
  type.kind = schema::TypeKind::Native;
  type.native = std::string(text);
  return type;
}

std::string type_name(const schema::Type& type) {
  return dialect::duckdb_type_name(type);
}

}  // namespace kedge::contracts
