#include <algorithm>

#include "base/text.h"
#include "metadata/check.h"

namespace kedge::metadata {
namespace {

std::vector<std::string> field_names(const Object& object) {
  std::vector<std::string> names;
  for (const Field& field : object.fields) {
    names.push_back(field.name);
  }
  return names;
}

class KeyCheck {
 public:
  KeyCheck(const Object& object, Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void run() {
    for (const Identity& identity : object_.identities) {
      const std::string what =
          identity.kind == Identity::Kind::Primary ? "primary key" : "unique key";
      shape(identity.shape, what + " '" + identity.name + "'", identity.place);
      if (identity.kind == Identity::Kind::Primary) {
        generation(identity);
      }
    }
    for (const LookupIndex& index : object_.indexes) {
      shape(index.shape, "index '" + index.name + "'", index.place);
    }
  }

 private:
  void shape(const IndexShape& shape, const std::string& what, const Place& place) {
    for (const auto* list : {&shape.fields, &shape.include}) {
      for (const std::string& name : *list) {
        field(name, what, place);
      }
    }
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
      if (std::count(shape.fields.begin(), shape.fields.end(), shape.fields[i]) > 1) {
        diagnostics_.error(
            codes::ERR_INVALID_INDEX,
            what + " of '" + object_.name + "' names '" + shape.fields[i] + "' twice", place);
        break;
      }
    }
  }

  void field(const std::string& name, const std::string& what, const Place& place) {
    const Field* found = find_field(object_, name);
    if (found == nullptr) {
      diagnostics_.error(codes::ERR_INVALID_INDEX,
                         what + " of '" + object_.name + "' names the field '" + name +
                             "', which does not exist" +
                             base::did_you_mean(name, field_names(object_)),
                         place);
    } else if (object_.kind == Object::Kind::Entity &&
               (found->is_derived() ||
                (found->type == FieldType::Object && found->storage == Storage::Flattened))) {
      diagnostics_.error(codes::ERR_INVALID_INDEX,
                         what + " of '" + object_.name + "': the field '" + name + "' is no column",
                         place);
    }
  }

  void generation(const Identity& identity) {
    if (identity.generation != Generation::Increment && identity.generation != Generation::Uuid) {
      return;
    }
    const auto& fields = identity.shape.fields;
    const Field* only = fields.size() == 1 ? find_field(object_, fields[0]) : nullptr;
    const bool increment = identity.generation == Generation::Increment;
    const bool good =
        only != nullptr && !only->is_array &&
        (increment ? only->type == FieldType::Int || only->type == FieldType::Long
                   : only->type == FieldType::Uuid || only->type == FieldType::String);
    if (!good) {
      diagnostics_.error(codes::ERR_BAD_GENERATION,
                         increment
                             ? "the key of '" + object_.name +
                                   "' is counted up, which needs exactly one int or long field"
                             : "the key of '" + object_.name +
                                   "' is a generated uuid, which needs exactly one uuid or string "
                                   "field",
                         identity.place);
    }
  }

  const Object& object_;
  Diagnostics& diagnostics_;
};

// A stored map says what it holds; only the payload of a template may leave it open
// (spec/metadata.md 3.6, spec/templates.md 2.4).
void check_maps(const Object& object, Diagnostics& diagnostics) {
  if (object.kind != Object::Kind::Entity) {
    return;
  }
  for (const Field& field : object.fields) {
    if (field.open_map) {
      diagnostics.error(
          codes::ERR_BAD_ATTR_VALUE,
          "field.map '" + field.name + "' has exactly one of '@valueType' and '@objectRef'",
          field.place);
    }
  }
}

// A value that is flattened into itself would have no last column.
class FlattenedCheck {
 public:
  FlattenedCheck(const Model& model, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics) {}

  void run(const Object& object) {
    path_.push_back(&object);
    for (const Field& field : object.fields) {
      const Object* value = field.type == FieldType::Object && field.storage == Storage::Flattened
                                ? find_object(model_, field.object_ref)
                                : nullptr;
      if (value == nullptr) {
        continue;
      }
      if (std::find(path_.begin(), path_.end(), value) != path_.end()) {
        diagnostics_.error(codes::ERR_BAD_ATTR_VALUE,
                           "field '" + object.name + "." + field.name + "' flattens '" +
                               value->name + "' into itself",
                           field.place);
      } else {
        run(*value);
      }
    }
    path_.pop_back();
  }

 private:
  const Model& model_;
  Diagnostics& diagnostics_;
  std::vector<const Object*> path_;
};

}  // namespace

void check_keys(const Model& model, Diagnostics& diagnostics) {
  for (const Object& object : model.objects) {
    if (object.kind == Object::Kind::Entity) {
      KeyCheck(object, diagnostics).run();
    }
    check_maps(object, diagnostics);
    FlattenedCheck(model, diagnostics).run(object);
  }
}

}  // namespace kedge::metadata
