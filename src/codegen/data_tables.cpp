#include "codegen/data_tables.h"

#include <algorithm>

#include "base/text.h"
#include "codegen/names.h"
#include "dialect/dialect.h"
#include "document/json.h"
#include "metadata/expected.h"

namespace kedge::codegen {
namespace {

using document::Node;
using metadata::Field;
using metadata::Object;

bool is_writable(const Object& object, const metadata::Source& source) {
  return object.kind == Object::Kind::Entity && source.kind == metadata::Source::Kind::Table;
}

bool is_relational(const metadata::Source& source) {
  return source.kind == metadata::Source::Kind::Table ||
         source.kind == metadata::Source::Kind::View ||
         source.kind == metadata::Source::Kind::MaterializedView;
}

std::string neutral_type(const Field& field) {
  std::string type = metadata::to_string(field.type);
  if (field.type == metadata::FieldType::Timestamp && field.local_time) {
    type += "_local";
  }
  return field.is_array ? type + "[]" : type;
}

Node values_of(const Field& field) {
  Node values = list_node();
  for (const std::string& value : field.values) {
    Node item = object_node();
    set_text(item, "value", value);
    values.items.push_back(std::move(item));
  }
  number(values);
  return values;
}

}  // namespace

TableData::TableData(const metadata::Model& model, const Pack& pack, const TargetSettings& target,
                     const DataNames& names)
    : model_(model),
      pack_(pack),
      target_(target),
      names_(names),
      expected_(metadata::build_expected(model, target.dialect).schema) {
  for (const schema::Table& table : expected_.tables) {
    tables_.emplace(table.name.name.text(), &table);
  }
}

std::string TableData::literal(const std::string& text) const {
  const std::string quoted = document::write_json(document::Json(text), -1);
  return pack_.dollar.empty() ? quoted : base::replace_all(quoted, "$", pack_.dollar);
}

// Subtypes of one table have no table of their own: the outermost base with a discriminator has.
const Object& TableData::stored_as(const Object& object) const {
  const Object* found = &object;
  const Object* each = &object;
  for (int depth = 0; !each->extends.empty() && depth < 100; ++depth) {
    each = metadata::find_object(model_, each->extends);
    if (each == nullptr) {
      break;
    }
    if (!each->is_abstract && !each->discriminator.empty() &&
        metadata::primary_source(*each) != nullptr) {
      found = each;
    }
  }
  return *found;
}

const schema::Table* TableData::table_of(const Object& object) const {
  const metadata::Source* source = metadata::primary_source(stored_as(object));
  if (source == nullptr) {
    return nullptr;
  }
  const auto [first, last] = tables_.equal_range(source->physical);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    return source->schema.empty() || entry.second->name.schema.text() == source->schema;
  });
  return found != last ? found->second : nullptr;
}

const schema::Column* TableData::column_of(const Object& object, const std::string& column) const {
  const schema::Table* table = table_of(object);
  return table != nullptr ? schema::find_column(*table, Identifier(column)) : nullptr;
}

std::string TableData::sql_type(const Object& object, const std::string& column) const {
  const schema::Column* found = column_of(object, column);
  return found != nullptr ? dialect::get_dialect(target_.dialect).type_name(found->type) : "";
}

Node TableData::subtypes_of(const Object& object) const {
  Node subtypes = list_node();
  if (!object.discriminator.empty()) {
    for (const Object& other : model_.objects) {
      if (!other.is_abstract && &other != &object && &stored_as(other) == &object &&
          is_in_scope(target_, other.qualified_name)) {
        subtypes.items.push_back(names_.target_node(other.qualified_name));
      }
    }
  }
  number(subtypes);
  return subtypes;
}

void TableData::add_table(Node& node, const Object& object) const {
  const Object& stored = stored_as(object);
  const metadata::Source* source = metadata::primary_source(stored);
  if (source == nullptr || !is_relational(*source)) {
    return;
  }
  Node table = names_.named(source->physical);
  const std::string qualified =
      source->schema.empty() ? source->physical : source->schema + "." + source->physical;
  set_text(table, "schema", source->schema);
  set_text(table, "nameLiteral", literal(source->physical));
  set_text(table, "schemaLiteral", literal(source->schema));
  set_text(table, "qualified", qualified);
  set_text(table, "qualifiedLiteral", literal(qualified));
  set(table, "isView", boolean_node(source->kind != metadata::Source::Kind::Table));
  set(table, "readOnly", boolean_node(!is_writable(stored, *source)));
  set(table, "isShared", boolean_node(&stored != &object));
  set(table, "subtypes", subtypes_of(object));
  Node columns = list_node();
  for (const Field& field : object.fields) {
    add_columns(columns, field, object, {&object, "", "", true});
  }
  number(columns);
  set(table, "columns", std::move(columns));
  set(node, "table", std::move(table));
}

// One column a field, or those of a flattened value with the outer column in front.
void TableData::add_columns(Node& columns, const Field& field, const Object& object,
                            const Outer& outer) const {
  if (field.is_derived() && object.kind == Object::Kind::Entity) {
    return;
  }
  const Object* inner = metadata::find_object(model_, field.object_ref);
  if (field.storage != metadata::Storage::Flattened || inner == nullptr) {
    columns.items.push_back(column_node(field, object, outer));
    return;
  }
  for (const Field& nested : inner->fields) {
    add_columns(columns, nested, *inner,
                {outer.owner, outer.field_prefix + field.name + ".",
                 outer.column_prefix + field.column + "_", outer.required && field.required});
  }
}

Node TableData::column_node(const Field& field, const Object& object, const Outer& outer) const {
  const metadata::Identity* key = metadata::find_primary(object);
  const std::vector<std::string> keys = key != nullptr && outer.column_prefix.empty()
                                            ? key->shape.fields
                                            : std::vector<std::string>{};
  const auto at = std::find(keys.begin(), keys.end(), field.name);
  const bool is_key = at != keys.end();
  const std::string physical = outer.column_prefix + field.column;
  const std::string path = outer.field_prefix + field.name;
  // As the table really has it: the columns of a subtype are nullable in the table that the family
  // shares, whatever the subtype requires.
  const schema::Column* real = column_of(*outer.owner, physical);
  const bool nullable =
      real != nullptr ? real->nullable : !(field.required && outer.required) && !is_key;
  const bool made = is_key && key->generation != metadata::Generation::None &&
                    key->generation != metadata::Generation::Assigned;
  Node column = names_.named(physical);
  set_text(column, "column", physical);
  set_text(column, "columnLiteral", literal(physical));
  set_text(column, "field", path);
  set_text(column, "fieldName", identifier(pascal_case(path), {}));
  set_text(column, "fieldUpper", identifier(upper_case(path), {}));
  set_text(column, "type", neutral_type(field));
  set_text(column, "sqlType", sql_type(*outer.owner, physical));
  set(column, "nullable", boolean_node(nullable));
  set(column, "defaulted",
      boolean_node(made || field.default_value.has_value() ||
                   field.auto_set != metadata::AutoSet::None));
  set(column, "keyPosition", integer_node(is_key ? at - keys.begin() + 1 : 0));
  set(column, "isKey", boolean_node(is_key));
  set(column, "maxLength", integer_node(field.max_length.value_or(0)));
  set(column, "values", values_of(field));
  if (field.default_value) {
    set_text(column, "default", field.default_value->text);
  }
  return column;
}

}  // namespace kedge::codegen
