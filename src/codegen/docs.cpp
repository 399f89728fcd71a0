#include "codegen/docs.h"

#include <algorithm>
#include <set>

#include "codegen/merge.h"
#include "codegen/model_file.h"
#include "codegen/path_guard.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

std::vector<GeneratedFile> fresh_pages(const Workspace& workspace) {
  const Pack pack = load_docs_pack();
  TargetSettings target;
  target.name = "docs";
  target.out = workspace.project.docs.out.text;
  while (target.out.ends_with('/')) {
    target.out.pop_back();
  }
  target.project = workspace.project.name;
  target.project_version = workspace.project.version;
  if (workspace.project.migrate.dialect) {
    target.dialect =
        schema::find_dialect(workspace.project.migrate.dialect->text).value_or(target.dialect);
  }
  if (workspace.model.objects.empty() && workspace.model.templates.empty()) {
    return {};
  }
  return merge_targets(generate(workspace.model, pack, target, {}));
}

std::string at(const Workspace& workspace, const std::string& path) {
  return base::join_path(workspace.project.folder, path);
}

// Pages with kedge's header below the folder of docs that this run does not produce.
std::vector<std::string> old_pages(const Workspace& workspace, const std::set<std::string>& fresh) {
  std::vector<std::string> old;
  for (const std::string& path :
       base::list_files(workspace.files, at(workspace, workspace.project.docs.out.text))) {
    const std::string relative = path.substr(workspace.project.folder.size() + 1);
    const std::optional<std::string> text = workspace.files.read(path);
    if (!fresh.contains(relative) && text && read_header(normal_line_ends(*text))) {
      old.push_back(relative);
    }
  }
  return old;
}

std::set<std::string> paths_of(const std::vector<GeneratedFile>& files) {
  std::set<std::string> paths;
  for (const GeneratedFile& file : files) {
    paths.insert(file.path);
  }
  return paths;
}

void check_places(const Workspace& workspace, const std::vector<GeneratedFile>& fresh,
                  const std::vector<std::string>& old) {
  const PathGuard guard(workspace.files, workspace.project.folder);
  for (const GeneratedFile& page : fresh) {
    guard.check(page.path);
  }
  for (const std::string& path : old) {
    guard.check(path);
  }
}

bool is_edited(const std::string& text) {
  const std::optional<HeaderSum> header = read_header(normal_line_ends(text));
  return !header || !header->agrees;
}

}  // namespace

DocsResult write_docs(const Workspace& workspace) {
  const std::vector<GeneratedFile> fresh = fresh_pages(workspace);
  DocsResult result;
  const std::vector<std::string> old = old_pages(workspace, paths_of(fresh));
  check_places(workspace, fresh, old);  // before anything is written
  const std::string stamp = base::format_utc_compact(workspace.clock.now_milliseconds());
  for (const GeneratedFile& page : fresh) {
    const std::optional<std::string> disk = workspace.files.read(at(workspace, page.path));
    if (disk && normal_line_ends(*disk) == page.text) {
      result.unchanged.push_back(page.path);
      continue;
    }
    if (disk && is_edited(*disk)) {
      workspace.files.write(at(workspace, ".kedge/gen/discarded/" + stamp + "/" + page.path),
                            *disk);
      result.kept_aside.push_back(page.path);
    }
    workspace.files.write(at(workspace, page.path), page.text);
    result.written.push_back(page.path);
  }
  for (const std::string& path : old) {
    if (!is_edited(*workspace.files.read(at(workspace, path)))) {
      workspace.files.remove(at(workspace, path));
      result.removed.push_back(path);
    }
  }
  return result;
}

DocsCheck check_docs(const Workspace& workspace) {
  const std::vector<GeneratedFile> fresh = fresh_pages(workspace);
  const Repository repository(workspace.project.folder);
  DocsCheck result;
  const auto add = [&](Code code, const std::string& path, const std::string& message) {
    result.findings.push_back({Severity::Error, code, "docs", path, 0, "", message});
  };
  for (const GeneratedFile& page : fresh) {
    if (repository.is_ignored(page.path)) {
      ++result.ignored;
      continue;
    }
    ++result.checked;
    const std::optional<std::string> disk = workspace.files.read(at(workspace, page.path));
    if (!disk) {
      add(codes::ERR_DOCS_MISSING, page.path, "the page is not there; kedge docs writes it");
    } else if (normal_line_ends(*disk) != page.text) {
      add(codes::ERR_DOCS_STALE, page.path, "the page differs from the metadata; run kedge docs");
    }
  }
  if (result.checked == 0) {
    throw Error(codes::ERR_DOCS_NOTHING_CHECKED, fresh.empty()
                                                     ? "the metadata gives no page of documentation"
                                                     : "git ignores every page of documentation");
  }
  for (const std::string& path : old_pages(workspace, paths_of(fresh))) {
    if (!repository.is_ignored(path)) {
      add(codes::ERR_DOCS_ORPHAN, path, "the page is no longer produced; kedge docs removes it");
    }
  }
  std::sort(result.findings.begin(), result.findings.end(),
            [](const CodegenFinding& a, const CodegenFinding& b) {
              return std::pair(a.path, a.code.name()) < std::pair(b.path, b.code.name());
            });
  return result;
}

}  // namespace kedge::codegen
