// A change as JSON, in the field names of spec/migrate.md 5.1. Empty members are left out.
#pragma once

#include "document/json.h"
#include "kedge/change.h"

namespace kedge::schema {

document::Json to_json(const Change& change);

}  // namespace kedge::schema
