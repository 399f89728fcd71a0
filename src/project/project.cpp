#include "project/project.h"

#include <algorithm>
#include <limits>

#include "base/problem_list.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "project/block_reader.h"
#include "project/chapters.h"
#include "project/variables.h"

namespace kedge::project {
namespace {

using document::Node;

const std::vector<std::string> kDriftWords = {"ignore", "warn", "fail"};

class ProjectReader {
 public:
  ProjectReader(const Report& report, Project& project) : report_(report), project_(project) {}

  void read(const Node& root) {
    BlockReader reader(report_, root, codes::PZ0101, "");
    read_identity(reader);
    read_policies(reader);
    read_vars(reader);
    read_engine(reader);
    read_retention(reader);
    read_events(reader);
    read_chapters(reader);
    retire(reader);
    reader.refuse_unknown();
  }

 private:
  void read_identity(BlockReader& reader) {
    project_.has_name = reader.entry("name") != nullptr;
    project_.has_version = reader.entry("version") != nullptr;
    if (const std::optional<Text> name = reader.non_empty_text("name")) {
      project_.name = name->text;
    }
    const Node* version = reader.node("version");
    if (version == nullptr) {
      return;
    }
    if (version->is_string() && !base::trim(version->text).empty()) {
      project_.version = version->text;
      return;
    }
    reader.problem(*version, "version: needs a text, not " + shown(*version),
                   version->is_scalar() && version->kind != document::Kind::Null
                       ? "put it in quotes: version: \"" + version->text + "\""
                       : "for instance version: 1.0.0");
  }

  void read_policies(BlockReader& reader) {
    reader.set_code(codes::PZ0126);
    if (const std::optional<Text> policy = reader.choice("on_source_drift", kDriftWords)) {
      project_.on_source_drift = drift_of(policy->text);
    }
    reader.set_code(codes::PZ0101);
    if (const auto need = reader.choice("require_contracts", {"none", "files", "all"})) {
      project_.require_contracts = need->text == "all"     ? RequireContracts::All
                                   : need->text == "files" ? RequireContracts::Files
                                                           : RequireContracts::None;
    }
    assign(project_.state_dir, reader.non_empty_text("state_dir"));
    if (project_.state_dir.where && (project_.state_dir.text.starts_with('/') ||
                                     project_.state_dir.text.find("..") != std::string::npos)) {
      report_.problems.push_back({codes::PZ0101,
                                  "state_dir: must be a folder inside the project",
                                  project_.state_dir.where,
                                  "for instance state_dir: state",
                                  {}});
    }
    if (auto priority = reader.texts("data_source_priority")) {
      project_.data_source_priority = std::move(*priority);
    }
  }

  static OnSourceDrift drift_of(const std::string& word) {
    return word == "fail"   ? OnSourceDrift::Fail
           : word == "warn" ? OnSourceDrift::Warn
                            : OnSourceDrift::Ignore;
  }

  static bool is_value(const Node& node) {
    if (node.is_sequence()) {
      return std::all_of(node.items.begin(), node.items.end(),
                         [](const Node& item) { return item.is_scalar(); });
    }
    return node.is_scalar();
  }

  void read_vars(BlockReader& reader) {
    reader.set_code(codes::PZ0102);
    if (const Node* vars = reader.block("vars")) {
      for (const document::Entry& entry : vars->entries) {
        if (is_value(entry.value)) {
          project_.vars.push_back({entry.key.text, entry.value});
        } else {
          reader.problem(entry.value, "vars: " + entry.key.text +
                                          ": needs a scalar or a list of scalars, not " +
                                          shown(entry.value));
        }
      }
    }
    reader.set_code(codes::PZ0101);
  }

  void read_engine(BlockReader& reader) {
    reader.set_code(codes::PZ0120);
    const Node* block = reader.block("engine");
    reader.set_code(codes::PZ0101);
    if (block == nullptr) {
      return;
    }
    EngineSettings& engine = project_.engine;
    BlockReader inner(report_, *block, codes::PZ0120, "engine");
    assign(engine.threads, inner.integer("threads", 1, kUnbounded));
    assign(engine.chunk_rows, inner.integer("chunk_rows", 1, 1'000'000));
    assign(engine.check_samples, inner.boolean("check_samples"));
    engine.node_timeout_ms = inner.duration("node_timeout");
    if (const Node* duckdb = inner.block("duckdb")) {
      BlockReader options(report_, *duckdb, codes::PZ0120, "engine: duckdb");
      read_memory_limit(options, engine);
      engine.duckdb_threads = options.integer("threads", 1, kUnbounded);
      assign(engine.duckdb_temp_directory, options.non_empty_text("temp_directory"));
      options.refuse_unknown();
    }
    inner.refuse_unknown();
  }

  // A size as DuckDB takes it; what it would refuse only once a run has begun is refused here.
  static void read_memory_limit(BlockReader& options, EngineSettings& engine) {
    const std::optional<Text> limit = options.non_empty_text("memory_limit");
    if (!limit) {
      return;
    }
    const std::string text = base::to_lower(limit->text);
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const std::string unit(base::trim(digits == std::string::npos ? "" : text.substr(digits)));
    static const std::vector<std::string> kUnits = {"b",   "kb",  "mb",  "gb",  "tb",
                                                    "kib", "mib", "gib", "tib", "%"};
    if (digits == 0 || std::find(kUnits.begin(), kUnits.end(), unit) == kUnits.end()) {
      options.problem(*options.node("memory_limit"),
                      "engine: duckdb: memory_limit: needs a size, not '" + limit->text + "'",
                      "for instance 512MiB or 2GiB");
      return;
    }
    engine.duckdb_memory_limit = limit->text;
  }

  void read_retention(BlockReader& reader) {
    const Node* value = reader.node("retention");
    if (value == nullptr) {
      return;
    }
    if (value->is_scalar() && value->text == "off") {
      project_.keep_last.reset();
    } else if (value->is_mapping()) {
      BlockReader inner(report_, *value, codes::PZ0123, "retention");
      if (const auto keep = inner.integer("keep_last", 1, kUnbounded)) {
        project_.keep_last = keep;
      } else if (value->find("keep_last") == nullptr) {
        inner.problem(*value, "retention: needs keep_last:");
      }
      inner.refuse_unknown();
    } else {
      report_.add(codes::PZ0123, *value,
                  "retention: needs off or {keep_last: N}, not " + shown(*value));
    }
  }

  void read_events(BlockReader& reader) {
    const Node* block = reader.block("events");
    if (block == nullptr) {
      return;
    }
    BlockReader inner(report_, *block, codes::PZ0101, "events");
    const auto texts_of = [&inner](std::string_view key) {
      std::vector<std::string> result;
      for (const Text& text : inner.texts(key).value_or(std::vector<Text>{})) {
        result.push_back(text.text);
      }
      return result;
    };
    project_.events.on = texts_of("on");
    project_.events.command = texts_of("command");
    inner.refuse_unknown();
  }

  void read_chapters(BlockReader& reader) {
    reader.set_code(codes::ERR_CONFIG);
    if (const Node* block = reader.block("metadata")) {
      read_metadata_block(report_, *block, project_.metadata);
    }
    if (const Node* block = reader.block("migrate")) {
      read_migrate_block(report_, *block, project_.migrate);
    }
    if (const Node* block = reader.block("gen")) {
      read_gen_block(report_, *block, project_.gen);
    }
    if (const Node* block = reader.block("docs")) {
      read_docs_block(report_, *block, project_.docs);
    }
    if (const Node* block = reader.block("templates")) {
      read_templates_block(report_, *block, project_.templates);
    }
    reader.set_code(codes::PZ0101);
  }

  void retire(BlockReader& reader) {
    if (const document::Entry* outputs = reader.entry("outputs")) {
      report_.add(codes::PZ0347, outputs->key, "outputs: is not a setting of kedge",
                  "declare the places to write to as connections in connections.yml");
    }
  }

  const Report& report_;
  Project& project_;
};

}  // namespace

std::string to_string(OnSourceDrift policy) {
  switch (policy) {
    case OnSourceDrift::Ignore:
      return "ignore";
    case OnSourceDrift::Warn:
      return "warn";
    case OnSourceDrift::Fail:
      return "fail";
  }
  return "";
}

void warn_about_yaml(const base::FileSystem& files, const std::string& folder,
                     const std::string& name, std::vector<Finding>& warnings) {
  if (files.kind(base::join_path(folder, name)) == base::EntryKind::File) {
    const std::string right = name.substr(0, name.size() - 4) + "yml";
    warnings.push_back({{codes::PZ0135,
                         "'" + name + "' is not read",
                         Position{name, 1, 1},
                         "rename it to '" + right + "'",
                         {}},
                        Severity::Warning,
                        {"file", "", "", name},
                        "contracts"});
  }
}

std::optional<document::Document> read_project_file(const base::FileSystem& files,
                                                    const std::string& folder,
                                                    const std::string& name,
                                                    std::vector<Problem>& problems) {
  std::optional<std::string> text = files.read(base::join_path(folder, name));
  if (!text) {
    return std::nullopt;
  }
  document::Document document =
      document::read_document(name, std::move(*text), document::Format::Yaml);
  for (Problem problem : document.problems) {
    problem.code = codes::PZ0101;
    problems.push_back(std::move(problem));
  }
  if (document.usable && !document.root.is_mapping()) {
    problems.push_back({codes::PZ0101,
                        name + " must be a mapping, not " + shown(document.root),
                        document.position(document.root),
                        "",
                        {}});
    document.usable = false;
  }
  return document;
}

void sort_by_place(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return a.where.value_or(Position{}) < b.where.value_or(Position{});
  });
}

void report_unset(const Unset& unset, const Report& report) {
  report.add(
      codes::PZ0103, *unset.node,
      "environment variable '" + unset.variable + (unset.empty ? "' is empty" : "' is not set"),
      "set it, or write $${ for a literal ${");
}

ProjectLoad load_project(const base::FileSystem& files, const base::Environment& environment,
                         const std::string& folder) {
  ProjectLoad load;
  load.project.folder = folder;
  warn_about_yaml(files, folder, "project.yaml", load.warnings);
  std::optional<document::Document> document =
      read_project_file(files, folder, "project.yml", load.problems);
  load.project.present = document.has_value();
  if (!document || !document->usable) {
    return load;
  }
  Expander expander(environment);
  for (document::Entry& entry : document->root.entries) {
    if (entry.key.text == "vars") {
      expander.expand(entry.value);
    }
  }
  const Report report{"project.yml", load.problems,
                      [&](const Node& node) { return expander.is_unresolved(node); }};
  for (const Unset& unset : expander.unset) {
    report_unset(unset, report);
  }
  ProjectReader(report, load.project).read(document->root);
  load.project.secrets = expander.values;
  sort_by_place(load.problems);
  return load;
}

std::vector<Problem> require_identity(const Project& project) {
  std::vector<Problem> problems;
  const auto need = [&](bool given, const std::string& key, const std::string& example) {
    if (!given) {  // a bad value is reported where it stands
      problems.push_back({codes::PZ0101,
                          project.present ? "project.yml: " + key + ": is missing"
                                          : "project.yml is missing; it must give " + key + ":",
                          Position{"project.yml", 1, 1},
                          "for instance " + key + ": " + example,
                          {}});
    }
  };
  need(project.has_name, "name", "harbour_feed");
  need(project.has_version, "version", "1.0.0");
  return problems;
}

void throw_problems(const std::vector<Problem>& problems) {
  if (!problems.empty()) {
    throw base::ProblemList(problems);
  }
}

}  // namespace kedge::project
