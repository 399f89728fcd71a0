// How values print and are escaped (spec/templates.md 3.6).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/node.h"
#include "kedge/templates.h"

namespace kedge::templates {

// The text of a value: nothing for null, compact JSON for containers.
std::string value_text(const document::Node& value);
std::string number_text(const document::Node& number);
// What XML 1.0 forbids gives nothing.
std::optional<std::string> escape(std::string text, const document::Node& value, Format format);

}  // namespace kedge::templates
