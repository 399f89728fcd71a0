#include "pipeline/convert.h"

#include <algorithm>

#include "contracts/type_name.h"
#include "pipeline/nested.h"
#include "pipeline/render.h"

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
  if (is_integer(to.kind) || to.kind == TypeKind::Numeric) {
    const int places = to.kind == TypeKind::Numeric ? to.scale.value_or(0) : 0;
    return "kedge_places(" + x + ", " + std::to_string(places) + ")";
  }
  if (is_real(to.kind)) {  // beyond what the type can say, or so small that it would become zero
    const std::string real = try_cast(x, name_of(to));
    return "kedge_extreme(" + x + ") AND ((isinf(" + real + ") AND NOT contains(lower(" + x +
           "), 'inf')) OR (" + real + " = 0 AND regexp_matches(" + x + ", '^[^eE]*[1-9]')))";
  }
  if (to.kind == TypeKind::Date) {
    const std::string moment = try_cast(x, "TIMESTAMP");
    return "length(" + x + ") > 10 AND (" + moment + " IS DISTINCT FROM " +
           try_cast(try_cast(x, "DATE"), "TIMESTAMP") + " OR (" + moment +
           " IS NULL AND contains(" + x + ", ':')))";
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
  if (to.kind ==
      TypeKind::Interval) {  // a plus, which postgres writes behind a minus, is not known
    return as("replace(" + x + ", '+', '')", type);
  }
  if (to.kind == TypeKind::Timestamp) {
    return "CASE WHEN kedge_zoned(" + x + ") THEN " +
           as("(" + as(x, "TIMESTAMPTZ") + " AT TIME ZONE 'UTC')", type) + " ELSE " + as(x, type) +
           " END";
  }
  return as(x, type);
}

Conversion from_text(const std::string& x, const Type& to) {
  if (is_text(to.kind)) {
    return {x, ""};
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

Conversion leaf(const std::string& x, const Type& from, const Type& to) {
  if (is_text(from.kind)) {
    return from_text(x, to);
  }
  if (name_of(from) == name_of(to)) {
    return {x, ""};
  }
  const std::string loss = typed_loss(x, from, to);
  const std::string value = typed_value(x, from, to, false);
  const std::string failure = typed_value(x, from, to, true) + " IS NULL";
  if (loss.empty()) {
    return {value, x + " IS NOT NULL AND " + failure};
  }
  return {"CASE WHEN " + x + " IS NOT NULL AND " + loss +
              " THEN error('the value would be rounded') ELSE " + value + " END",
          x + " IS NOT NULL AND (" + failure + " OR " + loss + ")"};
}

Conversion part(const std::string& x, const Type& from, const Type& to, int depth);

// The parts of a list, converted one by one; `list` is a SQL expression of that list.
Conversion each(const std::string& list, const Type& from, const Type& to, int depth) {
  const std::string one = "kedge_" + std::to_string(depth);
  const Conversion element = part(one, from, to, depth + 1);
  if (element.value == one && element.failure.empty()) {
    return {list, ""};
  }
  const auto over = [&](const std::string& function, const std::string& body) {
    return function + "(" + list + ", lambda " + one + ": " + body + ")";
  };
  return {over("list_transform", element.value),
          element.failure.empty()
              ? ""
              : "coalesce(len(" + over("list_filter", "coalesce(" + element.failure + ", false)") +
                    "), 0) > 0"};
}

std::string unless_null(const std::string& x, const std::string& value) {
  return "CASE WHEN " + x + " IS NULL THEN NULL ELSE " + value + " END";
}

Conversion map_parts(const std::string& x, const Type& from, const Type& to, int depth) {
  const Conversion keys = each("map_keys(" + x + ")", from.element.at(0), to.element.at(0), depth);
  const Conversion values =
      each("map_values(" + x + ")", from.element.at(1), to.element.at(1), depth);
  const bool either = keys.failure.empty() || values.failure.empty();
  return {unless_null(x, "map(" + keys.value + ", " + values.value + ")"),
          keys.failure + (either ? "" : " OR ") + values.failure};
}

// Fields by name. One that is not there cannot be told from one that is empty, so it is refused.
Conversion struct_parts(const std::string& x, const Type& from, const Type& to, int depth) {
  std::string list;
  std::string failure;
  const auto fails = [&](const std::string& condition) {
    failure += (failure.empty() || condition.empty() ? "" : " OR ") + condition;
  };
  for (std::size_t i = 0; i < to.element.size(); ++i) {
    const auto found = std::find(from.labels.begin(), from.labels.end(), to.labels.at(i));
    const std::string field = quote_name(to.labels[i]);
    Conversion value{"CAST(error('there is no such field') AS " + name_of(to.element[i]) + ")",
                     x + " IS NOT NULL"};
    if (found != from.labels.end()) {
      const auto at = static_cast<std::size_t>(found - from.labels.begin());
      value = part(x + "." + field, from.element.at(at), to.element[i], depth);
    }
    list += (list.empty() ? "" : ", ") + field + " := " + value.value;
    fails(value.failure.empty() ? "" : "(" + value.failure + ")");
  }
  return {unless_null(x, "struct_pack(" + list + ")"), failure};
}

// A value of a nested type, or one of its parts.
Conversion part(const std::string& x, const Type& from, const Type& to, int depth) {
  if (name_of(from) == name_of(to)) {
    return {x, ""};
  }
  if (!is_nested(to) || from.kind != to.kind || from.element.empty() || to.element.empty()) {
    return leaf(x, from, to);
  }
  switch (static_cast<int>(to.kind)) {
    case static_cast<int>(TypeKind::Array):
      return each(x, from.element[0], to.element[0], depth);
    case static_cast<int>(TypeKind::Map):
      return map_parts(x, from, to, depth);
    default:
      return struct_parts(x, from, to, depth);
  }
}

// The shape of a nested type as kedge_nested() takes it.
std::string shape_of(const Type& type) {
  if (type.kind == TypeKind::Array) {
    return "l" + shape_of(type.element.at(0));
  }
  if (type.kind == TypeKind::Map) {
    return "m" + shape_of(type.element.at(1));
  }
  if (type.kind != TypeKind::Struct) {
    return type.kind == TypeKind::Json ? "j" : "t";
  }
  std::string shape = "s";
  for (std::size_t i = 0; i < type.element.size(); ++i) {
    const std::string& name = type.labels.at(i);
    shape += std::to_string(name.size()) + ":" + name + shape_of(type.element[i]);
  }
  return shape + ";";
}

Type with_texts(const Type& type) {
  return with_leaves(type, [](const Type&) { return contracts::duckdb_type("VARCHAR"); });
}

// A text as a nested value of texts, every digit kept; NULL where it has another shape. As JSON or
// as DuckDB writes them: only JSON's reading understands the escapes of JSON.
struct TextTree {
  std::string value;
  std::string ambiguous;  // true for a text that means two things; empty: there is none
};
TextTree tree_of(const std::string& x, const Type& to, TextForm form) {
  const std::string type = name_of(with_texts(to));
  // TRY_CAST would blank a part that it cannot read.
  const std::string own = "TRY(" + cast(x, type) + ")";
  if (form == TextForm::Duckdb) {
    return {own, ""};
  }
  const std::string json =
      try_cast("kedge_nested(" + x + ", " + quote_literal(shape_of(to)) + ")", type);
  const bool texts = has_leaf(to, [](const Type& leaf) {
    return is_text(leaf.kind) || leaf.kind == TypeKind::Json || leaf.kind == TypeKind::Enum ||
           leaf.kind == TypeKind::Blob;
  });
  return {"coalesce(" + json + ", " + own + ")",
          texts && form == TextForm::Any
              ? try_cast(own, name_of(to)) + " <> " + try_cast(json, name_of(to))
              : ""};
}

// The tree is made once: its parts are taken from a variable.
Conversion nested_from_text(const std::string& x, const Type& to, TextForm form) {
  const TextTree tree = tree_of(x, to, form);
  const std::string variable = "kedge_tree";
  const Conversion whole = part(variable, with_texts(to), to, 0);
  const auto with_tree = [&](const std::string& body) {
    return "list_transform([" + tree.value + "], lambda " + variable + ": " + body + ")[1]";
  };
  const std::string no_tree = x + " IS NOT NULL AND " + variable + " IS NULL";
  const std::string value =
      with_tree("CASE WHEN " + no_tree + " THEN error('the value has another shape') ELSE " +
                whole.value + " END");
  const std::string failure =
      with_tree("(" + no_tree + ")" +
                (whole.failure.empty() ? "" : " OR coalesce(" + whole.failure + ", false)"));
  if (tree.ambiguous.empty()) {
    return {cast(value, name_of(to)), failure};
  }
  return {"CASE WHEN " + tree.ambiguous + " THEN error('the text means two things') ELSE " +
              cast(value, name_of(to)) + " END",
          "(" + failure + ") OR coalesce(" + tree.ambiguous + ", false)"};
}

}  // namespace

Conversion convert(const std::string& column, const Type& from, const Type& to, TextForm form) {
  if (is_text(from.kind) && is_nested(to)) {
    return nested_from_text(column, to, form);
  }
  return part(column, from, to, 0);
}

}  // namespace kedge::pipeline
