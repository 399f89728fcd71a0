// Template nodes against their payloads (spec/templates.md 2.4-2.6).
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "metadata/check.h"
#include "metadata/types.h"

namespace kedge::metadata {
namespace {

std::string accessor_of(const std::string& name) {
  std::string out = "has" + name;
  out[3] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[3])));
  return out;
}

bool is_payload(const Object& object) {
  return object.kind == Object::Kind::Value ||
         (object.kind == Object::Kind::Projection && object.sources.empty());
}

bool has_accessor(const Field& field) {
  return field.is_array || (!is_number(field.type) && field.type != FieldType::Boolean);
}

class TemplateCheck {
 public:
  TemplateCheck(const Model& model, const Template& node, Diagnostics& diagnostics)
      : model_(model), node_(node), diagnostics_(diagnostics) {}

  void run() {
    payload(node_.payload_ref, "payloadRef");
    payload(node_.response_ref, "responseRef");
    const Object* object = find_object(model_, node_.payload_ref);
    if (object == nullptr) {
      return;
    }
    for (const std::string& slot : node_.required_slots) {
      if (!resolves(*object, slot)) {
        error("the required slot '" + slot + "' is not on '" + object->name + "'", "requiredSlots");
      }
    }
  }

 private:
  void error(const std::string& message, const std::string& attribute) {
    const auto at = node_.attributes.find(attribute);
    diagnostics_.error(codes::ERR_INVALID_TEMPLATE,
                       "template." + to_string(node_.kind) + " '" + node_.name + "': " + message,
                       at == node_.attributes.end() ? node_.place : at->second);
  }

  void payload(const std::string& reference, const std::string& attribute) {
    const Object* object = find_object(model_, reference);
    if (object != nullptr && !is_payload(*object)) {
      error("'" + object->name +
                "' is no payload: that is an object.value or a projection "
                "without source",
            attribute);
    }
  }

  bool resolves(const Object& root, const std::string& path) const {
    const Object* at = &root;
    const std::vector<std::string> segments = base::split(path, '.');
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (at == nullptr) {
        return false;
      }
      const Field* field = find_field(*at, segments[i]);
      if (field == nullptr) {
        return i + 1 == segments.size() && is_accessor(*at, segments[i]);
      }
      if (field->type == FieldType::Map) {
        return true;
      }
      at = field->type == FieldType::Object ? find_object(model_, field->object_ref) : nullptr;
    }
    return true;
  }

  static bool is_accessor(const Object& object, const std::string& name) {
    return std::any_of(object.fields.begin(), object.fields.end(), [&](const Field& field) {
      return has_accessor(field) && accessor_of(field.name) == name;
    });
  }

  const Model& model_;
  const Template& node_;
  Diagnostics& diagnostics_;
};

// A payload that declares both x and hasX.
void check_accessors(const Object& object, Diagnostics& diagnostics) {
  if (!is_payload(object)) {
    return;
  }
  for (const Field& field : object.fields) {
    const Field* shadow = find_field(object, accessor_of(field.name));
    if (shadow != nullptr && has_accessor(field)) {
      diagnostics.warning(codes::WARN_ACCESSOR_SHADOWED,
                          "'" + object.name + "." + shadow->name + "' hides the accessor that '" +
                              field.name + "' has anyway",
                          shadow->place);
    }
  }
}

}  // namespace

void check_templates(const Model& model, Diagnostics& diagnostics) {
  for (const Template& node : model.templates) {
    if (!node.is_abstract) {
      TemplateCheck(model, node, diagnostics).run();
    }
  }
  for (const Object& object : model.objects) {
    check_accessors(object, diagnostics);
  }
}

}  // namespace kedge::metadata
