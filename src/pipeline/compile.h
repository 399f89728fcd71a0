// From the files of a project to a Workspace (spec/contracts.md 2 to 7, 17): everything that can be
// found without a database. Every tier collects all its problems.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/file_system.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

// The parse tree of a SELECT as DuckDB serialises it (JSON), or an Error.
using SqlSerializer = std::function<std::string(const std::string& sql)>;

// What DuckDB says against a statement; nullopt when it takes it.
using SqlTrial = std::function<std::optional<std::string>(const std::string& sql)>;

struct CompileRequest {
  const base::FileSystem& files;
  const base::Environment& environment;
  std::string folder;
  std::optional<std::string> vars;  // --vars, JSON
  SqlSerializer serialize;          // used only where a pipeline calls watermark()
  SqlTrial trial = {};              // used only for patterns, and for bounds of typed columns
};

Compilation compile_project(const CompileRequest& request);

// The parts, in order; each may be used alone by tests.
void load_pipelines(const CompileRequest& request, Compilation& result);
void resolve_calls(Compilation& result);
void check_rules(const CompileRequest& request, Compilation& result);
void analyse_watermarks(const CompileRequest& request, Compilation& result);
void check_facts(const CompileRequest& request, Compilation& result);
void check_required_contracts(Compilation& result);

// `sync:` of a read (17.1): PZ0334. nullopt for auto.
struct Sync {
  std::optional<Cursor> cursor;
  bool change_capture = false;
};
Sync read_sync(const std::string& file, const document::Entry& entry, const std::string& entity,
               std::vector<Problem>& problems);

}  // namespace kedge::pipeline
