// `kedge gen` and `kedge verify --codegen` (spec/codegen.md 6, 7): plan everything in memory, then
// write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_system.h"
#include "codegen/decide.h"
#include "kedge/metadata.h"
#include "project/project.h"

namespace kedge::codegen {

enum class OnConflict { Markers, Keep, Fail };

struct GenRequest {
  std::vector<std::string> targets;  // empty: all
  std::vector<std::string> only;     // qualified names
  bool dry_run = false;
  OnConflict on_conflict = OnConflict::Markers;
  std::vector<std::string> adopt;
  std::vector<std::string> discard;
  std::vector<std::string> abort;
  std::vector<std::string> forget;
  bool prune_targets = false;
};

struct FileOutcome {
  std::string path;
  FileStatus status = FileStatus::Unchanged;
  Code code;
  int regions = 0;
  std::size_t line = 0;
  std::string message;
};
struct TargetOutcome {
  std::string name;
  std::string pack;
  std::vector<FileOutcome> files;  // by path
};
struct GenResult {
  std::vector<TargetOutcome> targets;  // in the order of project.yml
  std::string model_sha;
  bool dry_run = false;
  bool written = true;     // false: --on-conflict fail found a conflict
  bool formatted = false;  // a formatter had a part in it
  std::string manifest;    // where the state lies, below the project
  std::vector<Finding> warnings;
  int exit() const;
};

// What a run works on.
struct Workspace {
  base::FileSystem& files;
  base::ProcessRunner& processes;
  base::Clock& clock;
  const project::Project& project;
  const metadata::Model& model;
};

GenResult run_gen(const Workspace& workspace, const GenRequest& request);

struct CodegenFinding {
  Severity severity = Severity::Error;
  Code code;
  std::string target;
  std::string path;
  std::size_t line = 0;
  std::string pointer;
  std::string message;
  bool operator==(const CodegenFinding&) const = default;
};
struct EditedFile {
  std::string path;
  std::vector<std::string> changes;  // "+ line", "- line" against the base
};
struct CodegenCheck {
  std::size_t checked = 0;
  std::size_t ignored = 0;  // files below an output folder that kedge never recorded
  std::vector<EditedFile> edited;
  std::vector<CodegenFinding> findings;  // by path, line, code
  std::vector<Finding> warnings;
};
enum class Edits { Allowed, Drift };
CodegenCheck check_codegen(const Workspace& workspace, Edits edits);

// The settings of a target as the generator takes them.
TargetSettings target_settings(const project::Project& project, const project::GenTarget& target,
                               const Pack& pack);
// All fresh files of the targets, merged; throws what spec/codegen.md 12 lists.
std::vector<GeneratedFile> generate_all(const Workspace& workspace,
                                        const std::vector<const project::GenTarget*>& targets);
// The facts of committed API documents against the model (section 8).
std::vector<CodegenFinding> check_api_document(const TargetSettings& target,
                                               const GeneratedFile& fresh, const std::string& disk);

}  // namespace kedge::codegen
