// A run of `kedge gen` that would find nothing to do, told without doing it. A full run notes all
// that it saw of the outside world: files, folders, links, variables, the program itself. While
// each of them is as it was, the answer is the one of that run. The notes lie in .kedge/gen/seen,
// are of this machine only, and may be deleted at any time.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/environment.h"
#include "base/file_system.h"
#include "codegen/run.h"

namespace kedge::codegen {

// Passes everything through and notes the names of what was asked for.
class SeenFiles final : public base::FileSystem {
 public:
  explicit SeenFiles(base::FileSystem& files) : files_(files) {}
  std::optional<std::string> read(const std::string& path) const override;
  void write(const std::string& path, std::string_view bytes) override;
  void remove(const std::string& path) override;
  std::optional<base::EntryKind> kind(const std::string& path) const override;
  std::vector<base::FolderEntry> list(const std::string& folder) const override;
  void make_folder(const std::string& path) override { files_.make_folder(path); }
  void rename(const std::string& from, const std::string& to) override;
  std::string real_path(const std::string& path) const override;

 private:
  friend class Notes;
  base::FileSystem& files_;
  // With a hash of the text that was read or written last: what is noted must be what was seen.
  mutable std::map<std::string, std::optional<std::size_t>> paths_;
  mutable std::set<std::string> folders_;
  mutable std::set<std::string> links_;
};

class SeenEnvironment final : public base::Environment {
 public:
  explicit SeenEnvironment(base::Environment& environment) : environment_(environment) {}
  std::optional<std::string> get(const std::string& name) const override;
  std::string random_hex(std::size_t digits) override { return environment_.random_hex(digits); }

 private:
  friend class Notes;
  base::Environment& environment_;
  mutable std::set<std::string> names_;
};

// The result of a run that would change nothing, when the notes prove that it would be one.
std::optional<GenResult> recall(base::FileSystem& files, base::Environment& environment,
                                const std::string& folder, const GenRequest& request);
// Notes a run that ended well. Does nothing for runs that a next one would not repeat.
void remember(SeenFiles& files, const SeenEnvironment& environment, const std::string& folder,
              const GenRequest& request, const GenResult& result);

}  // namespace kedge::codegen
