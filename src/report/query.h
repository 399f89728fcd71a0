// Query results, model lists and model documents as text and JSON (models.md 6.1, 13, 14).
#pragma once

#include <string>
#include <vector>

#include "app/query.h"
#include "document/json.h"

namespace kedge::report {

document::Json query_json(const models::QueryResult& result, models::QueryOptions::Mode mode);
std::string query_text(const models::QueryResult& result, models::QueryOptions::Mode mode);
// {"error": code, "message": ...}; for drift the whole body of models.md 14.3.
document::Json query_error_json(const Error& error);

document::Json models_json(const std::vector<app::ListedModel>& models);
std::string models_text(const std::vector<app::ListedModel>& models);
// The document with defaults filled in.
document::Json model_json(const models::Model& model);
std::string model_text(const models::Model& model);

}  // namespace kedge::report
