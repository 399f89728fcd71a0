#include <algorithm>
#include <set>

#include "base/text.h"
#include "metadata/build.h"
#include "metadata/naming.h"

namespace kedge::metadata {
namespace {

struct NameAttribute {
  const char* attribute;
  Source::Kind kind;
};
constexpr NameAttribute kNames[] = {{"table", Source::Kind::Table},
                                    {"view", Source::Kind::View},
                                    {"materializedView", Source::Kind::MaterializedView},
                                    {"proc", Source::Kind::StoredProc},
                                    {"function", Source::Kind::TableFunction}};

Source::Kind kind_of(const std::string& text) {
  return text == "view"               ? Source::Kind::View
         : text == "materializedView" ? Source::Kind::MaterializedView
         : text == "storedProc"       ? Source::Kind::StoredProc
         : text == "tableFunction"    ? Source::Kind::TableFunction
                                      : Source::Kind::Table;
}

class ObjectBuilder {
 public:
  ObjectBuilder(const TreeNode& node, BuildContext& context)
      : node_(node), context_(context), attributes_(node, context) {}

  Object run() {
    head();
    for (const TreeNode& child : node_.children) {
      add_child(child);
    }
    check_counts();
    return std::move(object_);
  }

 private:
  void head() {
    object_.name = node_.name;
    object_.package = node_.package;
    object_.qualified_name = qualified_name(node_.package, node_.name);
    object_.kind = node_.subtype == "value"        ? Object::Kind::Value
                   : node_.subtype == "projection" ? Object::Kind::Projection
                   : node_.subtype == "report"     ? Object::Kind::Report
                                                   : Object::Kind::Entity;
    object_.is_abstract = node_.is_abstract;
    object_.extends = node_.extends;
    object_.place = node_.place;
    object_.documentation = build_documentation(attributes_);
    object_.former_names = attributes_.texts("formerName");
    object_.discriminator = attributes_.text("discriminator");
    object_.discriminator_value = attributes_.text("discriminatorValue");
    if (const Attribute* filter = node_.find("filter")) {
      object_.filter = build_filter(*filter->value, *filter->document, node_.place_of(*filter),
                                    context_.diagnostics);
    }
  }

  void add_child(const TreeNode& child) {
    if (child.type == "field") {
      if (child.name.empty()) {
        return needs_name(child, codes::ERR_MISSING_REQUIRED_ATTR);
      }
      object_.fields.push_back(build_field(child, context_));
    } else if (child.kind() == "identity.reference") {
      reference(child);
    } else if (child.type == "identity") {
      identity(child);
    } else if (child.type == "index") {
      lookup(child);
    } else if (child.type == "relationship") {
      relationship(child);
    } else if (child.type == "source") {
      source(child);
    } else if (child.type == "validator") {
      object_.validators.push_back(build_validator(child, context_));
    }
  }

  void needs_name(const TreeNode& child, Code code) {
    context_.diagnostics.error(code, child.kind() + " of '" + object_.name + "' needs a name",
                               child.place);
  }

  IndexShape shape(const TreeNode& child, const Attributes& attributes) {
    IndexShape shape;
    shape.fields = attributes.texts("fields");
    shape.expression = attributes.text("expr");
    for (const std::string& order : attributes.texts("orders")) {
      shape.descending.push_back(order == "desc");
    }
    shape.where = attributes.text("where");
    refuse_more(shape.expression, SqlPart::Expression, "expr", attributes);
    refuse_more(shape.where, SqlPart::Expression, "where", attributes);
    shape.method = base::to_lower(attributes.text("using"));
    if (shape.method == "btree") {
      shape.method.clear();
    }
    shape.include = attributes.texts("include");
    shape.nulls_not_distinct = attributes.flag("nullsNotDistinct");
    if (!shape.expression.empty() && attributes.value("fields") != nullptr) {
      context_.diagnostics.error(codes::ERR_INVALID_INDEX,
                                 label(child) + " has both '@fields' and '@expr'", child.place);
    } else if (shape.fields.empty() && shape.expression.empty() && child.extends.empty() &&
               !child.has_refused("extends")) {
      context_.diagnostics.error(codes::ERR_INVALID_INDEX,
                                 label(child) + " has neither '@fields' nor '@expr'", child.place);
    }
    if (shape.descending.size() > std::max<std::size_t>(shape.fields.size(), 1)) {
      context_.diagnostics.error(codes::ERR_INVALID_INDEX,
                                 label(child) + " has more '@orders' than fields", child.place);
    }
    return shape;
  }

  std::string label(const TreeNode& child) const {
    return child.kind() + (child.name.empty() ? "" : " '" + child.name + "'") + " of '" +
           object_.name + "'";
  }

  void identity(const TreeNode& child) {
    const Attributes attributes(child, context_);
    attributes.check_required();
    Identity identity;
    identity.place = child.place;
    identity.declared_in = child.owner;
    identity.kind =
        child.subtype == "primary" ? Identity::Kind::Primary : Identity::Kind::Secondary;
    identity.name =
        child.name.empty() && identity.kind == Identity::Kind::Primary ? "primary" : child.name;
    if (identity.name.empty()) {
      needs_name(child, codes::ERR_IDENTITY_NAME_REQUIRED);
    }
    const std::size_t dot = child.extends.rfind('.');
    if (dot != std::string::npos) {
      identity.extends = {child.extends.substr(0, dot), child.extends.substr(dot + 1)};
    }
    identity.shape = shape(child, attributes);
    const std::string generation = attributes.text("generation");
    identity.generation = generation == "increment"  ? Generation::Increment
                          : generation == "uuid"     ? Generation::Uuid
                          : generation == "assigned" ? Generation::Assigned
                                                     : Generation::None;
    if (const auto unique = attributes.boolean("unique")) {
      if (*unique) {
        context_.diagnostics.warning(codes::WARN_RETIRED_ATTR,
                                     "'@unique' of a unique key is retired",
                                     attributes.place("unique"));
      } else {
        context_.diagnostics.error(codes::ERR_UNKNOWN_ATTR,
                                   label(child) + " is unique by definition",
                                   attributes.place("unique"), "use index.lookup");
      }
    }
    if (!child.has_refused("extends")) {  // what it borrows is not there, and that has been said
      object_.identities.push_back(std::move(identity));
    }
  }

  void lookup(const TreeNode& child) {
    const Attributes attributes(child, context_);
    if (child.name.empty()) {
      return needs_name(child, codes::ERR_MISSING_REQUIRED_ATTR);
    }
    object_.indexes.push_back({child.name, shape(child, attributes), child.place, child.owner});
  }

  void reference(const TreeNode& child) {
    const Attributes attributes(child, context_);
    attributes.check_required();
    if (child.name.empty()) {
      return needs_name(child, codes::ERR_IDENTITY_NAME_REQUIRED);
    }
    Reference reference;
    reference.name = child.name;
    reference.place = child.place;
    reference.declared_in = child.owner;
    reference.fields = attributes.texts("fields");
    reference.enforce = attributes.boolean("enforce").value_or(true);
    reference.constraint_name = attributes.text("constraintName");
    reference.on_delete = to_action(attributes.text("onDelete"));
    reference.on_update = to_action(attributes.text("onUpdate"));
    reference.initially_deferred = attributes.flag("initiallyDeferred");
    reference.deferrable = attributes.flag("deferrable") || reference.initially_deferred;
    const std::string text = attributes.reference("references");
    const std::size_t package_end = text.rfind("::");
    const std::size_t dot = text.find('.', package_end == std::string::npos ? 0 : package_end);
    const TreeNode* found = context_.index.resolve("object", text.substr(0, dot), child.package);
    if (found != nullptr) {
      reference.target = qualified_name(found->package, found->name);
    } else if (!text.empty()) {
      context_.diagnostics.error(
          codes::ERR_INVALID_REFERENCE,
          label(child) + " names '" + text.substr(0, dot) + "', which does not exist" +
              base::did_you_mean(text.substr(0, dot), context_.index.names("object")),
          attributes.place("references"));
    }
    if (dot != std::string::npos) {
      for (const std::string& field : base::split(text.substr(dot + 1), ',')) {
        reference.target_fields.emplace_back(base::trim(field));
      }
    }
    object_.references.push_back(std::move(reference));
  }

  void relationship(const TreeNode& child) {
    const Attributes attributes(child, context_);
    attributes.check_required();
    if (child.name.empty()) {
      return needs_name(child, codes::ERR_MISSING_REQUIRED_ATTR);
    }
    Relationship relationship;
    relationship.kind = child.subtype == "composition"   ? Relationship::Kind::Composition
                        : child.subtype == "aggregation" ? Relationship::Kind::Aggregation
                                                         : Relationship::Kind::Association;
    relationship.name = child.name;
    relationship.place = child.place;
    relationship.documentation = build_documentation(attributes);
    relationship.target = attributes.object("objectRef", codes::ERR_UNRESOLVED_OBJECT_REF);
    relationship.many = attributes.text("cardinality") == "many";
    relationship.on_delete = to_action(attributes.text("onDelete"));
    relationship.on_update = to_action(attributes.text("onUpdate"));
    relationship.through = attributes.object("through", codes::ERR_UNRESOLVED_OBJECT_REF);
    relationship.source_ref_field = attributes.text("sourceRefField");
    relationship.symmetric = attributes.flag("symmetric");
    object_.relationships.push_back(std::move(relationship));
  }

  void source(const TreeNode& child) {
    const Attributes attributes(child, context_);
    Source source;
    source.kind = kind_of(attributes.text("kind", "table"));
    source.name = child.name;
    source.place = child.place;
    source.own = child.owner == object_.qualified_name;
    source.schema = attributes.text("schema");
    source.replica = attributes.text("role") == "replica";
    source.unmanaged = attributes.flag("unmanaged");
    source.depends_on = attributes.texts("dependsOn");
    source.leave = attributes.texts("leave");
    source.parameter_ref = attributes.object("parameterRef", codes::ERR_UNRESOLVED_OBJECT_REF);
    physical_name(child, attributes, source);
    sql_body(child, attributes, source);
    object_.sources.push_back(std::move(source));
  }

  void physical_name(const TreeNode& child, const Attributes& attributes, Source& source) {
    std::vector<NameAttribute> given;
    for (const NameAttribute& each : kNames) {
      if (attributes.value(each.attribute) != nullptr) {
        given.push_back(each);
      }
    }
    if (given.size() > 1) {
      context_.diagnostics.error(codes::ERR_PHYSICAL_NAME_MULTIPLE,
                                 "source of '" + object_.name + "' has two physical names",
                                 attributes.place(given[1].attribute));
    } else if (!given.empty() && given[0].kind != source.kind) {
      if (given[0].kind == Source::Kind::Table) {
        context_.diagnostics.warning(
            codes::WARN_LEGACY_PHYSICAL_NAME_ALIAS,
            "source of '" + object_.name + "': '@table' names something that is no table",
            attributes.place("table"));
      } else {
        context_.diagnostics.error(codes::ERR_PHYSICAL_NAME_KIND_MISMATCH,
                                   "source of '" + object_.name + "': '@" + given[0].attribute +
                                       "' does not fit its '@kind'",
                                   attributes.place(given[0].attribute));
      }
    }
    if (!given.empty()) {
      source.physical = attributes.text(given[0].attribute);
      source.has_physical_name = true;
      if (source.physical.empty()) {
        context_.diagnostics.error(codes::ERR_BAD_ATTR_VALUE, "a physical name cannot be empty",
                                   attributes.place(given[0].attribute));
      }
      return;
    }
    const Naming naming = context_.settings.column_naming;
    const std::string& owner = object_.name;
    if (!child.name.empty()) {
      source.physical = apply_naming(naming, child.name);
    } else if (source.kind == Source::Kind::Table) {
      source.physical = pluralize(apply_naming(naming, owner));
    } else {
      source.physical = "v_" + to_snake_case(owner);
    }
  }

  void sql_body(const TreeNode& child, const Attributes& attributes, Source& source) {
    if (attributes.value("sql") == nullptr) {
      return;
    }
    std::string body(base::trim(attributes.text("sql")));
    if (!body.empty() && body.back() == ';') {
      body.pop_back();
      body = std::string(base::trim(body));
    }
    const Place place = attributes.place("sql");
    if (body.empty()) {
      context_.diagnostics.error(codes::ERR_BAD_ATTR_VALUE, "'@sql' is empty", place);
      source.sql = std::string();
      return;
    }
    if (source.unmanaged) {
      context_.diagnostics.error(codes::ERR_SQL_BODY_WITH_UNMANAGED,
                                 label(child) + " is unmanaged and has a body", place);
    } else if (source.kind == Source::Kind::Table) {
      context_.diagnostics.error(codes::ERR_SQL_BODY_ON_WRITABLE_KIND,
                                 label(child) + " is a table and has a body", place);
    } else if (source.kind == Source::Kind::StoredProc ||
               source.kind == Source::Kind::TableFunction) {
      context_.diagnostics.error(codes::ERR_SQL_BODY_KIND_UNSUPPORTED,
                                 label(child) + ": a body is for views only", place);
    }
    refuse_more(body, SqlPart::Body, "sql", attributes);
    source.sql = std::move(body);
  }

  void refuse_more(const std::string& text, SqlPart part, const char* name,
                   const Attributes& attributes) {
    if (const std::string problem = sql_part_problem(text, part); !problem.empty()) {
      context_.diagnostics.error(codes::ERR_BAD_ATTR_VALUE,
                                 std::string("'@") + name + "' " + problem, attributes.place(name));
    }
  }

  void check_counts() {
    bool has_primary = false;
    for (const Identity& each : object_.identities) {
      if (each.kind != Identity::Kind::Primary) {
        continue;
      }
      if (has_primary) {
        context_.diagnostics.error(codes::ERR_TOO_MANY_OCCURRENCES,
                                   "'" + object_.name + "' has more than one identity.primary",
                                   each.place);
      }
      has_primary = true;
    }
  }

  const TreeNode& node_;
  BuildContext& context_;
  Attributes attributes_;
  Object object_;
};

}  // namespace

Object build_object(const TreeNode& node, BuildContext& context) {
  return ObjectBuilder(node, context).run();
}

}  // namespace kedge::metadata
