// Is a raw attribute value of the kind its rule asks for (spec/metadata.md 1.4)?
#pragma once

#include <string>
#include <string_view>

#include "document/node.h"
#include "metadata/diagnostics.h"
#include "metadata/registry.h"

namespace kedge::metadata {

// Reports what is wrong; false when the value cannot be used.
bool check_value(const AttributeRule& rule, const document::Node& value,
                 const document::Document& document, const std::string& pointer,
                 Diagnostics& diagnostics);

// "'maxLength' is a number, not the string 'x'".
std::string describe_mismatch(const document::Node& value, std::string_view key,
                              std::string_view wanted);

}  // namespace kedge::metadata
