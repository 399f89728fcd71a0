// CHECK constraints of enums and validators (spec/metadata.md 3.5, 4.6).
#include <algorithm>

#include "base/text.h"
#include "metadata/check_text.h"
#include "metadata/expected_table.h"
#include "metadata/filter_sql.h"

namespace kedge::metadata {
namespace {

class CheckBuilder {
 public:
  CheckBuilder(const Model& model, const Object& object, const schema::Table& table,
               const ColumnMap& columns, const Writer& writer, Diagnostics& diagnostics)
      : model_(model),
        object_(object),
        table_(table),
        columns_(columns),
        writer_(writer),
        diagnostics_(diagnostics) {}

  std::vector<schema::Check> run() {
    for (const PhysicalColumn& column : columns_.columns()) {
      column_checks(column);
    }
    std::vector<const Object*> owners = subtypes_of(model_, object_);
    owners.insert(owners.begin(), &object_);
    std::set<std::string> folded;
    for (const Object* owner : owners) {
      for (const Validator& validator : owner->validators) {
        const std::string key = validator.place.where.file + ":" + validator.place.pointer;
        if (validator.enforce && folded.insert(key).second) {
          object_check(*owner, validator);
        }
      }
    }
    if (model_.settings.tph_required_checks) {
      required_in_subtypes();
    }
    return std::move(checks_);
  }

 private:
  std::string quoted(const std::string& name) const { return writer_.quote(name); }

  // Both engines of this dialect refuse a CHECK that names the column they count.
  bool may_name(const PhysicalColumn& column, const Place& rule) {
    const schema::Column* counted =
        writer_.is_mysql() ? find_column(table_, Identifier(column.name)) : nullptr;
    if (counted == nullptr || !counted->identity ||
        counted->identity->kind == schema::Identity::Kind::Uuid) {
      return true;
    }
    diagnostics_.error(
        codes::ERR_CHECK_UNSUPPORTED,
        "a rule of '" + object_.name + "' names '" + column.field->name +
            "', which the database counts: on mysql no CHECK can name an "
            "AUTO_INCREMENT column",
        rule, "write enforce: false on the rule, or leave '" + column.field->name + "' out of it");
    return false;
  }

  void add(const std::string& tail, std::string expression, Identifier column = {},
           std::vector<std::string> members = {}) {
    const std::string stem = table_.name.name.text() + "_" + tail;
    const std::string name = writer_.fit(stem);
    const int count = ++names_[name];
    schema::Check check;
    check.name = Identifier(count == 1 ? name : writer_.fit(stem + "_" + std::to_string(count)));
    check.expression = std::move(expression);
    check.column = std::move(column);
    check.members = std::move(members);
    checks_.push_back(std::move(check));
  }

  void column_checks(const PhysicalColumn& column) {
    const Field& field = *column.field;
    if (field.type == FieldType::Enum) {
      enumeration(column);
    }
    if (field.is_array) {
      return;
    }
    for (const Validator& validator : field.validators) {
      const bool gives_check = validator.kind == Validator::Kind::Numeric ||
                               validator.kind == Validator::Kind::Length ||
                               validator.kind == Validator::Kind::Regex;
      if (!gives_check || !validator.enforce || !may_name(column, validator.place)) {
        continue;
      }
      if (validator.kind == Validator::Kind::Numeric) {
        add(column.name + "_numeric_chk",
            range_text(quoted(column.name), validator.minimum, validator.maximum));
      } else if (validator.kind == Validator::Kind::Length) {
        add(column.name + "_length_chk",
            range_text(length_text(writer_, column.name), validator.minimum, validator.maximum));
      } else {
        const std::string text = regex_text(writer_, column.name, validator.pattern);
        if (!text.empty()) {
          add(column.name + "_regex_chk", text);
        }
      }
    }
  }

  void enumeration(const PhysicalColumn& column) {
    const Field& field = *column.field;
    std::vector<std::string> written;
    std::vector<std::string> members;
    for (const std::string& member : field.values) {
      written.push_back(writer_.value(field, member));
      const bool number = !field.int_values.empty();
      members.push_back(number ? written.back() : member);
    }
    if (written.empty()) {
      return;
    }
    if (field.is_array) {
      if (model_.settings.array_enum_checks && writer_.is_postgres()) {
        add(column.name + "_chk",
            quoted(column.name) + " <@ ARRAY[" + base::join(written, ", ") + "]::text[]");
      }
      return;
    }
    add(column.name + "_chk", quoted(column.name) + " IN (" + base::join(written, ", ") + ")",
        Identifier(column.name), std::move(members));
  }

  void object_check(const Object& owner, const Validator& validator) {
    switch (validator.kind) {
      case Validator::Kind::Comparison:
        return comparison(owner, validator);
      case Validator::Kind::RequiredWhen:
        return required_when(owner, validator);
      case Validator::Kind::PresentIff:
        return present_iff(owner, validator);
      case Validator::Kind::AtLeastOne:
        return at_least_one(owner, validator);
      case Validator::Kind::Required:
      case Validator::Kind::Numeric:
      case Validator::Kind::Length:
      case Validator::Kind::Regex:
      case Validator::Kind::Array:
      case Validator::Kind::Base:
        return;
    }
  }

  // The column of a field that a rule names; none where it has no column or must not be named.
  const PhysicalColumn* named(const Object& owner, const std::string& field, const Place& rule) {
    const PhysicalColumn* column = columns_.find(owner, field);
    return column != nullptr && may_name(*column, rule) ? column : nullptr;
  }
  const PhysicalColumn* scalar(const Object& owner, const std::string& field, const Place& rule) {
    const PhysicalColumn* column = named(owner, field, rule);
    return column != nullptr && !column->field->is_array ? column : nullptr;
  }

  void comparison(const Object& owner, const Validator& validator) {
    const PhysicalColumn* left = scalar(owner, validator.left, validator.place);
    const PhysicalColumn* right = scalar(owner, validator.right, validator.place);
    if (left != nullptr && right != nullptr) {
      add(left->name + "_cmp_chk",
          quoted(left->name) + " " + sql_operator(validator.op) + " " + quoted(right->name));
    }
  }

  std::string distinct(const PhysicalColumn& when, const Scalar& equals) const {
    const std::string value = writer_.value(*when.field, equals);
    if (writer_.is_mysql()) {
      return "NOT (" + quoted(when.name) + " <=> " + value + ")";
    }
    return "(" + quoted(when.name) + (writer_.is_sqlite() ? " IS NOT " : " IS DISTINCT FROM ") +
           value + ")";
  }

  std::string same(const PhysicalColumn& when, const Scalar& equals) const {
    const std::string value = writer_.value(*when.field, equals);
    return "(" + quoted(when.name) +
           (writer_.is_mysql()    ? " <=> "
            : writer_.is_sqlite() ? " IS "
                                  : " IS NOT DISTINCT FROM ") +
           value + ")";
  }

  void required_when(const Object& owner, const Validator& validator) {
    const PhysicalColumn* field = named(owner, validator.field, validator.place);
    const PhysicalColumn* when = scalar(owner, validator.when, validator.place);
    if (field != nullptr && when != nullptr) {
      add(field->name + "_reqwhen_chk",
          distinct(*when, validator.equals) + " OR (" + quoted(field->name) + " IS NOT NULL)");
    }
  }

  void present_iff(const Object& owner, const Validator& validator) {
    const PhysicalColumn* field = named(owner, validator.field, validator.place);
    const PhysicalColumn* when = scalar(owner, validator.when, validator.place);
    if (field != nullptr && when != nullptr) {
      add(field->name + "_presentiff_chk",
          "(" + quoted(field->name) + " IS NOT NULL) = " + same(*when, validator.equals));
    }
  }

  void at_least_one(const Object& owner, const Validator& validator) {
    std::vector<std::string> parts;
    std::string first;
    for (const std::string& name : validator.fields) {
      if (const PhysicalColumn* column = named(owner, name, validator.place)) {
        parts.push_back(quoted(column->name) + " IS NOT NULL");
        first = first.empty() ? column->name : first;
      }
    }
    if (!parts.empty()) {
      std::string expression = base::join(parts, " OR ");
      // A rule of a subtype says nothing about the rows of the others.
      if (&owner != &object_) {
        if (const PhysicalColumn* type = columns_.find(object_, object_.discriminator)) {
          expression = distinct(*type, owner.discriminator_value) + " OR " + expression;
        }
      }
      add(first + "_atleastone_chk", std::move(expression));
    }
  }

  void required_in_subtypes() {
    const PhysicalColumn* type = columns_.find(object_, object_.discriminator);
    for (const PhysicalColumn& column : columns_.columns()) {
      if (column.from_subtype && column.field->required && type != nullptr && !column.flattened) {
        add(column.name + "_subtype_chk", distinct(*type, column.declared_by->discriminator_value) +
                                              " OR " + quoted(column.name) + " IS NOT NULL");
      }
    }
  }

  const Model& model_;
  const Object& object_;
  const schema::Table& table_;
  const ColumnMap& columns_;
  const Writer& writer_;
  Diagnostics& diagnostics_;
  std::vector<schema::Check> checks_;
  std::map<std::string, int> names_;
};

}  // namespace

std::vector<schema::Check> build_checks(const Model& model, const Object& object,
                                        const schema::Table& table, const ColumnMap& columns,
                                        const Writer& writer, Diagnostics& diagnostics) {
  return CheckBuilder(model, object, table, columns, writer, diagnostics).run();
}

}  // namespace kedge::metadata
