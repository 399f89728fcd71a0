// How one object is reached from another: hops over relationships and references, as joins over
// declared references (spec/metadata.md 7.3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kedge/metadata.h"

namespace kedge::metadata {

// One join. `from_fields` and `to_fields` pair up.
struct Join {
  std::string from;  // qualified object
  std::string to;
  std::vector<std::string> from_fields;
  std::vector<std::string> to_fields;
  bool many = false;      // more than one row of `to` for one of `from`
  bool required = false;  // every row of `from` has one of `to`
};

struct JoinPath {
  std::vector<Join> joins;
  bool many() const;
  bool required() const;
};

struct PathResult {
  std::optional<JoinPath> path;
  bool ambiguous = false;
  std::string problem;
};

PathResult resolve_path(const Model& model, const Path& path);
// Without @via: the only single hop that leads from base to target.
PathResult find_single_hop(const Model& model, const std::string& base, const std::string& target);

// The object whose table holds the rows of `object`; null when it has none.
const Object* table_of(const Model& model, const Object& object);
// Is `object` the one named, or does it extend it?
bool is_or_extends(const Model& model, const Object& object, const std::string& qualified);
std::vector<std::string> key_fields(const Object& object);
std::vector<std::string> target_fields(const Model& model, const Reference& reference);

}  // namespace kedge::metadata
