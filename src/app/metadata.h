// The project's metadata for every command that needs it, `kedge model` and the metadata part of
// `kedge validate`.
#pragma once

#include <string>

#include "app/context.h"
#include "app/validate.h"
#include "kedge/metadata.h"
#include "project/project.h"

namespace kedge::app {

enum class UnknownAttributes { AsConfigured, Warn };  // Warn: --lax

// Diagnostics included; throws only for an unreadable folder.
metadata::LoadResult load_metadata(const Context& context, const project::Project& project,
                                   UnknownAttributes unknown = UnknownAttributes::AsConfigured);
// Throws the first error, the others as notes.
metadata::LoadResult require_metadata(const Context& context, const project::Project& project,
                                      UnknownAttributes unknown = UnknownAttributes::AsConfigured);
// project.yml; throws what is wrong in it.
project::Project require_project(const Context& context);

// The metadata part of `kedge validate`: every diagnostic, those of the configured dialect too.
void check_metadata(Context& context, const ValidateRequest& request, Validation& result);

struct ModelResult {
  std::string text;     // the canonical loaded model
  std::string written;  // where it was written; empty when it goes to standard output
};
// `kedge model [--out FILE]`.
// `target`: only the objects of this target of gen, as its code knows them; empty: all.
ModelResult write_model(Context& context, const std::string& out, const std::string& target = "");

}  // namespace kedge::app
