#include "codegen/recall.h"

#include <functional>

#include "base/file_stamp.h"
#include "base/text.h"
#include "codegen/merge.h"

namespace kedge::codegen {
namespace {

constexpr std::string_view kVersion = "kedge-seen 1";
// A file that changed this shortly before it was noted could change again within one tick of the
// file system's clock: its content is compared as well.
constexpr std::int64_t kTickNs = 50'000'000;

std::string seen_path(const std::string& folder) {
  return base::join_path(folder, ".kedge/gen/seen");
}

std::string text_of(const base::FileStamp& stamp) {
  return std::to_string(stamp.size) + " " + std::to_string(stamp.modified_ns) + " " +
         std::to_string(stamp.changed_ns) + " " + std::to_string(stamp.inode);
}

// The program that runs: another build may generate something else.
std::string program_stamp() {
  const std::optional<base::FileStamp> stamp = base::stamp_of("/proc/self/exe");
  return stamp ? text_of(*stamp) : "";
}

bool is_repeatable(const GenRequest& request) {
  return request.targets.empty() && request.only.empty() && request.adopt.empty() &&
         request.discard.empty() && request.abort.empty() && request.forget.empty() &&
         !request.prune_targets;
}

std::string listing(const base::FileSystem& files, const std::string& folder) {
  std::string text;
  for (const base::FolderEntry& entry : files.list(folder)) {
    text += entry.name + (entry.kind == base::EntryKind::Folder ? "/\n" : "\n");
  }
  return base::sha256_hex(text);
}

std::string kind_of(const base::FileSystem& files, const std::string& path) {
  const auto kind = files.kind(path);
  return !kind ? "absent" : *kind == base::EntryKind::Folder ? "folder" : "other";
}

// What the same run would say when run again at once.
std::optional<FileStatus> next_status(const FileOutcome& outcome) {
  if (!outcome.code.name().empty() || outcome.status == FileStatus::Orphan) {
    return std::nullopt;
  }
  return outcome.status == FileStatus::Kept || outcome.status == FileStatus::Merged
             ? FileStatus::Kept
             : FileStatus::Unchanged;
}

}  // namespace

std::optional<std::string> SeenFiles::read(const std::string& path) const {
  std::optional<std::string> text = files_.read(path);
  paths_[path] = text ? std::optional(std::hash<std::string_view>()(*text)) : std::nullopt;
  return text;
}
void SeenFiles::write(const std::string& path, std::string_view bytes) {
  paths_[path] = std::hash<std::string_view>()(bytes);
  files_.write(path, bytes);
}
void SeenFiles::remove(const std::string& path) {
  paths_[path] = std::nullopt;
  files_.remove(path);
}
std::optional<base::EntryKind> SeenFiles::kind(const std::string& path) const {
  paths_.try_emplace(path);
  return files_.kind(path);
}
std::vector<base::FolderEntry> SeenFiles::list(const std::string& folder) const {
  folders_.insert(folder);
  return files_.list(folder);
}
void SeenFiles::rename(const std::string& from, const std::string& to) {
  paths_[from] = std::nullopt;
  paths_[to] = std::nullopt;
  files_.rename(from, to);
}
std::string SeenFiles::real_path(const std::string& path) const {
  links_.insert(path);
  return files_.real_path(path);
}
std::optional<std::string> SeenEnvironment::get(const std::string& name) const {
  names_.insert(name);
  return environment_.get(name);
}

// One line a fact: its kind, what it was, its name.
class Notes {
 public:
  // Nothing when a name cannot be noted on one line, or somebody changed a file meanwhile.
  static std::optional<std::string> write(const SeenFiles& seen, const SeenEnvironment& environment,
                                          const std::string& own, const GenResult& result) {
    std::string text(kVersion);
    bool plain = true;
    const auto line = [&](char kind, const std::string& value, const std::string& name) {
      plain = plain && (value + name).find_first_of("\t\n") == std::string::npos;
      text += std::string("\n") + kind + " " + value + "\t" + name;
    };
    line('X', program_stamp(), "");
    line('O', "", own);
    for (const auto& [path, hash] : seen.paths_) {
      const std::optional<base::FileStamp> stamp = base::stamp_of(path);
      if (stamp) {
        const std::string now = seen.files_.read(path).value_or("");
        plain = plain && (!hash || *hash == std::hash<std::string_view>()(now));
        line('F', text_of(*stamp) + " " + base::sha256_hex(now), path);
      } else {
        line('K', kind_of(seen.files_, path), path);
      }
    }
    for (const std::string& folder : seen.folders_) {
      line('L', listing(seen.files_, folder), folder);
    }
    for (const std::string& path : seen.links_) {
      line('P', base::sha256_hex(seen.files_.real_path(path)), path);
    }
    for (const std::string& name : environment.names_) {
      line('E', value_sha(environment.environment_, name), name);
    }
    line('M', result.model_sha, "");
    for (const TargetOutcome& target : result.targets) {
      line('T', target.pack, target.name);
      for (const FileOutcome& file : target.files) {
        if (file.status != FileStatus::Removed) {
          line('S', to_string(*next_status(file)), file.path);
        }
      }
    }
    line('G', "seen", result.manifest);
    return plain ? std::optional(text + "\n") : std::nullopt;
  }

  static void keep(SeenFiles& seen, const std::string& path, const std::string& text) {
    seen.files_.write(path, text);
  }

  static std::string sha(const base::FileSystem& files, const std::string& path) {
    return base::sha256_hex(files.read(path).value_or(""));
  }
  static std::string value_sha(const base::Environment& environment, const std::string& name) {
    const std::optional<std::string> value = environment.get(name);
    return value ? base::sha256_hex(*value) : "absent";
  }
};

namespace {

class Recollection {
 public:
  Recollection(base::FileSystem& files, base::Environment& environment, const std::string& folder,
               std::int64_t noted_ns)
      : files_(files),
        environment_(environment),
        repository_(folder),
        folder_(folder),
        noted_ns_(noted_ns) {}

  // False when a fact does not hold any more.
  bool take(char kind, std::string_view value, const std::string& name) {
    switch (kind) {
      case 'X':
        return value == program_stamp() && !value.empty();
      case 'O':  // else a copy of the project: the notes are about the files of the other
        return name == folder_;
      case 'F':
        return is_same_file(value, name);
      case 'K':
        return value == kind_of(files_, name);
      case 'L':
        return value == listing(files_, name);
      case 'P':
        return value == base::sha256_hex(files_.real_path(name));
      case 'E':
        return value == Notes::value_sha(environment_, name);
      case 'G':
        return !repository_.is_ignored(name);  // else there is something to warn of
      case 'M':
        result.model_sha = value;
        return true;
      case 'T':
        result.targets.push_back({name, std::string(value), {}});
        return true;
      case 'S':
        return take_status(value, name);
      default:
        return false;
    }
  }

  GenResult result;

 private:
  bool is_same_file(std::string_view value, const std::string& path) const {
    const std::optional<base::FileStamp> stamp = base::stamp_of(path);
    const std::size_t blank = value.rfind(' ');
    if (!stamp || blank == std::string_view::npos || text_of(*stamp) != value.substr(0, blank)) {
      return false;
    }
    return stamp->changed_ns < noted_ns_ - kTickNs ||
           Notes::sha(files_, path) == value.substr(blank + 1);
  }

  bool take_status(std::string_view value, const std::string& path) {
    FileOutcome outcome;
    outcome.path = path;
    outcome.status =
        value == to_string(FileStatus::Kept) ? FileStatus::Kept : FileStatus::Unchanged;
    if (result.targets.empty()) {
      return false;
    }
    result.targets.back().files.push_back(std::move(outcome));
    return true;
  }

  base::FileSystem& files_;
  base::Environment& environment_;
  Repository repository_;
  const std::string& folder_;
  std::int64_t noted_ns_;
};

}  // namespace

std::optional<GenResult> recall(base::FileSystem& files, base::Environment& environment,
                                const std::string& folder, const GenRequest& request) {
  const std::optional<base::FileStamp> noted = base::stamp_of(seen_path(folder));
  if (!noted || !is_repeatable(request)) {
    return std::nullopt;
  }
  const std::string text = files.read(seen_path(folder)).value_or("");
  Recollection recollection(files, environment, folder, noted->changed_ns);
  std::string_view rest = text;
  std::size_t end = rest.find('\n');
  if (rest.substr(0, end) != kVersion || !rest.ends_with('\n')) {
    return std::nullopt;
  }
  for (rest.remove_prefix(end + 1); !rest.empty(); rest.remove_prefix(end + 1)) {
    end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const std::size_t tab = line.find('\t');
    if (line.size() < 3 || tab == std::string_view::npos ||
        !recollection.take(line[0], line.substr(2, tab - 2), std::string(line.substr(tab + 1)))) {
      return std::nullopt;
    }
  }
  recollection.result.dry_run = request.dry_run;
  return std::move(recollection.result);
}

void remember(SeenFiles& files, const SeenEnvironment& environment, const std::string& folder,
              const GenRequest& request, const GenResult& result) {
  if (request.dry_run) {
    return;
  }
  bool repeats = is_repeatable(request) && result.written && result.warnings.empty() &&
                 !result.formatted && base::stamp_of(base::join_path(folder, "project.yml"));
  for (const TargetOutcome& target : result.targets) {
    for (const FileOutcome& file : target.files) {
      repeats = repeats && next_status(file).has_value();
    }
  }
  if (const auto text = repeats ? Notes::write(files, environment, folder, result) : std::nullopt) {
    Notes::keep(files, seen_path(folder), *text);
  }
}

}  // namespace kedge::codegen
