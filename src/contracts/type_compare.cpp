// Equality of 5.5 and the widenings of 13.1.
#include <map>

#include "contracts/type_name.h"

namespace kedge::contracts {
namespace {

using schema::Type;
using schema::TypeKind;

bool is_timestamp(TypeKind kind) {
  return kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz;
}

int fraction_digits(const Type& type) {
  return type.precision.value_or(6);
}

// Bits a value needs, and whether it is signed: the two facts that decide integer widening.
struct IntegerFacts {
  int bits = 0;
  bool is_signed = true;
  int digits = 0;
};

std::optional<IntegerFacts> integer_facts(TypeKind kind) {
  static const std::map<TypeKind, IntegerFacts> kFacts = {
      {TypeKind::Int8, {8, true, 3}},      {TypeKind::Int16, {16, true, 5}},
      {TypeKind::Int32, {32, true, 10}},   {TypeKind::Int64, {64, true, 19}},
      {TypeKind::Int128, {128, true, 39}}, {TypeKind::UInt8, {8, false, 3}},
      {TypeKind::UInt16, {16, false, 5}},  {TypeKind::UInt32, {32, false, 10}},
      {TypeKind::UInt64, {64, false, 20}}, {TypeKind::UInt128, {128, false, 39}},
  };
  const auto found = kFacts.find(kind);
  return found == kFacts.end() ? std::nullopt : std::optional(found->second);
}

bool holds_integer(const IntegerFacts& wide, const IntegerFacts& narrow) {
  if (wide.is_signed == narrow.is_signed) {
    return wide.bits > narrow.bits;
  }
  return wide.is_signed && wide.bits > narrow.bits;
}

bool holds_text(const Type& wide, const Type& narrow) {
  return !wide.length || (narrow.length && *wide.length > *narrow.length);
}

bool holds_decimal(const Type& wide, const Type& narrow) {
  const int wide_scale = wide.scale.value_or(0);
  const int narrow_scale = narrow.scale.value_or(0);
  return wide_scale >= narrow_scale &&
         wide.precision.value_or(38) - wide_scale >= narrow.precision.value_or(38) - narrow_scale;
}

// May `narrow` become `wide` without any loss?
bool is_widening(const Type& narrow, const Type& wide) {
  const auto from = integer_facts(narrow.kind);
  const auto to = integer_facts(wide.kind);
  if (from && to) {
    return holds_integer(*to, *from);
  }
  if (from && wide.kind == TypeKind::Numeric) {
    return wide.precision.value_or(38) - wide.scale.value_or(0) >= from->digits;
  }
  if (narrow.kind == TypeKind::Real4) {
    return wide.kind == TypeKind::Real8;
  }
  if (narrow.kind == TypeKind::Numeric && wide.kind == TypeKind::Numeric) {
    return holds_decimal(wide, narrow);
  }
  if (is_text(narrow.kind) && is_text(wide.kind)) {
    return holds_text(wide, narrow);
  }
  return is_timestamp(narrow.kind) && narrow.kind == wide.kind &&
         fraction_digits(wide) > fraction_digits(narrow);
}

bool same_family(const Type& a, const Type& b) {
  return a.kind == b.kind || (is_integer(a.kind) && is_integer(b.kind)) ||
         (is_text(a.kind) && is_text(b.kind));
}

TypeVerdict compare_text(const Type& declared, const Type& actual) {
  if (!declared.length) {
    return TypeVerdict::Equal;
  }
  return declared.length == actual.length ? TypeVerdict::Equal : TypeVerdict::SameUnderlying;
}

TypeVerdict compare_elements(const Type& declared, const Type& actual) {
  if (declared.kind != actual.kind || declared.element.size() != actual.element.size()) {
    return TypeVerdict::Different;
  }
  TypeVerdict verdict = TypeVerdict::Equal;
  for (std::size_t i = 0; i < declared.element.size(); ++i) {
    const TypeVerdict one = compare_types(declared.element[i], actual.element[i]);
    verdict = one > verdict ? one : verdict;
  }
  return declared.labels == actual.labels ? verdict : TypeVerdict::Different;
}

}  // namespace

bool is_integer(TypeKind kind) {
  return integer_facts(kind).has_value();
}

Type underlying_type(Type type) {
  if (is_text(type.kind)) {
    type.kind = TypeKind::Text;
    type.length = std::nullopt;
  }
  if (type.kind == TypeKind::TimestampTz || type.kind == TypeKind::Blob) {
    type.precision = std::nullopt;
    type.length = std::nullopt;
  }
  if (type.kind == TypeKind::Timestamp && type.precision && *type.precision != 0 &&
      *type.precision != 3 && *type.precision != 9) {
    type.precision = std::nullopt;
  }
  for (Type& element : type.element) {
    element = underlying_type(std::move(element));
  }
  return type;
}

TypeVerdict compare_types(const Type& declared, const Type& actual, ActualSide side) {
  if (is_text(declared.kind) && is_text(actual.kind)) {
    return compare_text(declared, actual);
  }
  if (side == ActualSide::IntegerAffinity && is_integer(declared.kind) && is_integer(actual.kind)) {
    return TypeVerdict::Equal;
  }
  if (declared.kind == TypeKind::Numeric && actual.kind == TypeKind::Numeric) {
    return type_name(declared) == type_name(actual) ? TypeVerdict::Equal : TypeVerdict::Different;
  }
  if (is_timestamp(declared.kind) && declared.kind == actual.kind) {
    return fraction_digits(declared) == fraction_digits(actual) ? TypeVerdict::Equal
                                                                : TypeVerdict::SameUnderlying;
  }
  if (!declared.element.empty()) {
    return compare_elements(declared, actual);
  }
  return type_name(declared) == type_name(actual) ? TypeVerdict::Equal : TypeVerdict::Different;
}

WideningVerdict judge_widening(const Type& target, const Type& incoming) {
  if (compare_types(target, incoming) == TypeVerdict::Equal &&
      compare_types(incoming, target) == TypeVerdict::Equal) {
    return {Widening::None, ""};
  }
  if (is_widening(target, incoming)) {
    return {Widening::Safe, ""};
  }
  if (is_widening(incoming, target)) {
    return {Widening::Narrower, ""};
  }
  return {Widening::Refused, same_family(target, incoming) ? "narrowing" : "change of kind"};
}

bool is_cursor_type(const Type& type) {
  return type.kind == TypeKind::Int8 || type.kind == TypeKind::Int16 ||
         type.kind == TypeKind::Int32 || type.kind == TypeKind::Int64 ||
         type.kind == TypeKind::Int128 || type.kind == TypeKind::Numeric ||
         type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp ||
         type.kind == TypeKind::TimestampTz;
}

std::string cursor_type_names() {
  return "tinyint, smallint, integer, bigint, hugeint, decimal, date, timestamp, timestamptz";
}

}  // namespace kedge::contracts
