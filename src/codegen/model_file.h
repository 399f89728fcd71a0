// The resolved model as a small JSON file that the start-up check of generated code reads
// (`kedge model`, spec/codegen.md 11): every table-backed object with its physical columns.
#pragma once

#include <string>

#include "codegen/data.h"
#include "document/json.h"
#include "kedge/metadata.h"

namespace kedge::codegen {

// With a scope only what its patterns take.
document::Json model_json(const metadata::Model& model, const TargetSettings& scope = {});
std::string model_sha(const metadata::Model& model);
// A pack that knows every type by its neutral name.
Pack neutral_pack();

}  // namespace kedge::codegen
