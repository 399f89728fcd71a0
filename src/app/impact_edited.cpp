// An edited contract: the declarations of connections and pipelines as they were at a revision of
// git against those of the working folder. Both are judged as `kedge validate --connect` judges
// them; what only the edited ones give is the impact.
#include <algorithm>
#include <set>

#include "app/contract_formats.h"
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

// What else was edited in the blocks of an entity (spec/contracts.md 18.3): its policies, keys and
// formats, and all of its write. Columns and checks of the read are told above.
std::set<std::string> edited_settings(Context& context, const base::FileSystem& before,
                                      const base::FileSystem& after, ImpactResult& result) {
  const std::string file = base::join_path(context.folder, "connections.yml");
  std::set<std::string> entities;
  for (const contracts::ContractChange& change :
       diff_contract_texts(context, before.read(file).value_or(""), after.read(file).value_or(""))
           .changes) {
    if (change.part != contracts::ContractPart::Shape) {
      result.changes.push_back("contract " + change.entity + ": " + change.text);
      entities.insert(change.entity);
    }
  }
  return entities;
}

// One line for each pipeline whose SQL came, went or is another one.
void add_edited_sql(const pipeline::Workspace* before, const pipeline::Workspace& after,
                    ImpactResult& result) {
  std::map<std::string, std::string> old;
  if (before != nullptr) {
    for (const pipeline::PipelineSpec& pipeline : before->pipelines) {
      old.emplace(pipeline.name, pipeline.text.source);
    }
  }
  for (const pipeline::PipelineSpec& pipeline : after.pipelines) {
    const auto found = old.find(pipeline.name);
    if (found == old.end() || found->second != pipeline.text.source) {
      result.changes.push_back("pipeline " + pipeline.name + ": " +
                               (found == old.end() ? "new" : "its SQL changed"));
    }
    old.erase(pipeline.name);
  }
  for (const auto& [name, text] : old) {
    result.changes.push_back("pipeline " + name + ": gone");
  }
}

// The pipelines that the edit reaches, each once for a reason: those in whose own files something
// is wrong now, those that read or write what breaks or was edited, and all that read their result.
class EditedPipelines {
 public:
  EditedPipelines(const pipeline::Workspace& workspace, const std::set<std::string>& entities,
                  ImpactResult& result)
      : workspace_(workspace), entities_(entities), result_(result), found_(result.impacts.size()) {
    for (std::size_t i = 0; i < found_; ++i) {
      const Impact& impact = result_.impacts[i];
      if (impact.effect == Effect::Breaks) {
        broken_entities_.emplace(impact.subject.connection + "." + impact.subject.container, i);
        broken_entities_.emplace(impact.subject.connection + "." + impact.subject.name, i);
      }
    }
  }

  void run() {
    for (const pipeline::PipelineSpec& pipeline : workspace_.pipelines) {
      add_own(pipeline);
      for (const std::size_t read : pipeline.reads) {
        add_use(pipeline, workspace_.reads[read].label, "reads");
      }
      for (const std::size_t write : pipeline.writes) {
        add_use(pipeline, workspace_.writes[write].target, "writes to");
      }
    }
    add_referrers();
  }

 private:
  bool is_about(const Impact& impact, const pipeline::PipelineSpec& pipeline) const {
    if (!impact.where) {
      return false;
    }
    const std::string& file = impact.where->file;
    const bool of_write = std::any_of(
        pipeline.writes.begin(), pipeline.writes.end(),
        [&](std::size_t write) { return workspace_.writes[write].where == *impact.where; });
    return of_write || file == pipeline.text.file ||
           file == "pipelines/" + pipeline.name + ".yml" ||
           file == "pipelines/" + pipeline.name + ".yaml";
  }

  void add_own(const pipeline::PipelineSpec& pipeline) {
    for (std::size_t i = 0; i < found_; ++i) {
      if (result_.impacts[i].effect == Effect::Breaks && is_about(result_.impacts[i], pipeline)) {
        add(pipeline, Effect::Breaks, "does not work any more", i);
        return;
      }
    }
  }

  void add_use(const pipeline::PipelineSpec& pipeline, const std::string& label,
               const std::string& verb) {
    const auto cause = broken_entities_.find(label);
    if (cause != broken_entities_.end()) {
      add(pipeline, Effect::Breaks, verb + " '" + label + "'", cause->second);
    } else if (entities_.contains(label)) {
      add(pipeline, Effect::Changes, verb + " '" + label + "'", std::nullopt);
    }
  }

  void add_referrers() {
    for (bool grew = true; grew;) {
      grew = false;
      for (const pipeline::PipelineSpec& pipeline : workspace_.pipelines) {
        for (const std::size_t ref : pipeline.refs) {
          const std::string& name = workspace_.pipelines[ref].name;
          const auto cause = broken_.find(name);
          if (cause != broken_.end() && !broken_.contains(pipeline.name)) {
            add(pipeline, Effect::Breaks, "reads the result of '" + name + "'", cause->second);
            grew = true;
          }
        }
      }
    }
  }

  void add(const pipeline::PipelineSpec& pipeline, Effect effect, const std::string& what,
           std::optional<std::size_t> cause) {
    Impact impact;
    impact.part = "pipelines";
    impact.effect = effect;
    impact.message = "pipeline '" + pipeline.name + "' " + what;
    impact.subject = {"pipeline", "", "", pipeline.name};
    if (!pipeline.reads.empty()) {
      impact.subject.connection = workspace_.reads[pipeline.reads.front()].connection;
    }
    impact.where = Position{pipeline.text.file, 1, 1};
    impact.cause = cause;
    if (effect == Effect::Breaks) {
      broken_.emplace(pipeline.name, result_.impacts.size());
    }
    result_.impacts.push_back(std::move(impact));
  }

  const pipeline::Workspace& workspace_;
  const std::set<std::string>& entities_;
  ImpactResult& result_;
  std::size_t found_;  // impacts that are findings
  std::map<std::string, std::size_t> broken_entities_;
  std::map<std::string, std::size_t> broken_;  // pipelines
};

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
    std::set<std::string> entities =
        edited_entities(before.workspace.get(), *after.workspace, result);
    entities.merge(edited_settings(context, old_files, new_files, result));
    add_edited_sql(before.workspace.get(), *after.workspace, result);
    EditedPipelines(*after.workspace, entities, result).run();
  }
  return result;
}

}  // namespace kedge::app
