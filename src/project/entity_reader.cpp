#include "project/entity_reader.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::project {
namespace {

using document::Node;

const std::vector<std::string> kFileKeys = {"format", "path",   "delimiter",
                                            "header", "layout", "null_text"};

class SideReader {
 public:
  SideReader(const Report& report, const Node& block, std::string name, const ConnectorRule* rule)
      : report_(report),
        block_(block),
        name_(std::move(name)),
        rule_(rule),
        reader_(report, block, codes::PZ0301, name_) {}

  void read(Read& out) {
    read_file_format(out.file);
    if (file_key("null_text")) {
      read_null_text(out.file);
    }
    read_query(out);
    reader_.set_code(codes::PZ0126);
    if (const auto policy = reader_.choice("on_source_drift", {"ignore", "warn", "fail"})) {
      out.on_source_drift = policy->text == "fail"   ? OnSourceDrift::Fail
                            : policy->text == "warn" ? OnSourceDrift::Warn
                                                     : OnSourceDrift::Ignore;
    }
    reader_.set_code(codes::PZ0101);
    out.extra_columns = reader_.choice("extra_columns", {"ignore", "warn", "fail"});
    out.retry = read_retry(report_, reader_, name_);
    keep(out.columns, "columns");
    keep(out.sync, "sync");
    keep(out.expect, "expect");
    retire("incremental", codes::PZ0332, "write sync: {mode: incremental, cursor: COLUMN}");
    refuse_unknown({"columns", "sync", "expect", "retry", "on_source_drift", "extra_columns"},
                   codes::PZ0101);
  }

  void read(Write& out) {
    reader_.set_code(codes::PZ0334);
    out.strategy = reader_.choice("strategy", {"append", "replace", "merge"});
    out.duplicates = reader_.choice("duplicates", {"accept"});
    out.schema_policy = reader_.choice("schema_policy", {"fail_on_change", "additive", "evolve"});
    out.on_delete = reader_.choice("on_delete", {"delete", "soft", "ignore"});
    out.delete_flag = reader_.non_empty_text("delete_flag");
    if (out.on_delete && out.strategy && out.strategy->text != "merge") {
      reader_.problem(
          *block_.find("on_delete"),
          name_ + ": on_delete: needs strategy: merge, not '" + out.strategy->text + "'");
    }
    reader_.set_code(codes::PZ0101);
    if (auto keys = reader_.texts("keys")) {
      out.keys = std::move(*keys);
    }
    reader_.set_code(codes::PZ0301);
    read_file_format(out.file);
    out.retry = read_retry(report_, reader_, name_);
    keep(out.columns, "columns");
    keep(out.expect, "expect");
    retire("mode", codes::PZ0333, "write strategy: append, replace or merge");
    retire("accept_duplicates", codes::PZ0333, "write duplicates: accept");
    refuse_unknown(reader_.known(), codes::PZ0334);
  }

 private:
  void keep(std::optional<document::Entry>& slot, std::string_view key) {
    if (const document::Entry* entry = reader_.entry(key)) {
      slot = *entry;
    }
  }

  void retire(std::string_view key, Code code, std::string hint) {
    if (const document::Entry* entry = reader_.entry(key)) {
      report_.add(code, entry->key, name_ + ": " + std::string(key) + ": is not a setting of kedge",
                  std::move(hint));
    }
  }

  bool is_database() const { return rule_ != nullptr && rule_->database; }

  // True when a key that only files know may be read; otherwise it is reported.
  bool file_key(std::string_view key) {
    const document::Entry* entry = block_.find_entry(key);
    if (entry == nullptr || !is_database()) {
      return true;
    }
    reader_.entry(key);
    report_.add(codes::PZ0301, entry->key,
                name_ + ": " + std::string(key) + ": is an option of localfiles, not of " +
                    std::string(rule_->name));
    return false;
  }

  void read_file_format(FileFormat& out) {
    if (file_key("format")) {
      out.format = reader_.choice("format", {"csv", "tsv", "json", "parquet"});
    }
    if (file_key("path")) {
      out.path = reader_.non_empty_text("path");
    }
    if (file_key("delimiter")) {
      read_delimiter(out);
    }
    if (file_key("header")) {
      out.header = reader_.boolean("header");
    }
    if (file_key("layout")) {
      out.layout = reader_.choice("layout", {"ndjson", "array"});
    }
  }

  void read_delimiter(FileFormat& out) {
    out.delimiter = reader_.text("delimiter");
    if (!out.delimiter) {
      return;
    }
    const Node& node = *block_.find("delimiter");
    if (base::count_code_points(out.delimiter->text) != 1) {
      reader_.problem(node, name_ + ": delimiter: needs exactly one character, not " + shown(node));
    } else if (out.format && out.format->text == "tsv") {
      reader_.problem(node, name_ + ": delimiter: of tsv is the tab and cannot be set",
                      "use format: csv");
    }
  }

  void read_null_text(FileFormat& out) {
    const Node* node = reader_.node("null_text");
    if (node == nullptr) {
      return;
    }
    if (node->is_scalar() && node->kind != document::Kind::Null) {
      out.null_text = std::vector<std::string>{node->text};
    } else if (node->is_sequence()) {
      out.null_text.emplace();
      for (const Text& text : reader_.texts("null_text").value_or(std::vector<Text>{})) {
        out.null_text->push_back(text.text);
      }
    } else {
      reader_.problem(*node,
                      name_ + ": null_text: needs a text or a list of texts, not " + shown(*node));
    }
  }

  void read_query(Read& out) {
    out.query = reader_.non_empty_text("query");
    if (rule_ != nullptr && !rule_->database) {
      if (const document::Entry* entry = block_.find_entry("query")) {
        reader_.problem(entry->key,
                        name_ + ": query: is not an option of " + std::string(rule_->name));
      }
    }
  }

  // A near miss of a key that kedge owns is that key misspelt; anything else is taken for an option
  // of the connector.
  void refuse_unknown(const std::vector<std::string>& owned, Code near) {
    for (const document::Entry* entry : reader_.unknown()) {
      const std::string nearest = near_miss(entry->key.text, owned);
      const std::string any = near_miss(entry->key.text, reader_.known());
      report_.add(
          nearest.empty() ? codes::PZ0301 : near, entry->key,
          name_ + ": unknown key '" + entry->key.text + "'" + (nearest.empty() ? any : nearest));
    }
  }

  const Report& report_;
  const Node& block_;
  std::string name_;
  const ConnectorRule* rule_;
  BlockReader reader_;
};

bool has_space(std::string_view text) {
  return text.find_first_of(" \t\r\n\v\f") != std::string_view::npos;
}

void check_name(const Report& report, const Node& key, const std::string& shown_name,
                const ConnectorRule* rule) {
  const std::vector<std::string> parts = base::split(key.text, '.');
  const bool empty_part =
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (empty_part || has_space(key.text)) {
    report.add(codes::PZ0344, key,
               "entity name '" + shown_name + "' is empty, has an empty part or holds a blank",
               "write table or schema.table as the database spells it");
  } else if (rule != nullptr && rule->database && parts.size() > 2) {
    report.add(codes::PZ0344, key, "entity name '" + shown_name + "' has more than two parts",
               "write table or schema.table");
  }
}

class EntityReader {
 public:
  EntityReader(const Report& report, const std::string& connection, const ConnectorRule* rule)
      : report_(report), connection_(connection), rule_(rule) {}

  Entity read(const document::Entry& entry) {
    Entity entity;
    entity.name = entry.key.text;
    entity.where = report_.place(entry.key);
    check_name(report_, entry.key, entity.name, rule_);
    const std::string name = "entity '" + connection_ + "." + entity.name + "'";
    if (entry.value.kind == document::Kind::Null) {
      return entity;
    }
    if (!entry.value.is_mapping()) {
      report_.add(codes::PZ0101, entry.value, name + " needs a mapping, not " + shown(entry.value));
      return entity;
    }
    BlockReader reader(report_, entry.value, codes::PZ0101, name);
    read_side(reader, "read", name, entity.read);
    read_side(reader, "write", name, entity.write);
    assign(entity.description, reader.text("description"));
    for (const Text& tag : reader.texts("tags").value_or(std::vector<Text>{})) {
      entity.tags.push_back(tag.text);
    }
    for (const std::string_view word : {"schema", "table"}) {
      if (const document::Entry* retired = reader.entry(word)) {
        report_.add(codes::PZ0348, retired->key,
                    name + ": " + std::string(word) + ": does not belong under an entity",
                    "name the entity schema.table");
      }
    }
    report_unknown(reader, name);
    return entity;
  }

 private:
  // Only the keys that may stand there are worth suggesting.
  void report_unknown(const BlockReader& reader, const std::string& name) {
    for (const document::Entry* entry : reader.unknown()) {
      reader.problem(entry->key,
                     name + ": unknown key '" + entry->key.text + "'" +
                         near_miss(entry->key.text, {"read", "write", "description", "tags"}));
    }
  }

  template <class Side>
  void read_side(BlockReader& reader, std::string_view key, const std::string& name, Side& side) {
    const document::Entry* entry = reader.entry(key);
    if (entry == nullptr) {
      return;
    }
    side.where = report_.place(entry->key);
    if (entry->value.is_mapping()) {
      SideReader(report_, entry->value, name + ": " + std::string(key), rule_).read(side);
    } else if (entry->value.kind != document::Kind::Null) {
      report_.add(codes::PZ0101, entry->value,
                  name + ": " + std::string(key) + ": needs a mapping, not " + shown(entry->value));
    }
  }

  const Report& report_;
  const std::string& connection_;
  const ConnectorRule* rule_;
};

}  // namespace

std::optional<Retry> read_retry(const Report& report, BlockReader& reader,
                                const std::string& name) {
  const document::Entry* entry = reader.entry("retry");
  if (entry == nullptr) {
    return std::nullopt;
  }
  if (!entry->value.is_mapping()) {
    report.add(codes::PZ0121, entry->value,
               name + ": retry: needs a mapping, not " + shown(entry->value));
    return std::nullopt;
  }
  Retry retry;
  BlockReader inner(report, entry->value, codes::PZ0121, name + ": retry");
  assign(retry.max_attempts, inner.integer("max_attempts", 1, kUnbounded));
  assign(retry.base_delay_ms, inner.duration("base_delay"));
  assign(retry.max_delay_ms, inner.duration("max_delay"));
  inner.refuse_unknown();
  return retry;
}

std::vector<Entity> read_entities(const Report& report, const Node& mapping,
                                  const std::string& connection, const ConnectorRule* rule) {
  std::vector<Entity> entities;
  for (const document::Entry& entry : mapping.entries) {
    entities.push_back(EntityReader(report, connection, rule).read(entry));
  }
  return entities;
}

}  // namespace kedge::project
