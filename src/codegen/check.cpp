// `kedge verify --codegen` (spec/codegen.md 7): what would be generated against what was; a hand
// edit is no drift, a stale file is.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "codegen/merge.h"
#include "codegen/run.h"
#include "codegen/state.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using project::GenTarget;

class Checker {
 public:
  Checker(const Workspace& workspace, Edits edits)
      : workspace_(workspace),
        edits_(edits),
        repository_(workspace.project.folder),
        state_(workspace.files, workspace.project.folder, workspace.project.gen) {}

  CodegenCheck run() {
    if (workspace_.project.gen.targets.empty()) {
      throw Error(codes::ERR_GEN_NO_TARGET,
                  "project.yml has no gen.targets: there is nothing to compare");
    }
    std::vector<const GenTarget*> targets;
    for (const GenTarget& target : workspace_.project.gen.targets) {
      targets.push_back(&target);
    }
    const std::vector<GeneratedFile> fresh = generate_all(workspace_, targets);
    for (const GeneratedFile& file : fresh) {
      paths_.insert(file.path);
      check(file);
    }
    check_orphans();
    check_documents(fresh);
    count_ignored();
    if (const std::optional<Finding> ignored = warn_ignored_state(repository_, state_)) {
      result_.warnings.push_back(*ignored);
    }
    std::sort(result_.findings.begin(), result_.findings.end(),
              [](const CodegenFinding& a, const CodegenFinding& b) {
                return std::tuple(a.path, a.line, a.pointer, a.code.name()) <
                       std::tuple(b.path, b.line, b.pointer, b.code.name());
              });
    return std::move(result_);
  }

 private:
  std::string at(const std::string& path) const {
    return base::join_path(workspace_.project.folder, path);
  }

  void add(const GeneratedFile& file, Code code, std::string message, std::size_t line = 0) {
    result_.findings.push_back(
        {Severity::Error, code, file.target, file.path, line, "", std::move(message)});
  }

  void check(const GeneratedFile& file) {
    ++result_.checked;
    const std::optional<std::string> raw = workspace_.files.read(at(file.path));
    if (!raw) {
      add(file, codes::ERR_GEN_MISSING, "the file is not there; kedge gen writes it");
      return;
    }
    const std::string disk = normal_line_ends(*raw);
    if (state_.pending.contains(file.path) && !is_settled(file.path, disk)) {
      add(file, codes::ERR_GEN_CONFLICT_UNRESOLVED,
          "a conflict stands; settle it, then run kedge gen", first_marker_line(disk));
      return;
    }
    if (holds_markers(disk)) {
      add(file, codes::ERR_GEN_CONFLICT_UNRESOLVED,
          "the file holds conflict markers; settle them, then run kedge gen",
          first_marker_line(disk));
      return;
    }
    if (disk != file.text) {
      compare(file, disk);
    }
  }

  bool is_settled(const std::string& path, const std::string& disk) const {
    const Pending& pending = state_.pending.at(path);
    return pending.markers ? !holds_markers(disk) : base::sha256_hex(disk) != pending.ours_sha;
  }

  // What the generator wrote last: of a settled conflict its new side, else what is recorded.
  std::optional<std::string> last_sha(const std::string& path) const {
    const auto pending = state_.pending.find(path);
    if (pending != state_.pending.end()) {
      return pending->second.fresh_sha;
    }
    const auto known = state_.recorded.find(path);
    return known != state_.recorded.end() ? std::optional(known->second.sha) : std::nullopt;
  }

  void compare(const GeneratedFile& file, const std::string& disk) {
    const std::optional<std::string> last = last_sha(file.path);
    if (file.exact) {
      const bool stale = is_pristine(disk, last);
      add(file, stale ? codes::ERR_GEN_STALE : codes::ERR_GEN_EXACT_EDITED,
          stale ? "older than the metadata; run kedge gen"
                : "physical names were edited: move your constants to a file of your own, then "
                  "kedge gen --discard " +
                      file.path);
      return;
    }
    if (!last) {
      const bool pristine = is_pristine(disk, last);
      add(file, pristine ? codes::ERR_GEN_STALE : codes::ERR_GEN_UNRECORDED,
          pristine ? "older than the metadata; run kedge gen"
                   : "not recorded and different; kedge gen --adopt or --discard " + file.path);
      return;
    }
    if (*last != base::sha256_hex(file.text)) {
      add(file, codes::ERR_GEN_STALE, "older than the metadata; run kedge gen");
      return;
    }
    EditedFile edited{file.path, line_changes(file.text, disk)};
    if (edits_ == Edits::Drift) {
      add(file, codes::ERR_GEN_EDITED, "the file was edited by hand");
    }
    result_.edited.push_back(std::move(edited));
  }

  // Lines of one side that the other does not have, in file order.
  static std::vector<std::string> line_changes(const std::string& base, const std::string& disk) {
    std::multiset<std::string> base_lines;
    std::multiset<std::string> disk_lines;
    const std::vector<std::string> before = base::split(base, '\n');
    const std::vector<std::string> after = base::split(disk, '\n');
    base_lines.insert(before.begin(), before.end());
    disk_lines.insert(after.begin(), after.end());
    std::vector<std::string> changes;
    const auto only = [&changes](const std::vector<std::string>& lines,
                                 std::multiset<std::string> others, const char* sign) {
      for (const std::string& line : lines) {
        const auto found = others.find(line);
        if (found != others.end()) {
          others.erase(found);
        } else {
          changes.push_back(sign + line);
        }
      }
    };
    only(before, disk_lines, "- ");
    only(after, base_lines, "+ ");
    return changes;
  }

  std::string remedy_of_orphan(const std::string& path, const Recorded& entry) const {
    const std::vector<GenTarget>& targets = workspace_.project.gen.targets;
    const bool gone = std::none_of(targets.begin(), targets.end(), [&](const GenTarget& target) {
      return target.name.text == entry.target;
    });
    const std::string disk = normal_line_ends(workspace_.files.read(at(path)).value_or(""));
    switch (fate_of_orphan(is_pristine(disk, entry.sha), workspace_.project.gen.orphans == "keep",
                           gone)) {
      case OrphanFate::Removed:
        return "kedge gen removes it";
      case OrphanFate::TargetGone:
        return "its target '" + entry.target + "' is gone: kedge gen --prune-targets removes it";
      case OrphanFate::Edited:
      case OrphanFate::Kept:
        break;
    }
    return "delete it, or kedge gen --forget " + path + " makes it yours";
  }

  void check_orphans() {
    for (const auto& [path, entry] : state_.recorded) {
      if (!paths_.contains(path) && workspace_.files.kind(at(path)) == base::EntryKind::File) {
        result_.findings.push_back({Severity::Error, codes::ERR_GEN_ORPHAN, entry.target, path, 0,
                                    "", "no longer generated; " + remedy_of_orphan(path, entry)});
      }
    }
  }

  void check_documents(const std::vector<GeneratedFile>& fresh) {
    for (const GenTarget& target : workspace_.project.gen.targets) {
      const Pack pack = load_pack(workspace_.files, workspace_.project.folder, target.pack.text,
                                  target.pack.where);
      if (pack.header == Pack::Header::Comment) {
        continue;
      }
      const TargetSettings settings = target_settings(workspace_.project, target, pack);
      for (const GeneratedFile& file : fresh) {
        const std::optional<std::string> disk = workspace_.files.read(at(file.path));
        if (file.target == settings.name && disk && normal_line_ends(*disk) != file.text &&
            is_current(file.path)) {
          const std::vector<CodegenFinding> found = check_api_document(settings, file, *disk);
          result_.findings.insert(result_.findings.end(), found.begin(), found.end());
        }
      }
    }
  }

  // A stale document is reported as such; its facts are those of the old model.
  bool is_current(const std::string& path) const {
    return std::none_of(result_.findings.begin(), result_.findings.end(),
                        [&](const CodegenFinding& finding) { return finding.path == path; });
  }

  void count_ignored() {
    std::set<std::string> folders;
    for (const GenTarget& target : workspace_.project.gen.targets) {
      folders.insert(target.out.text);
    }
    for (const std::string& folder : folders) {
      for (const std::string& path : base::list_files(workspace_.files, at(folder))) {
        const std::string relative = path.substr(workspace_.project.folder.size() + 1);
        result_.ignored +=
            !paths_.contains(relative) && !state_.recorded.contains(relative) ? 1 : 0;
      }
    }
  }

  const Workspace& workspace_;
  Edits edits_;
  Repository repository_;
  GenState state_;
  std::set<std::string> paths_;
  CodegenCheck result_;
};

}  // namespace

CodegenCheck check_codegen(const Workspace& workspace, Edits edits) {
  return Checker(workspace, edits).run();
}

}  // namespace kedge::codegen
