// `kedge record` and `kedge log` as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "app/history.h"
#include "document/json.h"

namespace kedge::report {

std::string recorded_text(const app::Recorded& recorded);
document::Json recorded_json(const app::Recorded& recorded);
// `about`: the subject that was asked for, or "".
std::string log_text(const std::vector<app::LogRow>& rows, const std::string& about);
document::Json log_json(const std::vector<app::LogRow>& rows);

}  // namespace kedge::report
