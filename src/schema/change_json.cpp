#include "schema/change_json.h"

#include "base/overloaded.h"

namespace kedge::schema {
namespace {

using document::Json;
using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace

Json names(const std::vector<Identifier>& identifiers) {
  Json list = Json::array();
  for (const Identifier& identifier : identifiers) {
    list.push(identifier.text());
  }
  return list;
}
void set_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) {
    json.set(key, text);
  }
}
void set_flag(Json& json, const char* key, bool value) {
  if (value) {
    json.set(key, true);
  }
}
Json default_json(const Default& value) {
  Json json = Json::object();
  json.set("kind", value.kind == Default::Kind::Literal ? "literal" : "expr");
  json.set("value", value.value);
  return json;
}
const char* identity_text(const Identity& identity) {
  switch (identity.kind) {
    case Identity::Kind::ByDefault:
      return "increment";
    case Identity::Kind::Always:
      return "always";
    case Identity::Kind::Serial:
      return "serial";
    case Identity::Kind::Uuid:
      return "uuid";
  }
  return "";
}
std::string type_text(const Type& type) {
  return to_string(type);
}

Json json_of(const Column& column) {
  Json json = Json::object();
  json.set("name", column.name.text());
  json.set("type", type_text(column.type));
  json.set("nullable", column.nullable);
  if (column.default_value) {
    json.set("default", default_json(*column.default_value));
  }
  if (column.identity) {
    json.set("identity", identity_text(*column.identity));
  }
  if (column.generated) {
    json.set("generated", column.generated->expression);
  }
  set_text(json, "collation", column.collation);
  set_text(json, "comment", column.comment);
  return json;
}
Json json_of(const PrimaryKey& key) {
  Json json = Json::object();
  set_text(json, "name", key.name.text());
  json.set("columns", names(key.columns));
  return json;
}
Json json_of(const Index& index) {
  Json json = Json::object();
  json.set("name", index.name.text());
  Json columns = Json::array();
  for (const IndexPart& part : index.parts) {
    columns.push((part.column.empty() ? "(" + part.expression + ")" : part.column.text()) +
                 (part.descending ? " DESC" : ""));
  }
  json.set("columns", columns);
  json.set("unique", index.unique);
  set_text(json, "where", index.where);
  set_text(json, "using", index.method);
  if (!index.include.empty()) {
    json.set("include", names(index.include));
  }
  set_flag(json, "nullsNotDistinct", index.nulls_not_distinct);
  return json;
}
Json json_of(const ForeignKey& key) {
  Json json = Json::object();
  json.set("name", key.name.text());
  json.set("columns", names(key.columns));
  set_text(json, "refSchema", key.referenced_table.schema.text());
  json.set("refTable", key.referenced_table.name.text());
  json.set("refColumns", names(key.referenced_columns));
  json.set("onDelete", to_string(key.on_delete));
  json.set("onUpdate", to_string(key.on_update));
  set_flag(json, "deferrable", key.deferrable);
  return json;
}
Json json_of(const Check& check) {
  Json json = Json::object();
  json.set("name", check.name.text());
  json.set("expression", check.expression);
  if (!check.members.empty()) {
    Json members = Json::array();
    for (const std::string& member : check.members) {
      members.push(member);
    }
    json.set("members", members);
  }
  return json;
}
template <class Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) {
    list.push(json_of(item));
  }
  return list;
}
Json json_of(const Table& table) {
  Json json = Json::object();
  json.set("name", table.name.name.text());
  json.set("columns", list_of(table.columns));
  if (table.primary_key) {
    json.set("primaryKey", json_of(*table.primary_key));
  }
  json.set("checks", list_of(table.checks));
  set_text(json, "comment", table.comment);
  return json;
}
Json json_of(const View& view) {
  Json json = Json::object();
  json.set("name", view.name.name.text());
  json.set("materialized", view.materialized);
  json.set("body", view.body);
  return json;
}
Json json_of(const DefinedObject& object) {
  Json json = Json::object();
  json.set("name", object.name.name.text());
  set_text(json, "signature", object.signature);
  json.set("definition", object.definition);
  return json;
}
Json labels_of(const EnumType& type) {
  Json labels = Json::array();
  for (const std::string& label : type.labels) {
    labels.push(label);
  }
  return labels;
}
Json json_of(const EnumType& type) {
  Json json = Json::object();
  json.set("name", type.name.name.text());
  json.set("labels", labels_of(type));
  return json;
}
Json json_of(const Namespace& space) {
  return Json::object().set("name", space.name.text());
}
template <class Named>
Json json_of(const Named& object) {
  return Json::object().set("name", object.name.name.text());
}

void set_table(Json& json, const Name& table) {
  set_text(json, "schema", table.schema.text());
  json.set("table", table.name.text());
}

// The member that holds an object, by its C++ type.
const char* key_of(const Table&) {
  return "table";
}
const char* key_of(const Column&) {
  return "column";
}
const char* key_of(const Index&) {
  return "index";
}
const char* key_of(const ForeignKey&) {
  return "fk";
}
const char* key_of(const Check&) {
  return "check";
}
const char* key_of(const DefinedObject&) {
  return "object";
}
const char* key_of(const Sequence&) {
  return "sequence";
}
const char* key_of(const EnumType&) {
  return "enum";
}
const char* key_of(const DomainType&) {
  return "domain";
}
const char* key_of(const CompositeType&) {
  return "type";
}
const char* key_of(const Namespace&) {
  return "namespace";
}
Identifier schema_of(const Namespace&) {
  return {};
}
template <class Object>
Identifier schema_of(const Object& object) {
  return object.name.schema;
}

struct Fill {
  Json& json;

  template <class Object>
  void operator()(const Create<Object>& c) const {
    set_text(json, "schema", schema_of(c.object).text());
    json.set(key_of(c.object), json_of(c.object));
  }
  template <class Object>
  void operator()(const Drop<Object>& c) const {
    set_text(json, "schema", schema_of(c.object).text());
    json.set(key_of(c.object), json_of(c.object));
  }
  template <class Object>
  void operator()(const Alter<Object>& c) const {
    set_text(json, "schema", schema_of(c.after).text());
    json.set("from", json_of(c.before));
    json.set("to", json_of(c.after));
  }
  template <class Object>
  void operator()(const Add<Object>& c) const {
    set_table(json, c.table);
    json.set(key_of(c.part), json_of(c.part));
  }
  template <class Object>
  void operator()(const Remove<Object>& c) const {
    set_table(json, c.table);
    json.set(key_of(c.part), json_of(c.part));
  }
  void key_columns(const Name& table, const PrimaryKey& key) const {
    set_table(json, table);
    json.set("columns", names(key.columns));
    set_text(json, "name", key.name.text());
  }
  void operator()(const AddPrimaryKey& c) const { key_columns(c.table, c.part); }
  void operator()(const DropPrimaryKey& c) const { key_columns(c.table, c.part); }
  void operator()(const AlterEnum& c) const {
    set_text(json, "schema", c.after.name.schema.text());
    json.set("enum", c.after.name.name.text());
    json.set("from", labels_of(c.before));
    json.set("to", labels_of(c.after));
  }
  void operator()(const RenameTable& c) const {
    set_text(json, "schema", c.to.schema.text());
    json.set("from", c.from.name.text());
    json.set("to", c.to.name.text());
  }
  template <class Rename>
  void rename(const Rename& c) const {
    set_table(json, c.table);
    json.set("from", c.from.text());
    json.set("to", c.to.text());
  }
  void operator()(const RenameColumn& c) const { rename(c); }
  void operator()(const RenameIndex& c) const { rename(c); }
  void operator()(const RenameConstraint& c) const { rename(c); }

  void column(const Name& table, const Column& after) const {
    set_table(json, table);
    json.set("column", after.name.text());
  }
  void operator()(const ChangeColumnType& c) const {
    column(c.table, c.after);
    json.set("from", type_text(c.before.type));
    json.set("to", type_text(c.after.type));
    if (c.before.default_value) {
      json.set("fromDefault", default_json(*c.before.default_value));
    }
    if (c.after.default_value) {
      json.set("toDefault", default_json(*c.after.default_value));
    }
    json.set("widening", c.widening == Widening::Yes);
  }
  void operator()(const ChangeColumnNullable& c) const {
    column(c.table, c.after);
    json.set("from", c.before.nullable);
    json.set("to", c.after.nullable);
  }
  void operator()(const ChangeColumnDefault& c) const {
    column(c.table, c.after);
    json.set("from", c.before.default_value ? default_json(*c.before.default_value) : Json());
    json.set("to", c.after.default_value ? default_json(*c.after.default_value) : Json());
  }
  void operator()(const ChangeColumnIdentity& c) const {
    column(c.table, c.after);
    json.set("from", c.before.identity ? Json(identity_text(*c.before.identity)) : Json());
    json.set("to", c.after.identity ? Json(identity_text(*c.after.identity)) : Json());
  }
  template <Attribute attribute>
  void operator()(const ChangeColumn<attribute>& c) const {
    column(c.table, c.after);
    json.set("from", json_of(c.before));
    json.set("to", json_of(c.after));
  }
  void operator()(const ValidateConstraint& c) const {
    set_table(json, c.table);
    json.set("constraint", c.check ? c.check->name.text() : c.foreign_key->name.text());
  }
  void operator()(const ChangeTableOptions& c) const {
    set_table(json, c.after.name);
    const auto options = [](const Table& table) {
      Json all = Json::object();
      for (const auto& [key, value] : table.options) {
        all.set(key, value);
      }
      set_flag(all, "unlogged", table.unlogged);
      if (table.partition && !table.partition->by.empty()) {
        all.set("partition_by", table.partition->by);
      }
      return all;
    };
    json.set("from", options(c.before));
    json.set("to", options(c.after));
  }
  void operator()(const ChangeRowSecurity& c) const {
    set_table(json, c.table);
    json.set("from", c.forced_before ? "forced" : c.enabled_before ? "enabled" : "off");
    json.set("to", c.forced_after ? "forced" : c.enabled_after ? "enabled" : "off");
  }
  void partition(const Name& table, const Partition& part) const {
    set_table(json, table);
    json.set("parent", to_string(part.parent.value_or(Name{})));
    json.set("bound", part.bound);
  }
  void operator()(const AttachPartition& c) const { partition(c.table, c.partition); }
  void operator()(const DetachPartition& c) const { partition(c.table, c.partition); }
  void operator()(const AddInheritance& c) const {
    set_table(json, c.table);
    json.set("parent", to_string(c.parent));
  }
  void operator()(const DropInheritance& c) const {
    set_table(json, c.table);
    json.set("parent", to_string(c.parent));
  }
  void view(const View& one) const {
    set_text(json, "schema", one.name.schema.text());
    json.set("view", json_of(one));
  }
  void operator()(const CreateView& c) const { view(c.view); }
  void operator()(const DropView& c) const {
    view(c.view);
    static constexpr const char* kReasons[] = {"removed", "shape", "rebuild", "adopt"};
    json.set("reason", kReasons[static_cast<std::size_t>(c.reason)]);
    Json dependents = Json::array();
    for (const Dependent& dependent : c.view.dependents) {
      dependents.push(Json::object()
                          .set("schema", dependent.name.schema.text())
                          .set("name", dependent.name.name.text())
                          .set("kind", dependent.kind)
                          .set("managed", dependent.managed));
    }
    json.set("dependents", dependents);
  }
  void operator()(const ReplaceView& c) const {
    view(c.after);
    set_flag(json, "adopt", c.adopt == Adopt::Yes);
  }
  void operator()(const ChangeComment& c) const {
    set_text(json, "schema", c.target.name.schema.text());
    Json target = Json::object();
    target.set("kind", c.target.kind);
    target.set("name", c.target.name.name.text());
    set_text(target, "part", c.target.part.text());
    json.set("target", target);
    json.set("from", c.from);
    json.set("to", c.to);
  }
};

}  // namespace

Json to_json(const Change& change) {
  Json json = Json::object();
  json.set("kind", kind_of(change));
  std::visit(Fill{json}, change);
  return json;
}

}  // namespace kedge::schema
