#include "metadata/physical.h"

#include "base/text.h"
#include "dialect/dialect.h"

namespace kedge::metadata {

std::string Writer::quote(std::string_view name) const {
  return dialect::get_dialect(dialect_).quote(Identifier(name));
}

std::string Writer::quote(const schema::Name& name) const {
  const std::string table = quote(name.name.text());
  return name.schema.empty() ? table : quote(name.schema.text()) + "." + table;
}

std::string Writer::text(std::string_view text) const {
  return dialect::get_dialect(dialect_).literal(text);
}

std::string Writer::boolean(bool value) const {
  if (is_sqlite() || is_mysql()) {
    return value ? "1" : "0";
  }
  return value ? "TRUE" : "FALSE";
}

std::string Writer::value(const Field& field, const Scalar& value) const {
  const std::string written = to_text(value);
  switch (field.type) {
    case FieldType::Boolean:
      return boolean(written == "true" || written == "1");
    case FieldType::Int:
    case FieldType::Long:
    case FieldType::Float:
    case FieldType::Double:
    case FieldType::Decimal:
    case FieldType::Currency:
      return written;
    case FieldType::Enum:
      for (const auto& [member, number] : field.int_values) {
        if (member == written) {
          return std::to_string(number);
        }
      }
      return text(written);
    case FieldType::String:
    case FieldType::Date:
    case FieldType::Time:
    case FieldType::Timestamp:
    case FieldType::Uuid:
    case FieldType::Object:
    case FieldType::Map:
    case FieldType::Uri:
    case FieldType::Inet:
    case FieldType::Bytes:
      return text(written);
  }
  return text(written);
}

bool Writer::is_too_long(std::string_view name) const {
  if (is_postgres()) {
    return name.size() > 63;
  }
  return is_mysql() && base::count_code_points(name) > 64;
}

std::string Writer::limit_words() const {
  return is_mysql() ? "64 characters" : "63 bytes";
}

std::string Writer::fit(const std::string& name) const {
  if (!is_too_long(name)) {
    return name;
  }
  return std::string(base::truncate_utf8(name, 54)) + "_" + base::sha256_hex(name).substr(0, 8);
}

}  // namespace kedge::metadata
