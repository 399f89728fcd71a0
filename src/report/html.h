// The page as one self-contained file: the same page that `kedge serve` shows, with its data
// inside.
#pragma once

#include <string>

#include "document/json.h"

namespace kedge::report {

// `data`: {project, generated, guards, findings, databases, diffs, entities, relations, plan,
// contracts}, every part optional (docs/reference/page-data.md).
std::string html_report(const document::Json& data);
// The page without data: it fetches page/data from where it came from.
std::string live_page();

}  // namespace kedge::report
