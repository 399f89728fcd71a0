// A shape for people and for programs (docs/reference/inspect.md).
#pragma once

#include <string>

#include "app/inspect.h"
#include "document/json.h"

namespace kedge::report {

std::string inspect_text(const app::InspectResult& result);
document::Json inspect_json(const app::InspectResult& result);

// Entity-relationship diagrams: tables with columns and keys, an edge a foreign key.
std::string inspect_mermaid(const schema::Schema& schema);
std::string inspect_dot(const schema::Schema& schema);

}  // namespace kedge::report
