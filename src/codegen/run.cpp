#include "codegen/run.h"

#include <algorithm>
#include <set>

#include "base/file_stamp.h"
#include "base/text.h"
#include "codegen/merge.h"
#include "codegen/model_file.h"
#include "codegen/names.h"
#include "codegen/path_guard.h"
#include "codegen/state.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using project::GenTarget;

// Most lines end with CRLF.
bool has_crlf(const std::string& text) {
  std::size_t crlf = 0;
  std::size_t lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    ++lines;
    crlf += at > 0 && text[at - 1] == '\r' ? 1 : 0;
  }
  return crlf * 2 > lines;
}

std::string to_crlf(const std::string& text) {
  return base::replace_all(text, "\n", "\r\n");
}

std::vector<const GenTarget*> chosen_targets(const project::Project& project,
                                             const std::vector<std::string>& names, bool prunes) {
  std::vector<const GenTarget*> chosen;
  std::vector<std::string> known;
  for (const GenTarget& target : project.gen.targets) {
    known.push_back(target.name.text);
    if (names.empty() || std::find(names.begin(), names.end(), target.name.text) != names.end()) {
      chosen.push_back(&target);
    }
  }
  if (known.empty() && !(prunes && names.empty())) {
    throw Error(codes::ERR_GEN_NO_TARGET, "project.yml has no targets to generate",
                "add gen.targets");
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(codes::ERR_GEN_NO_TARGET,
                  "there is no target '" + name + "'" + base::did_you_mean(name, known),
                  "targets: " + base::join(known, ", "));
    }
  }
  return chosen;
}

constexpr int kFormatterSeconds = 60;               // a file
constexpr std::size_t kMostFormatted = 64U << 20U;  // bytes of either output

Formatter make_formatter(const Workspace& workspace, const GenTarget& target) {
  if (target.formatter.empty()) {
    return {};
  }
  return [&workspace, &target](const std::string& path, const std::string& text) {
    base::ProcessRequest request;
    request.arguments = target.formatter;
    request.working_folder = workspace.project.folder;
    request.environment = {{"KEDGE_FILE", path}};
    request.standard_input = text;
    request.timeout_seconds = kFormatterSeconds;
    request.output_bytes = kMostFormatted;
    const auto refuse = [&](const std::string& why) {
      throw Error(codes::ERR_GEN_FORMATTER,
                  "the formatter of target '" + target.name.text + "' " + why,
                  "gen.targets: formatter: command:");
    };
    base::ProcessResult result;
    try {
      result = workspace.processes.run(request);
    } catch (const Error& error) {
      refuse(std::string("cannot be started: ") + error.what());
    }
    if (result.timed_out) {
      refuse("did not end within " + std::to_string(kFormatterSeconds) + " s for '" + path + "'");
    }
    if (result.overflowed) {
      refuse("gave more than " + std::to_string(kMostFormatted >> 20U) + " MiB for '" + path + "'");
    }
    if (result.exit_code != 0) {
      refuse("ended with exit code " + std::to_string(result.exit_code) + ": " +
             std::string(base::truncate_utf8(result.standard_error + result.standard_output, 300)));
    }
    if (base::trim(result.standard_output).empty() && !base::trim(text).empty()) {
      refuse("gave nothing back for '" + path + "'");
    }
    if (!base::is_valid_utf8(result.standard_output)) {
      refuse("gave back what is not UTF-8 for '" + path + "'");
    }
    return result.standard_output;
  };
}

class GenRun {
 public:
  GenRun(const Workspace& workspace, const GenRequest& request)
      : workspace_(workspace),
        request_(request),
        repository_(workspace.project.folder),
        state_(workspace.files, workspace.project.folder, workspace.project.gen) {
    result_.dry_run = request.dry_run;
  }

  GenResult run() {
    const std::vector<const GenTarget*> targets =
        chosen_targets(workspace_.project, request_.targets, request_.prune_targets);
    std::vector<GeneratedFile> fresh = generate_all(workspace_, targets);
    limit_to(fresh);
    const PathGuard guard(workspace_.files, workspace_.project.folder);
    for (const GeneratedFile& file : fresh) {
      guard.check(file.path);
      paths_.insert(file.path);
    }
    abort_and_forget();
    for (const GenTarget* target : targets) {
      result_.targets.push_back({target->name.text, target->pack.text, {}});
    }
    for (const GeneratedFile& file : fresh) {
      take(file);
    }
    for (const auto& [path, ours] : aborted_) {
      if (!paths_.contains(path)) {
        take_back_alone(path);
      }
    }
    if (request_.only.empty()) {
      sweep(fresh, targets);
    }
    result_.model_sha = model_sha(workspace_.model);
    result_.manifest = state_.manifest_path();
    result_.formatted = std::any_of(targets.begin(), targets.end(), [](const GenTarget* target) {
      return !target->formatter.empty();
    });
    finish(guard);
    return std::move(result_);
  }

 private:
  std::string at(const std::string& path) const {
    return base::join_path(workspace_.project.folder, path);
  }
  std::optional<std::string> disk(const std::string& path) const {
    return workspace_.files.kind(at(path)) == base::EntryKind::File
               ? workspace_.files.read(at(path))
               : std::nullopt;
  }

  void limit_to(std::vector<GeneratedFile>& fresh) const {
    if (request_.only.empty()) {
      return;
    }
    std::set<std::string> known;
    for (const GeneratedFile& file : fresh) {
      known.insert(file.from);
    }
    for (const std::string& name : request_.only) {
      if (!known.contains(name)) {
        throw Error(
            codes::ERR_USAGE, "--only '" + name + "' names nothing that is generated",
            "known: " + base::join(std::vector<std::string>(known.begin(), known.end()), ", "));
      }
    }
    std::erase_if(fresh, [&](const GeneratedFile& file) {
      return std::find(request_.only.begin(), request_.only.end(), file.from) ==
             request_.only.end();
    });
  }

  static bool names(const std::vector<std::string>& list, const std::string& path) {
    return std::find(list.begin(), list.end(), path) != list.end();
  }

  void abort_and_forget() {
    for (const std::string& path : request_.abort) {
      const std::optional<std::string> ours = state_.pending_ours(path);
      if (!state_.pending.contains(path) || !ours) {
        throw Error(codes::ERR_USAGE, "--abort '" + path + "': no conflict stands there");
      }
      writes_[path] = *ours;
      aborted_[path] = *ours;
    }
    for (const std::string& path : request_.forget) {
      if (!state_.recorded.contains(path)) {
        throw Error(codes::ERR_USAGE, "--forget '" + path + "': kedge did not generate it");
      }
      state_.forget(path);
    }
    for (const auto& [list, flag] :
         {std::pair<const std::vector<std::string>*, const char*>{&request_.adopt, "--adopt"},
          {&request_.discard, "--discard"}}) {
      for (const std::string& path : *list) {
        if (!paths_.contains(path)) {
          throw Error(codes::ERR_USAGE,
                      std::string(flag) + " '" + path + "': no target generates it");
        }
      }
    }
  }

  // This run does not generate the file, or nothing does any more: what is left is that of before.
  void take_back_alone(const std::string& path) {
    const bool whole = request_.targets.empty() && request_.only.empty();
    Decision decision;
    decision.status = FileStatus::Kept;
    decision.message = std::string("the conflict was taken back") +
                       (whole ? "; no target generates the file any more" : "");
    state_.restore_before(path);
    state_.drop_pending(path);
    const auto known = state_.recorded.find(path);
    report(known != state_.recorded.end() ? known->second.target : result_.targets.front().name,
           path, decision);
  }

  TargetOutcome& outcome_of(const std::string& target) {
    for (TargetOutcome& outcome : result_.targets) {
      if (outcome.name == target) {
        return outcome;
      }
    }
    const std::vector<GenTarget>& known = workspace_.project.gen.targets;
    const auto configured = std::find_if(
        known.begin(), known.end(), [&](const GenTarget& one) { return one.name.text == target; });
    result_.targets.push_back({target, configured != known.end() ? configured->pack.text : "", {}});
    return result_.targets.back();
  }

  void report(const std::string& target, const std::string& path, const Decision& decision) {
    outcome_of(target).files.push_back(
        {path, decision.status, decision.code, decision.regions, decision.line, decision.message});
  }

  void take(const GeneratedFile& file) {
    const std::optional<std::string> on_disk = disk(file.path);
    if (aborted_.contains(file.path)) {
      Decision decision = decide(file, facts_of(file, std::optional(aborted_[file.path])));
      decision.status = FileStatus::Kept;
      decision.code = Code();
      decision.message = "the conflict was taken back";
      report(file.target, file.path, decision);
      state_.restore_before(file.path);
      state_.drop_pending(file.path);
      return;
    }
    if (names(request_.adopt, file.path) && on_disk && !file.exact) {
      Decision decision;
      decision.status = FileStatus::Kept;
      state_.drop_pending(file.path);
      state_.record(file);
      report(file.target, file.path, decision);
      return;
    }
    if (names(request_.discard, file.path) && on_disk) {
      discard(file, *on_disk);
      return;
    }
    settle_pending(file, on_disk);
    Decision decision = decide(file, facts_of(file, on_disk));
    apply(file, decision, on_disk);
    report(file.target, file.path, decision);
  }

  void discard(const GeneratedFile& file, const std::string& on_disk) {
    const std::string stamp = base::format_utc_compact(workspace_.clock.now_milliseconds());
    discarded_[".kedge/gen/discarded/" + stamp + "/" + file.path] = on_disk;
    Decision decision;
    decision.status = FileStatus::Updated;
    state_.drop_pending(file.path);
    state_.record(file);
    writes_[file.path] = styled(file.text, on_disk);
    report(file.target, file.path, decision);
  }

  // A conflict that the user has settled: what was new then is the base now.
  void settle_pending(const GeneratedFile& file, const std::optional<std::string>& on_disk) {
    const auto entry = state_.pending.find(file.path);
    if (entry == state_.pending.end()) {
      return;
    }
    const bool stands =
        on_disk && (entry->second.markers
                        ? holds_markers(normal_line_ends(*on_disk))
                        : base::sha256_hex(normal_line_ends(*on_disk)) == entry->second.ours_sha);
    const std::optional<std::string> fresh = state_.pending_fresh(file.path);
    if (stands || !fresh) {
      return;
    }
    GeneratedFile settled = file;
    settled.text = *fresh;
    settled_base_[file.path] = *fresh;
    state_.drop_pending(file.path);
    state_.record(settled);
  }

  FileFacts facts_of(const GeneratedFile& file, const std::optional<std::string>& on_disk) {
    FileFacts facts;
    facts.disk = on_disk;
    if (const auto known = state_.recorded.find(file.path); known != state_.recorded.end()) {
      facts.recorded_sha = known->second.sha;
    }
    facts.pending = state_.pending.contains(file.path);
    facts.base = [this, path = file.path, text = normal_line_ends(on_disk.value_or(""))]() {
      const auto settled = settled_base_.find(path);
      return settled != settled_base_.end() ? std::optional(settled->second)
                                            : state_.find_base(path, text, repository_);
    };
    return facts;
  }

  // In the line ends of the file that is there; new files follow gen.eol.
  std::string styled(const std::string& text, const std::optional<std::string>& on_disk) const {
    const bool crlf = on_disk ? has_crlf(*on_disk) : workspace_.project.gen.eol == "crlf";
    return crlf ? to_crlf(text) : text;
  }

  void apply(const GeneratedFile& file, Decision& decision,
             const std::optional<std::string>& on_disk) {
    const bool conflict = decision.status == FileStatus::Conflict && decision.text;
    if (conflict) {
      add_conflict(file, decision, *on_disk);
    }
    if (decision.text && !(conflict && request_.on_conflict == OnConflict::Keep)) {
      writes_[file.path] = styled(*decision.text, on_disk);
    }
    if (decision.records) {
      state_.record(file);
    }
  }

  void add_conflict(const GeneratedFile& file, const Decision& decision,
                    const std::string& on_disk) {
    found_conflict_ = true;
    const bool markers = request_.on_conflict != OnConflict::Keep;
    state_.add_pending(file.path,
                       {base::sha256_hex(decision.merge_base), base::sha256_hex(file.text),
                        base::sha256_hex(normal_line_ends(on_disk)), markers},
                       {decision.merge_base, file.text, on_disk});
    if (markers) {
      // The markers hold both sides, so the new text is the base of whatever comes out of them.
      state_.record(file);
    }
  }

  // --- files that are no longer generated
  void sweep(const std::vector<GeneratedFile>& fresh,
             const std::vector<const GenTarget*>& targets) {
    std::set<std::string> swept;
    for (const GenTarget* target : targets) {
      swept.insert(target->name.text);
    }
    std::set<std::string> configured;
    for (const GenTarget& target : workspace_.project.gen.targets) {
      configured.insert(target.name.text);
    }
    const std::map<std::string, Recorded> recorded = state_.recorded;
    for (const auto& [path, entry] : recorded) {
      const bool gone_target = !configured.contains(entry.target) && request_.targets.empty();
      if (paths_.contains(path) || aborted_.contains(path) ||
          (!swept.contains(entry.target) && !gone_target)) {
        continue;
      }
      sweep_one(path, entry, gone_target && !request_.prune_targets, fresh);
    }
  }

  void sweep_one(const std::string& path, const Recorded& entry, bool target_gone,
                 const std::vector<GeneratedFile>& fresh) {
    const std::optional<std::string> on_disk = disk(path);
    if (!on_disk) {
      state_.forget(path);
      return;
    }
    Decision decision;
    decision.status = FileStatus::Orphan;
    switch (fate_of_orphan(is_pristine(normal_line_ends(*on_disk), entry.sha),
                           workspace_.project.gen.orphans == "keep", target_gone)) {
      case OrphanFate::Edited:
        decision.code = codes::ERR_GEN_ORPHAN_EDITED;
        decision.message = "the file was edited and is no longer generated" +
                           successor(entry, fresh) + "; kedge gen --forget " + path +
                           " makes it yours";
        break;
      case OrphanFate::Kept:
        decision.message = "no longer generated";
        break;
      case OrphanFate::TargetGone:
        decision.message = "its target '" + entry.target +
                           "' is gone from project.yml; --prune-targets removes it";
        break;
      case OrphanFate::Removed:
        decision.status = FileStatus::Removed;
        removals_.push_back(path);
        state_.forget(path);
        break;
    }
    report(entry.target, path, decision);
  }

  std::string successor(const Recorded& entry, const std::vector<GeneratedFile>& fresh) const {
    for (const GeneratedFile& file : fresh) {
      const bool fits = !entry.fields.empty() && fields_key(file.fields) == entry.fields &&
                        file.target == entry.target && !state_was_known(file.path);
      if (fits) {
        return "; '" + file.path + "' has the same fields, carry the edit over";
      }
    }
    return "";
  }
  bool state_was_known(const std::string& path) const { return disk(path).has_value(); }

  // --- writing
  void finish(const PathGuard& guard) {
    for (TargetOutcome& target : result_.targets) {
      std::sort(target.files.begin(), target.files.end(),
                [](const FileOutcome& a, const FileOutcome& b) { return a.path < b.path; });
    }
    warn();
    check_writable(guard);
    if (request_.dry_run) {
      return;
    }
    if (found_conflict_ && request_.on_conflict == OnConflict::Fail) {
      result_.written = false;
      return;
    }
    for (const auto& [path, text] : discarded_) {
      workspace_.files.write(at(path), text);
    }
    for (const auto& [path, text] : writes_) {
      workspace_.files.write(at(path), text);
    }
    for (const std::string& path : removals_) {
      remove_with_empty_folders(path);
    }
    state_.save();
  }

  // Before anything is written: either all files or none. What is taken back or removed need not be
  // among the files of this run.
  void check_writable(const PathGuard& guard) const {
    for (const auto& [path, text] : writes_) {
      guard.check(path);
      if (!base::is_writable(at(path))) {
        throw Error(codes::ERR_IO, "'" + path + "' cannot be written: it is read-only");
      }
    }
    for (const std::string& path : removals_) {
      guard.check(path);
    }
  }

  void remove_with_empty_folders(const std::string& path) {
    workspace_.files.remove(at(path));
    std::string folder = base::parent_path(path);
    while (!folder.empty() && workspace_.files.list(at(folder)).empty() && is_below_out(folder)) {
      workspace_.files.remove(at(folder));
      folder = base::parent_path(folder);
    }
  }
  bool is_below_out(const std::string& folder) const {
    for (const GenTarget& target : workspace_.project.gen.targets) {
      if (folder.starts_with(target.out.text + "/")) {
        return true;
      }
    }
    return false;
  }

  // A pattern that matches nothing is most likely misspelt.
  void warn_patterns() {
    for (const GenTarget& target : workspace_.project.gen.targets) {
      for (const std::vector<project::Text>* list : {&target.include, &target.exclude}) {
        for (const project::Text& pattern : *list) {
          const auto matches = [&](const auto& node) {
            return matches_pattern(pattern.text, node.qualified_name);
          };
          const metadata::Model& model = workspace_.model;
          if (std::none_of(model.objects.begin(), model.objects.end(), matches) &&
              std::none_of(model.templates.begin(), model.templates.end(), matches)) {
            result_.warnings.push_back({{codes::WARN_GEN_PATTERN_UNUSED,
                                         "pattern '" + pattern.text + "' of target '" +
                                             target.name.text + "' matches nothing",
                                         pattern.where,
                                         "",
                                         {}},
                                        Severity::Warning,
                                        {"target", "", "", target.name.text},
                                        "codegen"});
          }
        }
      }
    }
  }

  void warn() {
    warn_patterns();
    if (const std::optional<Finding> ignored = warn_ignored_state(repository_, state_)) {
      result_.warnings.push_back(*ignored);
    }
  }

  const Workspace& workspace_;
  const GenRequest& request_;
  Repository repository_;
  GenState state_;
  GenResult result_;
  std::set<std::string> paths_;
  std::map<std::string, std::string> aborted_;
  std::map<std::string, std::string> settled_base_;
  std::map<std::string, std::string> writes_;
  std::map<std::string, std::string> discarded_;
  std::vector<std::string> removals_;
  bool found_conflict_ = false;
};

}  // namespace

int GenResult::exit() const {
  for (const TargetOutcome& target : targets) {
    for (const FileOutcome& file : target.files) {
      if (!file.code.name().empty()) {
        return 1;
      }
    }
  }
  return 0;
}

TargetSettings target_settings(const project::Project& project, const GenTarget& target,
                               const Pack& pack) {
  TargetSettings settings;
  settings.name = target.name.text;
  settings.out = target.out.text;
  while (settings.out.ends_with('/')) {
    settings.out.pop_back();
  }
  const auto patterns = [](const std::vector<project::Text>& list, std::vector<std::string>& to) {
    for (const project::Text& pattern : list) {
      if (!is_valid_pattern(pattern.text)) {
        throw Error(Problem{codes::ERR_SCOPE_PATTERN_INVALID,
                            "'" + pattern.text + "' is not a pattern over qualified names",
                            pattern.where,
                            "for instance harbour::* or harbour::**",
                            {}});
      }
      to.push_back(pattern.text);
    }
  };
  patterns(target.include, settings.include);
  patterns(target.exclude, settings.exclude);
  settings.options = resolve_options(pack, settings.name, target.options, "project.yml");
  if (project.migrate.dialect) {
    settings.dialect =
        schema::find_dialect(project.migrate.dialect->text).value_or(settings.dialect);
  }
  settings.project = project.name;
  settings.project_version = project.version.empty() ? "0.0.0" : project.version;
  return settings;
}

std::vector<GeneratedFile> generate_all(const Workspace& workspace,
                                        const std::vector<const GenTarget*>& targets) {
  std::vector<GeneratedFile> all;
  for (const GenTarget* target : targets) {
    const Pack pack =
        load_pack(workspace.files, workspace.project.folder, target->pack.text, target->pack.where);
    const TargetSettings settings = target_settings(workspace.project, *target, pack);
    std::vector<GeneratedFile> files =
        generate(workspace.model, pack, settings, make_formatter(workspace, *target));
    all.insert(all.end(), std::make_move_iterator(files.begin()),
               std::make_move_iterator(files.end()));
  }
  return merge_targets(std::move(all));
}

GenResult run_gen(const Workspace& workspace, const GenRequest& request) {
  return GenRun(workspace, request).run();
}

}  // namespace kedge::codegen
