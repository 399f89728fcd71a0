// Payload types of the template engine from the metadata model: the graph of object types that is
// reachable from a payload object.
#pragma once

#include <string>
#include <string_view>

#include "kedge/metadata.h"
#include "kedge/templates.h"

namespace kedge::codegen {

// Throws ERR_INVALID_TEMPLATE when there is no such object.
templates::PayloadType payload_of(const metadata::Model& model, std::string_view qualified_name);

}  // namespace kedge::codegen
