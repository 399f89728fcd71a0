#include "base/text.h"
#include "metadata/check.h"
#include "metadata/field_default.h"

namespace kedge::metadata {
namespace {

// Types that can be compared with one another have one class.
enum class Comparable { Numbers, Texts, Days, Others };
Comparable comparable(const Field& field) {
  switch (field.type) {
    case FieldType::Int:
    case FieldType::Long:
    case FieldType::Float:
    case FieldType::Double:
    case FieldType::Decimal:
    case FieldType::Currency:
      return Comparable::Numbers;
    case FieldType::Enum:
      return field.int_values.empty() ? Comparable::Texts : Comparable::Numbers;
    case FieldType::String:
    case FieldType::Uri:
      return Comparable::Texts;
    case FieldType::Date:
    case FieldType::Timestamp:
      return Comparable::Days;
    case FieldType::Boolean:
    case FieldType::Time:
    case FieldType::Uuid:
    case FieldType::Object:
    case FieldType::Map:
    case FieldType::Inet:
    case FieldType::Bytes:
      return Comparable::Others;
  }
  return Comparable::Others;
}

class ValidatorCheck {
 public:
  ValidatorCheck(const Object& object, Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void object_level(const Validator& validator) {
    for (const std::string* name :
         {&validator.left, &validator.right, &validator.field, &validator.when}) {
      if (!name->empty()) {
        known(*name, validator);
      }
    }
    for (const std::string& name : validator.fields) {
      known(name, validator);
    }
    comparison(validator);
    const Field* when = validator.when.empty() ? nullptr : find_field(object_, validator.when);
    if (when != nullptr && !std::holds_alternative<std::monostate>(validator.equals)) {
      const std::string problem = literal_problem(*when, to_text(validator.equals));
      if (!problem.empty()) {
        bad(validator, "'@equals' " + problem);
      }
    }
  }

  void field_level(const Field& field, const Validator& validator) {
    const bool numbers = comparable(field) == Comparable::Numbers && field.type != FieldType::Enum;
    const bool texts = field.type == FieldType::String || field.type == FieldType::Uri;
    if (validator.kind == Validator::Kind::Numeric && !numbers) {
      bad(validator, "validator.numeric is for number fields, not for '" + field.name + "'");
    }
    if ((validator.kind == Validator::Kind::Length || validator.kind == Validator::Kind::Regex) &&
        !texts) {
      bad(validator,
          "validator." +
              std::string(validator.kind == Validator::Kind::Length ? "length" : "regex") +
              " is for string fields, not for '" + field.name + "'");
    }
    if ((validator.kind == Validator::Kind::Numeric || validator.kind == Validator::Kind::Length) &&
        validator.minimum.empty() && validator.maximum.empty()) {
      bad(validator, "the validator of '" + field.name + "' has neither '@min' nor '@max'");
    }
  }

 private:
  void bad(const Validator& validator, const std::string& message) {
    diagnostics_.error(codes::ERR_BAD_ATTR_VALUE, "'" + object_.name + "': " + message,
                       validator.place);
  }

  // Some engines refuse a CHECK that compares a number with a text, the others compare nothing
  // sensible. What a field's own type in the database makes of it is not known here.
  void comparison(const Validator& validator) {
    const Field* left = validator.left.empty() ? nullptr : find_field(object_, validator.left);
    const Field* right = validator.right.empty() ? nullptr : find_field(object_, validator.right);
    const auto is_plain = [](const Field* field) {
      return field != nullptr && !field->is_array && field->column_type.empty() &&
             field->db_type.empty();
    };
    if (!is_plain(left) || !is_plain(right)) {
      return;
    }
    const bool fits = comparable(*left) == comparable(*right) &&
                      (comparable(*left) != Comparable::Others || left->type == right->type);
    if (!fits) {
      bad(validator, "'" + left->name + "' is of type " + to_string(left->type) + " and '" +
                         right->name + "' of type " + to_string(right->type) +
                         ": they cannot be compared");
    }
  }

  void known(const std::string& name, const Validator& validator) {
    if (find_field(object_, name) != nullptr) {
      return;
    }
    std::vector<std::string> names;
    for (const Field& field : object_.fields) {
      names.push_back(field.name);
    }
    bad(validator, "a validator names the field '" + name + "', which does not exist" +
                       base::did_you_mean(name, names));
  }

  const Object& object_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_validators(const Model& model, Diagnostics& diagnostics) {
  for (const Object& object : model.objects) {
    ValidatorCheck check(object, diagnostics);
    for (const Validator& validator : object.validators) {
      check.object_level(validator);
    }
    for (const Field& field : object.fields) {
      for (const Validator& validator : field.validators) {
        check.field_level(field, validator);
      }
    }
  }
}

}  // namespace kedge::metadata
