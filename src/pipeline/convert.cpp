#include "pipeline/convert.h"

#include <algorithm>

#include "contracts/type_name.h"
#include "pipeline/nested.h"

namespace kedge::pipeline {
namespace {

using contracts::is_integer;
using schema::Type;
using schema::TypeKind;

bool is_text(TypeKind kind) {
  return kind == TypeKind::Text || kind == TypeKind::Char;
}

bool is_real(TypeKind kind) {
  return kind == TypeKind::Real4 || kind == TypeKind::Real8;
}

std::string cast(const std::string& x, const std::string& type) {
  return "CAST(" + x + " AS " + type + ")";
}

std::string try_cast(const std::string& x, const std::string& type) {
  return "TRY_CAST(" + x + " AS " + type + ")";
}

std::string has_exponent(const std::string& x) {
  return "(contains(" + x + ", 'e') OR contains(" + x + ", 'E'))";
}

std::string differs_as_double(const std::string& x, const std::string& type) {
  return try_cast(x, "DOUBLE") + " IS DISTINCT FROM " + cast(try_cast(x, type), "DOUBLE");
}

std::string name_of(const Type& type) {
  return contracts::type_name(contracts::underlying_type(type));
}

int fraction_digits(const Type& type) {
  return type.precision.value_or(6);
}

// A cheap first test; the exact one behind it is asked of few texts.
std::string inexact(const std::string& x, int digits) {
  return "kedge_inexact(" + x + ", " + std::to_string(digits) + ") AND ";
}

// True when the text says more than the type can keep; DuckDB's CAST would round.
std::string text_loss(const std::string& x, const Type& to) {
  const std::string type = contracts::type_name(contracts::underlying_type(to));
  if (is_integer(to.kind)) {
    return inexact(x, 0) + differs_as_double(x, type);
  }
  if (to.kind == TypeKind::Numeric) {
    return inexact(x, to.scale.value_or(0)) + "CASE WHEN " + has_exponent(x) + " THEN " +
           differs_as_double(x, type) + " ELSE contains(" + x +
           ", '.') AND length(rtrim(split_part(" + x + ", '.', 2), '0 ')) > " +
           std::to_string(to.scale.value_or(0)) + " END";
  }
  if (is_real(to.kind)) {  // beyond what the type can say, or so small that it would become zero
    const std::string real = try_cast(x, type);
    return "kedge_extreme(" + x + ") AND ((isinf(" + real + ") AND NOT contains(lower(" + x +
           "), 'inf')) OR (" + real + " = 0 AND regexp_matches(" + x + ", '^[^eE]*[1-9]')))";
  }
  if (to.kind == TypeKind::Date) {
    return "length(" + x + ") > 10 AND " + try_cast(x, "TIMESTAMP") + " IS DISTINCT FROM " +
           cast(try_cast(x, "DATE"), "TIMESTAMP");
  }
  if (to.kind == TypeKind::Timestamp || to.kind == TypeKind::TimestampTz ||
      to.kind == TypeKind::Time) {
    return inexact(x, fraction_digits(to)) + "length(rtrim(regexp_extract(" + x +
           ", '\\.([0-9]+)', 1), '0')) > " + std::to_string(fraction_digits(to));
  }
  return "";
}

std::string text_value(const std::string& x, const Type& to, bool trying) {
  const std::string type = name_of(to);
  const auto as = trying ? try_cast : cast;
  if (to.kind == TypeKind::Timestamp) {
    return "CASE WHEN kedge_zoned(" + x + ") THEN " +
           as("(" + as(x, "TIMESTAMPTZ") + " AT TIME ZONE 'UTC')", type) + " ELSE " + as(x, type) +
           " END";
  }
  return as(x, type);
}

// JSON to a nested type. DuckDB takes the text of a JSON string for the bytes of a BLOB, so those
// go by way of their escaped text.
std::string json_value(const std::string& x, const Type& to) {
  Type by_text = with_leaves(to, [](const Type& leaf) {
    Type text = leaf;
    text.kind = leaf.kind == TypeKind::Blob ? TypeKind::Text : leaf.kind;
    return text;
  });
  return try_cast(try_cast(try_cast(x, "JSON"), name_of(by_text)), name_of(to));
}

Type doubled(const Type& type) {
  return with_leaves(type, [](const Type& leaf) {
    Type real = leaf;
    real.kind = leaf.kind == TypeKind::Numeric ? TypeKind::Real8 : leaf.kind;
    return real;
  });
}

// True when a decimal inside would be rounded, which DuckDB does without a word: a number has more
// decimal places than the least that is kept, and is another one as a DOUBLE. Among decimals of one
// scale the places are enough, unless an exponent moves the point.
std::string nested_rounding(const std::string& x, const Type& to, const std::string& value,
                            const std::string& as_doubles) {
  int places = 38;
  int most = 0;
  with_leaves(to, [&](const Type& leaf) {
    if (leaf.kind == TypeKind::Numeric) {
      places = std::min(places, leaf.scale.value_or(0));
      most = std::max(most, leaf.scale.value_or(0));
    }
    return leaf;
  });
  const bool mixed = places != most ||
                     has_leaf(to, [](const Type& leaf) { return leaf.kind != TypeKind::Numeric; });
  const std::string differs = cast(value, name_of(doubled(to))) + " IS DISTINCT FROM " + as_doubles;
  return "regexp_matches(" + x + ", '\\.[0-9]{" + std::to_string(places) + "}[0-9]*[1-9]') AND (" +
         (mixed ? "" : "NOT " + has_exponent(x) + " OR ") + differs + ")";
}

// Lists, structs and maps as JSON or as DuckDB writes them. Only DuckDB's own reading keeps all
// digits of a decimal, only JSON's understands the escapes of JSON.
Conversion nested_from_text(const std::string& x, const Type& to, TextForm form) {
  const std::string own = try_cast(x, name_of(to));
  const std::string json = json_value(x, to);
  const bool texts = has_leaf(to, [](const Type& leaf) {
    return is_text(leaf.kind) || leaf.kind == TypeKind::Json || leaf.kind == TypeKind::Enum ||
           leaf.kind == TypeKind::Blob;
  });
  // Read as JSON, a decimal of many digits would have come by way of a DOUBLE.
  const std::string many =
      has_kind(to, TypeKind::Numeric) ? "regexp_matches(" + x + ", '[0-9][0-9.]{15}')" : "false";
  std::string value = own;
  std::string loss = "false";
  if (form != TextForm::Duckdb && !texts) {
    value = "coalesce(" + own + ", " + json + ")";
    loss = own + " IS NULL AND " + many;
  } else if (form == TextForm::Json) {
    value = "coalesce(" + json + ", " + own + ")";
    loss = json + " IS NOT NULL AND " + many;
  } else if (form == TextForm::Any) {  // a text that means two things is refused
    value = "coalesce(" + json + ", " + own + ")";
    loss = "coalesce(" + own + " <> " + json + ", false) OR (" + own + " IS NULL AND " + many + ")";
  }
  if (has_kind(to, TypeKind::Numeric)) {
    const std::string own_doubles = try_cast(x, name_of(doubled(to)));
    const std::string as_doubles =
        form == TextForm::Duckdb
            ? own_doubles
            : "coalesce(" + json_value(x, doubled(to)) + ", " + own_doubles + ")";
    loss = "(" + loss + ") OR (" + nested_rounding(x, to, value, as_doubles) + ")";
  }
  const std::string failure = value + " IS NULL OR " + loss;
  return {"CASE WHEN " + x + " IS NOT NULL AND (" + failure +
              ") THEN error('the value cannot be kept') ELSE " + value + " END",
          x + " IS NOT NULL AND (" + failure + ")"};
}

Conversion from_text(const std::string& x, const Type& to, TextForm form) {
  if (is_text(to.kind)) {
    return {x, ""};
  }
  if (is_nested(to)) {
    return nested_from_text(x, to, form);
  }
  const std::string loss = text_loss(x, to);
  const std::string value = text_value(x, to, false);
  std::string failure = text_value(x, to, true) + " IS NULL";
  if (loss.empty()) {
    return {value, x + " IS NOT NULL AND " + failure};
  }
  return {"CASE WHEN " + loss + " THEN error('the value would be rounded') ELSE " + value + " END",
          x + " IS NOT NULL AND (" + failure + " OR (" + loss + "))"};
}

// True when a typed value changes on its way.
std::string typed_loss(const std::string& x, const Type& from, const Type& to) {
  const std::string source = contracts::type_name(contracts::underlying_type(from));
  const std::string type = contracts::type_name(contracts::underlying_type(to));
  const std::string back = cast(try_cast(x, type), source) + " IS DISTINCT FROM " + x;
  const bool from_fraction = from.kind == TypeKind::Numeric || is_real(from.kind);
  if (is_integer(to.kind) && from_fraction) {
    return back;
  }
  if (to.kind == TypeKind::Numeric && (from_fraction || is_integer(from.kind))) {
    return is_integer(from.kind) ? "" : back;
  }
  if (to.kind == TypeKind::Real4 && from.kind == TypeKind::Real8) {
    // The digits that either type needs to say its value: 0.1 is 0.1 in both.
    return cast(try_cast(x, type), "VARCHAR") + " IS DISTINCT FROM " + cast(x, "VARCHAR");
  }
  if (is_real(to.kind) && is_integer(from.kind)) {
    return try_cast(try_cast(x, type), source) + " IS DISTINCT FROM " + x;
  }
  const bool to_day = to.kind == TypeKind::Date &&
                      (from.kind == TypeKind::Timestamp || from.kind == TypeKind::TimestampTz);
  const bool coarser = from.kind == TypeKind::Timestamp && to.kind == TypeKind::Timestamp &&
                       fraction_digits(to) < fraction_digits(from);
  return to_day || coarser ? back : "";
}

std::string typed_value(const std::string& x, const Type& from, const Type& to, bool trying) {
  const bool zone = (from.kind == TypeKind::TimestampTz && to.kind == TypeKind::Timestamp) ||
                    (from.kind == TypeKind::Timestamp && to.kind == TypeKind::TimestampTz);
  const std::string type = contracts::type_name(contracts::underlying_type(to));
  const std::string value = zone ? "(" + x + " AT TIME ZONE 'UTC')" : x;
  return trying ? try_cast(value, type) : cast(value, type);
}

}  // namespace

Conversion convert(const std::string& column, const Type& from, const Type& to, TextForm form) {
  if (is_text(from.kind)) {
    return from_text(column, to, form);
  }
  if (contracts::type_name(contracts::underlying_type(from)) ==
      contracts::type_name(contracts::underlying_type(to))) {
    return {column, ""};
  }
  const std::string loss = typed_loss(column, from, to);
  const std::string value = typed_value(column, from, to, false);
  const std::string failure = typed_value(column, from, to, true) + " IS NULL";
  if (loss.empty()) {
    return {value, column + " IS NOT NULL AND " + failure};
  }
  return {"CASE WHEN " + column + " IS NOT NULL AND " + loss +
              " THEN error('the value would be rounded') ELSE " + value + " END",
          column + " IS NOT NULL AND (" + failure + " OR " + loss + ")"};
}

}  // namespace kedge::pipeline
