#include "app/revision_changes.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

// Links are resolved as far as the path exists: git knows files by where they really are.
std::string resolved(const base::FileSystem& files, const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (files.kind(normal)) {
    return files.real_path(normal);
  }
  const std::string parent = base::parent_path(normal);
  if (parent.empty() || parent == normal) {
    return normal;
  }
  return base::join_path(resolved(files, parent), base::file_name(normal));
}

bool holds(const std::string& folder, const std::string& path) {
  return folder.empty() || path == folder || path.starts_with(folder + "/");
}

}  // namespace

RevisionChanges::RevisionChanges(const Context& context, const std::string& revision)
    : context_(context), revision_(revision) {
  if (revision.starts_with("-")) {
    throw Error(codes::ERR_USAGE, "'" + revision + "' is no revision");
  }
  top_ = run({"rev-parse", "--show-toplevel"}, 0).output;
  while (top_.ends_with('\n')) {
    top_.pop_back();
  }
  // Without --no-renames a file that moved away is not among the names.
  changed_ = base::split(
      run({"-C", top_, "diff", "--name-only", "--no-renames", "-z", revision, "--"}, 0).output,
      '\0');
  const std::vector<std::string> untracked = base::split(
      run({"-C", top_, "ls-files", "--others", "--exclude-standard", "-z"}, 0).output, '\0');
  changed_.insert(changed_.end(), untracked.begin(), untracked.end());
  std::erase(changed_, "");
}

// `most`: the highest exit code that is an answer.
RevisionChanges::Answer RevisionChanges::run(std::vector<std::string> arguments, int most,
                                             const std::string& input) const {
  base::ProcessRequest request;
  request.standard_input = input;
  request.arguments = {"git", "-C", context_.folder};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  base::ProcessResult result = context_.processes.run(request);
  if (result.exit_code > most || result.exit_code < 0) {
    throw Error(codes::ERR_SOURCE, "git cannot compare with '" + revision_ + "'",
                std::string(base::trim(result.standard_error)));
  }
  return {result.exit_code, std::move(result.standard_output)};
}

// From the top of the repository; starts with '/' when it lies elsewhere.
std::string RevisionChanges::in_repository(const std::string& input) const {
  std::string path = resolved(context_.files, base::join_path(context_.folder, input));
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  if (!holds(top_, path)) {
    return path;
  }
  return path == top_ ? "" : path.substr(top_.size() + (top_ == "/" ? 0 : 1));
}

bool RevisionChanges::is_unknown(const std::vector<std::string>& paths) const {
  std::vector<std::string> listed = {"-C",       top_,          "ls-files",
                                     "--others", "--ignored",   "--exclude-standard",
                                     "-z",       "--directory", "--"};
  std::vector<std::string> asked = {"-C", top_, "check-ignore", "--quiet", "--stdin", "-z"};
  std::string names;
  for (const std::string& path : paths) {
    listed.push_back(":(top,literal)" + path);
    names += path.empty() ? "" : path + '\0';
  }
  // 128: it does not look into a submodule.
  const Answer list = run(std::move(listed), 128);
  const Answer ignored = run(std::move(asked), 128, names);
  if (list.exit_code > 0 || ignored.exit_code != 1) {
    return true;
  }
  std::vector<std::string> found = base::split(list.output, '\0');
  std::erase_if(found, [](const std::string& path) {  // kedge's own state is ignored everywhere
    return path.empty() || ("/" + path).find("/.kedge/") != std::string::npos;
  });
  return !found.empty();
}

bool RevisionChanges::touch(const Inputs& inputs) const {
  std::vector<std::string> paths;
  for (const std::string& input : inputs.files) {
    paths.push_back(in_repository(input));
    if (paths.back().starts_with('/')) {
      return true;
    }
  }
  const bool unknown = !paths.empty() && is_unknown(paths);
  for (const std::string& path : inputs.kept) {
    paths.push_back(in_repository(path));
  }
  return unknown || std::any_of(changed_.begin(), changed_.end(), [&](const std::string& file) {
           return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
             return holds(path, file) || holds(file, path);  // a file may have become a folder
           });
         });
}

}  // namespace kedge::app
