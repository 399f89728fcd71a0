// The USING of type changes on postgres, and the functions it needs while the plan runs.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "migrate/postgres_emission.h"

namespace kedge::migrate {
namespace {

using schema::Type;
using schema::TypeKind;

constexpr std::string_view kArrayToScalar = "kedge_array_to_scalar";
constexpr std::string_view kJsonToTextArray = "kedge_json_to_text_array";

bool is_text(TypeKind kind) {
  return kind == TypeKind::Text || kind == TypeKind::Char;
}
bool is_number(TypeKind kind) {
  return kind >= TypeKind::Int8 && kind <= TypeKind::Numeric;
}
bool is_time(TypeKind kind) {
  return kind == TypeKind::Date || kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz;
}

// A value is converted to what a domain is made of; the assignment then checks the domain.
const Type& base_of(const Type& type) {
  return type.kind == TypeKind::Domain && !type.element.empty() ? base_of(type.element.front())
                                                                : type;
}

// What an array holds. Where only its spelling is known, that is all there is to go by.
Type element_of(const Type& array) {
  if (!array.element.empty()) {
    return base_of(array.element.front());
  }
  Type native;
  native.kind = TypeKind::Native;
  native.native = array.native.substr(0, array.native.find('['));
  return native;
}

// Conversions postgres makes on assignment, without being asked. To text always so: a cast to
// varchar(n) that is written out cuts what is too long, an assignment refuses it.
bool assigns(const Type& from, const Type& to) {
  if (is_text(to.kind)) {
    return from.kind != TypeKind::Array;
  }
  return (is_number(from.kind) && is_number(to.kind)) || (is_time(from.kind) && is_time(to.kind)) ||
         (from.kind == to.kind && from.kind != TypeKind::Enum && from.kind != TypeKind::Native &&
          from.kind != TypeKind::Array && from.kind != TypeKind::Bit);
}

bool passes_text(const Type& from, const Type& to) {
  return from.kind == TypeKind::Enum || to.kind == TypeKind::Enum || from.kind == TypeKind::Native;
}

// The value as something that can be assigned to `to`; neither is an array.
std::string scalar(const Emission& e, const std::string& value, const Type& from, const Type& to) {
  if (assigns(from, to)) {
    return value;
  }
  const std::string target = e.ddl.type(to);
  if (from.kind == TypeKind::Boolean && is_number(to.kind)) {
    return fmt::format("{}::integer::{}", value, target);
  }
  if (is_number(from.kind) && to.kind == TypeKind::Boolean) {
    return value + " <> 0";
  }
  return fmt::format("{}{}::{}", value, passes_text(from, to) ? "::text" : "", target);
}

std::string elements(const Emission& e, const std::string& value, const Type& from,
                     const Type& to) {
  const Type before = element_of(from);
  const Type after = element_of(to);
  if (assigns(before, after)) {
    return value;
  }
  return fmt::format("{}{}::{}", value, passes_text(before, after) ? "::text[]" : "",
                     e.ddl.type(to));
}

schema::Name helper(const schema::Name& table, std::string_view name) {
  return {table.schema, Identifier(std::string(name))};
}

std::string body_of(const schema::Name& function) {
  if (function.name.text() == kArrayToScalar) {
    return "(value anyarray) RETURNS anyelement LANGUAGE plpgsql AS $$\n"
           "BEGIN\n"
           "  IF cardinality(value) > 1 THEN\n"
           "    RAISE EXCEPTION 'array % has more than one element', value\n"
           "      USING ERRCODE = 'data_exception';\n"
           "  END IF;\n"
           "  RETURN (SELECT item FROM unnest(value) AS items(item));\n"
           "END\n"
           "$$";
  }
  return "(value json) RETURNS text[] LANGUAGE plpgsql AS $$\n"
         "BEGIN\n"
         "  IF json_typeof(value) <> 'array' THEN\n"
         "    RAISE EXCEPTION 'JSON value % is not an array', value\n"
         "      USING ERRCODE = 'data_exception';\n"
         "  END IF;\n"
         "  IF value IS NULL THEN\n"
         "    RETURN NULL;\n"
         "  END IF;\n"
         "  RETURN ARRAY(SELECT item FROM json_array_elements_text(value)\n"
         "    WITH ORDINALITY AS items(item, place) ORDER BY place);\n"
         "END\n"
         "$$";
}

}  // namespace

std::string using_clause(const Emission& e, PostgresPlanParts& parts,
                         const change::ChangeColumnType& c) {
  const Type& from = base_of(c.before.type);
  const Type& to = base_of(c.after.type);
  const std::string column = e.ddl.quote(c.after.name);
  const bool was_array = from.kind == TypeKind::Array;
  const bool is_array = to.kind == TypeKind::Array;
  const auto call = [&](std::string_view name, const std::string& value) {
    const schema::Name function = helper(c.table, name);
    parts.helpers.insert(function);
    return e.ddl.name(function) + "(" + value + ")";
  };
  std::string value;
  if (was_array && to.kind == TypeKind::Json) {
    value = "to_jsonb(" + column + ")" + (base::to_lower(e.ddl.type(to)) == "json" ? "::json" : "");
  } else if (was_array && is_array) {
    value = elements(e, column, from, to);
  } else if (was_array) {
    value = scalar(e, call(kArrayToScalar, column), element_of(from), to);
  } else if (is_array && from.kind == TypeKind::Json) {
    Type texts;
    texts.kind = TypeKind::Array;
    texts.element.resize(1);
    texts.element.front().kind = TypeKind::Text;
    value = elements(e, call(kJsonToTextArray, column + "::json"), texts, to);
  } else if (is_array) {
    value = fmt::format("CASE WHEN {0} IS NULL THEN NULL ELSE ARRAY[{1}] END", column,
                        scalar(e, column, from, element_of(to)));
  } else {
    value = scalar(e, column, from, to);
  }
  return value == column ? "" : " USING " + value;
}

void emit_postgres_helpers(Emission& e, const PostgresPlanParts& parts) {
  // A label commits alone, and with it all that stands before: a function made there would stay
  // behind when the rest fails.
  const bool labels = std::any_of(e.changes.begin(), e.changes.end(), [](const Change& one) {
    return std::holds_alternative<change::AlterEnum>(one);
  });
  for (const schema::Name& function : parts.helpers) {
    const std::string name = e.ddl.name(function);
    e.draft.add({labels ? stage::kType : stage::kNamespace, 1, to_string(function)},
                "CREATE FUNCTION " + name + body_of(function));
    const bool scalar_made = function.name.text() == kArrayToScalar;
    e.draft.add({stage::kClose, 0, to_string(function)},
                "DROP FUNCTION " + name + (scalar_made ? "(anyarray)" : "(json)"));
  }
}

}  // namespace kedge::migrate
