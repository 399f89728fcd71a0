#include "base/text.h"
#include "metadata/check.h"
#include "metadata/field_default.h"

namespace kedge::metadata {
namespace {

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
    const Field* when = validator.when.empty() ? nullptr : find_field(object_, validator.when);
    if (when != nullptr && !std::holds_alternative<std::monostate>(validator.equals)) {
      const std::string problem = literal_problem(*when, to_text(validator.equals));
      if (!problem.empty()) {
        bad(validator, "'@equals' " + problem);
      }
    }
  }

  void field_level(const Field& field, const Validator& validator) {
    const bool numbers = field.type == FieldType::Int || field.type == FieldType::Long ||
                         field.type == FieldType::Float || field.type == FieldType::Double ||
                         field.type == FieldType::Decimal || field.type == FieldType::Currency;
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
