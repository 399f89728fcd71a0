#include "models/apply.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "document/edit.h"
#include "kedge/codes.h"
#include "models/aggregations.h"
#include "models/entry_json.h"

namespace kedge::models {
namespace {

using document::Node;

std::string pending_path(const std::string& folder) {
  return base::join_path(folder, ".kedge/models-pending.json");
}

// Adds the removals of one entry to an editor.
class ModelEditor {
 public:
  ModelEditor(const document::Document& document, const EditModelDelete& entry)
      : document_(document), entry_(entry), editor_(document) {}

  std::string edit() {
    remove_named("columns", entry_.remove.columns, [](const Node& item) { return name(item); });
    remove_named("measures", entry_.remove.measures, [](const Node& item) { return name(item); });
    remove_named("aggregations", entry_.remove.aggregations,
                 [](const Node& item) { return name(item); });
    remove_named("joins", entry_.remove.joins, [](const Node& item) {
      const std::string hop = name(item);
      return hop.empty() ? text(item, "target_model") : hop;
    });
    remove_named("filters", entry_.remove_filters, [](const Node& item) { return item.text; });
    forget_aggregations();
    clear_default();
    return editor_.empty() ? document_.source : editor_.apply();
  }

 private:
  static std::string text(const Node& item, std::string_view key) {
    const Node* found = item.find(key);
    return found && found->kind != document::Kind::Null ? found->text : "";
  }
  static std::string name(const Node& item) { return text(item, "name"); }

  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  template <typename NameOf>
  void remove_named(const std::string& key, const std::vector<std::string>& names,
                    NameOf&& name_of) {
    const Node* list = document_.root.find(key);
    if (!list || names.empty()) {
      return;
    }
    for (std::size_t number = 0; number < list->items.size(); ++number) {
      if (contains(names, name_of(list->items[number]))) {
        editor_.remove({key, number});
      }
    }
  }

  // A whitelist must not name an aggregation that is gone.
  void forget_aggregations() {
    const Node* columns = document_.root.find("columns");
    if (!columns || entry_.remove.aggregations.empty()) {
      return;
    }
    for (std::size_t column = 0; column < columns->items.size(); ++column) {
      const Node* allowed = columns->items[column].find("allowed_aggregations");
      if (!allowed || contains(entry_.remove.columns, name(columns->items[column]))) {
        continue;
      }
      for (std::size_t number = 0; number < allowed->items.size(); ++number) {
        const std::string folded = fold_aggregation(allowed->items[number].text);
        if (contains(entry_.remove.aggregations, folded) && !is_builtin_aggregation(folded)) {
          editor_.remove({"columns", column, "allowed_aggregations", number},
                         document::WhenEmptied::KeepEmpty);
        }
      }
    }
  }

  void clear_default() {
    if (contains(entry_.remove.columns, text(document_.root, "default_time_dimension"))) {
      editor_.remove({"default_time_dimension"});
    }
  }

  const document::Document& document_;
  const EditModelDelete& entry_;
  document::Editor editor_;
};

std::string first_message(const LoadedFile& loaded) {
  const Problem& problem = loaded.errors.front();
  return (problem.where ? to_string(*problem.where) + ": " : "") + problem.message;
}

// Carries entries out one by one; what fails is recorded and the rest goes on.
class Applier {
 public:
  Applier(base::FileSystem& files, const ApplyRequest& request)
      : files_(files), request_(request) {}

  ApplyOutcome apply(std::span<const ToDeleteEntry> entries) {
    copy_aside(entries);
    write_pending(entries);
    for (const ToDeleteEntry& entry : entries) {
      const AppliedEntry done{tool_of(entry), model_name(entry), data_source(entry)};
      try {
        apply_one(entry);
        outcome_.applied.push_back(done);
      } catch (const Error& error) {
        outcome_.errors.push_back(
            {done, std::string(error.code().name()), error.problem().message});
      }
    }
    files_.remove(pending_path(request_.folder));
    return std::move(outcome_);
  }

 private:
  std::optional<std::string> find_file(const ToDeleteEntry& entry) const {
    return find_model_file(files_, request_.folder, {data_source(entry), model_name(entry)});
  }

  void copy_aside(std::span<const ToDeleteEntry> entries) {
    for (const ToDeleteEntry& entry : entries) {
      if (const std::optional<std::string> path = find_file(entry)) {
        const std::string trash =
            base::join_path(request_.folder, ".kedge/trash/" + request_.stamp + "/models/" +
                                                 data_source(entry) + "/" + base::file_name(*path));
        files_.write(trash, files_.read(*path).value_or(""));
      }
    }
  }

  // So that a run which is cut off between two files can be completed, although the files that it
  // has already written no longer show what the others referred to.
  void write_pending(std::span<const ToDeleteEntry> entries) {
    document::Json list = document::Json::array();
    for (const ToDeleteEntry& entry : entries) {
      if (const std::optional<std::string> path = find_file(entry)) {
        document::Json item;
        item.set("entry", to_json(entry));
        item.set("hash", content_hash(files_.read(*path).value_or("")));
        list.push(std::move(item));
      }
    }
    if (list.as_array()->size() > 1) {
      files_.write(pending_path(request_.folder), document::write_json(list) + "\n");
    }
  }

  void apply_one(const ToDeleteEntry& entry) {
    const ModelId id{data_source(entry), model_name(entry)};
    if (!request_.data_sources.contains(id.first)) {
      throw Error(codes::unknown_data_source,
                  "connections.yml has no connection '" + id.first + "'");
    }
    const std::optional<std::string> path = find_file(entry);
    const auto* edit = std::get_if<EditModelDelete>(&entry);
    if (!path) {
      if (edit) {
        throw Error(codes::model_not_found,
                    "data source '" + id.first + "' has no model '" + id.second + "'");
      }
      return;
    }
    const std::string text = files_.read(*path).value_or("");
    const auto expected = request_.file_hashes.find(id);
    if (expected != request_.file_hashes.end() && expected->second != content_hash(text)) {
      throw Error(codes::model_changed, "'" + shown(*path) +
                                            "' was changed after the drift was computed; run "
                                            "validate-models again");
    }
    const SqlDialect dialect = request_.data_sources.at(id.first);
    if (edit) {
      const std::string changed = edit_model_text(shown(*path), text, *edit, dialect);
      if (changed != text) {
        files_.write(*path, changed);
      }
    } else {
      refuse_broken(shown(*path), text, id.first, dialect);
      files_.remove(*path);
    }
  }

  // A file that does not load is never removed: it may hold more than what was seen.
  static void refuse_broken(const std::string& path, const std::string& text,
                            const std::string& source, SqlDialect dialect) {
    const LoadedFile loaded = load_model_text(path, text, source, dialect);
    if (!loaded.model) {
      throw Error(codes::invalid_result,
                  "the file does not load, so it stays: " + first_message(loaded));
    }
  }

  std::string shown(const std::string& path) const {
    return path.substr(std::min(path.size(), request_.folder.size() + 1));
  }

  base::FileSystem& files_;
  const ApplyRequest& request_;
  ApplyOutcome outcome_;
};

}  // namespace

std::string edit_model_text(const std::string& path, const std::string& text,
                            const EditModelDelete& entry, SqlDialect dialect) {
  const LoadedFile before = load_model_text(path, text, entry.data_source, dialect);
  if (!before.model) {
    throw Error(codes::invalid_result,
                "the file does not load, so it stays: " + first_message(before));
  }
  if (before.model->model.mode() == SourceMode::Queries) {
    throw Error(codes::query_backed_edit,
                "model '" + entry.model_name + "' is query-backed: it can only go as a whole");
  }
  const document::Document document = document::read_document(path, text, document::Format::Yaml);
  std::string changed;
  try {
    changed = ModelEditor(document, entry).edit();
  } catch (const Error& error) {
    throw Error(codes::invalid_result,
                "the items of model '" + entry.model_name +
                    "' cannot be cut out of its text: " + error.problem().message);
  }
  const LoadedFile after = load_model_text(path, changed, entry.data_source, dialect);
  if (!after.model) {
    throw Error(codes::invalid_result,
                "without the removed items the model would not be valid: " + first_message(after));
  }
  return changed;
}

ApplyOutcome apply_entries(base::FileSystem& files, const ApplyRequest& request,
                           std::span<const ToDeleteEntry> entries) {
  return Applier(files, request).apply(entries);
}

bool has_pending(const base::FileSystem& files, const std::string& folder) {
  return files.kind(pending_path(folder)).has_value();
}

ApplyOutcome complete_pending(base::FileSystem& files, const ApplyRequest& request) {
  const std::string path = pending_path(request.folder);
  std::optional<std::string> text = files.read(path);
  if (!text) {
    return {};
  }
  const document::Document document =
      document::read_document(path, std::move(*text), document::Format::Json);
  std::vector<ToDeleteEntry> entries;
  ApplyRequest rest = request;
  rest.file_hashes.clear();
  for (const Node& item : document.root.items) {
    const Node* entry = item.find("entry");
    const Node* hash = item.find("hash");
    if (!entry || !hash) {
      continue;
    }
    ToDeleteEntry read =
        read_entries(path, document::write_json(document::to_json(*entry))).front();
    const ModelId id{data_source(read), model_name(read)};
    const std::optional<std::string> file = find_model_file(files, request.folder, id);
    const std::optional<std::string> current = file ? files.read(*file) : std::nullopt;
    // A file that has other content by now was done already, or is somebody's newer word.
    if (current && content_hash(*current) == hash->text) {
      rest.file_hashes.emplace(id, hash->text);
      entries.push_back(std::move(read));
    }
  }
  if (entries.empty()) {
    files.remove(path);
    return {};
  }
  return apply_entries(files, rest, entries);
}

}  // namespace kedge::models
