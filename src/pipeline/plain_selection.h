// Does a pipeline only name columns of one staged table? Then its result needs no second copy of
// the rows: a view is staged instead, and reads the same.
#pragma once

#include <string>

#include "db/connection.h"

namespace kedge::pipeline {

bool is_plain_selection(db::Connection& staging, const std::string& sql);

}  // namespace kedge::pipeline
