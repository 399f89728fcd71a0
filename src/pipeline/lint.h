// Lints of inferred csv and json columns (spec/contracts.md 4.7): only names are printed.
#pragma once

#include "pipeline/engine.h"

namespace kedge::pipeline {

void lint_inference(const Engine& engine, const ReadSpec& read);

}  // namespace kedge::pipeline
