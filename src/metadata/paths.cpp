#include "metadata/paths.h"

#include <algorithm>

#include "base/text.h"

namespace kedge::metadata {

bool JoinPath::many() const {
  return std::any_of(joins.begin(), joins.end(), [](const Join& join) { return join.many; });
}

bool JoinPath::required() const {
  return std::all_of(joins.begin(), joins.end(), [](const Join& join) { return join.required; });
}

const Object* table_of(const Model& model, const Object& object) {
  return object.table_owner.empty() ? nullptr : find_object(model, object.table_owner);
}

bool is_or_extends(const Model& model, const Object& object, const std::string& qualified) {
  const Object* each = &object;
  for (std::size_t depth = 0; each != nullptr && depth < 100; ++depth) {
    if (each->qualified_name == qualified) {
      return true;
    }
    each = each->extends.empty() ? nullptr : find_object(model, each->extends);
  }
  return false;
}

std::vector<std::string> key_fields(const Object& object) {
  const Identity* primary = find_primary(object);
  return primary == nullptr ? std::vector<std::string>() : primary->shape.fields;
}

std::vector<std::string> target_fields(const Model& model, const Reference& reference) {
  if (!reference.target_fields.empty()) {
    return reference.target_fields;
  }
  const Object* target = find_object(model, reference.target);
  return target == nullptr ? std::vector<std::string>() : key_fields(*target);
}

namespace {

bool all_required(const Object& object, const std::vector<std::string>& fields) {
  const std::vector<std::string> keys = key_fields(object);
  return std::all_of(fields.begin(), fields.end(), [&](const std::string& name) {
    const Field* field = find_field(object, name);
    return (field != nullptr && field->required) ||
           std::find(keys.begin(), keys.end(), name) != keys.end();
  });
}

Join forward(const Model& model, const Object& from, const Reference& reference) {
  Join join;
  join.from = from.qualified_name;
  join.to = reference.target;
  join.from_fields = reference.fields;
  join.to_fields = target_fields(model, reference);
  join.required = all_required(from, reference.fields);
  return join;
}

Join backward(const Model& model, const Object& from, const Object& to, const Reference& reference,
              bool many) {
  Join join;
  join.from = from.qualified_name;
  join.to = to.qualified_name;
  join.from_fields = target_fields(model, reference);
  join.to_fields = reference.fields;
  join.many = many;
  return join;
}

// The references of `owner` that point at `target` or at something it extends.
std::vector<const Reference*> references_to(const Model& model, const Object& owner,
                                            const Object& target) {
  std::vector<const Reference*> out;
  for (const Reference& reference : owner.references) {
    if (is_or_extends(model, target, reference.target)) {
      out.push_back(&reference);
    }
  }
  return out;
}

struct Choice {
  const Reference* reference = nullptr;
  bool ambiguous = false;
};

Choice choose(const std::vector<const Reference*>& candidates, const std::string& name) {
  for (const Reference* each : candidates) {
    if (each->name == name) {
      return {each, false};
    }
  }
  return {candidates.size() == 1 ? candidates.front() : nullptr, candidates.size() > 1};
}

PathResult one(JoinPath path) {
  return {std::move(path), false, {}};
}
PathResult fail(std::string problem, bool ambiguous = false) {
  return {std::nullopt, ambiguous, std::move(problem)};
}

PathResult over_junction(const Model& model, const Object& from, const Object& to,
                         const Relationship& relationship) {
  const Object* junction = find_object(model, relationship.through);
  if (junction == nullptr) {
    return fail("the junction of '" + relationship.name + "' does not exist");
  }
  std::vector<const Reference*> sources = references_to(model, *junction, from);
  std::vector<const Reference*> targets = references_to(model, *junction, to);
  const Reference* source = nullptr;
  for (const Reference* each : sources) {
    const bool named =
        relationship.source_ref_field.empty() || each->name == relationship.source_ref_field ||
        (each->fields.size() == 1 && each->fields[0] == relationship.source_ref_field);
    if (source == nullptr && named) {
      source = each;
    }
  }
  const Reference* target = nullptr;
  for (const Reference* each : targets) {
    if (each != source && target == nullptr) {
      target = each;
    }
  }
  if (source == nullptr || target == nullptr) {
    return fail("the junction '" + junction->name + "' does not reference both sides of '" +
                relationship.name + "'");
  }
  JoinPath path;
  path.joins.push_back(backward(model, from, *junction, *source, true));
  path.joins.push_back(forward(model, *junction, *target));
  path.joins.back().to = to.qualified_name;
  return one(std::move(path));
}

PathResult over_relationship(const Model& model, const Object& from,
                             const Relationship& relationship) {
  const Object* to = find_object(model, relationship.target);
  if (to == nullptr) {
    return fail("the target of '" + relationship.name + "' does not exist");
  }
  if (!relationship.through.empty()) {
    return over_junction(model, from, *to, relationship);
  }
  if (!relationship.many) {
    const Choice own = choose(references_to(model, from, *to), relationship.name);
    if (own.reference != nullptr) {
      JoinPath path{{forward(model, from, *own.reference)}};
      path.joins.back().to = to->qualified_name;
      return one(std::move(path));
    }
    if (own.ambiguous) {
      return fail("several references lead from '" + from.name + "' to '" + to->name + "'", true);
    }
  }
  const Choice back = choose(references_to(model, *to, from), relationship.name);
  if (back.reference != nullptr) {
    return one({{backward(model, from, *to, *back.reference, relationship.many)}});
  }
  if (back.ambiguous) {
    return fail("several references lead from '" + to->name + "' to '" + from.name + "'", true);
  }
  return fail("no reference is declared between '" + from.name + "' and '" + to->name + "' for '" +
              relationship.name + "'");
}

std::vector<std::string> hop_names(const Object& object) {
  std::vector<std::string> names;
  for (const Relationship& each : object.relationships) {
    names.push_back(each.name);
  }
  for (const Reference& each : object.references) {
    names.push_back(each.name);
  }
  return names;
}

PathResult resolve_hop(const Model& model, const Object& from, const std::string& hop) {
  for (const Relationship& relationship : from.relationships) {
    if (relationship.name == hop) {
      return over_relationship(model, from, relationship);
    }
  }
  for (const Reference& reference : from.references) {
    if (reference.name == hop) {
      return one({{forward(model, from, reference)}});
    }
  }
  return fail("'" + from.name + "' has no relationship or reference '" + hop + "'" +
              base::did_you_mean(hop, hop_names(from)));
}

}  // namespace

PathResult resolve_path(const Model& model, const Path& path) {
  const Object* at = find_object(model, path.base);
  JoinPath joined;
  for (const std::string& hop : path.hops) {
    if (at == nullptr) {
      return fail("the path leads nowhere");
    }
    PathResult step = resolve_hop(model, *at, hop);
    if (!step.path) {
      return step;
    }
    joined.joins.insert(joined.joins.end(), step.path->joins.begin(), step.path->joins.end());
    at = find_object(model, joined.joins.back().to);
  }
  return one(std::move(joined));
}

PathResult find_single_hop(const Model& model, const std::string& base, const std::string& target) {
  const Object* from = find_object(model, base);
  const Object* to = find_object(model, target);
  if (from == nullptr || to == nullptr) {
    return fail("the path leads nowhere");
  }
  std::vector<std::string> names;
  for (const Relationship& each : from->relationships) {
    if (each.target == target || is_or_extends(model, *to, each.target)) {
      names.push_back(each.name);
    }
  }
  if (names.empty()) {
    for (const Reference& each : from->references) {
      if (is_or_extends(model, *to, each.target)) {
        names.push_back(each.name);
      }
    }
  }
  if (names.empty()) {
    return fail("no relationship leads from '" + from->name + "' to '" + to->name + "'");
  }
  if (names.size() > 1) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ", ") + name;
    }
    return fail(
        "several relationships lead from '" + from->name + "' to '" + to->name + "': " + list,
        true);
  }
  return resolve_hop(model, *from, names.front());
}

}  // namespace kedge::metadata
