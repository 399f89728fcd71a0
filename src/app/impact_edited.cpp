// An edited contract: the declarations of connections and pipelines as they were at a revision of
// git against those of the working folder. Both are judged as `kedge validate --connect` judges
// them; what only the edited ones give is the impact.
#include <algorithm>
#include <set>

#include "app/contracts.h"
#include "app/impact.h"
#include "app/pipeline.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

// The project's files with the texts of a revision before them. Nothing is ever written.
class FilesAt final : public base::FileSystem {
 public:
  explicit FilesAt(base::FileSystem& files) : files_(files) {}
  void set(const std::string& path, std::optional<std::string> text) {
    texts_[path] = std::move(text);
  }

  std::optional<std::string> read(const std::string& path) const override {
    const auto found = texts_.find(path);
    return found != texts_.end() ? found->second : files_.read(path);
  }
  std::optional<base::EntryKind> kind(const std::string& path) const override {
    const auto found = texts_.find(path);
    if (found == texts_.end()) {
      return files_.kind(path);
    }
    return found->second ? std::optional(base::EntryKind::File) : std::nullopt;
  }
  std::vector<base::FolderEntry> list(const std::string& folder) const override {
    std::map<std::string, base::EntryKind> entries;
    for (const base::FolderEntry& entry : files_.list(folder)) {
      entries[entry.name] = entry.kind;
    }
    for (const auto& [path, text] : texts_) {
      if (path.starts_with(folder + "/")) {
        const std::string below = path.substr(folder.size() + 1);
        const std::string name = below.substr(0, below.find('/'));
        if (text) {
          entries[name] = name == below ? base::EntryKind::File : base::EntryKind::Folder;
        } else if (name == below) {
          entries.erase(name);
        }
      }
    }
    std::vector<base::FolderEntry> result;
    for (const auto& [name, kind] : entries) {
      result.push_back({name, kind});
    }
    return result;
  }
  void write(const std::string&, std::string_view) override {}
  void remove(const std::string&) override {}
  void make_folder(const std::string&) override {}
  void rename(const std::string&, const std::string&) override {}
  std::string real_path(const std::string& path) const override { return files_.real_path(path); }

 private:
  base::FileSystem& files_;
  std::map<std::string, std::optional<std::string>> texts_;
};

base::ProcessResult git(Context& context, std::vector<std::string> arguments) {
  base::ProcessRequest request;
  request.arguments = {"git", "-C", context.folder};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  return context.processes.run(request);
}

// Declarations that differ from the revision, with their texts there.
void read_revision(Context& context, const std::string& revision, FilesAt& files) {
  const base::ProcessResult changed =
      revision.starts_with("-")
          ? base::ProcessResult{}
          : git(context, {"diff", "--name-only", "--relative", "-z", revision, "--",
                          "connections.yml", "pipelines", "project.yml"});
  if (revision.starts_with("-") || changed.exit_code != 0) {
    throw Error(codes::ERR_SOURCE, "git cannot compare with '" + revision + "'",
                std::string(base::trim(changed.standard_error)));
  }
  for (const std::string& path : base::split(changed.standard_output, '\0')) {
    if (path.empty()) {
      continue;
    }
    const base::ProcessResult text = git(context, {"show", revision + ":./" + path});
    files.set(base::join_path(context.folder, path),
              text.exit_code == 0 ? std::optional(text.standard_output) : std::nullopt);
  }
}

Context with_files(const Context& context, base::FileSystem& files) {
  return {
      context.folder,   files,           context.clock,    context.environment, context.processes,
      context.registry, context.scratch, context.progress, context.catalogs};
}

struct Judged {
  std::shared_ptr<const pipeline::Workspace> workspace;
  Validation validation;
};

Judged judge(Context context) {
  Judged judged;
  judged.workspace = compile_workspace(context, std::nullopt).workspace;
  ValidateRequest request;
  request.reach = Reach::Connect;
  check_contracts(context, request, judged.validation);
  return judged;
}

std::string key_of(const ValidationItem& item) {
  const Subject& subject = item.finding.subject;
  return std::string(item.finding.problem.code.name()) + "\n" + subject.connection + "\n" +
         subject.container + "\n" + subject.name + "\n" + item.finding.problem.message;
}

std::string promise(const contracts::ContractColumn& column) {
  return to_string(column.type) + (column.optional ? " (optional)" : "");
}

// What is checked of a read, with what a violation leads to.
std::set<std::string> checks_of(const pipeline::Workspace* workspace, const std::string& label) {
  std::set<std::string> checks;
  const auto read = workspace != nullptr ? workspace->find_read(label) : std::nullopt;
  if (read) {
    for (const contracts::Check& check : workspace->reads[*read].checks) {
      checks.insert(contracts::describe_check(check) +
                    (check.severity == contracts::CheckSeverity::Fail ? "" : " (warns)"));
    }
  }
  return checks;
}

// One line for each check that came or went; true when there is one.
bool add_edited_checks(const pipeline::Workspace* before, const pipeline::Workspace& after,
                       const std::string& label, ImpactResult& result) {
  const std::set<std::string> old = checks_of(before, label);
  const std::set<std::string> now = checks_of(&after, label);
  for (const std::string& check : old) {
    if (!now.contains(check)) {
      result.changes.push_back("contract " + label + ": no longer checks " + check);
    }
  }
  for (const std::string& check : now) {
    if (!old.contains(check)) {
      result.changes.push_back("contract " + label + ": checks " + check);
    }
  }
  return old != now;
}

// One line for each column that is promised otherwise than before, and the entities they are of.
std::set<std::string> edited_entities(const pipeline::Workspace* before,
                                      const pipeline::Workspace& after, ImpactResult& result) {
  std::set<std::string> entities;
  const auto columns_of = [](const pipeline::Workspace* workspace, const std::string& label) {
    std::map<std::string, std::string> columns;
    const auto read = workspace != nullptr ? workspace->find_read(label) : std::nullopt;
    if (read) {
      for (const contracts::ContractColumn& column : workspace->reads[*read].contract.columns) {
        columns[column.name] = promise(column);
      }
    }
    return columns;
  };
  std::set<std::string> labels;
  for (const pipeline::Workspace* workspace : {before, &after}) {
    if (workspace != nullptr) {
      for (const pipeline::ReadSpec& read : workspace->reads) {
        labels.insert(read.label);
      }
    }
  }
  for (const std::string& label : labels) {
    const auto old = columns_of(before, label);
    const auto now = columns_of(&after, label);
    if (add_edited_checks(before, after, label, result)) {
      entities.insert(label);
    }
    for (const auto& [name, type] : old) {
      const auto found = now.find(name);
      if (found == now.end()) {
        result.changes.push_back("contract " + label + ": no longer promises " + name);
        entities.insert(label);
      } else if (found->second != type) {
        result.changes.push_back("contract " + label + ": " + name + " from " + type + " to " +
                                 found->second);
        entities.insert(label);
      }
    }
    for (const auto& [name, type] : now) {
      if (!old.contains(name)) {
        result.changes.push_back("contract " + label + ": promises " + name + " " + type);
        entities.insert(label);
      }
    }
  }
  return entities;
}

// Pipelines that read an edited entity and in which nothing was found to break.
void add_readers(const pipeline::Workspace& workspace, const std::set<std::string>& entities,
                 ImpactResult& result) {
  for (const pipeline::PipelineSpec& pipeline : workspace.pipelines) {
    for (const std::size_t read : pipeline.reads) {
      const std::string& label = workspace.reads[read].label;
      if (!entities.contains(label)) {
        continue;
      }
      Impact impact;
      impact.part = "pipelines";
      impact.effect = Effect::Changes;
      impact.message = "pipeline '" + pipeline.name + "' reads '" + label + "'";
      impact.subject = {"pipeline", workspace.reads[read].connection, "", pipeline.name};
      impact.where = Position{"pipelines/" + pipeline.name + ".sql", 1, 1};
      result.impacts.push_back(std::move(impact));
    }
  }
}

}  // namespace

ImpactResult find_contract_impact(Context& context, const std::string& revision) {
  ImpactResult result;
  result.connection = "contracts since " + revision;
  FilesAt old_files(context.files);
  read_revision(context, revision, old_files);
  FilesAt new_files(context.files);
  const Judged before = judge(with_files(context, old_files));
  const Judged after = judge(with_files(context, new_files));
  std::set<std::string> known;
  for (const ValidationItem& item : before.validation.items) {
    known.insert(key_of(item));
  }
  for (const ValidationItem& item : after.validation.items) {
    const Finding& finding = item.finding;
    if (finding.severity == Severity::Note || known.contains(key_of(item))) {
      continue;
    }
    result.impacts.push_back(
        {"contracts", finding.severity == Severity::Error ? Effect::Breaks : Effect::Changes,
         finding.problem.code, finding.problem.message, finding.subject, finding.problem.where,
         std::nullopt});
  }
  if (after.workspace) {
    add_readers(*after.workspace, edited_entities(before.workspace.get(), *after.workspace, result),
                result);
  }
  return result;
}

}  // namespace kedge::app
