// How values print and are escaped (spec/templates.md 3.6).
#pragma once

#include <string>
#include <string_view>

#include "document/node.h"
#include "kedge/templates.h"

namespace kedge::templates {

// The text of a value: nothing for null, compact JSON for containers.
std::string value_text(const document::Node& value);
std::string number_text(const document::Node& number);
// XML 1.0 forbids some characters, escaped or not: false for a text with one in a format of XML.
bool is_allowed(std::string_view text, Format format);
std::string escape(std::string text, const document::Node& value, Format format);

}  // namespace kedge::templates
