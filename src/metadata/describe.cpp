#include "metadata/describe.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "document/json.h"
#include "metadata/check_text.h"
#include "metadata/describe_type.h"
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

class TableWriter {
 public:
  TableWriter(const schema::Table& table, const schema::Schema& schema,
              const DescribeOptions& options)
      : table_(table), schema_(schema), options_(options), writer_(options.dialect) {}

  Description run() {
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
  void line(const std::string& key, const Json& body, DescribedPart part = {}) {
    out_.text += "        - " + key + ": " + document::write_json(body, -1) + "\n";
    if (!part.label.empty() || !part.column.empty()) {
      const auto lines = std::count(out_.text.begin(), out_.text.end(), '\n');
      out_.parts.emplace(static_cast<int>(lines), std::move(part));
    }
  }

  bool left(const std::string& name) const {
    const auto found = options_.leave.find(table_.name);
    return found != options_.leave.end() && found->second.parts.contains(name);
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
    out_.text += "children:\n  - object.entity:\n      name: \"" +
                 options_.entities.at(table_.name) + "\"\n";
    if (!table_.comment.empty()) {
      out_.text += "      description: " + document::write_json(Json(table_.comment), -1) + "\n";
    }
    out_.text += "      children:\n";
    Json source = Json::object();
    source.set("table", table_.name.name.text());
    if (!table_.name.schema.empty()) {
      source.set("schema", table_.name.schema.text());
    }
    if (options_.unmanaged.contains(table_.name)) {
      source.set("unmanaged", true);
    }
    const auto leave = options_.leave.find(table_.name);
    if (leave != options_.leave.end() && !leave->second.parts.empty()) {
      Json names = Json::array();
      for (const std::string& name : leave->second.parts) {
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

  // A default that is no member would be refused.
  static bool holds_default(const schema::Check& check, const schema::Column& column) {
    const auto& value = column.default_value;
    return !value || value->kind != schema::Default::Kind::Literal ||
           std::find(check.members.begin(), check.members.end(), value->value) !=
               check.members.end();
  }

  bool has_enum_type(const schema::Check& check, const Type& type) const {
    std::size_t longest = 1;
    for (const std::string& member : check.members) {
      longest = std::max(longest, member.size());
    }
    const bool fits = writer_.is_mysql() ? type.length == static_cast<int>(longest)
                                         : !type.length || !writer_.is_postgres();
    return type.kind == TypeKind::Text && fits;
  }

  const schema::Check* membership(const schema::Column& column) const {
    for (const schema::Check& check : table_.checks) {
      const bool named = !checks_have_names(writer_) ||
                         check.name.text() == writer_.fit(table_.name.name.text() + "_" +
                                                          column.name.text() + "_chk");
      const std::set<std::string> members(check.members.begin(), check.members.end());
      if (check.column == column.name && !members.empty() && named && !left(label_of(check)) &&
          members.size() == check.members.size() && holds_default(check, column) &&
          has_enum_type(check, column.type) &&
          std::all_of(members.begin(), members.end(),
                      [](const std::string& member) { return is_node_name(member); })) {
        return &check;
      }
    }
    return nullptr;
  }

  // The rules of a column that its checks come from.
  void rules(const schema::Column& column, Json& body) {
    Json list = Json::array();
    for (const schema::Check& check : table_.checks) {
      if (told_.contains(&check) || left(label_of(check))) {
        continue;
      }
      if (auto rule = describe_check(writer_, table_, column, check)) {
        told_.insert(&check);
        Json child = Json::object();
        child.set(rule->kind, std::move(rule->attributes));
        list.push(std::move(child));
      }
    }
    if (!list.as_array()->empty()) {
      body.set("children", std::move(list));
    }
  }

  // Says enough for code and queries when the whole of the column cannot be said.
  bool has_only_its_type(const schema::Column& column) const {
    const auto bare = options_.bare.find(table_.name);
    return bare != options_.bare.end() && bare->second.contains(column.name);
  }

  bool is_left(const schema::Column& column) const {
    const auto found = options_.leave.find(table_.name);
    return found != options_.leave.end() && found->second.columns.contains(column.name);
  }

  void field(const schema::Column& column) {
    const bool bare = has_only_its_type(column);
    FieldShape shape =
        shape_of(column.type, options_.dialect, bare ? Spelling::Native : Spelling::Language);
    Json body = Json::object();
    body.set("name", fields_.at(column.name));
    if (to_snake_case(fields_.at(column.name)) != column.name.text()) {
      body.set("column", column.name.text());
    }
    if (!column.nullable && !is_key(column)) {
      body.set("required", true);
    }
    const schema::Check* members = bare ? nullptr : membership(column);
    if (members != nullptr && shape.type == "string" && !shape.raw) {
      told_.insert(members);
      shape = {"enum", Json::object(), false};
      Json values = Json::array();
      for (const std::string& member : members->members) {
        values.push(member);
      }
      shape.attributes.set("values", std::move(values));
    }
    if (const Json::Object* more = shape.attributes.as_object()) {
      for (const auto& [key, value] : *more) {
        body.set(key, value);
      }
    }
    if (!bare) {
      default_of(column, shape, body);
    }
    if (is_left(column)) {
      body.set("leave", true);
    }
    if (!column.comment.empty()) {
      body.set("description", column.comment);
    }
    if (!bare) {
      rules(column, body);
    }
    line("field." + shape.type, body, {{}, column.name});
  }

  void default_of(const schema::Column& column, const FieldShape& shape, Json& body) const {
    if (!column.default_value || column.generated || column.identity) {
      return;
    }
    const schema::Default& value = *column.default_value;
    // mysql sets the clock anew at each update of the row.
    if (column.options.contains("on_update") && shape.type == "timestamp") {
      body.set("autoSet", "onUpdate");
      return;
    }
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
      if (column != nullptr && column->identity && !options_.unmanaged.contains(table_.name) &&
          !has_only_its_type(*column)) {
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
      const std::string method = base::to_lower(index.method);
      const bool foreign = writer_.is_mysql() && method != "btree" && method != "hash";
      if (left(index.name.text()) || (foreign && !method.empty()) ||
          !is_node_name(index.name.text()) ||
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
      line(index.unique ? "identity.secondary" : "index.lookup", body, {index.name.text(), {}});
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
      if (left(label_of(key)) || target == options_.entities.end()) {
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
      line("identity.reference", body, {label_of(key), {}});
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
  std::set<const schema::Check*> told_;  // by an enum or a rule
  Writer writer_;
  Description out_;
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

Description describe_table(const schema::Table& table, const schema::Schema& schema,
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
