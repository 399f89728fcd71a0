// Three-way merge of texts and the git repository of a project, through libgit2 (its only home).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kedge::codegen {

struct MergeResult {
  std::string text;
  int regions = 0;  // conflicts
};
// All with LF line ends. A missing final newline is taken as there.
MergeResult merge_texts(const std::string& base, const std::string& ours,
                        const std::string& theirs);

bool holds_markers(const std::string& text);
// 1-based line of the first marker.
std::size_t first_marker_line(const std::string& text);
// Drops conflict regions that cover nothing but header lines, keeping the first side's.
std::string drop_header_conflicts(const std::string& text);

class Repository {
 public:
  // The repository that holds the folder; without one every question has the empty answer.
  explicit Repository(const std::string& folder);
  ~Repository();
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  // The newest text of a path, among the last 200 commits that touch it, that is accepted. Paths
  // are relative to `folder`.
  std::optional<std::string> find_text(const std::string& path,
                                       const std::function<bool(const std::string&)>& accept) const;
  bool is_ignored(const std::string& path) const;  // by the repository's own rules; tracked: never

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kedge::codegen
