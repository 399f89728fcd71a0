#include <algorithm>
#include <set>

#include "app/diff.h"
#include "app/guard_metadata.h"
#include "app/impact.h"
#include "app/metadata_model.h"
#include "app/templates.h"
#include "base/overloaded.h"
#include "codegen/payload_shape.h"
#include "kedge/codes.h"
#include "kedge/diff.h"
#include "metadata/expected.h"

namespace kedge::app {
namespace {

// What verify --db would find in a shape: the changes that lead to what is declared.
std::vector<Change> drift_of(const schema::Schema& shape, const metadata::Expected& expected) {
  diff::Options options = comparison_options(shape.engine.dialect);
  options.equality = diff::Equality::Declared;
  options.views = diff::Views::Stamped;
  options.objects = diff::Objects::Declared;
  options.comments = diff::Comments::CompareDeclared;
  options.external = expected.external;
  return diff::compare(shape, expected.schema, options).changes;
}

void database_impact(const ShapeChange& change, const metadata::Model& model,
                     const metadata::Expected& expected, ImpactResult& result) {
  std::set<std::string> before;
  for (const Change& drift : drift_of(change.before, expected)) {
    before.insert(describe(drift));
  }
  for (const Change& drift : drift_of(change.after, expected)) {
    if (before.contains(describe(drift))) {
      continue;
    }
    Impact impact;
    impact.part = "metadata";
    impact.code = codes::schema_difference;
    impact.message = "the declaration asks for: " + describe(drift);
    const std::string part = part_of(drift);
    impact.subject = {noun_of(drift), change.connection,
                      part.empty() ? "" : to_string(subject_of(drift)),
                      part.empty() ? to_string(subject_of(drift)) : part};
    impact.where = declared_at(model, expected, drift);
    result.impacts.push_back(std::move(impact));
  }
}

bool names_field(const metadata::Filter& filter, const std::string& field) {
  return filter.field == field ||
         std::any_of(filter.parts.begin(), filter.parts.end(),
                     [&](const metadata::Filter& part) { return names_field(part, field); });
}

bool names_field(const metadata::Expression& expression, const std::string& field) {
  return expression.field == field ||
         std::any_of(expression.parts.begin(), expression.parts.end(),
                     [&](const metadata::Expression& part) { return names_field(part, field); });
}

bool depends_on(const metadata::Field& field, const metadata::Object& holder,
                const metadata::MemberRef& lost) {
  if (field.extends == lost) {
    return true;
  }
  if (!field.origin) {
    return false;
  }
  const metadata::Origin& origin = *field.origin;
  const bool ordered = std::any_of(
      origin.order_by.begin(), origin.order_by.end(), [&](const metadata::OrderBy& order) {
        return origin.source.object == lost.object && order.field == lost.member;
      });
  const bool filtered = origin.filter && origin.source.object == lost.object &&
                        names_field(*origin.filter, lost.member);
  const bool computed =
      origin.expression &&
      (holder.base_entity == lost.object || holder.qualified_name == lost.object) &&
      names_field(*origin.expression, lost.member);
  return origin.source == lost || ordered || filtered || computed;
}

// If the declaration follows the database: the fields that stand on a lost one, in any number of
// steps, and the template texts that name a payload field among them.
class DeclarationWalk {
 public:
  DeclarationWalk(Context& context, const MetadataModel& loaded, ImpactResult& result)
      : context_(context), model_(loaded.model), project_(loaded.project), result_(result) {}

  const std::set<metadata::MemberRef>& lost() const { return lost_; }

  void lose(const metadata::MemberRef& lost, std::size_t cause) {
    if (!lost_.insert(lost).second) {
      return;
    }
    for (const metadata::Object& object : model_.objects) {
      for (const metadata::Field& field : object.fields) {
        const metadata::MemberRef own{object.qualified_name, field.name};
        if (depends_on(field, object, lost)) {
          lose(own, add_field(object, field, lost, cause));
        }
      }
      if (object.qualified_name == lost.object) {
        add_constraints(object, lost.member, cause);
      }
    }
    lose_in_templates(lost, cause);
  }

 private:
  std::size_t add(Impact impact, std::size_t cause) {
    impact.cause = cause == kNoCause ? std::nullopt : std::optional(cause);
    result_.impacts.push_back(std::move(impact));
    return result_.impacts.size() - 1;
  }

  std::size_t add_field(const metadata::Object& object, const metadata::Field& field,
                        const metadata::MemberRef& lost, std::size_t cause) {
    Impact impact;
    impact.part = "metadata";
    impact.message = to_string(object.kind) + " '" + object.qualified_name + "': field '" +
                     field.name + "' stands on " + lost.object + "." + lost.member;
    impact.subject = {"field", "", object.qualified_name, field.name};
    impact.where = field.place.where;
    return add(std::move(impact), cause);
  }

  void add_constraints(const metadata::Object& object, const std::string& field,
                       std::size_t cause) {
    const auto uses = [&](const std::vector<std::string>& fields) {
      return std::find(fields.begin(), fields.end(), field) != fields.end();
    };
    const auto report = [&](const char* kind, const std::string& name,
                            const metadata::Place& place) {
      Impact impact;
      impact.part = "metadata";
      impact.message = "entity '" + object.qualified_name + "': " + kind + " '" + name +
                       "' uses field '" + field + "'";
      impact.subject = {kind, "", object.qualified_name, name};
      impact.where = place.where;
      add(std::move(impact), cause);
    };
    for (const metadata::Identity& identity : object.identities) {
      if (uses(identity.shape.fields)) {
        report("identity", identity.name, identity.place);
      }
    }
    for (const metadata::LookupIndex& index : object.indexes) {
      if (uses(index.shape.fields)) {
        report("index", index.name, index.place);
      }
    }
    for (const metadata::Reference& reference : object.references) {
      if (uses(reference.fields)) {
        report("reference", reference.name, reference.place);
      }
    }
  }

  void lose_in_templates(const metadata::MemberRef& lost, std::size_t cause) {
    for (const metadata::Template& node : model_.templates) {
      if (node.is_abstract || node.payload_ref.empty()) {
        continue;
      }
      templates::PayloadType type = codegen::payload_of(model_, node.payload_ref);
      bool held = false;
      for (templates::PayloadObject& object : type.objects) {
        if (object.name == lost.object) {
          held = std::erase_if(object.fields, [&](const templates::PayloadField& field) {
                   return field.name == lost.member;
                 }) > 0;
        }
      }
      if (held) {
        check_texts(node, type, cause);
      }
    }
  }

  void check_texts(const metadata::Template& node, const templates::PayloadType& without,
                   std::size_t cause) {
    const TemplateFiles files(context_.files, context_.folder, project_.templates.root.text);
    const templates::PayloadType whole = codegen::payload_of(model_, node.payload_ref);
    for (const TemplatePart& part : parts_of(node)) {
      const std::optional<templates::ProvidedText> text = files.resolve(part.reference);
      const templates::Parsed parsed =
          text ? templates::parse(text->text, text->source) : templates::Parsed{};
      if (!parsed.value) {
        continue;
      }
      templates::VerifyOptions options;
      options.provider = &files;
      options.required_slots = node.required_slots;
      const auto known = templates::verify(*parsed.value, whole, options).findings;
      for (const templates::TemplateFinding& finding :
           templates::verify(*parsed.value, without, options).findings) {
        if (std::find(known.begin(), known.end(), finding) == known.end() &&
            finding.severity == Severity::Error) {
          add(template_impact(node, part, finding), cause);
        }
      }
    }
  }

  static Impact template_impact(const metadata::Template& node, const TemplatePart& part,
                                const templates::TemplateFinding& finding) {
    Impact impact;
    impact.part = "templates";
    impact.code = finding.code;
    impact.message = "template '" + node.qualified_name + "': " + finding.message;
    impact.subject = {"template", "", node.qualified_name, finding.path.value_or(part.name)};
    impact.where = finding.at ? Position{finding.source, finding.at->line, finding.at->column}
                              : node.place.where;
    return impact;
  }

  Context& context_;
  const metadata::Model& model_;
  const project::Project& project_;
  ImpactResult& result_;
  std::set<metadata::MemberRef> lost_;
};

// The field of a column that a step takes away.
std::optional<metadata::MemberRef> lost_field(const metadata::Model& model,
                                              const metadata::Expected& expected,
                                              const Step& step) {
  const auto* drop = std::get_if<DropColumn>(&step);
  if (drop == nullptr) {
    return std::nullopt;
  }
  const auto owner = expected.owners.find(drop->table);
  const metadata::Object* object =
      owner != expected.owners.end() ? metadata::find_object(model, owner->second.object) : nullptr;
  if (object != nullptr) {
    for (const metadata::Field& field : object->fields) {
      if (metadata::column_of(field) == drop->column.text()) {
        return metadata::MemberRef{object->qualified_name, field.name};
      }
    }
  }
  return std::nullopt;
}

// The objects whose table or view a step takes away.
std::vector<std::string> lost_objects(const metadata::Expected& expected,
                                      const ShapeChange& change) {
  std::vector<std::string> objects;
  for (const Step& step : change.steps) {
    const auto* drop = std::get_if<DropTable>(&step);
    const auto owner = drop != nullptr ? expected.owners.find(drop->table) : expected.owners.end();
    if (owner != expected.owners.end()) {
      objects.push_back(owner->second.object);
    }
  }
  return objects;
}

}  // namespace

namespace {

// A drift names its table as the declaration does, a step as the database: without or with its
// schema.
bool is_of(const std::string& container, const schema::Name& table, const schema::Schema& shape) {
  return container == to_string(table) ||
         ((table.schema.empty() || table.schema == shape.default_schema) &&
          (container == table.name.text() ||
           container == shape.default_schema.text() + "." + table.name.text()));
}

}  // namespace

void metadata_impact(Context& context, const ShapeChange& change, ImpactResult& result) {
  const MetadataModel loaded = load_metadata_model(context);
  result.failures.insert(result.failures.end(), loaded.errors.begin(), loaded.errors.end());
  if (loaded.model.objects.empty() || !loaded.errors.empty()) {
    return;
  }
  const metadata::Expected expected =
      metadata::build_expected(loaded.model, change.before.engine.dialect);
  database_impact(change, loaded.model, expected, result);
  DeclarationWalk walk(context, loaded, result);
  for (const Step& step : change.steps) {
    if (const auto field = lost_field(loaded.model, expected, step)) {
      const auto cause =
          std::find_if(result.impacts.begin(), result.impacts.end(), [&](const Impact& impact) {
            const auto& drop = std::get<DropColumn>(step);
            return impact.part == "metadata" && impact.subject.kind == "column" &&
                   is_of(impact.subject.container, drop.table, change.before) &&
                   impact.subject.name == drop.column.text();
          });
      walk.lose(*field, cause == result.impacts.end()
                            ? kNoCause
                            : static_cast<std::size_t>(cause - result.impacts.begin()));
    }
  }
  code_impact(context, loaded, {walk.lost().begin(), walk.lost().end()},
              lost_objects(expected, change), result);
}

}  // namespace kedge::app
