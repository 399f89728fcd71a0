#include "codegen/state.h"

#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using document::Json;
using document::Node;

constexpr std::string_view kPending = ".kedge/gen/pending";

std::string text_at(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found != nullptr ? found->text : "";
}

}  // namespace

std::string fields_key(const std::vector<std::string>& fields) {
  return fields.empty() ? "" : base::sha256_hex(base::join(fields, ",")).substr(0, 12);
}

GenState::GenState(base::FileSystem& files, std::string project_folder,
                   const project::GenSettings& settings)
    : files_(files),
      project_folder_(std::move(project_folder)),
      state_folder_(settings.state.text),
      base_folder_(settings.bases == "local" ? ".kedge/gen/base/" : state_folder_ + "/base/") {
  read_manifest();
  read_pending();
}

void GenState::read_manifest() {
  const std::optional<std::string> text = files_.read(at(manifest_path()));
  if (!text) {
    return;
  }
  const auto corrupt = [&](const std::string& why, std::size_t line) {
    throw Error(Problem{
        codes::ERR_GEN_STATE_CORRUPT,
        "the manifest of generated files cannot be read: " + why,
        Position{manifest_path(), line, 1},
        "take either side of the file, then run kedge gen: headers and bases let it recover",
        {}});
  };
  if (holds_markers(normal_line_ends(*text))) {
    corrupt("it holds conflict markers", first_marker_line(*text));
  }
  const document::Document document =
      document::read_document(manifest_path(), *text, document::Format::Json);
  if (!document.problems.empty()) {
    corrupt(document.problems.front().message, document.problems.front().where->line);
  }
  const Node* version = document.root.find("version");
  const Node* list = document.root.find("files");
  if (version == nullptr || version->text != "1" || list == nullptr || !list->is_mapping()) {
    corrupt("its version is unknown", version != nullptr ? version->range.line : 1);
  }
  for (const document::Entry& entry : list->entries) {
    recorded[entry.key.text] = {text_at(entry.value, "target"),  text_at(entry.value, "pack"),
                                text_at(entry.value, "version"), text_at(entry.value, "sha"),
                                text_at(entry.value, "from"),    text_at(entry.value, "fields")};
  }
}

void GenState::read_pending() {
  const std::optional<std::string> text = files_.read(at(std::string(kPending) + ".json"));
  if (!text) {
    return;
  }
  const document::Document document =
      document::read_document("pending.json", *text, document::Format::Json);
  for (const document::Entry& entry : document.root.entries) {
    pending[entry.key.text] = {text_at(entry.value, "base"), text_at(entry.value, "fresh"),
                               text_at(entry.value, "ours"),
                               text_at(entry.value, "mode") != "keep"};
  }
}

std::optional<std::string> GenState::find_base(const std::string& path,
                                               const std::string& disk_text,
                                               const Repository& repository) const {
  const auto known = recorded.find(path);
  const std::string sha = known != recorded.end() ? known->second.sha : "";
  if (!sha.empty()) {
    std::optional<std::string> base = files_.read(at(base_folder_ + path));
    if (base && base::sha256_hex(normal_line_ends(*base)) == sha) {
      return normal_line_ends(std::move(*base));
    }
  }
  const std::optional<HeaderSum> header = read_header(disk_text);
  std::optional<std::string> found = repository.find_text(path, [&](const std::string& candidate) {
    const std::string text = normal_line_ends(candidate);
    if (!sha.empty() && base::sha256_hex(text) == sha) {
      return true;
    }
    const std::optional<HeaderSum> sum = read_header(text);
    return header && sum && sum->agrees && sum->sum == header->sum;
  });
  return found ? std::optional(normal_line_ends(std::move(*found))) : std::nullopt;
}

std::string GenState::pending_text(const std::string& path, const char* which) const {
  return std::string(kPending) + "/" + path + "." + which;
}
std::optional<std::string> GenState::pending_fresh(const std::string& path) const {
  return files_.read(at(pending_text(path, "fresh")));
}
std::optional<std::string> GenState::pending_ours(const std::string& path) const {
  return files_.read(at(pending_text(path, "ours")));
}

void GenState::record(const GeneratedFile& file) {
  recorded[file.path] = {file.target,       file.pack,
                         file.pack_version, base::sha256_hex(file.text),
                         file.from,         fields_key(file.fields)};
  texts_[base_folder_ + file.path] = file.text;
}

void GenState::forget(const std::string& path) {
  recorded.erase(path);
  texts_[base_folder_ + path] = std::nullopt;
  drop_pending(path);
}

void GenState::add_pending(const std::string& path, Pending entry, const ConflictTexts& texts) {
  pending[path] = std::move(entry);
  texts_[pending_text(path, "base")] = texts.base;
  texts_[pending_text(path, "fresh")] = texts.fresh;
  texts_[pending_text(path, "ours")] = texts.ours;
}

void GenState::restore_before(const std::string& path) {
  const auto entry = pending.find(path);
  const auto known = recorded.find(path);
  const std::optional<std::string> base = files_.read(at(pending_text(path, "base")));
  if (entry != pending.end() && known != recorded.end() && base) {
    known->second.sha = entry->second.base_sha;
    texts_[base_folder_ + path] = *base;
  }
}

void GenState::drop_pending(const std::string& path) {
  if (pending.erase(path) > 0) {
    texts_[pending_text(path, "base")] = std::nullopt;
    texts_[pending_text(path, "fresh")] = std::nullopt;
    texts_[pending_text(path, "ours")] = std::nullopt;
  }
}

void GenState::write_if_changed(const std::string& path, const std::string& text) {
  if (files_.read(at(path)) != text) {
    files_.write(at(path), text);
  }
}

std::string GenState::manifest_text() const {
  std::string text = "{\n  \"files\": {";
  bool first = true;
  for (const auto& [path, entry] : recorded) {
    Json json;
    if (!entry.fields.empty()) {
      json.set("fields", entry.fields);
    }
    json.set("from", entry.from)
        .set("pack", entry.pack)
        .set("sha", entry.sha)
        .set("target", entry.target);
    json.set("version", entry.version);
    text += std::string(first ? "\n" : ",\n") + "    " + document::write_json(Json(path), -1) +
            ": " + document::write_json(json, -1);
    first = false;
  }
  return text + (first ? "" : "\n  ") + "},\n  \"version\": 1\n}\n";
}

std::string GenState::pending_json() const {
  Json json = Json::object();
  for (const auto& [path, entry] : pending) {
    json.set(path, Json()
                       .set("base", entry.base_sha)
                       .set("fresh", entry.fresh_sha)
                       .set("mode", entry.markers ? "markers" : "keep")
                       .set("ours", entry.ours_sha));
  }
  return document::write_json(json) + "\n";
}

std::optional<Finding> warn_ignored_state(const Repository& repository, const GenState& state) {
  if (!repository.is_ignored(state.manifest_path())) {
    return std::nullopt;
  }
  return Finding{
      {codes::WARN_GEN_STATE_IGNORED,
       "git ignores '" + state.manifest_path() + "': other clones will refuse edited files",
       std::nullopt,
       "take the folder out of .gitignore and commit it",
       {}},
      Severity::Warning,
      {"file", "", "", state.manifest_path()},
      "codegen"};
}

void GenState::save() {
  for (const auto& [path, text] : texts_) {
    if (text) {
      write_if_changed(path, *text);
    } else {
      files_.remove(at(path));
    }
  }
  texts_.clear();
  const std::string pending_path = std::string(kPending) + ".json";
  if (!pending.empty() || files_.kind(at(pending_path))) {
    write_if_changed(pending_path, pending_json());
  }
  const std::string attributes = state_folder_ + "/.gitattributes";
  if (!files_.kind(at(attributes))) {
    files_.write(at(attributes), "base/** -diff -merge linguist-generated\n");
  }
  write_if_changed(manifest_path(), manifest_text());
}

}  // namespace kedge::codegen
