// Which class a sqlite failure has (models.md 8.4).
#pragma once

#include <string_view>

#include "db/connection.h"

namespace kedge::db::sqlite {

// `code` is the extended result code. SQLITE_ERROR is told apart by sqlite's own message, which is
// not translated.
FailureClass classify(int code, std::string_view message);

}  // namespace kedge::db::sqlite
