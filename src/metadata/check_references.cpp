#include <algorithm>

#include "base/text.h"
#include "metadata/check.h"
#include "metadata/types.h"

namespace kedge::metadata {
namespace {

bool same_set(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

bool is_unmanaged(const Object& object) {
  const Source* source = primary_source(object);
  return source != nullptr && source->unmanaged;
}

bool is_key_of(const Object& target, const std::vector<std::string>& fields) {
  for (const Identity& identity : target.identities) {
    if (same_set(identity.shape.fields, fields) && identity.shape.where.empty()) {
      return true;
    }
  }
  const Field* only = fields.size() == 1 ? find_field(target, fields[0]) : nullptr;
  return only != nullptr && only->unique;
}

bool leads(const std::vector<std::string>& fields, const IndexShape& shape) {
  if (shape.fields.size() < fields.size() || !shape.where.empty()) {
    return false;
  }
  return same_set(fields, {shape.fields.begin(),
                           shape.fields.begin() + static_cast<std::ptrdiff_t>(fields.size())});
}

bool is_indexed(const Object& owner, const std::vector<std::string>& fields) {
  const Field* only = fields.size() == 1 ? find_field(owner, fields[0]) : nullptr;
  return (only != nullptr && only->unique) ||
         std::any_of(owner.identities.begin(), owner.identities.end(),
                     [&](const Identity& each) { return leads(fields, each.shape); }) ||
         std::any_of(owner.indexes.begin(), owner.indexes.end(),
                     [&](const LookupIndex& each) { return leads(fields, each.shape); });
}

Action default_of(Relationship::Kind kind) {
  switch (kind) {
    case Relationship::Kind::Composition:
      return Action::Cascade;
    case Relationship::Kind::Aggregation:
      return Action::SetNull;
    case Relationship::Kind::Association:
      return Action::Restrict;
  }
  return Action::NoAction;
}

bool any_required(const Object& owner, const Reference& reference) {
  const std::vector<std::string> keys = key_fields(owner);
  return std::any_of(reference.fields.begin(), reference.fields.end(),
                     [&](const std::string& name) {
                       const Field* field = find_field(owner, name);
                       return (field != nullptr && field->required) ||
                              std::find(keys.begin(), keys.end(), name) != keys.end();
                     });
}

Actions actions_of(const Relationship& relationship) {
  return {relationship.on_delete.value_or(default_of(relationship.kind)),
          relationship.on_update.value_or(Action::Cascade)};
}

std::optional<Actions> actions_of_owner(const Object& owner, const Reference& reference) {
  for (const Relationship& each : owner.relationships) {
    if (each.target == reference.target && each.through.empty()) {
      return actions_of(each);
    }
  }
  return std::nullopt;
}

std::optional<Actions> actions_of_target(const Model& model, const Object& owner,
                                         const Reference& reference) {
  const auto enforced = std::count_if(
      owner.references.begin(), owner.references.end(),
      [&](const Reference& each) { return each.enforce && each.target == reference.target; });
  const Object* target = find_object(model, reference.target);
  if (enforced > 1 || target == nullptr || target->qualified_name == owner.qualified_name) {
    return std::nullopt;
  }
  for (const Relationship& each : target->relationships) {
    if (each.target != owner.qualified_name || !each.through.empty()) {
      continue;
    }
    const Actions actions = actions_of(each);
    if (!each.on_delete && actions.on_delete == Action::SetNull && any_required(owner, reference)) {
      return std::nullopt;
    }
    return actions;
  }
  return std::nullopt;
}

class ReferenceCheck {
 public:
  ReferenceCheck(const Model& model, const Object& owner, const Reference& reference,
                 Diagnostics& diagnostics)
      : model_(model), owner_(owner), reference_(reference), diagnostics_(diagnostics) {}

  void run() {
    const Object* target = find_object(model_, reference_.target);
    if (!fields_exist() || target == nullptr) {
      return;
    }
    if (owner_.table_owner.empty() || !reference_.enforce) {
      return;
    }
    if (!target->table_owner.empty() && !is_unmanaged(*target)) {
      target_columns(*target);
    } else if (!is_unmanaged(*target)) {
      diagnostics_.warning(codes::WARN_REFERENCE_NOT_ENFORCED,
                           label() + ": '" + target->name +
                               "' has no table, so there is no "
                               "constraint",
                           reference_.place);
      return;
    }
    actions();
    if (!is_indexed(owner_, reference_.fields)) {
      diagnostics_.warning(codes::WARN_FK_NOT_INDEXED, label() + " leads no key or index",
                           reference_.place,
                           "add index.lookup over " + base::join(reference_.fields, ", "));
    }
  }

 private:
  std::string label() const {
    return "reference '" + reference_.name + "' of '" + owner_.name + "'";
  }
  void error(Code code, const std::string& message, std::string hint = {}) {
    diagnostics_.error(code, label() + message, reference_.place, std::move(hint));
  }

  bool fields_exist() {
    bool good = true;
    for (const std::string& name : reference_.fields) {
      const Field* field = find_field(owner_, name);
      if (field == nullptr || field->is_derived()) {
        std::vector<std::string> known;
        for (const Field& each : owner_.fields) {
          known.push_back(each.name);
        }
        error(codes::ERR_INVALID_REFERENCE,
              ": there is no field '" + name + "'" + base::did_you_mean(name, known));
        good = false;
      }
    }
    return good;
  }

  void target_columns(const Object& target) {
    const std::vector<std::string> fields = target_fields(model_, reference_);
    for (const std::string& name : fields) {
      if (find_field(target, name) == nullptr) {
        return error(codes::ERR_INVALID_REFERENCE,
                     ": '" + target.name + "' has no field '" + name + "'");
      }
    }
    if (fields.empty()) {
      return error(codes::ERR_FK_TARGET, ": '" + target.name + "' has no primary key");
    }
    if (fields.size() != reference_.fields.size()) {
      return error(codes::ERR_FK_TARGET, ": " + std::to_string(reference_.fields.size()) +
                                             " fields for a key of " +
                                             std::to_string(fields.size()));
    }
    if (!is_key_of(target, fields)) {
      return error(codes::ERR_FK_TARGET, ": " + base::join(fields, ", ") + " of '" + target.name +
                                             "' is neither primary nor a unique key");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Field& own = *find_field(owner_, reference_.fields[i]);
      const Field& other = *find_field(target, fields[i]);
      if (canonical_type(own).kind != canonical_type(other).kind) {
        return error(codes::ERR_FK_TARGET, ": '" + own.name + "' is a " + to_string(own.type) +
                                               " and '" + target.name + "." + other.name + "' a " +
                                               to_string(other.type));
      }
    }
  }

  void actions() {
    const Actions actions = effective_actions(model_, owner_, reference_);
    if (actions.on_delete != Action::SetNull && actions.on_update != Action::SetNull) {
      return conflicts();
    }
    const std::vector<std::string> keys = key_fields(owner_);
    std::vector<std::string> fixed;
    for (const std::string& name : reference_.fields) {
      const Field* field = find_field(owner_, name);
      if (field->required || std::find(keys.begin(), keys.end(), name) != keys.end()) {
        fixed.push_back(name);
      }
    }
    if (!fixed.empty()) {
      error(codes::ERR_SET_NULL_NOT_NULLABLE,
            ": set-null cannot work, " + base::join(fixed, ", ") + " is never NULL",
            "make it optional or choose another action");
    }
    conflicts();
  }

  // The owner's relationship and the target's say different things about the same key.
  void conflicts() {
    const Object* target = find_object(model_, reference_.target);
    const Relationship* own = relation(owner_, *target);
    const auto other = actions_of_target(model_, owner_, reference_);
    if (own == nullptr || !other) {
      return;
    }
    const Actions mine = actions_of(*own);
    const bool differ = (!reference_.on_delete && mine.on_delete != other->on_delete) ||
                        (!reference_.on_update && mine.on_update != other->on_update);
    if (differ) {
      diagnostics_
          .warning(codes::WARN_REFERENTIAL_ACTION_CONFLICT,
                   label() + ": the two sides ask for different actions; the owner's counts",
                   own->place, "write the actions on the reference")
          .finding.problem.notes.push_back(
              {"the other side", relation(*target, owner_)->place.where});
    }
  }

  static const Relationship* relation(const Object& from, const Object& to) {
    for (const Relationship& each : from.relationships) {
      if (each.target == to.qualified_name && each.through.empty()) {
        return &each;
      }
    }
    return nullptr;
  }

  const Model& model_;
  const Object& owner_;
  const Reference& reference_;
  Diagnostics& diagnostics_;
};

}  // namespace

Actions effective_actions(const Model& model, const Object& owner, const Reference& reference) {
  std::optional<Actions> inherited = actions_of_owner(owner, reference);
  if (!inherited) {
    inherited = actions_of_target(model, owner, reference);
  }
  Actions actions = inherited.value_or(Actions{});
  if (reference.on_delete) {
    actions.on_delete = *reference.on_delete;
  }
  if (reference.on_update) {
    actions.on_update = *reference.on_update;
  }
  return actions;
}

void check_references(const Model& model, Diagnostics& diagnostics) {
  for (const Object& object : model.objects) {
    if (object.kind != Object::Kind::Entity || object.is_abstract) {
      continue;
    }
    for (const Reference& reference : object.references) {
      ReferenceCheck(model, object, reference, diagnostics).run();
    }
  }
}

}  // namespace kedge::metadata
