#include <algorithm>
#include <array>
#include <charconv>

#include "base/overloaded.h"
#include "kedge/metadata.h"

namespace kedge::metadata {
namespace {

constexpr std::array<std::pair<FieldType, std::string_view>, 18> kFieldTypes{{
    {FieldType::String, "string"},
    {FieldType::Int, "int"},
    {FieldType::Long, "long"},
    {FieldType::Float, "float"},
    {FieldType::Double, "double"},
    {FieldType::Decimal, "decimal"},
    {FieldType::Boolean, "boolean"},
    {FieldType::Date, "date"},
    {FieldType::Time, "time"},
    {FieldType::Timestamp, "timestamp"},
    {FieldType::Currency, "currency"},
    {FieldType::Uuid, "uuid"},
    {FieldType::Enum, "enum"},
    {FieldType::Object, "object"},
    {FieldType::Map, "map"},
    {FieldType::Uri, "uri"},
    {FieldType::Inet, "inet"},
    {FieldType::Bytes, "bytes"},
}};

// The shortest digits that read back as the value, without an exponent.
std::string text_of(double value) {
  std::array<char, 512> text;  // 1.8e308 and 5e-324 fit
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), end.ptr};
}

}  // namespace

std::string to_text(const Scalar& scalar) {
  return std::visit(
      base::Overloaded{[](std::monostate) { return std::string(); },
                       [](bool value) { return std::string(value ? "true" : "false"); },
                       [](std::int64_t value) { return std::to_string(value); },
                       [](double value) { return text_of(value); },
                       [](const std::string& value) { return value; }},
      scalar);
}

std::string to_string(FieldType type) {
  for (const auto& [known, name] : kFieldTypes) {
    if (known == type) {
      return std::string(name);
    }
  }
  return {};
}

std::optional<FieldType> find_field_type(std::string_view name) {
  for (const auto& [type, known] : kFieldTypes) {
    if (known == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string to_string(Object::Kind kind) {
  switch (kind) {
    case Object::Kind::Entity:
      return "entity";
    case Object::Kind::Value:
      return "value";
    case Object::Kind::Projection:
      return "projection";
    case Object::Kind::Report:
      return "report";
  }
  return {};
}

std::string to_string(Template::Kind kind) {
  switch (kind) {
    case Template::Kind::Prompt:
      return "prompt";
    case Template::Kind::Output:
      return "output";
    case Template::Kind::Toolcall:
      return "toolcall";
  }
  return {};
}

const Object* find_object(const Model& model, std::string_view qualified_name) {
  const auto found = model.object_index.find(qualified_name);
  return found == model.object_index.end() ? nullptr : &model.objects[found->second];
}

const Field* find_field(const Object& object, std::string_view name) {
  const auto found = std::find_if(object.fields.begin(), object.fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == object.fields.end() ? nullptr : &*found;
}

const Identity* find_primary(const Object& object) {
  const auto found = std::find_if(
      object.identities.begin(), object.identities.end(),
      [](const Identity& identity) { return identity.kind == Identity::Kind::Primary; });
  return found == object.identities.end() ? nullptr : &*found;
}

const Source* primary_source(const Object& object) {
  const auto found = std::find_if(object.sources.begin(), object.sources.end(),
                                  [](const Source& source) { return !source.replica; });
  return found == object.sources.end() ? nullptr : &*found;
}

bool LoadResult::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.is_error(); });
}

}  // namespace kedge::metadata
