#include "app/codegen.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "codegen/merge.h"
#include "codegen/path_guard.h"
#include "codegen/recall.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

constexpr double kLockSeconds = 30;

MetadataModel load_whole(const Context& context) {
  MetadataModel loaded = load_metadata_model(context);
  project::throw_problems(loaded.errors);
  return loaded;
}

MetadataModel load_metadata_needed(const Context& context) {
  MetadataModel loaded = load_whole(context);
  if (loaded.model.files.empty()) {
    throw Error(codes::ERR_NO_METADATA, "the project has no metadata", "add a folder metadata/");
  }
  return loaded;
}

codegen::Workspace workspace_of(const Context& context, const MetadataModel& loaded) {
  return {context.files, context.processes, context.clock, loaded.project, loaded.model};
}

base::FileLock lock_project(const Context& context) {
  return {base::join_path(context.folder, ".kedge/lock"), kLockSeconds, codes::locked};
}

std::string ejected_folder(const std::string& pack) {
  return "codegen/packs/" + pack;
}

// Where an ejected pack keeps the built-in texts that it was copied from.
std::string origin_folder(const std::string& folder) {
  return folder + "/.origin";
}

std::string state_of_ejected(const Context& context, const std::string& pack) {
  const std::string folder = base::join_path(context.folder, ejected_folder(pack));
  if (!context.files.kind(folder)) {
    return "";
  }
  std::size_t behind = 0;
  std::size_t own = 0;
  const auto difference = [](const std::string& from, const std::string& to) {
    std::multiset<std::string> lines;
    for (const std::string& line : base::split(from, '\n')) {
      lines.insert(line);
    }
    std::size_t count = 0;
    for (const std::string& line : base::split(to, '\n')) {
      const auto found = lines.find(line);
      if (found != lines.end()) {
        lines.erase(found);
      } else {
        ++count;
      }
    }
    return count;
  };
  for (const auto& [name, text] : codegen::builtin_pack_files(pack)) {
    const std::string origin =
        context.files.read(base::join_path(origin_folder(folder), name)).value_or("");
    const std::string mine = context.files.read(base::join_path(folder, name)).value_or("");
    behind += difference(origin, text);
    own += difference(origin, mine);
  }
  return behind + own == 0 ? "identical"
                           : "differs: " + std::to_string(behind) + " lines behind, " +
                                 std::to_string(own) + " of your own";
}

std::map<std::string, std::string> known_pack(const std::string& pack) {
  std::map<std::string, std::string> files = codegen::builtin_pack_files(pack);
  if (files.empty()) {
    throw Error(codes::ERR_PACK_NOT_FOUND,
                "there is no built-in pack '" + pack + "'" +
                    base::did_you_mean(pack, codegen::builtin_pack_names()),
                "built-in packs: " + base::join(codegen::builtin_pack_names(), ", "));
  }
  return files;
}

// One file of an ejected copy: the built-in text of today, the one it was copied from, and the
// copy.
void update_file(const Context& context, const std::string& folder, const std::string& name,
                 const std::string& text, PackUpdate& result) {
  const std::string shown = folder + "/" + name;
  const std::string path = base::join_path(context.folder, shown);
  const std::string origin_path =
      base::join_path(origin_folder(base::join_path(context.folder, folder)), name);
  const std::optional<std::string> raw = context.files.read(path);
  const std::optional<std::string> origin = context.files.read(origin_path);
  const std::string mine = codegen::normal_line_ends(raw.value_or(""));
  if (codegen::holds_markers(mine)) {
    result.conflicts.push_back(shown);  // of an earlier update: to be settled first
    return;
  }
  if (origin == text) {
    return;
  }
  const codegen::MergeResult merged = raw && mine != text
                                          ? codegen::merge_texts(origin.value_or(""), mine, text)
                                          : codegen::MergeResult{text, 0};
  (merged.regions > 0                      ? result.conflicts
   : merged.text == text || mine == origin ? result.updated
                                           : result.merged)
      .push_back(shown);
  const bool crlf = raw && raw->find("\r\n") != std::string::npos;
  context.files.write(path, crlf ? base::replace_all(merged.text, "\n", "\r\n") : merged.text);
  context.files.write(origin_path, text);
}

// Both the copy and the texts it was copied from.
void check_inside(const Context& context, const std::string& folder,
                  const std::map<std::string, std::string>& files) {
  const codegen::PathGuard guard(context.files, context.folder);
  for (const auto& [name, text] : files) {
    guard.check(base::join_path(folder, name));
    guard.check(base::join_path(origin_folder(folder), name));
  }
}

}  // namespace

codegen::GenResult generate_code(const Context& context, const codegen::GenRequest& request) {
  if (std::optional<codegen::GenResult> known =
          codegen::recall(context.files, context.environment, context.folder, request)) {
    return *std::move(known);
  }
  std::optional<base::FileLock> lock;
  if (!request.dry_run) {
    lock.emplace(base::join_path(context.folder, ".kedge/lock"), kLockSeconds, codes::locked);
  }
  codegen::SeenFiles files(context.files);
  codegen::SeenEnvironment environment(context.environment);
  const Context seen{
      context.folder,   files,           context.clock,   environment, context.processes,
      context.registry, context.scratch, context.progress};
  const MetadataModel loaded = load_metadata_needed(seen);
  codegen::GenResult result = codegen::run_gen(workspace_of(seen, loaded), request);
  codegen::remember(files, environment, context.folder, request, result);
  return result;
}

codegen::CodegenCheck verify_codegen(const Context& context, codegen::Edits edits) {
  const MetadataModel loaded = load_metadata_needed(context);
  return codegen::check_codegen(workspace_of(context, loaded), edits);
}

codegen::DocsResult write_docs(const Context& context) {
  const MetadataModel loaded = load_metadata_needed(context);
  const base::FileLock lock = lock_project(context);
  return codegen::write_docs(workspace_of(context, loaded));
}

codegen::DocsCheck verify_docs(const Context& context) {
  const MetadataModel loaded = load_metadata_needed(context);
  return codegen::check_docs(workspace_of(context, loaded));
}

std::vector<PackInfo> list_packs(const Context& context) {
  std::vector<PackInfo> list;
  for (const std::string& name : codegen::builtin_pack_names()) {
    codegen::Pack pack = codegen::load_pack(context.files, context.folder, name, std::nullopt);
    list.push_back({name, pack.version, std::move(pack.options), state_of_ejected(context, name)});
  }
  return list;
}

Ejected eject_pack(const Context& context, const std::string& pack, const std::string& folder,
                   Overwrite overwrite) {
  const std::map<std::string, std::string> files = known_pack(pack);
  Ejected result;
  result.folder = folder.empty() ? ejected_folder(pack) : folder;
  check_inside(context, result.folder, files);
  const base::FileLock lock = lock_project(context);
  const std::string target = base::join_path(context.folder, result.folder);
  if (overwrite == Overwrite::No && context.files.kind(target)) {
    throw Error(codes::ERR_FILE_EXISTS, "'" + result.folder + "' exists already",
                "--force overwrites it");
  }
  for (const auto& [name, text] : files) {
    context.files.write(base::join_path(target, name), text);
    context.files.write(base::join_path(origin_folder(target), name), text);
    result.files.push_back(name);
  }
  return result;
}

PackUpdate update_pack(const Context& context, const std::string& pack, const std::string& to) {
  const std::string folder = to.empty() ? ejected_folder(pack) : to;
  const std::map<std::string, std::string> files = known_pack(pack);
  check_inside(context, folder, files);
  if (!context.files.kind(base::join_path(context.folder, folder))) {
    throw Error(codes::ERR_PACK_NOT_FOUND, "'" + folder + "' does not exist",
                "kedge gen --eject " + pack + " makes it");
  }
  const base::FileLock lock = lock_project(context);
  PackUpdate result;
  for (const auto& [name, text] : files) {
    update_file(context, folder, name, text, result);
  }
  return result;
}

}  // namespace kedge::app
