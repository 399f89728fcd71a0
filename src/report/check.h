// The report of `kedge check` in every form that people and machines read.
#pragma once

#include <string>
#include <vector>

#include "app/check.h"
#include "app/page_parts.h"
#include "document/json.h"
#include "report/findings.h"

namespace kedge::report {

std::string check_text(const app::CheckResult& result);
// {command, project, time, guards, findings, known, errors, exit_code};
// docs/reference/check-json.md
document::Json check_json(const app::CheckResult& result);
// What the page draws (html.h): the check and the parts beside it.
document::Json page_data(const app::CheckResult& result, const app::PageParts& parts);
// What could not be checked, as findings of severity error.
std::vector<Finding> unchecked(const app::CheckResult& result);
JunitReport junit_report(const app::CheckResult& result);
// The findings and those: for SARIF and annotations.
std::vector<Finding> reported_findings(const app::CheckResult& result);

}  // namespace kedge::report
