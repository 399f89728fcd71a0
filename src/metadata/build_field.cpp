#include <algorithm>
#include <limits>
#include <set>

#include "base/text.h"
#include "kedge/schema.h"
#include "metadata/build.h"
#include "metadata/field_default.h"
#include "metadata/lower.h"
#include "metadata/naming.h"

namespace kedge::metadata {
namespace {

using document::Node;

class FieldBuilder {
 public:
  FieldBuilder(const TreeNode& node, BuildContext& context)
      : node_(node), context_(context), attributes_(node, context) {}

  Field run() {
    field_.name = node_.name;
    field_.type = find_field_type(node_.subtype).value_or(FieldType::String);
    field_.is_array = node_.is_array.value_or(false);
    field_.place = node_.place;
    field_.declared_in = node_.owner;
    field_.documentation = build_documentation(attributes_);
    set_extends();
    simple();
    sizes();
    enumeration();
    embedded();
    column_type();
    children();
    default_value();
    return std::move(field_);
  }

 private:
  void bad(std::string_view attribute, const std::string& message,
           Code code = codes::ERR_BAD_ATTR_VALUE) {
    context_.diagnostics.error(code, "field '" + node_.name + "': " + message,
                               attributes_.place(attribute));
  }

  void set_extends() {
    const std::size_t dot = node_.extends.rfind('.');
    if (node_.extends.empty()) {
      return;
    }
    if (dot == std::string::npos) {
      field_.extends_top = node_.extends;
    } else {
      field_.extends = {node_.extends.substr(0, dot), node_.extends.substr(dot + 1)};
    }
  }

  void simple() {
    const std::string column = attributes_.text("column");
    field_.column =
        column.empty() ? apply_naming(context_.settings.column_naming, node_.name) : column;
    field_.has_column_name = !column.empty();
    field_.required = attributes_.flag("required");
    field_.unique = attributes_.flag("unique");
    field_.indexed = attributes_.flag("db.indexed");
    field_.read_only = attributes_.flag("readOnly");
    field_.filterable = attributes_.flag("filterable");
    field_.sortable = attributes_.flag("sortable");
    field_.mutability = attributes_.text("mutability");
    field_.string_format = attributes_.text("stringFormat");
    field_.locale = attributes_.text("locale");
    field_.local_time = attributes_.flag("localTime");
    field_.lenient = attributes_.flag("lenient");
    field_.leave = attributes_.flag("leave");
    field_.former_names = attributes_.texts("formerName");
    const std::string auto_set = attributes_.text("autoSet");
    field_.auto_set = auto_set == "onCreate"   ? AutoSet::OnCreate
                      : auto_set == "onUpdate" ? AutoSet::OnUpdate
                                               : AutoSet::None;
    if (field_.type == FieldType::Currency) {
      field_.currency = attributes_.text("currency", "USD");
      const bool good =
          field_.currency.size() == 3 && std::all_of(field_.currency.begin(), field_.currency.end(),
                                                     [](char c) { return c >= 'A' && c <= 'Z'; });
      if (!good) {
        bad("currency", "a currency is three capital letters, not '" + field_.currency + "'");
      }
    }
  }

  void sizes() {
    field_.max_length = attributes_.integer("maxLength");
    if (field_.max_length && (*field_.max_length < 1 || *field_.max_length > 10'485'760)) {
      bad("maxLength", "'@maxLength' lies between 1 and 10485760");
    }
    field_.precision = attributes_.integer("precision");
    field_.scale = attributes_.integer("scale");
    if (field_.precision && (*field_.precision < 1 || *field_.precision > 1000)) {
      bad("precision", "'@precision' lies between 1 and 1000");
    }
    if (field_.scale) {
      if (!field_.precision) {
        bad("scale", "'@scale' needs '@precision'");
      } else if (*field_.scale < 0 || *field_.scale > *field_.precision) {
        bad("scale", "'@scale' lies between 0 and the precision");
      }
    }
  }

  void enumeration() {
    if (field_.type != FieldType::Enum) {
      return;
    }
    field_.values = attributes_.texts("values");
    if (node_.has_refused("values")) {
      return;
    }
    if (attributes_.value("values") == nullptr) {
      context_.diagnostics.error(codes::ERR_MISSING_REQUIRED_ATTR,
                                 "field.enum '" + node_.name + "' needs '@values'", node_.place);
      return;
    }
    std::set<std::string> seen;
    for (const std::string& member : field_.values) {
      if (!is_node_name(member)) {
        bad("values", "'" + member + "' cannot be a member: letters, digits and '_' only");
      } else if (!seen.insert(member).second) {
        bad("values", "member '" + member + "' occurs twice");
      }
    }
    if (field_.values.empty()) {
      bad("values", "an enum has at least one member");
    }
    integer_values(seen);
  }

  void integer_values(const std::set<std::string>& members) {
    const Node* map = attributes_.value("intValueMap");
    if (map == nullptr) {
      return;
    }
    if (field_.is_array) {
      bad("intValueMap", "a list of members cannot be mapped to integers",
          codes::ERR_ENUM_INT_VALUE_MAP_ARRAY);
    }
    std::set<std::string> keys;
    std::set<std::int64_t> numbers;
    for (const document::Entry& entry : map->entries) {
      const std::int64_t number = entry.value.as_integer().value_or(0);
      if (number < std::numeric_limits<std::int32_t>::min() ||
          number > std::numeric_limits<std::int32_t>::max()) {
        bad("intValueMap", "the number of '" + entry.key.text + "' does not fit 32 bits");
      }
      if (!numbers.insert(number).second) {
        bad("intValueMap", "two members have the number " + std::to_string(number));
      }
      keys.insert(entry.key.text);
      field_.int_values.emplace_back(entry.key.text, number);
    }
    if (keys != members) {
      bad("intValueMap", "the keys of '@intValueMap' are the members of the enum");
    }
  }

  void embedded() {
    field_.object_ref = attributes_.object("objectRef", codes::ERR_UNRESOLVED_OBJECT_REF);
    field_.value_type = attributes_.text("valueType");
    const std::string storage = attributes_.text("storage");
    field_.storage = storage == "flattened"     ? Storage::Flattened
                     : storage == "jsonb"       ? Storage::Jsonb
                     : storage == "subdocument" ? Storage::Subdocument
                                                : Storage::None;
    const bool has_ref =
        attributes_.value("objectRef") != nullptr || node_.has_refused("objectRef");
    if (field_.type == FieldType::Object && !has_ref) {
      context_.diagnostics.error(codes::ERR_OBJECT_FIELD_WITHOUT_OBJECT_REF,
                                 "field.object '" + node_.name + "' needs '@objectRef'",
                                 node_.place);
    } else if (!storage.empty() && !has_ref) {
      bad("storage", "'@storage' needs '@objectRef'", codes::ERR_STORAGE_WITHOUT_OBJECT_REF);
    }
    if (field_.storage == Storage::Flattened && field_.is_array) {
      bad("storage", "a list cannot be stored flattened", codes::ERR_STORAGE_FLATTENED_ARRAY);
    }
    field_.open_map = field_.type == FieldType::Map && !has_ref && field_.value_type.empty() &&
                      !node_.has_refused("valueType");
    // Neither of them is checked with the object: a payload may hold a free-form map.
    if (field_.type == FieldType::Map && has_ref && !field_.value_type.empty()) {
      context_.diagnostics.error(
          codes::ERR_BAD_ATTR_VALUE,
          "field.map '" + node_.name + "' has exactly one of '@valueType' and '@objectRef'",
          node_.place);
    }
  }

  void column_type() {
    field_.column_type = attributes_.text("dbColumnType");
    if (const Node* map = attributes_.value("dbType")) {
      for (const document::Entry& entry : map->entries) {
        const auto dialect = schema::find_dialect(entry.key.text);
        if (!dialect || *dialect == schema::Dialect::Ansi) {
          bad("dbType", "there is no dialect '" + entry.key.text + "'");
        }
        field_.db_type.emplace(entry.key.text, entry.value.text);
      }
    }
    if (field_.column_type.empty()) {
      return;
    }
    if (field_.column_type == "timestamp_with_tz" && field_.type == FieldType::Timestamp) {
      context_.diagnostics.warning(
          codes::WARN_RETIRED_ATTR_VALUE,
          "field '" + node_.name + "': 'timestamp_with_tz' is what a timestamp is anyway",
          attributes_.place("dbColumnType"));
      field_.column_type.clear();
    } else if (field_.type != FieldType::String) {
      bad("dbColumnType", "'@dbColumnType' is for string fields only");
    } else if (field_.column_type != "uuid" && field_.column_type != "jsonb") {
      bad("dbColumnType", "'@dbColumnType' is uuid or jsonb, not '" + field_.column_type + "'");
    }
  }

  void children() {
    int origins = 0;
    for (const TreeNode& child : node_.children) {
      if (child.type == "validator") {
        field_.validators.push_back(build_validator(child, context_));
        field_.required =
            field_.required || field_.validators.back().kind == Validator::Kind::Required;
      } else if (child.type == "origin") {
        if (++origins > 1) {
          context_.diagnostics.error(codes::ERR_TOO_MANY_OCCURRENCES,
                                     "field '" + node_.name + "' has two origins", child.place);
        } else {
          field_.origin = build_origin(child, context_);
        }
      }
    }
  }

  void default_value() {
    const Node* node = attributes_.value("default");
    if (node == nullptr) {
      return;
    }
    const Attribute* attribute = node_.find("default");
    DefaultReading reading = read_default(field_, *node, attribute->is_yaml());
    if (!reading.problem.empty()) {
      context_.diagnostics.error(
          reading.coercion ? codes::ERR_YAML_COERCION : codes::ERR_BAD_ATTR_VALUE,
          "field '" + node_.name + "': " + reading.problem, attributes_.place("default"),
          reading.hint);
      return;
    }
    if (reading.value.kind == FieldDefault::Kind::Sql) {
      const std::string problem = sql_part_problem(reading.value.text, SqlPart::Expression);
      if (!problem.empty()) {
        context_.diagnostics.error(codes::ERR_BAD_ATTR_VALUE,
                                   "field '" + node_.name + "': '@default' " + problem,
                                   attributes_.place("default"));
      }
    }
    reading.value.place = attributes_.place("default");
    field_.default_value = std::move(reading.value);
  }

  const TreeNode& node_;
  BuildContext& context_;
  Attributes attributes_;
  Field field_;
};

}  // namespace

Field build_field(const TreeNode& node, BuildContext& context) {
  return FieldBuilder(node, context).run();
}

}  // namespace kedge::metadata
