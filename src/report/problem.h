// A problem and a finding for people and as JSON: the one shape of every surface.
#pragma once

#include <string>

#include "document/json.h"
#include "kedge/finding.h"

namespace kedge::report {

// Names of a database may hold anything: what a terminal would obey is written as \x1b, broken
// UTF-8 as U+FFFD. Line ends and tabs stay.
std::string printable(std::string_view text);
// "file:3:7: error[CODE]: message" with notes and hint on indented lines; ends with a newline.
std::string problem_text(const Problem& problem, Severity severity);
std::string finding_text(const Finding& finding);

// {code, message, hint?, file?, line?, column?, notes?}
document::Json problem_json(const Problem& problem);
// The same plus severity, guard?, subject?
document::Json finding_json(const Finding& finding);
// {"errors": [problem], "exit_code": n}: the one document of a command that could not work.
document::Json error_document(const Problem& problem, int exit_code);

std::string to_string(Severity severity);  // "note", "warning", "error"

}  // namespace kedge::report
