#include "pipeline/nested.h"

#include <algorithm>

namespace kedge::pipeline {

using schema::Type;
using schema::TypeKind;

bool is_nested(const Type& type) {
  return type.kind == TypeKind::Array || type.kind == TypeKind::Struct ||
         type.kind == TypeKind::Map;
}

bool has_leaf(const Type& type, const std::function<bool(const Type&)>& test) {
  return is_nested(type) ? std::any_of(type.element.begin(), type.element.end(),
                                       [&](const Type& part) { return has_leaf(part, test); })
                         : test(type);
}

bool has_kind(const Type& type, TypeKind kind) {
  return has_leaf(type, [&](const Type& leaf) { return leaf.kind == kind; });
}

Type with_leaves(Type type, const std::function<Type(const Type&)>& replace) {
  if (!is_nested(type)) {
    return replace(type);
  }
  for (Type& part : type.element) {
    part = with_leaves(std::move(part), replace);
  }
  return type;
}

}  // namespace kedge::pipeline
