#include "pipeline/specs.h"

#include "base/text.h"
#include "contracts/contract.h"
#include "document/json.h"
#include "pipeline/compile.h"

namespace kedge::pipeline {
namespace {

using document::Json;
using document::Node;

std::string staging_name(const std::string& connection, const std::string& entity) {
  return "src_" + connection + "__" + base::replace_all(entity, ".", "_");
}

void add_file_options(Json& json, const project::FileFormat& file) {
  const auto set = [&](std::string_view key, const std::optional<project::Text>& value) {
    if (value) {
      json.set(key, value->text);
    }
  };
  set("format", file.format);
  set("path", file.path);
  set("delimiter", file.delimiter);
  set("layout", file.layout);
  if (file.header) {
    json.set("header", *file.header);
  }
  if (file.null_text) {
    Json texts = Json::array();
    for (const std::string& text : *file.null_text) {
      texts.push(text);
    }
    json.set("null_text", std::move(texts));
  }
}

contracts::System system_of(const project::Connection& connection) {
  const auto dialect = connection.options.find("dialect");
  const std::string word = dialect == connection.options.end() ? "" : dialect->second.text;
  return contracts::system_of_connector(connection.connector, word)
      .value_or(contracts::System::Generic);
}

std::string entry_text(const std::optional<document::Entry>& entry) {
  return entry ? document::write_json(document::to_json(entry->value), -1) : "";
}

// Only what decides the landed shape: never options of the connection.
std::string hash_read(const project::Read& read) {
  Json json = Json::object();
  add_file_options(json, read.file);
  if (read.query) {
    json.set("query", read.query->text);
  }
  return base::sha256_hex(document::write_json(json, -1)).substr(0, 16);
}

contracts::Strategy strategy_of(const std::optional<project::Text>& text) {
  if (text && text->text == "replace") {
    return contracts::Strategy::Replace;
  }
  return text && text->text == "merge" ? contracts::Strategy::Merge : contracts::Strategy::Append;
}

contracts::SchemaPolicy policy_of(const std::optional<project::Text>& text) {
  if (text && text->text == "additive") {
    return contracts::SchemaPolicy::Additive;
  }
  return text && text->text == "evolve" ? contracts::SchemaPolicy::Evolve
                                        : contracts::SchemaPolicy::FailOnChange;
}

contracts::OnDelete on_delete_of(const std::optional<project::Text>& text) {
  if (!text) {
    return contracts::OnDelete::None;
  }
  if (text->text == "delete") {
    return contracts::OnDelete::Delete;
  }
  return text->text == "soft" ? contracts::OnDelete::Soft : contracts::OnDelete::Ignore;
}

// severity, max_violations and on_violation of `expect:` hold for the column facts too.
void apply_common(std::vector<contracts::Check>& checks, const Node& expect,
                  const std::vector<contracts::Check>& expected) {
  contracts::Check common;
  std::vector<Problem> ignored;
  Node only;
  only.kind = document::Kind::Mapping;
  for (const document::Entry& entry : expect.entries) {
    if (entry.key.text == "severity" || entry.key.text == "max_violations" ||
        entry.key.text == "on_violation") {
      only.entries.push_back(entry);
    }
  }
  if (!only.entries.empty()) {
    Node rows;
    rows.kind = document::Kind::Mapping;
    Node zero;
    zero.kind = document::Kind::Integer;
    zero.text = "0";
    Node low = zero;
    low.kind = document::Kind::String;
    low.text = "min";
    rows.entries.push_back({low, zero});
    Node key = low;
    key.text = "row_count";
    only.entries.push_back({key, rows});
    const auto read = contracts::read_expectations("", only, ignored);
    if (!read.empty()) {
      common = read.front();
    }
    for (contracts::Check& check : checks) {
      check.severity = common.severity;
      check.max_violations = common.max_violations;
      check.on_violation = common.on_violation;
    }
  }
  checks.insert(checks.end(), expected.begin(), expected.end());
}

std::string digest_of(const WriteSpec& write, const project::Write& options) {
  Json json = Json::object();
  add_file_options(json, options.file);
  json.set("strategy", contracts::to_string(write.strategy));
  json.set("policy", contracts::to_string(write.policy));
  json.set("on_delete", contracts::to_string(write.on_delete));
  json.set("delete_flag", write.delete_flag);
  json.set("keys", base::join(write.keys, "\n"));
  json.set("columns", entry_text(options.columns));
  return document::write_json(json, -1);
}

}  // namespace

bool has_options(const project::Read& read) {
  return (read.file.format || read.file.path || read.file.delimiter || read.file.header ||
          read.file.layout || read.file.null_text || read.query || read.retry ||
          read.on_source_drift || read.extra_columns || read.columns || read.sync || read.expect);
}

bool has_options(const project::Write& write) {
  return write.file.format || write.file.path || write.file.delimiter || write.file.header ||
         write.file.layout || write.strategy || !write.keys.empty() || write.duplicates ||
         write.schema_policy || write.on_delete || write.delete_flag || write.retry ||
         write.columns || write.expect;
}

ReadSpec make_read(const Declaration& from) {
  const auto& [connection, entity, file, problems] = from;
  const project::Read& options = entity.read;
  ReadSpec read;
  read.connection = connection.name;
  read.entity = entity.name;
  read.label = connection.name + "." + entity.name;
  read.staging = staging_name(connection.name, entity.name);
  read.connector = connection.connector;
  read.system = system_of(connection);
  read.where = entity.where;
  read.file = options.file;
  read.query = options.query ? options.query->text : "";
  read.extra_columns = options.extra_columns ? options.extra_columns->text : "ignore";
  read.retry = options.retry.value_or(connection.retry);
  read.read_hash = hash_read(options);
  if (options.columns) {
    read.contract = contracts::read_contract(file, options.columns->value, problems);
  }
  read.checks = read.contract.facts;
  if (options.expect) {
    const auto expected = contracts::read_expectations(file, options.expect->value, problems);
    contracts::refuse_foreign_facts(read.contract, expected, problems);
    apply_common(read.checks, options.expect->value, expected);
  }
  if (options.sync) {
    Sync sync = read_sync(file, *options.sync, read.label, problems);
    read.cursor = std::move(sync.cursor);
    read.change_capture = sync.change_capture;
  }
  return read;
}

WriteSpec make_write(const Declaration& from) {
  const auto& [connection, entity, file, problems] = from;
  const project::Write& options = entity.write;
  WriteSpec write;
  write.connection = connection.name;
  write.entity = entity.name;
  write.target = connection.name + "." + entity.name;
  write.connector = connection.connector;
  write.system = system_of(connection);
  write.file = options.file;
  write.strategy = strategy_of(options.strategy);
  write.policy = policy_of(options.schema_policy);
  write.on_delete = on_delete_of(options.on_delete);
  write.delete_flag = options.delete_flag ? options.delete_flag->text : "";
  write.accepts_duplicates = options.duplicates.has_value();
  write.retry = options.retry.value_or(connection.retry);
  for (const project::Text& key : options.keys) {
    write.keys.push_back(key.text);
  }
  if (options.columns) {
    write.contract = contracts::read_contract(file, options.columns->value, problems);
  }
  write.checks = write.contract.facts;
  if (options.expect) {
    const auto expected = contracts::read_expectations(file, options.expect->value, problems);
    contracts::refuse_foreign_facts(write.contract, expected, problems);
    apply_common(write.checks, options.expect->value, expected);
  }
  write.digest = digest_of(write, options);
  return write;
}

}  // namespace kedge::pipeline
