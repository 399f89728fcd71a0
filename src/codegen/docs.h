// `kedge docs` and `kedge verify --docs` (spec/codegen.md 9): pages out of the model, compared byte
// for byte; a page is never imported.
#pragma once

#include "codegen/run.h"

namespace kedge::codegen {

struct DocsResult {
  std::vector<std::string> written;
  std::vector<std::string> unchanged;
  std::vector<std::string> removed;
  std::vector<std::string> kept_aside;  // edited pages whose text went to .kedge/gen/discarded
};
DocsResult write_docs(const Workspace& workspace);

struct DocsCheck {
  std::size_t checked = 0;
  std::size_t ignored = 0;  // by the repository's git rules
  std::vector<CodegenFinding> findings;
};
// Throws ERR_DOCS_NOTHING_CHECKED when there was nothing to compare.
DocsCheck check_docs(const Workspace& workspace);

}  // namespace kedge::codegen
