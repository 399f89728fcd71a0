// A payload against its declared shape. Recursion is bounded by the payload's own depth, which the
// reader limits.
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "templates/render.h"

namespace kedge::templates {
namespace {

using document::Kind;
using document::Node;

std::string escaped_pointer(std::string_view key) {
  return base::replace_all(base::replace_all(std::string(key), "~", "~0"), "/", "~1");
}

std::string kind_name(const Node& value) {
  switch (value.kind) {
    case Kind::Null:
      return "null";
    case Kind::Boolean:
      return "a boolean";
    case Kind::Integer:
      return "an integer";
    case Kind::Float:
      return "a number";
    case Kind::String:
      return "a string";
    case Kind::Sequence:
      return "a list";
    case Kind::Mapping:
      return "an object";
  }
  return "";
}

bool is_number_text(std::string_view text) {
  double value = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return !text.empty() && result.ec != std::errc::invalid_argument &&
         result.ptr == text.data() + text.size();
}

class PayloadChecker {
 public:
  PayloadChecker(const PayloadType& type, const RenderOptions& options)
      : type_(type), options_(options) {}

  std::vector<PayloadProblem> run(const Node& payload) {
    object(payload, type_.root_object(), "");
    return std::move(problems_);
  }

 private:
  void add(const std::string& pointer, std::string reason) {
    problems_.push_back({pointer, std::move(reason)});
  }

  void object(const Node& value, const PayloadObject& shape, const std::string& pointer) {
    if (!value.is_mapping()) {
      add(pointer, "an object is expected, not " + kind_name(value));
      return;
    }
    for (const PayloadField& field : shape.fields) {
      const Node* member = value.find(field.name);
      const std::string at = pointer + "/" + escaped_pointer(field.name);
      if (member != nullptr) {
        check(*member, field, at);
      } else if (field.required) {
        add(at, "required field is missing");
      }
    }
    if (options_.strict_payload) {
      for (const document::Entry& entry : value.entries) {
        if (shape.find(entry.key.text) == nullptr) {
          add(pointer + "/" + escaped_pointer(entry.key.text), "unknown key");
        }
      }
    }
  }

  void check(const Node& value, const PayloadField& field, const std::string& pointer) {
    if (value.kind == Kind::Null) {
      if (field.required) {
        add(pointer, "null in a required field");
      }
    } else if (!field.is_list) {
      element(value, field, pointer);
    } else if (!value.is_sequence()) {
      add(pointer, "a list is expected, not " + kind_name(value));
    } else {
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        element(value.items[i], field, pointer + "/" + std::to_string(i));
      }
    }
  }

  void element(const Node& value, const PayloadField& field, const std::string& pointer) {
    if (value.is_sequence()) {
      add(pointer, "a list is not expected");
      return;
    }
    switch (field.shape) {
      case FieldShape::Object:
        object(value, type_.objects[field.object], pointer);
        break;
      case FieldShape::Map:
        if (!value.is_mapping()) {
          add(pointer, "an object is expected, not " + kind_name(value));
        }
        break;
      case FieldShape::Boolean:
        if (value.kind != Kind::Boolean) {
          add(pointer, "true or false is expected, not " + kind_name(value));
        }
        break;
      case FieldShape::Number:
        number(value, field, pointer);
        break;
      case FieldShape::Text:
        text(value, field, pointer);
        break;
      case FieldShape::Unknown:
        break;
    }
  }

  void number(const Node& value, const PayloadField& field, const std::string& pointer) {
    const bool whole =
        field.subtype == "int" || field.subtype == "long" || field.subtype == "currency";
    if (field.subtype == "decimal" && value.is_string()) {
      if (!is_number_text(value.text)) {
        add(pointer, "a decimal is expected, not this text");
      }
    } else if (value.kind != Kind::Integer && value.kind != Kind::Float) {
      add(pointer, "a number is expected, not " + kind_name(value));
    } else if (whole) {
      integer(value, field, pointer);
    } else if (const double read = value.as_number().value_or(0); read - read != 0) {
      add(pointer, "the number is not finite");
    }
  }

  void integer(const Node& value, const PayloadField& field, const std::string& pointer) {
    if (value.kind != Kind::Integer) {
      add(pointer, "a whole number is expected");
      return;
    }
    const std::optional<std::int64_t> read = value.as_integer();
    const bool small = field.subtype == "int";
    if (!read || (small && (*read < std::numeric_limits<std::int32_t>::min() ||
                            *read > std::numeric_limits<std::int32_t>::max()))) {
      add(pointer, "the integer is out of range for " + field.subtype);
    }
  }

  void text(const Node& value, const PayloadField& field, const std::string& pointer) {
    if (!value.is_string()) {
      add(pointer, "a string is expected, not " + kind_name(value));
      return;
    }
    if (!field.values.empty() &&
        std::find(field.values.begin(), field.values.end(), value.text) == field.values.end()) {
      add(pointer, "the value is not one of " + base::join(field.values, ", "));
    }
    if (field.max_length &&
        base::count_code_points(value.text) > static_cast<std::size_t>(*field.max_length)) {
      add(pointer, "the string is longer than " + std::to_string(*field.max_length));
    }
  }

  const PayloadType& type_;
  const RenderOptions& options_;
  std::vector<PayloadProblem> problems_;
};

}  // namespace

std::vector<PayloadProblem> check_payload(const Node& payload, const PayloadType& type,
                                          const RenderOptions& options) {
  return PayloadChecker(type, options).run(payload);
}

}  // namespace kedge::templates
