// Lists, structs and maps by their leaves: what holds of a nested type because a part of it has it.
#pragma once

#include <functional>

#include "kedge/type.h"

namespace kedge::pipeline {

bool is_nested(const schema::Type& type);
// Does the type, or a part of it at any depth, satisfy the test?
bool has_leaf(const schema::Type& type, const std::function<bool(const schema::Type&)>& test);
bool has_kind(const schema::Type& type, schema::TypeKind kind);
// The type with every leaf (a part that is not nested) replaced.
schema::Type with_leaves(schema::Type type,
                         const std::function<schema::Type(const schema::Type&)>& replace);

}  // namespace kedge::pipeline
