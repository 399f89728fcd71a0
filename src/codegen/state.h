// What the generator wrote last (spec/codegen.md 5): the committed manifest and merge bases, and
// the uncommitted list of unresolved conflicts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/file_system.h"
#include "codegen/generate.h"
#include "codegen/merge.h"
#include "kedge/finding.h"
#include "project/settings.h"

namespace kedge::codegen {

struct Recorded {
  std::string target;
  std::string pack;
  std::string version;
  std::string sha;     // of what the generator wrote, LF
  std::string from;    // qualified name, package or "model"
  std::string fields;  // a short hash of the object's field names
  bool operator==(const Recorded&) const = default;
};

struct Pending {
  std::string base_sha;
  std::string fresh_sha;
  std::string ours_sha;  // of the file when the conflict was found
  bool markers = true;   // false: --on-conflict keep
  bool operator==(const Pending&) const = default;
};

class GenState {
 public:
  // Throws ERR_GEN_STATE_CORRUPT.
  GenState(base::FileSystem& files, std::string project_folder,
           const project::GenSettings& settings);

  std::map<std::string, Recorded> recorded;  // by path
  std::map<std::string, Pending> pending;

  // The merge base of a path: the kept text when it has the recorded hash, else from git.
  std::optional<std::string> find_base(const std::string& path, const std::string& disk_text,
                                       const Repository& repository) const;
  std::optional<std::string> pending_fresh(const std::string& path) const;
  std::optional<std::string> pending_ours(const std::string& path) const;

  void record(const GeneratedFile& file);  // hash and base
  void forget(const std::string& path);
  struct ConflictTexts {
    std::string base;
    std::string fresh;
    std::string ours;
  };
  void add_pending(const std::string& path, Pending entry, const ConflictTexts& texts);
  // Puts the record of before a conflict back.
  void restore_before(const std::string& path);
  void drop_pending(const std::string& path);
  // Bases and pending texts first, then pending.json, the manifest last; unchanged files are not
  // written.
  void save();
  std::string manifest_path() const { return state_folder_ + "/manifest.json"; }

 private:
  void read_manifest();
  void read_pending();
  void write_if_changed(const std::string& path, const std::string& text);
  std::string at(const std::string& path) const { return base::join_path(project_folder_, path); }
  std::string pending_text(const std::string& path, const char* which) const;
  std::string manifest_text() const;
  std::string pending_json() const;

  base::FileSystem& files_;
  std::string project_folder_;
  std::string state_folder_;
  std::string base_folder_;  // with a final '/'; committed, or of this machine (gen.bases)
  std::map<std::string, std::optional<std::string>> texts_;  // to write, or to remove
};

std::string fields_key(const std::vector<std::string>& fields);

// WARN_GEN_STATE_IGNORED, when git ignores the manifest.
std::optional<Finding> warn_ignored_state(const Repository& repository, const GenState& state);

}  // namespace kedge::codegen
