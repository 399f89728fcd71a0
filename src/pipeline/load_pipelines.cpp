// pipelines/*.sql and pipelines/configs/*.yml (spec/contracts.md 6.1).
#include <algorithm>
#include <cctype>
#include <map>

#include "base/listing.h"
#include "base/text.h"
#include "contracts/check.h"
#include "contracts/node_reader.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"

namespace kedge::pipeline {
namespace {

using document::Node;

bool is_usable(std::string_view name) {
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), word);
}

// "01_load" -> "load_01", "my-load" -> "my_load".
std::string usable_name(std::string_view name) {
  std::string words;
  for (const char c : name) {
    words += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  const std::size_t digits = words.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos) {
    return is_usable(words) ? words : "p_" + words;
  }
  std::string rest = words.substr(digits);
  rest.erase(0, std::min(rest.find_first_not_of('_'), rest.size()));
  return rest.empty() ? "p_" + words.substr(0, digits) : rest + "_" + words.substr(0, digits);
}

class PipelineLoader {
 public:
  PipelineLoader(const CompileRequest& request, Compilation& result)
      : request_(request), result_(result), workspace_(*result.workspace) {}

  void run() {
    const std::string folder = base::join_path(request_.folder, "pipelines");
    for (const base::FolderEntry& entry : request_.files.list(folder)) {
      if (base::is_declaration(entry) && entry.name.ends_with(".sql")) {
        load_sql("pipelines/" + entry.name, base::stem(entry.name));
      }
    }
    std::sort(workspace_.pipelines.begin(), workspace_.pipelines.end(),
              [](const PipelineSpec& a, const PipelineSpec& b) { return a.name < b.name; });
    refuse_twins();
    const std::string configs = base::join_path(folder, "configs");
    for (const base::FolderEntry& entry : request_.files.list(configs)) {
      if (entry.kind != base::EntryKind::Folder && !base::is_declaration(entry)) {
        continue;
      }
      const std::string file = "pipelines/configs/" + entry.name;
      if (entry.name.ends_with(".yml")) {
        load_sidecar(file);
      } else if (entry.name.ends_with(".yaml")) {
        warn_yaml(file);
      }
    }
  }

 private:
  void problem(Code code, Position where, std::string message, std::string hint = {}) {
    result_.load.problems.push_back(
        {code, std::move(message), std::move(where), std::move(hint), {}});
  }

  void warn_yaml(const std::string& file) {
    Finding finding;
    finding.problem = {codes::PZ0135,
                       "'" + file + "' is not read: rename it to .yml",
                       Position{file, 1, 1},
                       "",
                       {}};
    finding.severity = Severity::Warning;
    finding.guard = "contracts";
    result_.warnings.push_back(std::move(finding));
  }

  void load_sql(const std::string& file, const std::string& name) {
    if (!is_usable(name)) {
      problem(codes::PZ0136, {file, 1, 1}, "pipeline name '" + name + "' cannot be used",
              "letters, digits and underscores, not starting with a digit: rename the file to '" +
                  usable_name(name) + ".sql'");
      return;
    }
    PipelineSpec pipeline;
    pipeline.name = name;
    pipeline.text = parse_template(
        file, base::read_listed(request_.files, base::join_path(request_.folder, file)));
    workspace_.pipelines.push_back(std::move(pipeline));
  }

  void refuse_twins() {
    std::map<std::string, const PipelineSpec*> seen;
    for (const PipelineSpec& pipeline : workspace_.pipelines) {
      const auto [first, added] = seen.emplace(base::to_lower(pipeline.name), &pipeline);
      if (!added) {
        problem(codes::PZ0110, {pipeline.text.file, 1, 1},
                "pipelines '" + first->second->name + "' and '" + pipeline.name +
                    "' have the same name when case is ignored");
      }
    }
  }

  void load_sidecar(const std::string& file) {
    const document::Document document = document::read_document(
        file, base::read_listed(request_.files, base::join_path(request_.folder, file)),
        document::Format::Yaml);
    for (const Problem& found : document.problems) {
      problem(codes::PZ0101, found.where.value_or(Position{file, 1, 1}), found.message, found.hint);
    }
    if (!document.usable) {
      return;
    }
    const contracts::NodeReader reader(file, codes::PZ0101, result_.load.problems);
    if (!document.root.is_mapping()) {
      reader.problem(document.root, "a sidecar must be a mapping");
      return;
    }
    reader.refuse_unknown(
        document.root, {"pipeline", "materialization", "tags", "checks", "engine", "description"},
        "the sidecar");
    read_sidecar(file, document.root, reader);
  }

  void read_sidecar(const std::string& file, const Node& root,
                    const contracts::NodeReader& reader) {
    const Node* name = root.find("pipeline");
    if (name == nullptr) {
      reader.problem(root, "the sidecar does not say which pipeline: it belongs to");
      return;
    }
    const auto found = workspace_.find_pipeline(name->text);
    if (!found) {
      std::vector<std::string> known;
      for (const PipelineSpec& pipeline : workspace_.pipelines) {
        known.push_back(pipeline.name);
      }
      reader.with(codes::PZ0111)
          .problem(*name, "there is no pipeline '" + name->text + "'" +
                              base::did_you_mean(name->text, known));
      return;
    }
    PipelineSpec& pipeline = workspace_.pipelines[*found];
    if (const Node* tags = root.find("tags")) {
      pipeline.tags = reader.texts(*tags, "tags");
    }
    if (const Node* materialization = root.find("materialization")) {
      read_materialization(*materialization, pipeline, reader);
    }
    if (const Node* checks = root.find("checks")) {
      checks_where_[*found] = reader.place(root.find_entry("checks")->key);
      pipeline.checks = contracts::read_checks(file, *checks, result_.load.problems);
    }
    if (const Node* engine = root.find("engine")) {
      read_engine(*engine, pipeline, reader.with(codes::PZ0120));
    }
    if (pipeline.materialization == Materialization::Ephemeral && !pipeline.checks.empty()) {
      result_.compile.problems.push_back(
          {codes::PZ0205,
           "pipeline '" + pipeline.name + "' is ephemeral and cannot have checks",
           checks_where_[*found],
           "",
           {}});
    }
  }

  static void read_materialization(const Node& node, PipelineSpec& pipeline,
                                   const contracts::NodeReader& reader) {
    static const std::vector<std::string> kWords = {"table", "view", "ephemeral"};
    if (node.is_scalar() && node.text == "table") {
      pipeline.materialization = Materialization::Table;
    } else if (node.is_scalar() && node.text == "view") {
      pipeline.materialization = Materialization::View;
    } else if (node.is_scalar() && node.text == "ephemeral") {
      pipeline.materialization = Materialization::Ephemeral;
    } else {
      reader.with(codes::PZ0134)
          .problem(node, "materialization: '" + node.text + "' is not table, view or ephemeral" +
                             base::did_you_mean(node.text, kWords));
    }
  }

  static void read_engine(const Node& node, PipelineSpec& pipeline,
                          const contracts::NodeReader& reader) {
    if (!node.is_mapping()) {
      reader.problem(node, "engine must be a mapping");
      return;
    }
    reader.refuse_unknown(node, {"run_in"}, "engine");
    if (const Node* run_in = node.find("run_in")) {
      pipeline.run_in = reader.text(*run_in, "run_in").value_or("");
      pipeline.run_in_where = reader.place(*run_in);
    }
  }

  const CompileRequest& request_;
  Compilation& result_;
  Workspace& workspace_;
  std::map<std::size_t, Position> checks_where_;
};

}  // namespace

void load_pipelines(const CompileRequest& request, Compilation& result) {
  PipelineLoader(request, result).run();
}

}  // namespace kedge::pipeline
