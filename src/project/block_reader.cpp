#include "project/block_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace kedge::project {

std::string shown(const document::Node& node) {
  if (node.is_sequence()) {
    return "a list";
  }
  if (node.is_mapping()) {
    return "a mapping";
  }
  if (node.kind == document::Kind::Null) {
    return "nothing";
  }
  return "'" + std::string(base::truncate_utf8(node.text, 80)) + "'";
}

std::string near_miss(std::string_view name, const std::vector<std::string>& known) {
  const std::string lower = base::to_lower(name);
  std::size_t best = 3;
  std::string nearest;
  for (const std::string& candidate : known) {
    const std::size_t distance =
        base::to_lower(candidate) == lower ? 0 : base::edit_distance(name, candidate);
    if (distance < best && distance < std::max<std::size_t>(candidate.size(), 1)) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

BlockReader::BlockReader(const Report& report, const document::Node& mapping, Code code,
                         std::string name)
    : report_(report), mapping_(mapping), code_(code), name_(std::move(name)) {}

std::string BlockReader::key_name(std::string_view key) const {
  return name_.empty() ? std::string(key) + ":" : name_ + ": " + std::string(key) + ":";
}

void BlockReader::problem(const document::Node& at, std::string message, std::string hint) const {
  report_.add(code_, at, std::move(message), std::move(hint));
}

const document::Entry* BlockReader::entry(std::string_view key) {
  known_.emplace_back(key);
  return mapping_.find_entry(key);
}

const document::Node* BlockReader::node(std::string_view key) {
  const document::Entry* found = entry(key);
  return found != nullptr && !report_.is_unresolved(found->value) ? &found->value : nullptr;
}

std::optional<Text> BlockReader::text(std::string_view key) {
  const document::Node* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_scalar() || value->kind == document::Kind::Null) {
    problem(*value, key_name(key) + " needs a text, not " + shown(*value));
    return std::nullopt;
  }
  return Text{value->text, report_.place(*value)};
}

std::optional<Text> BlockReader::non_empty_text(std::string_view key) {
  std::optional<Text> value = text(key);
  if (value && base::trim(value->text).empty()) {
    problem(*mapping_.find(key), key_name(key) + " must not be empty");
    return std::nullopt;
  }
  return value;
}

std::optional<bool> BlockReader::boolean(std::string_view key) {
  const document::Node* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (const std::optional<bool> read = value->as_boolean()) {
    return read;
  }
  problem(*value, key_name(key) + " needs true or false, not " + shown(*value),
          "write true or false in lower case and without quotes");
  return std::nullopt;
}

std::optional<std::int64_t> BlockReader::integer(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
  const document::Node* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> read = value->as_integer();
  if (read && *read >= least && *read <= most) {
    return read;
  }
  const std::string range = most == std::numeric_limits<std::int64_t>::max()
                                ? "of at least " + std::to_string(least)
                                : "from " + std::to_string(least) + " to " + std::to_string(most);
  problem(*value, key_name(key) + " needs a whole number " + range + ", not " + shown(*value));
  return std::nullopt;
}

std::optional<Text> BlockReader::choice(std::string_view key,
                                        const std::vector<std::string>& choices) {
  const document::Node* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is_scalar() &&
      std::find(choices.begin(), choices.end(), value->text) != choices.end()) {
    return Text{value->text, report_.place(*value)};
  }
  const std::string hint = value->is_scalar() ? near_miss(value->text, choices) : "";
  problem(*value, key_name(key) + " " + shown(*value) + " is not " + listed(choices) + hint);
  return std::nullopt;
}

std::optional<std::vector<Text>> BlockReader::texts(std::string_view key) {
  const document::Node* value = node(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_sequence()) {
    problem(*value, key_name(key) + " needs a list of texts, not " + shown(*value));
    return std::nullopt;
  }
  std::vector<Text> list;
  for (const document::Node& item : value->items) {
    if (report_.is_unresolved(item)) {
      continue;
    }
    if (!item.is_scalar() || item.kind == document::Kind::Null) {
      problem(item, key_name(key) + " needs a list of texts; this is " + shown(item));
    } else {
      list.push_back({item.text, report_.place(item)});
    }
  }
  return list;
}

std::optional<std::int64_t> BlockReader::duration(std::string_view key) {
  const std::optional<Text> value = text(key);
  if (!value) {
    return std::nullopt;
  }
  if (const std::optional<std::int64_t> milliseconds = base::parse_duration(value->text)) {
    return milliseconds;
  }
  problem(*mapping_.find(key), key_name(key) + " needs a duration, not '" + value->text + "'",
          "for instance 500ms, 30s, 5m or 2h");
  return std::nullopt;
}

const document::Node* BlockReader::block(std::string_view key) {
  const document::Node* value = node(key);
  if (value == nullptr || value->kind == document::Kind::Null) {
    return nullptr;
  }
  if (!value->is_mapping()) {
    problem(*value, key_name(key) + " needs a mapping, not " + shown(*value));
    return nullptr;
  }
  return value;
}

std::vector<const document::Entry*> BlockReader::unknown() const {
  std::vector<const document::Entry*> result;
  for (const document::Entry& entry : mapping_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key.text) == known_.end()) {
      result.push_back(&entry);
    }
  }
  return result;
}

void BlockReader::refuse_unknown() const {
  for (const document::Entry* entry : unknown()) {
    problem(entry->key, "unknown key '" + entry->key.text + "'" +
                            (name_.empty() ? "" : " in " + name_) +
                            near_miss(entry->key.text, known_));
  }
}

void assign(bool& target, const std::optional<bool>& value) {
  target = value.value_or(target);
}
void assign(std::int64_t& target, const std::optional<std::int64_t>& value) {
  target = value.value_or(target);
}
void assign(std::string& target, const std::optional<Text>& value) {
  if (value) {
    target = value->text;
  }
}
void assign(Text& target, const std::optional<Text>& value) {
  if (value) {
    target = *value;
  }
}
void assign(std::vector<Text>& target, std::optional<std::vector<Text>> value) {
  if (value) {
    target = std::move(*value);
  }
}
void assign(std::optional<std::string>& target, const std::optional<Text>& value) {
  if (value) {
    target = value->text;
  }
}

}  // namespace kedge::project
