// A list is json on mysql, and the engine does not make one of a value, or a value of one.
#include <fmt/format.h>

#include "migrate/mysql_conversions.h"

namespace kedge::migrate {
namespace {

using schema::Type;
using schema::TypeKind;

bool is_number(const Type& type) {
  return type.kind >= TypeKind::Int8 && type.kind <= TypeKind::Numeric;
}
bool is_time(const Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Time ||
         type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz;
}
// Whether a text is json already its owner alone knows: it stays what it is.
bool is_plain(const Type& type) {
  return is_number(type) || is_time(type) || type.kind == TypeKind::Boolean;
}

}  // namespace

std::string mysql_converted(const std::string& value, const Type& from, const Type& to) {
  if (is_plain(from) && to.kind == TypeKind::Json) {
    const std::string item = from.kind == TypeKind::Boolean
                                 ? fmt::format("IF({} = '0', 'false', 'true')", value)
                             : is_number(from) ? value
                                               : fmt::format("JSON_QUOTE({})", value);
    return fmt::format("CONCAT('[', {}, ']')", item);
  }
  if (from.kind == TypeKind::Json && is_plain(to)) {
    const std::string item = fmt::format("JSON_EXTRACT({}, '$[0]')", value);
    const std::string text =
        to.kind == TypeKind::Boolean
            ? fmt::format(
                  "CASE JSON_UNQUOTE({0}) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE "
                  "JSON_UNQUOTE({0}) END",
                  item)
            : fmt::format("JSON_UNQUOTE({})", item);
    return fmt::format(
        "CASE WHEN JSON_TYPE({0}) <> 'ARRAY' OR JSON_LENGTH({0}) > 1 THEN {0} WHEN "
        "JSON_TYPE({1}) <> 'NULL' THEN {2} END",
        value, item, text);
  }
  return "";
}

}  // namespace kedge::migrate
