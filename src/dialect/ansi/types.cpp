// Names and types of a database of which only the driver's catalog functions are known (ODBC).
#include <array>

#include "base/text.h"
#include "dialect/dialects.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

// Spellings that several products share and no two of them understand differently.
constexpr std::array kNames = {NamedType{"bit", TypeKind::Boolean},
                               NamedType{"tinyint", TypeKind::Int16},
                               NamedType{"datetime", TypeKind::Timestamp},
                               NamedType{"datetime2", TypeKind::Timestamp},
                               NamedType{"smalldatetime", TypeKind::Timestamp},
                               NamedType{"datetimeoffset", TypeKind::TimestampTz},
                               NamedType{"nvarchar", TypeKind::Text},
                               NamedType{"nchar", TypeKind::Char},
                               NamedType{"ntext", TypeKind::Text},
                               NamedType{"clob", TypeKind::Text},
                               NamedType{"varchar2", TypeKind::Text},
                               NamedType{"nvarchar2", TypeKind::Text},
                               NamedType{"string", TypeKind::Text},
                               NamedType{"blob", TypeKind::Blob},
                               NamedType{"binary", TypeKind::Blob},
                               NamedType{"varbinary", TypeKind::Blob},
                               NamedType{"image", TypeKind::Blob},
                               NamedType{"uniqueidentifier", TypeKind::Uuid},
                               NamedType{"double", TypeKind::Real8}};

}  // namespace

Type AnsiDialect::parse_type(std::string_view native) const {
  const TypeText text = take_apart(native);
  Type type;
  type.native = std::string(base::trim(native));
  const std::optional<TypeKind> kind = find_kind(kNames, text.words);
  if (!kind) {
    return get_dialect(schema::Dialect::Postgres).parse_type(native);
  }
  type.kind = *kind;
  read_arguments(text, type);
  return type;
}

std::string AnsiDialect::type_name(const Type& type) const {
  return type.native.empty() ? get_dialect(schema::Dialect::Postgres).type_name(type) : type.native;
}

std::string AnsiDialect::quote(const Identifier& identifier) const {
  return between(identifier.text(), '"');
}

std::string AnsiDialect::literal(std::string_view text) const {
  return between(text, '\'');
}

std::string AnsiDialect::fold(std::string_view unquoted) const {
  return base::to_upper(unquoted);
}

bool AnsiDialect::same_name(std::string_view live, std::string_view written, bool quoted) const {
  return live == written || (!quoted && base::equals_ignoring_case(live, written));
}

}  // namespace kedge::dialect
