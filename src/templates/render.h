// Rendering over a payload that is already a value.
#pragma once

#include <string>

#include "document/node.h"
#include "kedge/templates.h"

namespace kedge::templates {

// A payload from JSON text: an object without duplicate keys. Throws RenderError
// (ERR_PAYLOAD_INVALID).
document::Node read_payload(std::string_view json, const RenderOptions& options);
std::string render(const Template& text, const document::Node& payload, const Provider* provider,
                   const RenderOptions& options);
// Every problem of a payload against its type (spec/templates.md 6.3), in payload order.
std::vector<PayloadProblem> check_payload(const document::Node& payload, const PayloadType& type,
                                          const RenderOptions& options);
// A text whose code points are all White_Space.
bool is_blank(std::string_view text);

}  // namespace kedge::templates
