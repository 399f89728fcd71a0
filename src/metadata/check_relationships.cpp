#include <algorithm>

#include "metadata/check.h"

namespace kedge::metadata {
namespace {

class RelationshipCheck {
 public:
  RelationshipCheck(const Model& model, const Object& owner, const Relationship& relationship,
                    Diagnostics& diagnostics)
      : model_(model), owner_(owner), relationship_(relationship), diagnostics_(diagnostics) {}

  void run() {
    const bool many_to_many = !relationship_.through.empty();
    if (!many_to_many) {
      if (!relationship_.source_ref_field.empty() || relationship_.symmetric) {
        invalid("'@sourceRefField' and '@symmetric' need '@through'");
      }
      return;
    }
    if (!relationship_.many) {
      return invalid("'@through' needs cardinality many");
    }
    if (!relationship_.source_ref_field.empty() && relationship_.symmetric) {
      return invalid("'@sourceRefField' and '@symmetric' exclude each other");
    }
    junction();
  }

 private:
  void invalid(const std::string& message) {
    diagnostics_.error(
        codes::ERR_INVALID_RELATIONSHIP,
        "relationship '" + relationship_.name + "' of '" + owner_.name + "': " + message,
        relationship_.place);
  }

  bool points_at(const Reference& reference, const std::string& side) const {
    const Object* object = find_object(model_, side);
    return object != nullptr && is_or_extends(model_, *object, reference.target);
  }

  void junction() {
    const Object* junction = find_object(model_, relationship_.through);
    if (junction == nullptr) {
      return;
    }
    if (junction->references.size() != 2) {
      return invalid("the junction '" + junction->name + "' has " +
                     std::to_string(junction->references.size()) + " references and needs two");
    }
    const Reference& a = junction->references[0];
    const Reference& b = junction->references[1];
    const std::string& source = owner_.qualified_name;
    const std::string& target = relationship_.target;
    if (!((points_at(a, source) && points_at(b, target)) ||
          (points_at(b, source) && points_at(a, target)))) {
      invalid("the references of '" + junction->name + "' do not point one at each side");
    }
    const std::string& field = relationship_.source_ref_field;
    const auto named = [&](const Reference& each) {
      return each.name == field || (each.fields.size() == 1 && each.fields[0] == field);
    };
    if (!field.empty() && !named(a) && !named(b)) {
      invalid("'" + field + "' is no reference of '" + junction->name + "'");
    }
  }

  const Model& model_;
  const Object& owner_;
  const Relationship& relationship_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_relationships(const Model& model, Diagnostics& diagnostics) {
  for (const Object& object : model.objects) {
    for (const Relationship& relationship : object.relationships) {
      RelationshipCheck(model, object, relationship, diagnostics).run();
    }
  }
}

}  // namespace kedge::metadata
