#include "models/test_support.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/text.h"

namespace kedge::models::test {
namespace {

schema::Bucket bucket_of_word(const std::string& word) {
  for (const schema::Bucket bucket : {schema::Bucket::Number, schema::Bucket::String,
                                      schema::Bucket::Boolean, schema::Bucket::Temporal}) {
    if (schema::to_string(bucket) == word) {
      return bucket;
    }
  }
  return schema::Bucket::Undetermined;
}

}  // namespace

LiveShape live_table(const std::string& columns) {
  LiveColumns list;
  for (const std::string& word : base::split(columns, ' ')) {
    if (word.empty()) {
      continue;
    }
    const std::size_t colon = word.find(':');
    list.push_back({word.substr(0, colon),
                    bucket_of_word(colon == std::string::npos ? "" : word.substr(colon + 1)), ""});
  }
  return {LiveShape::State::Present, std::make_shared<const LiveColumns>(std::move(list)), ""};
}

Project& Project::model(const std::string& name, const std::string& text) {
  texts[{"main", name}] = "name: " + name + "\n" + text;
  return *this;
}

Project& Project::table(const std::string& model, const std::string& columns) {
  live["main"].dialect = dialect;
  LiveShape shape = live_table(columns);
  live["main"].relations.push_back({{Identifier(), Identifier(model)}, shape.columns});
  live["main"].models[model] = std::move(shape);
  return *this;
}

Project& Project::missing(const std::string& model) {
  live["main"].dialect = dialect;
  live["main"].models[model] = {LiveShape::State::Missing, nullptr, ""};
  return *this;
}

ModelSet Project::load() const {
  ModelSet set;
  for (const auto& [id, text] : texts) {
    LoadedFile loaded =
        load_model_text("models/" + id.first + "/" + id.second + ".yml", text, id.first, dialect);
    set.existing.insert(id);
    if (!loaded.model) {
      ADD_FAILURE() << loaded.errors.front().message << "\n" << text;
      continue;
    }
    set.models.push_back(std::move(*loaded.model));
  }
  return set;
}

std::vector<ToDeleteEntry> Project::drops(const CascadeOptions& options) const {
  return compute_drops(load(), live, options);
}

std::string shown(const std::vector<ToDeleteEntry>& entries) {
  std::string text;
  for (const ToDeleteEntry& entry : entries) {
    text += std::holds_alternative<EditModelDelete>(entry) ? "~" : "-";
    text += data_source(entry) + "/" + model_name(entry);
    for (const DeleteReason& reason : reasons(entry)) {
      text += " " + reason.target + "=" + reason.code;
    }
    text += "\n";
  }
  return text;
}

}  // namespace kedge::models::test
