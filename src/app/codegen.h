// Generated code and docs of a project (spec/codegen.md): gen, docs, their checks, packs, the model
// file. Holds the project's lock while it writes.
#pragma once

#include "app/context.h"
#include "app/metadata_model.h"
#include "codegen/docs.h"
#include "codegen/run.h"
#include "document/json.h"

namespace kedge::app {

codegen::GenResult generate_code(const Context& context, const codegen::GenRequest& request);
codegen::CodegenCheck verify_codegen(const Context& context, codegen::Edits edits);
codegen::DocsResult write_docs(const Context& context);
codegen::DocsCheck verify_docs(const Context& context);

struct PackInfo {
  std::string name;
  std::string version;
  std::vector<codegen::PackOption> options;
  std::string ejected;  // "", "identical", "differs: N lines behind, M of your own"
};
std::vector<PackInfo> list_packs(const Context& context);

enum class Overwrite { No, Yes };
struct Ejected {
  std::string folder;
  std::vector<std::string> files;
};
Ejected eject_pack(const Context& context, const std::string& pack, const std::string& folder,
                   Overwrite overwrite);
struct PackUpdate {
  std::vector<std::string> updated;
  std::vector<std::string> merged;
  std::vector<std::string> conflicts;
};
// `to`: where the copy lies; empty: where --eject puts it.
PackUpdate update_pack(const Context& context, const std::string& pack, const std::string& to);

}  // namespace kedge::app
