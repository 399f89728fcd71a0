// gen, docs and their gates as text and JSON (spec/codegen.md 6.6, 7.2).
#pragma once

#include <string>
#include <vector>

#include "app/codegen.h"
#include "document/json.h"

namespace kedge::report {

std::string gen_text(const codegen::GenResult& result);
document::Json gen_json(const codegen::GenResult& result);
enum class ShowEdits { No, Yes };
std::string codegen_check_text(const codegen::CodegenCheck& check, ShowEdits edits);
document::Json codegen_gate_json(const codegen::CodegenCheck& check);
std::string docs_text(const codegen::DocsResult& result);
document::Json docs_json(const codegen::DocsResult& result);
std::string docs_check_text(const codegen::DocsCheck& check);
document::Json docs_gate_json(const codegen::DocsCheck& check);
std::string packs_text(const std::vector<app::PackInfo>& packs);
document::Json packs_json(const std::vector<app::PackInfo>& packs);

}  // namespace kedge::report
