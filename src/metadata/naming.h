// Physical names out of declared ones (spec/metadata.md 2.3, 2.4).
#pragma once

#include <string>
#include <string_view>

#include "kedge/metadata.h"

namespace kedge::metadata {

std::string apply_naming(Naming naming, std::string_view name);
std::string to_snake_case(std::string_view name);
// consonant + y: ies; s x z ch sh: es; else s.
std::string pluralize(std::string_view name);

}  // namespace kedge::metadata
