// What happens to one generated file (spec/codegen.md 6.2): a pure function, so that a dry run and
// a real one cannot disagree.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "codegen/generate.h"

namespace kedge::codegen {

enum class FileStatus {
  Created,
  Restored,
  Updated,
  Unchanged,
  Kept,
  Merged,
  Conflict,
  Refused,
  Removed,
  Orphan
};
std::string to_string(FileStatus status);

struct FileFacts {
  std::optional<std::string> disk;                   // as it is
  std::optional<std::string> recorded_sha;           // H
  bool pending = false;                              // an unresolved conflict stands
  std::function<std::optional<std::string>()> base;  // B, asked only when needed
};

struct Decision {
  FileStatus status = FileStatus::Unchanged;
  Code code;             // empty when none
  int regions = 0;       // conflicts
  std::size_t line = 0;  // of the first marker
  std::string message;
  std::optional<std::string> text;  // to write, LF
  bool records = false;             // hash and base of the fresh text
  std::string merge_base;           // of a conflict
};

Decision decide(const GeneratedFile& fresh, const FileFacts& facts);

// What becomes of a recorded file that nothing generates any more (codegen.md 6.5).
enum class OrphanFate { Removed, Edited, Kept, TargetGone };
// `keeps`: the project's `orphans: keep`. `target_gone`: from project.yml, and not to be pruned.
OrphanFate fate_of_orphan(bool pristine, bool keeps, bool target_gone);
bool is_pristine(const std::string& disk, const std::optional<std::string>& recorded_sha);

}  // namespace kedge::codegen
