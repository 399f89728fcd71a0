// Names of generated code (spec/codegen.md 3.5): words, cases, reserved words, REST segments, and
// the patterns over qualified names.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/error.h"

namespace kedge::codegen {

std::vector<std::string> words_of(std::string_view name);  // lower case
std::string pascal_case(std::string_view name);
std::string camel_case(std::string_view name);
std::string snake_case(std::string_view name);
std::string upper_case(std::string_view name);  // SEATS_LEFT
std::string kebab_case(std::string_view name);
// A name that is reserved gets one trailing '_', one that starts with a digit a leading '_'.
std::string identifier(std::string name, const std::set<std::string>& reserved);
// "ferry_sailings" of FerrySailing.
std::string rest_segment(std::string_view name);
// "a::b" -> "a/b".
std::string package_path(std::string_view package);

// `*` inside a segment, `**` one or more segments; the rest literal.
bool is_valid_pattern(std::string_view pattern);
bool matches_pattern(std::string_view pattern, std::string_view qualified_name);

}  // namespace kedge::codegen
