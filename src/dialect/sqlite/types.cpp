// Names and types of SQLite and D1. A declared type is any text there; what it means follows the
// words in it (spec/metadata.md 3.1, spec/models.md 7).
#include <array>

#include "base/text.h"
#include "dialect/dialects.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

constexpr std::array kNames = {
    NamedType{"boolean", TypeKind::Boolean},   NamedType{"bool", TypeKind::Boolean},
    NamedType{"date", TypeKind::Date},         NamedType{"time", TypeKind::Time},
    NamedType{"uuid", TypeKind::Uuid},         NamedType{"json", TypeKind::Json},
    NamedType{"jsonb", TypeKind::Json},        NamedType{"blob", TypeKind::Blob},
    NamedType{"interval", TypeKind::Interval}, NamedType{"any", TypeKind::Native}};

struct Hint {
  std::string_view part;
  TypeKind kind;
};
// In this order; the first part that the name holds decides.
constexpr std::array kHints = {Hint{"timestamptz", TypeKind::TimestampTz},
                               Hint{"timestamp", TypeKind::Timestamp},
                               Hint{"datetime", TypeKind::Timestamp},
                               Hint{"bool", TypeKind::Boolean},
                               Hint{"int", TypeKind::Int64},
                               Hint{"char", TypeKind::Text},
                               Hint{"clob", TypeKind::Text},
                               Hint{"text", TypeKind::Text},
                               Hint{"string", TypeKind::Text},
                               Hint{"blob", TypeKind::Blob},
                               Hint{"real", TypeKind::Real8},
                               Hint{"floa", TypeKind::Real8},
                               Hint{"doub", TypeKind::Real8},
                               Hint{"num", TypeKind::Numeric},
                               Hint{"dec", TypeKind::Numeric},
                               Hint{"money", TypeKind::Numeric}};

TypeKind kind_of(std::string_view words) {
  if (words.empty()) {
    return TypeKind::Unknown;
  }
  if (const std::optional<TypeKind> kind = find_kind(kNames, words)) {
    return *kind;
  }
  for (const Hint& hint : kHints) {
    if (words.find(hint.part) != std::string_view::npos) {
      return hint.kind;
    }
  }
  return TypeKind::Native;
}

std::string name_of(const Type& type) {
  const std::string arguments = facets(type);
  switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::Int128:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
      return "INTEGER";
    case TypeKind::Real4:
    case TypeKind::Real8:
      return "REAL";
    case TypeKind::Numeric:
      return "NUMERIC" + arguments;
    case TypeKind::Text:
      return type.length ? "VARCHAR" + arguments : "TEXT";
    case TypeKind::Char:
      return "CHAR" + arguments;
    case TypeKind::Blob:
    case TypeKind::Bit:
      return "BLOB";
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::TimeTz:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Interval:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Inet:
    case TypeKind::Array:
    case TypeKind::Struct:
    case TypeKind::Map:
    case TypeKind::Enum:
      return "TEXT";
    case TypeKind::Unknown:
      return "";
    case TypeKind::Domain:
    case TypeKind::Native:
      return type.native;
  }
  return type.native;
}

// "VARCHAR( 10 )" and "double  precision" with the white space that people mostly write.
std::string one_spelling(std::string_view native) {
  std::string text;
  for (const char character : base::trim(native)) {
    const bool space = character == ' ' || (character >= '\t' && character <= '\r');
    const bool tight = character == '(' || character == ')' || character == ',';
    if (tight && !text.empty() && text.back() == ' ') {
      text.pop_back();
    }
    const char last = text.empty() ? '(' : text.back();
    if (!space) {
      text += character;
    } else if (last != ' ' && last != '(' && last != ',') {
      text += ' ';
    }
  }
  return text;
}

}  // namespace

Type SqliteDialect::parse_type(std::string_view native) const {
  const TypeText text = take_apart(native);
  Type type;
  type.native = one_spelling(native);
  type.kind = kind_of(text.words);
  read_arguments(text, type);
  return type;
}

std::string SqliteDialect::type_name(const Type& type) const {
  return is_own_spelling(*this, type) ? type.native : name_of(type);
}

std::string SqliteDialect::quote(const Identifier& identifier) const {
  return between(identifier.text(), '"');
}

std::string SqliteDialect::literal(std::string_view text) const {
  return between(text, '\'');
}

std::string SqliteDialect::fold(std::string_view unquoted) const {
  return std::string(unquoted);
}

bool SqliteDialect::same_name(std::string_view live, std::string_view written,
                              bool /*quoted*/) const {
  return base::equals_ignoring_case(live, written);
}

}  // namespace kedge::dialect
