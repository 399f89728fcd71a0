// The resolved model as canonical JSON (`kedge model --out`): what generated code checks itself
// against at start-up (spec/codegen.md 11). Same metadata, same bytes: objects and templates by
// qualified name, members in a fixed order, absent ones left out.
#pragma once

#include "document/json.h"
#include "kedge/metadata.h"

namespace kedge::metadata {

document::Json to_json(const Model& model);
document::Json to_json(const Diagnostic& diagnostic);  // spec/metadata.md 9

}  // namespace kedge::metadata
