#include <cstdlib>

#include "base/text.h"
#include "metadata/check.h"
#include "metadata/field_default.h"
#include "metadata/types.h"

namespace kedge::metadata {
namespace {

// Types that can be compared with one another have one class.
enum class Comparable { Numbers, Texts, Days, Others };
Comparable comparable(const Field& field) {
  const FieldType type = field.type;
  if (is_number(type) || (type == FieldType::Enum && !field.int_values.empty())) {
    return Comparable::Numbers;
  }
  if (type == FieldType::Enum || type == FieldType::String || type == FieldType::Uri) {
    return Comparable::Texts;
  }
  return type == FieldType::Date || type == FieldType::Timestamp ? Comparable::Days
                                                                 : Comparable::Others;
}

// What no engine's regular expressions take: an end in the middle of a group, a class or an escape.
std::string pattern_problem(std::string_view pattern) {
  if (pattern.starts_with("***") || pattern.find("\\Q") != std::string_view::npos) {
    return {};  // taken literally, as a whole or in part
  }
  int groups = 0;
  std::size_t set = 0;  // where a class begins, from 1
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      if (++i == pattern.size()) {
        return "ends in the middle of an escape";
      }
    } else if (set != 0) {
      const bool first = i == set || (i == set + 1 && pattern[set] == '^');
      set = c == ']' && !first ? 0 : set;
    } else if (c == '[') {
      set = i + 1;
    } else {
      groups += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    if (groups < 0) {
      return "closes a group that it did not open";
    }
  }
  return set != 0      ? "opens a class that it does not close"
         : groups != 0 ? "opens a group that it does not close"
                       : "";
}

bool is_above(const std::string& minimum, const std::string& maximum) {
  const auto number = [](const std::string& text) { return std::strtold(text.c_str(), nullptr); };
  return !minimum.empty() && !maximum.empty() && number(minimum) > number(maximum);
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
    const bool numbers = is_number(field.type);
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
    if (is_above(validator.minimum, validator.maximum)) {
      bad(validator, "the validator of '" + field.name + "' lets nothing through: '@min' is " +
                         validator.minimum + ", '@max' " + validator.maximum);
    }
    if (validator.kind == Validator::Kind::Regex) {
      const std::string problem = pattern_problem(validator.pattern);
      if (!problem.empty()) {
        bad(validator,
            "the pattern '" + validator.pattern + "' of '" + field.name + "' " + problem);
      }
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
