// The templates gate of `kedge verify` and the list of templates, as text and JSON
// (spec/templates.md 7).
#pragma once

#include <string>
#include <vector>

#include "app/templates.h"
#include "document/json.h"

namespace kedge::report {

std::string templates_text(const app::VerifyTemplatesResult& result);
// The members of the gate after "ok".
document::Json templates_gate_json(const app::VerifyTemplatesResult& result);
std::string template_finding_line(const templates::TemplateFinding& finding);
// Why a render was refused: {error, message, path, findings, problems}.
document::Json render_error_json(const templates::RenderError& error,
                                 const std::string& template_name);
std::string template_list_text(const std::vector<app::ListedTemplate>& list);
document::Json template_list_json(const std::vector<app::ListedTemplate>& list);

}  // namespace kedge::report
