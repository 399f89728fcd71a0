// Which class a failure has that wrangler reports (models.md 8.4).
#pragma once

#include <string_view>

#include "db/connection.h"

namespace kedge::db::d1 {

FailureClass classify(std::string_view message);

}  // namespace kedge::db::d1
