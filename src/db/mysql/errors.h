// Which class a mysql error number has (models.md 8.4).
#pragma once

#include "db/connection.h"

namespace kedge::db::mysql {

FailureClass classify(unsigned int number);

}  // namespace kedge::db::mysql
