#include "codegen/payload_shape.h"

#include <map>

#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using metadata::FieldType;
using templates::FieldShape;

FieldShape shape_of(FieldType type) {
  switch (type) {
    case FieldType::Int:
    case FieldType::Long:
    case FieldType::Float:
    case FieldType::Double:
    case FieldType::Decimal:
    case FieldType::Currency:
      return FieldShape::Number;
    case FieldType::Boolean:
      return FieldShape::Boolean;
    case FieldType::Object:
      return FieldShape::Object;
    case FieldType::Map:
      return FieldShape::Map;
    case FieldType::String:
    case FieldType::Date:
    case FieldType::Time:
    case FieldType::Timestamp:
    case FieldType::Uuid:
    case FieldType::Enum:
    case FieldType::Uri:
    case FieldType::Inet:
    case FieldType::Bytes:
      break;
  }
  return FieldShape::Text;
}

// Breadth first with an explicit list, so recursion of the types is no recursion here.
class Builder {
 public:
  explicit Builder(const metadata::Model& model) : model_(model) {}

  templates::PayloadType run(std::string_view root) {
    type_.root = add(root);
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      fill(i);
    }
    return std::move(type_);
  }

 private:
  std::size_t add(std::string_view name) {
    const auto [found, added] = index_.emplace(std::string(name), type_.objects.size());
    if (added) {
      const metadata::Object* object = metadata::find_object(model_, name);
      if (object == nullptr) {
        throw Error(codes::ERR_INVALID_TEMPLATE,
                    "there is no payload object '" + std::string(name) + "'");
      }
      type_.objects.push_back({object->qualified_name, {}});
      pending_.push_back(object);
    }
    return found->second;
  }

  void fill(std::size_t index) {
    for (const metadata::Field& field : pending_[index]->fields) {
      templates::PayloadField payload;
      payload.name = field.name;
      payload.shape = shape_of(field.type);
      payload.is_list = field.is_array;
      payload.required = field.required;
      payload.subtype = metadata::to_string(field.type);
      payload.values = field.values;
      payload.max_length = field.max_length;
      if (payload.shape == FieldShape::Object) {
        payload.object = add(field.object_ref);
      }
      type_.objects[index].fields.push_back(std::move(payload));
    }
  }

  const metadata::Model& model_;
  templates::PayloadType type_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<const metadata::Object*> pending_;
};

}  // namespace

templates::PayloadType payload_of(const metadata::Model& model, std::string_view qualified_name) {
  return Builder(model).run(qualified_name);
}

}  // namespace kedge::codegen
