#include <algorithm>

#include "metadata/check.h"

namespace kedge::metadata {
namespace {

bool is_table(const Source& source) {
  return source.kind == Source::Kind::Table;
}

bool has_table_source(const Object& object) {
  return std::any_of(object.sources.begin(), object.sources.end(),
                     [](const Source& source) { return is_table(source) && !source.replica; });
}

bool has_origins(const Object& object) {
  return std::any_of(object.fields.begin(), object.fields.end(),
                     [](const Field& field) { return field.is_derived(); });
}

bool is_projection_in_disguise(const Object& object) {
  return object.kind == Object::Kind::Entity && object.sources.size() == 1 &&
         object.sources.front().kind == Source::Kind::View && has_origins(object);
}

// The concrete base of single-table inheritance, if `object` is a subtype of one.
const Object* discriminated_base(const Model& model, const Object& object) {
  const Object* each = object.extends.empty() ? nullptr : find_object(model, object.extends);
  const Object* found = nullptr;
  for (int depth = 0; each != nullptr && depth < 100; ++depth) {
    if (!each->is_abstract && !each->discriminator.empty() && has_table_source(*each)) {
      found = each;
    }
    each = each->extends.empty() ? nullptr : find_object(model, each->extends);
  }
  return found;
}

class SourceCheck {
 public:
  SourceCheck(const Object& object, Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void run() {
    if (object_.kind == Object::Kind::Value) {
      return value();
    }
    roles();
    if (object_.kind == Object::Kind::Entity) {
      entity();
    } else if (object_.kind == Object::Kind::Projection) {
      projection();
    } else if (std::any_of(object_.sources.begin(), object_.sources.end(), [](const Source& each) {
                 return each.kind == Source::Kind::View ||
                        each.kind == Source::Kind::MaterializedView;
               })) {
      diagnostics_.error(codes::ERR_REPORT_NOT_SUPPORTED,
                         "report '" + object_.name + "' has a view source", object_.place);
    }
    bodies();
  }

 private:
  void value() {
    for (const Source& source : object_.sources) {
      diagnostics_.error(codes::ERR_SUBTYPE_RULE_VIOLATION,
                         "value '" + object_.name + "' cannot have a source", source.place);
    }
    for (const Identity& identity : object_.identities) {
      diagnostics_.error(codes::ERR_SUBTYPE_RULE_VIOLATION,
                         "value '" + object_.name + "' cannot have an identity", identity.place);
    }
    for (const Reference& reference : object_.references) {
      diagnostics_.error(codes::ERR_SUBTYPE_RULE_VIOLATION,
                         "value '" + object_.name + "' cannot have a reference", reference.place);
    }
  }

  void roles() {
    if (object_.sources.empty()) {
      return;
    }
    std::vector<const Source*> primaries;
    for (const Source& source : object_.sources) {
      if (!source.replica) {
        primaries.push_back(&source);
      }
    }
    if (primaries.empty()) {
      diagnostics_.error(codes::ERR_SOURCE_NO_PRIMARY,
                         "none of the sources of '" + object_.name + "' is primary",
                         object_.sources.front().place);
    } else if (primaries.size() > 1) {
      diagnostics_
          .error(codes::ERR_SOURCE_MULTIPLE_PRIMARY,
                 "'" + object_.name + "' has two primary sources", primaries[1]->place,
                 "mark one with role: replica")
          .finding.problem.notes.push_back({"the other one", primaries[0]->place.where});
    }
  }

  void entity() {
    const Source* primary = primary_source(object_);
    if (primary != nullptr && !is_table(*primary)) {
      diagnostics_.error(codes::ERR_ENTITY_PRIMARY_SOURCE_READONLY,
                         "the primary source of entity '" + object_.name + "' is read-only",
                         primary->place, "make it an object.projection, or the view a replica");
    }
    if (primary != nullptr && is_table(*primary) && find_primary(object_) == nullptr &&
        !object_.is_abstract && !primary->unmanaged) {
      diagnostics_.warning(codes::WARN_ENTITY_WITHOUT_PRIMARY,
                           "entity '" + object_.name + "' has a table and no identity.primary",
                           object_.place);
    }
    const bool replica = std::any_of(object_.sources.begin(), object_.sources.end(),
                                     [](const Source& each) { return !is_table(each); });
    for (const Field& field : object_.fields) {
      if (field.is_derived() && primary != nullptr && is_table(*primary) && !replica) {
        diagnostics_.error(
            codes::ERR_DERIVED_FIELD_NO_READ_SOURCE,
            "derived field '" + object_.name + "." + field.name + "' needs a read-only source",
            field.place, "add source.rdb with kind: view and role: replica");
      }
    }
  }

  void projection() {
    for (const Source& source : object_.sources) {
      if (!source.own) {
        diagnostics_.error(codes::ERR_PROJECTION_INHERITED_SOURCE,
                           "projection '" + object_.name + "' inherits its source", object_.place);
      } else if (is_table(source)) {
        diagnostics_.error(codes::ERR_PROJECTION_SOURCE_WRITABLE,
                           "projection '" + object_.name + "' has a writable source", source.place,
                           "give it kind: view");
      }
    }
  }

  void bodies() {
    for (const Source& source : object_.sources) {
      if (!source.own || is_table(source)) {
        continue;
      }
      if (source.sql) {
        under_body(source);
      } else if (source.unmanaged && has_origins(object_)) {
        diagnostics_.warning(codes::WARN_ORIGIN_UNDER_UNMANAGED,
                             "'" + object_.name + "' is unmanaged, so its origins are not used",
                             source.place);
      }
    }
  }

  void under_body(const Source& source) {
    for (const Field& field : object_.fields) {
      if (field.is_derived()) {
        diagnostics_.error(codes::ERR_ORIGIN_UNDER_SQL_BODY,
                           "'" + object_.name + "." + field.name +
                               "' has an origin, but the view has a body of its own",
                           field.place);
      }
    }
    if (object_.filter) {
      diagnostics_.error(codes::ERR_ORIGIN_UNDER_SQL_BODY,
                         "'" + object_.name + "' has a filter, but the view has a body of its own",
                         source.place);
    }
  }

  const Object& object_;
  Diagnostics& diagnostics_;
};

}  // namespace

void finish_model(Model& model, Diagnostics& diagnostics) {
  for (Object& object : model.objects) {
    if (is_projection_in_disguise(object)) {
      diagnostics.warning(codes::WARN_ENTITY_AS_PROJECTION,
                          "entity '" + object.name + "' over a view is read as a projection",
                          object.place, "write object.projection");
      object.kind = Object::Kind::Projection;
    }
  }
  for (Object& object : model.objects) {
    if (object.kind != Object::Kind::Entity || object.is_abstract) {
      continue;
    }
    if (const Object* base_object = discriminated_base(model, object)) {
      object.table_owner = base_object->qualified_name;
      model.subtype_index[object.table_owner].push_back(
          static_cast<std::size_t>(&object - model.objects.data()));
    } else if (has_table_source(object)) {
      object.table_owner = object.qualified_name;
    }
  }
}

void check_sources(const Model& model, Diagnostics& diagnostics) {
  for (const Object& object : model.objects) {
    SourceCheck(object, diagnostics).run();
  }
}

}  // namespace kedge::metadata
