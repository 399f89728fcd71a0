#include "pipeline/state.h"

#include <algorithm>

#include "kedge/codes.h"
#include "pipeline/storage.h"

namespace kedge::pipeline {
namespace {

using document::Json;
using document::Node;

// What the system refuses below .kedge, under this chapter's codes.
template <class Work>
auto stored(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() == codes::ERR_IO) {
      throw Error(storage_problem(error.problem()));
    }
    throw;
  }
}

}  // namespace

State::State(base::FileSystem& files, std::string folder, std::string state_dir)
    : files_(files), folder_(std::move(folder)), state_dir_(std::move(state_dir)) {}

std::string State::path(const std::string& relative) const {
  return base::join_path(folder_, relative);
}

std::string State::run_folder(const std::string& run_id) const {
  return ".kedge/runs/" + run_id;
}

std::unique_ptr<base::FileLock> State::lock(double seconds) const {
  return stored([&] {
    return std::make_unique<base::FileLock>(path(".kedge/lock"), seconds, codes::PZ0533);
  });
}

std::optional<std::string> State::read_state(const std::string& name) const {
  return stored([&] { return files_.read(path(base::join_path(state_dir_, name))); });
}

void State::write_if_changed(const std::string& file, const std::string& text) {
  stored([&] {
    if (files_.read(file) != text) {
      files_.write(file, text);
    }
  });
}

void State::remove(const std::string& relative) const {
  stored([&] { files_.remove(path(relative)); });
}

contracts::Baselines State::baselines() const {
  const std::optional<std::string> text = read_state("schemas.json");
  return text ? contracts::read_baselines(base::join_path(state_dir_, "schemas.json"), *text)
              : contracts::Baselines{};
}

void State::store(const contracts::Baselines& baselines) {
  write_if_changed(path(base::join_path(state_dir_, "schemas.json")),
                   document::write_json(contracts::to_json(baselines)) + "\n");
}

Cursors State::cursors() const {
  const std::optional<std::string> text = read_state("watermarks.json");
  if (!text) {
    return {};
  }
  const std::string file = base::join_path(state_dir_, "watermarks.json");
  const document::Document document = document::read_document(file, *text, document::Format::Json);
  if (!document.problems.empty() || !document.root.is_mapping()) {
    throw Error(Problem{codes::PZ0101,
                        "the cursor file " + file + " cannot be read",
                        document.problems.empty() ? std::nullopt : document.problems.front().where,
                        "restore it from a copy, or remove it to read everything again",
                        {}});
  }
  Cursors cursors;
  for (const document::Entry& entry : document.root.entries) {
    cursors[entry.key.text] = {entry.value.string_at("cursor"), entry.value.string_at("type"),
                               entry.value.string_at("value"), entry.value.string_at("run_id"),
                               entry.value.string_at("at")};
  }
  return cursors;
}

void State::store(const Cursors& cursors) {
  Json json = Json::object();
  for (const auto& [entity, cursor] : cursors) {
    Json item;
    item.set("at", cursor.at);
    item.set("cursor", cursor.cursor);
    item.set("run_id", cursor.run_id);
    item.set("type", cursor.type);
    item.set("value", cursor.value);
    json.set(entity, std::move(item));
  }
  write_if_changed(path(base::join_path(state_dir_, "watermarks.json")),
                   document::write_json(json) + "\n");
}

std::map<std::string, contracts::Shape> State::fetched() const {
  std::map<std::string, contracts::Shape> fetched;
  const std::optional<std::string> text = files_.read(path(".kedge/target/fetched.json"));
  if (!text) {
    return fetched;
  }
  const document::Document document =
      document::read_document("fetched.json", *text, document::Format::Json);
  for (const document::Entry& entry : document.root.entries) {
    if (const auto shape = contracts::read_shape(entry.value)) {
      fetched[entry.key.text] = *shape;
    }
  }
  return fetched;
}

void State::store_fetched(const std::map<std::string, contracts::Shape>& fetched) {
  Json json = Json::object();
  for (const auto& [entity, shape] : fetched) {
    json.set(entity, contracts::to_json(shape));
  }
  write_if_changed(path(".kedge/target/fetched.json"), document::write_json(json) + "\n");
}

void State::append_audit(const Json& line) {
  const std::string file = path(base::join_path(state_dir_, "audit.jsonl"));
  stored([&] {
    files_.write(file, files_.read(file).value_or("") + document::write_json(line, -1) + "\n");
  });
}

std::vector<std::string> State::run_ids() const {
  std::vector<std::string> ids;
  for (const base::FolderEntry& entry : stored([&] { return files_.list(path(".kedge/runs")); })) {
    if (entry.kind == base::EntryKind::Folder) {
      ids.push_back(entry.name);
    }
  }
  return ids;
}

bool State::is_going_on(const std::string& run_id) const {
  const std::string file = path(run_folder(run_id) + "/alive.lock");
  if (!files_.kind(file)) {
    return false;
  }
  try {
    const base::FileLock lock(file, 0, codes::PZ0533);
    return false;
  } catch (const Error& error) {
    return error.problem().code == codes::PZ0533;
  }
}

std::optional<RunRecord> State::record(const std::string& run_id) const {
  const bool plain = !run_id.empty() && run_id.find('/') == std::string::npos &&
                     run_id.find("..") == std::string::npos;
  if (!plain) {
    return std::nullopt;
  }
  const std::string file = run_folder(run_id) + "/run.json";
  const std::optional<std::string> text = stored([&] { return files_.read(path(file)); });
  return text ? std::optional(read_record(file, *text)) : std::nullopt;
}

void State::store(const RunRecord& record) {
  stored([&] {
    files_.write(path(run_folder(record.run_id) + "/run.json"),
                 document::write_json(to_json(record)) + "\n");
  });
}

std::optional<RunRecord> State::latest() const {
  const std::vector<std::string> ids = run_ids();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if (std::optional<RunRecord> found = record(*id)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<RunRecord> State::latest_finished() const {
  const std::vector<std::string> ids = run_ids();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    std::optional<RunRecord> found = record(*id);
    if (found && found->status != RunStatus::Running) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace kedge::pipeline
