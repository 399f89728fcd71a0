#include "metadata/describe.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "document/json.h"
#include "metadata/field_default.h"
#include "metadata/lower.h"
#include "metadata/naming.h"

namespace kedge::metadata {
namespace {

using document::Json;
using schema::Dialect;
using schema::Type;
using schema::TypeKind;

std::string identifier_of(std::string_view text, bool capital) {
  std::string out;
  bool next = capital;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      next = !out.empty() || capital;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += next ? static_cast<char>(std::toupper(byte)) : c;
    next = false;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0) {
    out.insert(0, capital ? "T" : "f");
  }
  if (!capital) {
    out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  }
  return out;
}

struct FieldShape {
  std::string type = "string";
  Json attributes = Json::object();
  bool raw = false;  // only dbType says what it is
};

// The canonical types that a field subtype gives on this dialect, without going through dbType.
std::optional<std::string> subtype_of(const Type& type, Dialect dialect, Json& attributes) {
  static const std::map<TypeKind, std::string> kSubtypes = {{TypeKind::Boolean, "boolean"},
                                                            {TypeKind::Int32, "int"},
                                                            {TypeKind::Int64, "long"},
                                                            {TypeKind::Real4, "float"},
                                                            {TypeKind::Real8, "double"},
                                                            {TypeKind::Numeric, "decimal"},
                                                            {TypeKind::Text, "string"},
                                                            {TypeKind::Date, "date"},
                                                            {TypeKind::Time, "time"},
                                                            {TypeKind::Timestamp, "timestamp"},
                                                            {TypeKind::TimestampTz, "timestamp"},
                                                            {TypeKind::Uuid, "uuid"},
                                                            {TypeKind::Inet, "inet"},
                                                            {TypeKind::Blob, "bytes"}};
  const auto found = kSubtypes.find(type.kind);
  if (found == kSubtypes.end()) {
    return std::nullopt;
  }
  const bool clock = found->second == "time" || found->second == "timestamp";
  if (clock && type.precision && dialect == Dialect::Postgres && *type.precision != 6) {
    return std::nullopt;  // digits of a second are no part of the language
  }
  if (clock && dialect == Dialect::Mysql && type.precision != 3) {
    return std::nullopt;
  }
  if (type.kind == TypeKind::Timestamp) {
    attributes.set("localTime", true);
  }
  if (type.kind == TypeKind::Numeric && type.precision) {
    attributes.set("precision", *type.precision);
    attributes.set("scale", type.scale.value_or(0));
  }
  if (type.kind == TypeKind::Text && type.length && *type.length > 0) {
    attributes.set("maxLength", *type.length);
  }
  return found->second;
}

FieldShape shape_of(const Type& type, Dialect dialect) {
  FieldShape shape;
  if (type.kind == TypeKind::Unknown) {
    return shape;  // an expression of a sqlite view
  }
  const bool list = type.kind == TypeKind::Array && dialect == Dialect::Postgres;
  const Type& element = list && !type.element.empty() ? type.element.front() : type;
  Json attributes = Json::object();
  const auto subtype = type.kind == TypeKind::Array && !list
                           ? std::nullopt
                           : subtype_of(element, dialect, attributes);
  const bool sqlite = dialect == Dialect::Sqlite || dialect == Dialect::D1;
  if (subtype && !(list && element.kind == TypeKind::Array)) {
    shape.type = *subtype + (list ? "[]" : "");
    shape.attributes = std::move(attributes);
    return shape;
  }
  shape.raw = true;
  // A counted key is a whole number to the language, whatever the engine calls it.
  if (type.kind >= TypeKind::Int8 && type.kind < TypeKind::Real4) {
    shape.type = "long";
  }
  const std::string native = type.native.empty() ? schema::to_string(type) : type.native;
  Json raw = Json::object();
  raw.set(sqlite ? "sqlite" : schema::to_string(dialect), native.empty() ? "BLOB" : native);
  shape.attributes.set("dbType", std::move(raw));
  return shape;
}

class TableWriter {
 public:
  TableWriter(const schema::Table& table, const schema::Schema& schema,
              const DescribeOptions& options)
      : table_(table), schema_(schema), options_(options) {}

  std::string run() {
    name_fields();
    head();
    for (const schema::Column& column : table_.columns) {
      field(column);
    }
    primary_key();
    if (!options_.unmanaged.contains(table_.name)) {
      indexes();
      references();
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& key, const Json& body) {
    out_ += "        - " + key + ": " + document::write_json(body, -1) + "\n";
  }

  bool left(const std::string& name) const {
    const auto found = options_.leave.find(table_.name);
    return found != options_.leave.end() && found->second.contains(name);
  }

  void name_fields() {
    std::set<std::string> used;
    for (const schema::Column& column : table_.columns) {
      std::string name = identifier_of(column.name.text(), false);
      while (!used.insert(name).second) {
        name += "X";
      }
      fields_[column.name] = name;
    }
  }

  void head() {
    out_ += "children:\n  - object.entity:\n      name: \"" + options_.entities.at(table_.name) +
            "\"\n";
    if (!table_.comment.empty()) {
      out_ += "      description: " + document::write_json(Json(table_.comment), -1) + "\n";
    }
    out_ += "      children:\n";
    Json source = Json::object();
    source.set("table", table_.name.name.text());
    if (!table_.name.schema.empty()) {
      source.set("schema", table_.name.schema.text());
    }
    if (options_.unmanaged.contains(table_.name)) {
      source.set("unmanaged", true);
    }
    const auto leave = options_.leave.find(table_.name);
    if (leave != options_.leave.end()) {
      Json names = Json::array();
      for (const std::string& name : leave->second) {
        names.push(name);
      }
      source.set("leave", std::move(names));
    }
    line("source.rdb", source);
  }

  bool is_key(const schema::Column& column) const {
    return table_.primary_key &&
           std::find(table_.primary_key->columns.begin(), table_.primary_key->columns.end(),
                     column.name) != table_.primary_key->columns.end();
  }

  const schema::Check* membership(const schema::Column& column) const {
    for (const schema::Check& check : table_.checks) {
      const bool named =
          check.name.text() == table_.name.name.text() + "_" + column.name.text() + "_chk";
      if (check.column == column.name && !check.members.empty() && named &&
          std::all_of(check.members.begin(), check.members.end(),
                      [](const std::string& member) { return is_node_name(member); })) {
        return &check;
      }
    }
    return nullptr;
  }

  void field(const schema::Column& column) {
    FieldShape shape = shape_of(column.type, options_.dialect);
    Json body = Json::object();
    body.set("name", fields_.at(column.name));
    if (to_snake_case(fields_.at(column.name)) != column.name.text()) {
      body.set("column", column.name.text());
    }
    if (!column.nullable && !is_key(column)) {
      body.set("required", true);
    }
    const schema::Check* members = membership(column);
    const bool enumerable = members != nullptr && shape.type == "string" && !shape.raw &&
                            column.type.kind == TypeKind::Text && !column.type.length;
    if (enumerable) {
      shape.type = "enum";
      Json values = Json::array();
      for (const std::string& member : members->members) {
        values.push(member);
      }
      body.set("values", std::move(values));
    }
    if (const Json::Object* more = shape.attributes.as_object()) {
      for (const auto& [key, value] : *more) {
        body.set(key, value);
      }
    }
    default_of(column, shape, body);
    if (!column.comment.empty()) {
      body.set("description", column.comment);
    }
    line("field." + shape.type, body);
  }

  void default_of(const schema::Column& column, const FieldShape& shape, Json& body) const {
    if (!column.default_value || column.generated || column.identity) {
      return;
    }
    const schema::Default& value = *column.default_value;
    if (value.kind == schema::Default::Kind::Literal && !shape.raw) {
      const bool text = shape.type == "string" || shape.type == "enum";
      if (text) {
        body.set("default", value.value);
        return;
      }
      if (shape.type == "boolean") {
        const std::string lower = base::to_lower(value.value);
        body.set("default", lower == "true" || lower == "1" || lower == "t");
        return;
      }
    }
    Json sql = Json::object();
    sql.set("sql", value.kind == schema::Default::Kind::Literal ? literal(value.value, column)
                                                                : value.value);
    body.set("default", std::move(sql));
  }

  static std::string literal(const std::string& text, const schema::Column& column) {
    const TypeKind kind = column.type.kind;
    const bool number = kind >= TypeKind::Int8 && kind <= TypeKind::Numeric;
    return number || kind == TypeKind::Boolean ? text
                                               : "'" + base::replace_all(text, "'", "''") + "'";
  }

  Json fields_json(const std::vector<Identifier>& columns) const {
    Json list = Json::array();
    for (const Identifier& column : columns) {
      const auto found = fields_.find(column);
      list.push(found == fields_.end() ? column.text() : found->second);
    }
    return list;
  }

  void primary_key() {
    if (!table_.primary_key) {
      return;
    }
    Json body = Json::object();
    body.set("fields", fields_json(table_.primary_key->columns));
    if (table_.primary_key->columns.size() == 1) {
      const schema::Column* column = schema::find_column(table_, table_.primary_key->columns[0]);
      if (column != nullptr && column->identity && !options_.unmanaged.contains(table_.name)) {
        body.set("generation",
                 column->identity->kind == schema::Identity::Kind::Uuid ? "uuid" : "increment");
      }
    }
    line("identity.primary", body);
  }

  void indexes() {
    for (const schema::Index& index : table_.indexes) {
      const bool expressions =
          std::any_of(index.parts.begin(), index.parts.end(),
                      [](const schema::IndexPart& part) { return part.column.empty(); });
      if (left(index.name.text()) || !is_node_name(index.name.text()) ||
          index.constraint == schema::Index::Constraint::Exclude ||
          (expressions && index.parts.size() != 1)) {
        continue;
      }
      Json body = Json::object();
      body.set("name", index.name.text());
      if (expressions) {
        body.set("expr", index.parts[0].expression);
      } else {
        std::vector<Identifier> columns;
        for (const schema::IndexPart& part : index.parts) {
          columns.push_back(part.column);
        }
        body.set("fields", fields_json(columns));
      }
      index_shape(index, body);
      line(index.unique ? "identity.secondary" : "index.lookup", body);
      used_names_.insert(index.name.text());
    }
  }

  void index_shape(const schema::Index& index, Json& body) const {
    if (std::any_of(index.parts.begin(), index.parts.end(),
                    [](const schema::IndexPart& part) { return part.descending; })) {
      Json orders = Json::array();
      for (const schema::IndexPart& part : index.parts) {
        orders.push(part.descending ? "desc" : "asc");
      }
      body.set("orders", std::move(orders));
    }
    if (!index.where.empty()) {
      body.set("where", index.where);
    }
    if (!index.method.empty() && base::to_lower(index.method) != "btree") {
      body.set("using", index.method);
    }
    if (!index.include.empty()) {
      body.set("include", fields_json(index.include));
    }
    if (index.nulls_not_distinct) {
      body.set("nullsNotDistinct", true);
    }
  }

  static const char* action_of(schema::ReferentialAction action) {
    switch (action) {
      case schema::ReferentialAction::Cascade:
        return "cascade";
      case schema::ReferentialAction::SetNull:
        return "set-null";
      case schema::ReferentialAction::Restrict:
        return "restrict";
      case schema::ReferentialAction::NoAction:
      case schema::ReferentialAction::SetDefault:
        return "no-action";
    }
    return "no-action";
  }

  void references() {
    for (const schema::ForeignKey& key : table_.foreign_keys) {
      const auto target = options_.entities.find(key.referenced_table);
      if (left(key.name.text()) || target == options_.entities.end()) {
        continue;
      }
      Json body = Json::object();
      std::string name = "ref";
      for (const Identifier& column : key.columns) {
        name += identifier_of(column.text(), true);
      }
      while (!used_names_.insert(name).second) {
        name += "X";
      }
      body.set("name", name);
      body.set("fields", fields_json(key.columns));
      body.set("references", target->second + "." + target_fields(key));
      if (!key.name.empty()) {
        body.set("constraintName", key.name.text());
      }
      body.set("onDelete", action_of(key.on_delete));
      body.set("onUpdate", action_of(key.on_update));
      if (key.initially_deferred) {
        body.set("initiallyDeferred", true);
      } else if (key.deferrable) {
        body.set("deferrable", true);
      }
      line("identity.reference", body);
    }
  }

  std::string target_fields(const schema::ForeignKey& key) const {
    const schema::Table* target = schema::find_table(schema_, key.referenced_table);
    std::vector<Identifier> columns = key.referenced_columns;
    const bool empty = columns.empty() || columns[0].empty();
    if (empty && target != nullptr && target->primary_key) {
      columns = target->primary_key->columns;
    }
    std::vector<std::string> names;
    std::set<std::string> used;
    std::map<Identifier, std::string> of_target;
    if (target != nullptr) {
      for (const schema::Column& column : target->columns) {
        std::string name = identifier_of(column.name.text(), false);
        while (!used.insert(name).second) {
          name += "X";
        }
        of_target[column.name] = name;
      }
    }
    for (const Identifier& column : columns) {
      const auto found = of_target.find(column);
      names.push_back(found == of_target.end() ? column.text() : found->second);
    }
    return base::join(names, ",");
  }

  const schema::Table& table_;
  const schema::Schema& schema_;
  const DescribeOptions& options_;
  std::map<Identifier, std::string> fields_;
  std::set<std::string> used_names_;
  std::string out_;
};

}  // namespace

std::map<schema::Name, std::string> name_entities(const schema::Schema& schema) {
  std::map<schema::Name, std::string> names;
  std::set<std::string> used;
  const auto add = [&](const schema::Name& name) {
    std::string text = identifier_of(name.name.text(), true);
    if (used.contains(text)) {
      text = identifier_of(name.schema.text(), true) + text;
    }
    while (!used.insert(text).second) {
      text += "X";
    }
    names[name] = text;
  };
  for (const schema::Table& table : schema.tables) {
    add(table.name);
  }
  for (const schema::View& view : schema.views) {
    add(view.name);
  }
  return names;
}

std::string describe_table(const schema::Table& table, const schema::Schema& schema,
                           const DescribeOptions& options) {
  return TableWriter(table, schema, options).run();
}

std::string describe_view(const schema::View& view, const DescribeOptions& options) {
  Json source = Json::object();
  source.set("kind", view.materialized ? "materializedView" : "view");
  source.set(view.materialized ? "materializedView" : "view", view.name.name.text());
  if (!view.name.schema.empty()) {
    source.set("schema", view.name.schema.text());
  }
  if (options.unmanaged.contains(view.name)) {
    source.set("unmanaged", true);
  } else {
    source.set("sql", view.body);
  }
  std::string out =
      "children:\n  - object.projection:\n      name: \"" + options.entities.at(view.name) +
      "\"\n      children:\n        - source.rdb: " + document::write_json(source, -1) + "\n";
  std::set<std::string> used;
  for (const schema::ViewColumn& column : view.columns) {
    FieldShape shape = shape_of(column.type, options.dialect);
    std::string name = identifier_of(column.name.text(), false);
    while (!used.insert(name).second) {
      name += "X";
    }
    Json body = Json::object();
    body.set("name", name);
    if (to_snake_case(name) != column.name.text()) {
      body.set("column", column.name.text());
    }
    if (const Json::Object* more = shape.attributes.as_object()) {
      for (const auto& [key, value] : *more) {
        body.set(key, value);
      }
    }
    out += "        - field." + shape.type + ": " + document::write_json(body, -1) + "\n";
  }
  return out;
}

}  // namespace kedge::metadata
