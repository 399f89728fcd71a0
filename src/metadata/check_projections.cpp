// Where a projection's columns come from (spec/metadata.md 7).
#include <algorithm>
#include <set>

#include "base/text.h"
#include "metadata/check.h"
#include "metadata/field_default.h"
#include "metadata/types.h"

namespace kedge::metadata {
namespace {

const Source* own_view(const Object& object) {
  for (const Source& source : object.sources) {
    if (source.own &&
        (source.kind == Source::Kind::View || source.kind == Source::Kind::MaterializedView)) {
      return &source;
    }
  }
  return nullptr;
}

bool same_shape(const Field& a, const Field& b) {
  return a.type == b.type && a.is_array == b.is_array;
}

class ProjectionCheck {
 public:
  ProjectionCheck(const Model& model, Object& object, Diagnostics& diagnostics)
      : model_(model), object_(object), diagnostics_(diagnostics) {}

  void run() {
    identity();
    const Source* source = own_view(object_);
    const bool synthesized = source != nullptr && !source->sql && !source->unmanaged;
    if (!synthesized) {
      return;
    }
    const bool derived = std::any_of(
        object_.fields.begin(), object_.fields.end(),
        [](const Field& field) { return field.is_derived() || !field.extends.empty(); });
    if (!derived) {
      diagnostics_.warning(codes::WARN_VIEW_NOT_DERIVED,
                           "'" + object_.name +
                               "' says not where its columns come from, so its "
                               "view is left alone",
                           source->place, "give it '@sql', or its fields extends or an origin");
      return;
    }
    find_base();
    if (object_.base_entity.empty()) {
      return;
    }
    for (const Field& field : object_.fields) {
      check_field(field);
    }
    outer_filter();
  }

  // An entity with a replica view: its own columns are the base.
  void run_entity() {
    object_.base_entity = object_.qualified_name;
    for (const Field& field : object_.fields) {
      if (field.is_derived()) {
        check_field(field);
      }
    }
  }

 private:
  void error(Code code, const std::string& message, const Place& place) {
    diagnostics_.error(code, "'" + object_.name + "': " + message, place);
  }

  void identity() {
    if (object_.kind != Object::Kind::Projection) {
      return;
    }
    for (const Identity& identity : object_.identities) {
      if (identity.kind != Identity::Kind::Primary) {
        continue;
      }
      const Object* base_object = find_object(model_, identity.extends.object);
      if (base_object == nullptr || base_object->kind != Object::Kind::Entity) {
        error(codes::ERR_PROJECTION_IDENTITY_NOT_EXTENDED,
              "its identity must extend the identity of an entity", identity.place);
        continue;
      }
      key_fields_present(identity, *base_object);
    }
  }

  void key_fields_present(const Identity& identity, const Object& base_object) {
    const std::vector<std::string> wanted = key_fields(base_object);
    for (const std::string& name : wanted) {
      const bool present =
          std::any_of(object_.fields.begin(), object_.fields.end(), [&](const Field& field) {
            return field.extends.member == name &&
                   is_or_extends(model_, base_object, field.extends.object);
          });
      if (!present) {
        error(codes::ERR_IDENTITY_KEY_MISMATCH,
              "no field extends the key field '" + base_object.name + "." + name + "'",
              identity.place);
      }
    }
    if (!identity.shape.fields.empty() && identity.shape.fields != wanted) {
      std::vector<std::string> borrowed;
      for (const std::string& name : identity.shape.fields) {
        const Field* field = find_field(object_, name);
        borrowed.push_back(field == nullptr ? name : field->extends.member);
      }
      if (borrowed != wanted) {
        error(codes::ERR_IDENTITY_KEY_MISMATCH,
              "'@fields' of its identity are not the key of '" + base_object.name + "'",
              identity.place);
      }
    }
  }

  void find_base() {
    for (const Identity& identity : object_.identities) {
      if (!identity.extends.empty()) {
        object_.base_entity = identity.extends.object;
        return;
      }
    }
    std::set<std::string> candidates;
    for (const Field& field : object_.fields) {
      if (!field.extends.empty() && !field.is_derived()) {
        candidates.insert(field.extends.object);
      }
    }
    if (candidates.empty()) {
      for (const Field& field : object_.fields) {
        if (field.origin && field.origin->via) {
          candidates.insert(field.origin->via->base);
        } else if (field.origin && field.origin->kind == Origin::Kind::Passthrough) {
          candidates.insert(field.origin->source.object);
        }
      }
      candidates.erase(std::string());
    }
    if (candidates.size() > 1) {
      error(codes::ERR_AMBIGUOUS_PATH,
            "its base can be any of " +
                base::join(std::vector<std::string>(candidates.begin(), candidates.end()), ", "),
            object_.place);
    } else if (candidates.empty()) {
      error(codes::ERR_INVALID_ORIGIN, "nothing says which entity it is based on", object_.place);
    } else {
      object_.base_entity = *candidates.begin();
    }
  }

  void check_field(const Field& field) {
    if (field.origin) {
      return origin(field, *field.origin);
    }
    if (field.extends.empty()) {
      return error(codes::ERR_PROJECTION_FIELD_NO_ORIGIN,
                   "field '" + field.name + "' has neither extends nor an origin", field.place);
    }
    const Object* base_object = find_object(model_, object_.base_entity);
    if (base_object != nullptr && !is_or_extends(model_, *base_object, field.extends.object)) {
      error(codes::ERR_INVALID_ORIGIN,
            "field '" + field.name + "' extends a field of '" + field.extends.object +
                "', which is not the base; use origin.passthrough",
            field.place);
    }
  }

  void origin(const Field& field, const Origin& origin) {
    if (origin.kind == Origin::Kind::Computed) {
      return computed(field, origin);
    }
    const bool counts = origin.aggregate == "any" || origin.aggregate == "all";
    if (origin.kind == Origin::Kind::Aggregate && counts) {
      if (!origin.source.empty()) {
        error(codes::ERR_INVALID_ORIGIN, "any and all test '@filter' and take no '@of'",
              origin.place);
      }
      if (!origin.filter) {
        error(codes::ERR_INVALID_ORIGIN, "any and all need '@filter'", origin.place);
      }
    } else if (!source_exists(origin)) {
      return;
    }
    const auto path = path_of(origin);
    if (!path) {
      return;
    }
    cardinality(field, origin, *path);
    const std::string end = path->joins.empty() ? object_.base_entity : path->joins.back().to;
    const Object* reached = find_object(model_, end);
    if (reached == nullptr) {
      return;
    }
    if (!origin.source.empty() && !is_or_extends(model_, *reached, origin.source.object)) {
      return error(codes::ERR_INVALID_ORIGIN,
                   "the path of '" + field.name + "' leads to '" + reached->name + "', not to '" +
                       short_of(origin.source.object) + "'",
                   origin.place);
    }
    if (origin.filter) {
      check_filter(*origin.filter, columns_of(*reached), diagnostics_);
    }
    for (const OrderBy& order : origin.order_by) {
      const Field* by = find_field(*reached, order.field);
      if (by == nullptr || by->is_derived()) {
        error(
            codes::ERR_INVALID_ORIGIN,
            "'@orderBy' names '" + order.field + "', which is no field of '" + reached->name + "'",
            origin.place);
      }
    }
    if (origin.kind == Origin::Kind::Passthrough) {
      passthrough(field, origin);
    }
  }

  // What its table holds.
  static Object columns_of(const Object& object) {
    Object stored = object;
    std::erase_if(stored.fields, [](const Field& field) { return field.is_derived(); });
    return stored;
  }

  static std::string short_of(const std::string& qualified) {
    const std::size_t at = qualified.rfind("::");
    return at == std::string::npos ? qualified : qualified.substr(at + 2);
  }

  bool source_exists(const Origin& origin) {
    const Object* object = find_object(model_, origin.source.object);
    if (object == nullptr) {
      if (origin.source.empty() && origin.kind == Origin::Kind::Aggregate) {
        error(codes::ERR_MISSING_REQUIRED_ATTR, "origin.aggregate needs '@of'", origin.place);
      }
      return false;
    }
    const Field* source = find_field(*object, origin.source.member);
    if (source != nullptr && source->is_derived()) {
      error(codes::ERR_INVALID_ORIGIN,
            "'" + object->name + "." + source->name + "' is derived and is no column",
            origin.place);
      return false;
    }
    if (source == nullptr) {
      std::vector<std::string> known;
      for (const Field& field : object->fields) {
        known.push_back(field.name);
      }
      error(codes::ERR_INVALID_ORIGIN,
            "'" + object->name + "' has no field '" + origin.source.member + "'" +
                base::did_you_mean(origin.source.member, known),
            origin.place);
      return false;
    }
    return true;
  }

  std::optional<JoinPath> path_of(const Origin& origin) {
    PathResult result;
    const Object* base_object = find_object(model_, object_.base_entity);
    if (origin.via) {
      if (base_object != nullptr && !is_or_extends(model_, *base_object, origin.via->base)) {
        error(codes::ERR_INVALID_ORIGIN,
              "'@via' starts at '" + short_of(origin.via->base) + "', the base is '" +
                  base_object->name + "'",
              origin.place);
        return std::nullopt;
      }
      Path path = *origin.via;
      path.base = object_.base_entity;
      result = resolve_path(model_, path);
    } else if (base_object != nullptr && !origin.source.empty() &&
               is_or_extends(model_, *base_object, origin.source.object) &&
               origin.kind == Origin::Kind::Passthrough) {
      return JoinPath{};
    } else if (origin.source.empty()) {
      error(codes::ERR_INVALID_ORIGIN, "any and all need '@via'", origin.place);
      return std::nullopt;
    } else {
      result = find_single_hop(model_, object_.base_entity, origin.source.object);
    }
    if (!result.path) {
      error(result.ambiguous ? codes::ERR_AMBIGUOUS_PATH : codes::ERR_INVALID_ORIGIN,
            result.problem, origin.place);
    }
    return result.path;
  }

  void cardinality(const Field& field, const Origin& origin, const JoinPath& path) {
    const bool wants_many = origin.kind != Origin::Kind::Passthrough;
    if (path.many() != wants_many && !(origin.kind == Origin::Kind::First)) {
      error(codes::ERR_ORIGIN_CARDINALITY,
            "the path of '" + field.name + "' is " +
                (wants_many ? "to-one, an aggregate needs a to-many path"
                            : "to-many, a passthrough needs a to-one path"),
            origin.place);
    }
  }

  void passthrough(const Field& field, const Origin& origin) {
    const Object* object = find_object(model_, origin.source.object);
    const Field* source = object == nullptr ? nullptr : find_field(*object, origin.source.member);
    if (source == nullptr) {
      return;
    }
    if (!same_shape(field, *source) && !origin.convert) {
      error(codes::ERR_PASSTHROUGH_TYPE_MISMATCH,
            "field '" + field.name + "' is a " + to_string(field.type) + ", its source a " +
                to_string(source->type),
            field.place);
    }
    if (!field.extends.empty() && field.extends != origin.source) {
      error(codes::ERR_EXTENDS_ORIGIN_MISMATCH,
            "field '" + field.name + "' extends '" + field.extends.member + "' and passes '" +
                origin.source.member + "' through",
            field.place);
    }
  }

  // --- computed

  // The type of an expression: that of a field, a truth value, or a literal that fits many.
  struct Inferred {
    enum class Kind { Unknown, Boolean, OfField, Literal };
    Kind kind = Kind::Unknown;
    const Field* field = nullptr;
    const Scalar* literal = nullptr;
  };

  static bool fits(const Inferred& inferred, const Field& wanted) {
    switch (inferred.kind) {
      case Inferred::Kind::Unknown:
        return true;
      case Inferred::Kind::Boolean:
        return wanted.type == FieldType::Boolean && !wanted.is_array;
      case Inferred::Kind::OfField:
        return canonical_type(*inferred.field).kind == canonical_type(wanted).kind;
      case Inferred::Kind::Literal:
        return !wanted.is_array && literal_fits(*inferred.literal, wanted);
    }
    return true;
  }

  static bool literal_fits(const Scalar& literal, const Field& wanted) {
    const bool fraction = wanted.type == FieldType::Decimal || wanted.type == FieldType::Float ||
                          wanted.type == FieldType::Double;
    const bool whole = fraction || wanted.type == FieldType::Int ||
                       wanted.type == FieldType::Long || wanted.type == FieldType::Currency;
    if (std::holds_alternative<bool>(literal)) {
      return wanted.type == FieldType::Boolean;
    }
    if (std::holds_alternative<std::int64_t>(literal)) {
      return whole;
    }
    if (std::holds_alternative<double>(literal)) {
      return fraction;
    }
    return !whole && wanted.type != FieldType::Boolean &&
           literal_problem(wanted, to_text(literal)).empty();
  }

  Inferred infer(const Expression& expression, const Field& wanted) {
    switch (expression.kind) {
      case Expression::Kind::Field:
        return infer_field(expression);
      case Expression::Kind::Value:
        return std::holds_alternative<std::monostate>(expression.value)
                   ? Inferred{}
                   : Inferred{Inferred::Kind::Literal, nullptr, &expression.value};
      case Expression::Kind::Compare:
      case Expression::Kind::IsNull:
      case Expression::Kind::IsNotNull:
      case Expression::Kind::Not:
      case Expression::Kind::And:
      case Expression::Kind::Or:
        for (const Expression& part : expression.parts) {
          infer(part, wanted);
        }
        return {Inferred::Kind::Boolean, nullptr, nullptr};
      case Expression::Kind::Coalesce: {
        // Each of them may be the value.
        Inferred unfit;
        for (const Expression& part : expression.parts) {
          const Inferred each = infer(part, wanted);
          unfit = fits(each, wanted) ? unfit : each;
        }
        return unfit;
      }
    }
    return {};
  }

  Inferred infer_field(const Expression& expression) {
    const Object* base_object = find_object(model_, object_.base_entity);
    const Field* field =
        base_object == nullptr ? nullptr : find_field(*base_object, expression.field);
    if (field == nullptr || field->is_derived()) {
      error(codes::ERR_INVALID_ORIGIN,
            "the expression names '" + expression.field + "', which is no column of the base",
            expression.place);
      return {};
    }
    return {Inferred::Kind::OfField, field, nullptr};
  }

  void computed(const Field& field, const Origin& origin) {
    if (origin.expression && !fits(infer(*origin.expression, field), field)) {
      error(codes::ERR_COMPUTED_TYPE_MISMATCH,
            "field '" + field.name + "' is a " + to_string(field.type) + ", its expression is not",
            field.place);
    }
  }

  void outer_filter() {
    if (object_.filter) {
      check_filter(*object_.filter, object_, diagnostics_);
    }
  }

  const Model& model_;
  Object& object_;
  Diagnostics& diagnostics_;
};

bool has_replica_view(const Object& object) {
  return std::any_of(object.sources.begin(), object.sources.end(), [](const Source& source) {
    return source.own && source.replica && source.kind == Source::Kind::View && !source.sql &&
           !source.unmanaged;
  });
}

}  // namespace

void check_filter(const Filter& filter, const Object& object, Diagnostics& diagnostics) {
  for (const Filter& part : filter.parts) {
    check_filter(part, object, diagnostics);
  }
  if (filter.kind != Filter::Kind::Compare) {
    return;
  }
  const Field* field = find_field(object, filter.field);
  if (field == nullptr) {
    std::vector<std::string> known;
    for (const Field& each : object.fields) {
      known.push_back(each.name);
    }
    diagnostics.error(codes::ERR_BAD_ATTR_FILTER,
                      "the filter names '" + filter.field + "', which is no field of '" +
                          object.name + "'" + base::did_you_mean(filter.field, known),
                      filter.place);
    return;
  }
  if (field->origin && field->origin->kind == Origin::Kind::Aggregate) {
    diagnostics.error(codes::ERR_BAD_ATTR_FILTER,
                      "the filter names '" + filter.field + "', which is an aggregate of '" +
                          object.name + "': a filter ranges over the rows before they are counted",
                      filter.place);
    return;
  }
  if (filter.op == "like" || filter.op == "isNull") {
    return;
  }
  for (const Scalar& value : filter.values) {
    const std::string problem = literal_problem(*field, to_text(value));
    if (!problem.empty() && field->type != FieldType::String) {
      diagnostics.error(codes::ERR_BAD_ATTR_FILTER,
                        "the filter of '" + filter.field + "': " + problem, filter.place);
    }
  }
}

void check_projections(Model& model, Diagnostics& diagnostics) {
  for (Object& object : model.objects) {
    if (object.is_abstract) {
      continue;
    }
    if (object.kind == Object::Kind::Projection) {
      ProjectionCheck(model, object, diagnostics).run();
    } else if (object.kind == Object::Kind::Entity && has_replica_view(object)) {
      ProjectionCheck(model, object, diagnostics).run_entity();
    }
  }
}

}  // namespace kedge::metadata
