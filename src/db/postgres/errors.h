// Which class a SQLSTATE has (models.md 8.4).
#pragma once

#include <string_view>

#include "db/connection.h"

namespace kedge::db::postgres {

// An empty SQLSTATE is a failure of the client library: the connection.
FailureClass classify(std::string_view sqlstate);

}  // namespace kedge::db::postgres
