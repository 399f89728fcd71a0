#include "models/store.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "base/listing.h"
#include "base/text.h"
#include "document/node.h"
#include "kedge/codes.h"
#include "models/checks.h"
#include "models/reader.h"

namespace kedge::models {
namespace {

constexpr std::size_t kFilesWorthThreads = 64;
constexpr unsigned kMostThreads = 8;

struct ModelFile {
  ModelId id;
  std::string path;      // for messages: below the project
  std::string location;  // to be read
};

Finding make_finding(Problem problem, const ModelId& id, Severity severity) {
  Finding finding;
  finding.problem = std::move(problem);
  finding.severity = severity;
  finding.subject = {"model", id.first, "", id.second};
  finding.guard = "models";
  return finding;
}

bool is_model_file(const base::FolderEntry& entry) {
  const std::string end = base::extension(entry.name);
  return base::is_declaration(entry) && !entry.name.starts_with('.') &&
         (end == "yml" || end == "yaml");
}

Problem file_problem(Code code, std::string message, const std::string& path, std::string hint) {
  return {code, std::move(message), Position{path, 1, 1}, std::move(hint), {}};
}

// Runs the jobs on a few threads; the first exception is thrown here.
void for_each_number(std::size_t count, const std::function<void(std::size_t)>& job) {
  const unsigned threads = count < kFilesWorthThreads
                               ? 1
                               : std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(threads);
  const auto work = [&](unsigned thread) {
    try {
      for (std::size_t number = next++; number < count; number = next++) {
        job(number);
      }
    } catch (const std::exception&) {
      failures[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned thread = 1; thread < threads; ++thread) {
      pool.emplace_back(work, thread);
    }
    work(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
}

class Loader {
 public:
  Loader(const base::FileSystem& files, const LoadRequest& request)
      : files_(files), request_(request) {}

  ModelStore load() {
    const std::string folder = models_folder(request_.folder);
    for (const base::FolderEntry& entry : files_.list(folder)) {
      if (entry.kind == base::EntryKind::Folder && !entry.name.starts_with('.')) {
        list_source(entry.name, base::join_path(folder, entry.name));
      }
    }
    read_files();
    drop_cycles();
    std::sort(store_.set.models.begin(), store_.set.models.end(),
              [](const LoadedModel& a, const LoadedModel& b) { return a.id() < b.id(); });
    sort_findings(store_.problems);
    return std::move(store_);
  }

 private:
  void list_source(const std::string& data_source, const std::string& folder) {
    std::map<std::string, std::vector<ModelFile>> by_folded_name;
    for (const base::FolderEntry& entry : files_.list(folder)) {
      if (is_model_file(entry)) {
        const std::string name = base::stem(entry.name);
        by_folded_name[base::to_lower(name)].push_back({{data_source, name},
                                                        "models/" + data_source + "/" + entry.name,
                                                        base::join_path(folder, entry.name)});
      }
    }
    const bool wanted = !request_.only || *request_.only == data_source;
    for (const auto& [folded, group] : by_folded_name) {
      for (const ModelFile& file : group) {
        store_.set.existing.insert(file.id);
        store_.files.emplace(file.id, file.path);
      }
      if (wanted && check_group(data_source, group)) {
        to_read_.push_back(group.front());
      }
    }
  }

  // May the file of this name be read?
  bool check_group(const std::string& data_source, const std::vector<ModelFile>& group) {
    if (!request_.data_sources.contains(data_source)) {
      std::vector<std::string> known;
      for (const auto& [name, dialect] : request_.data_sources) {
        known.push_back(name);
      }
      for (const ModelFile& file : group) {
        report(file.id, file_problem(codes::unknown_data_source,
                                     "connections.yml has no connection '" + data_source + "'" +
                                         base::did_you_mean(data_source, known),
                                     file.path, "name the folder like a connection"));
      }
      return false;
    }
    if (group.size() == 1) {
      return true;
    }
    const bool same = group[0].id == group[1].id;
    for (const ModelFile& file : group) {
      report(file.id, file_problem(same ? codes::duplicate_model_file : codes::id_collision,
                                   "model '" + file.id.second + "' collides with " +
                                       (&file == &group[0] ? group[1].path : group[0].path),
                                   file.path, "keep one of the files"));
    }
    return false;
  }

  void report(const ModelId& id, Problem problem, Severity severity = Severity::Error) {
    store_.problems.push_back(make_finding(std::move(problem), id, severity));
  }

  void read_files() {
    std::vector<LoadedFile> loaded(to_read_.size());
    for_each_number(to_read_.size(), [&](std::size_t number) {
      const ModelFile& file = to_read_[number];
      loaded[number] = load_model_text(file.path, base::read_listed(files_, file.location),
                                       file.id.first, request_.data_sources.at(file.id.first));
    });
    for (std::size_t number = 0; number < loaded.size(); ++number) {
      for (Problem& problem : loaded[number].errors) {
        report(to_read_[number].id, std::move(problem));
      }
      for (Problem& problem : loaded[number].warnings) {
        report(to_read_[number].id, std::move(problem), Severity::Warning);
      }
      if (loaded[number].model) {
        store_.set.models.push_back(std::move(*loaded[number].model));
      }
    }
  }

  void drop_cycles() {
    std::set<ModelId> cyclic;
    for (auto& [id, problem] : check_cycles(store_.set)) {
      cyclic.insert(id);
      report(id, std::move(problem));
    }
    std::erase_if(store_.set.models,
                  [&](const LoadedModel& loaded) { return cyclic.contains(loaded.id()); });
  }

  const base::FileSystem& files_;
  const LoadRequest& request_;
  ModelStore store_;
  std::vector<ModelFile> to_read_;
};

}  // namespace

std::string models_folder(std::string_view project) {
  return base::join_path(project, "models");
}

std::string model_path(std::string_view project, const ModelId& id) {
  return base::join_path(models_folder(project), id.first + "/" + id.second + ".yml");
}

std::optional<std::string> find_model_file(const base::FileSystem& files, std::string_view project,
                                           const ModelId& id) {
  if (!is_identifier(id.second) || !is_data_source_name(id.first)) {
    return std::nullopt;
  }
  for (const std::string_view end : {".yml", ".yaml"}) {
    std::string path =
        base::join_path(models_folder(project), id.first + "/" + id.second + std::string(end));
    if (files.kind(path) == base::EntryKind::File) {
      return path;
    }
  }
  return std::nullopt;
}

std::string content_hash(std::string_view bytes) {
  return std::to_string(base::hash64(bytes));
}

LoadedFile load_model_text(const std::string& path, std::string text,
                           const std::string& data_source, SqlDialect dialect) {
  LoadedFile loaded;
  const std::string hash = content_hash(text);
  const document::Document document =
      document::read_document(path, std::move(text), document::Format::Yaml);
  if (!document.problems.empty() || !document.usable) {
    for (const Problem& problem : document.problems) {
      loaded.errors.push_back(problem);
      loaded.errors.back().code = codes::yaml_syntax;
    }
    return loaded;
  }
  ReadResult<Model> read = read_model(document.root, {path, data_source, dialect});
  loaded.errors = std::move(read.errors);
  loaded.warnings = std::move(read.warnings);
  if (loaded.errors.empty() && read.value.name != base::stem(path)) {
    loaded.errors.push_back(
        {codes::model_name_mismatch,
         "model '" + read.value.name + "' stands in a file named '" + base::file_name(path) + "'",
         document.position(*document.root.find("name")),
         "rename the file or the model",
         {}});
  }
  if (!loaded.errors.empty()) {
    return loaded;
  }
  ModelFacts facts = find_facts(read.value, dialect);
  TextProblems texts = check_texts(read.value, facts, dialect);
  loaded.errors = std::move(texts.errors);
  std::move(texts.warnings.begin(), texts.warnings.end(), std::back_inserter(loaded.warnings));
  if (loaded.errors.empty()) {
    loaded.model = LoadedModel{std::move(read.value), std::move(facts), dialect, hash};
  }
  return loaded;
}

ModelStore load_models(const base::FileSystem& files, const LoadRequest& request) {
  return Loader(files, request).load();
}

}  // namespace kedge::models
