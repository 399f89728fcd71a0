// Contracts in the Open Data Contract Standard and back (spec/contracts.md 18): pure over values.
// What the standard has no place for travels as custom properties named kedge.<key>.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contracts/contract.h"
#include "contracts/write_policy.h"
#include "document/json.h"

namespace kedge::contracts {

// One entity as far as its contract goes.
struct EntityContract {
  std::string connection;
  std::string entity;
  bool is_file = false;
  std::string path;  // of a file
  Contract contract;
  std::vector<Check> expectations;               // entity-level ones, without the column facts
  CheckSeverity severity = CheckSeverity::Fail;  // of all facts
  OnViolation on_violation = OnViolation::Keep;
  std::string max_violations;     // as written
  std::vector<std::string> keys;  // of its write
  std::string strategy;           // empty: no write
  std::string policy;
  Contract promise;  // `columns:` of its write, and the facts beside them
  std::vector<Check> promise_expectations;
  std::string description;
  std::vector<std::string> tags;
  // What else the blocks say, by key: query, sync, null_text; on_delete, columns, keys that are no
  // columns of the read.
  document::Json read_settings = document::Json::object();
  document::Json write_settings = document::Json::object();
};

document::Json text_list(const std::vector<std::string>& values);
std::optional<double> number_of(const std::string& text);  // nothing: the text is no number
// A setting as it is written: numbers only where they say the same as the text.
document::Json kept_setting(const document::Node& node);
// Fills description, tags, read_settings and write_settings from the block of the entity.
void keep_settings(EntityContract& entity, const document::Node& block);

struct ServerEntry {
  std::string name;
  std::string type;  // "postgres", "mysql", "sqlserver", "duckdb", "local", "custom"
  std::string host;
  std::string port;
  std::string database;
  std::string schema;
  std::string path;
};

struct ContractDocument {
  std::string name;
  std::string version;
  std::vector<EntityContract> entities;
  std::vector<ServerEntry> servers;  // empty unless asked for
};

document::Json to_odcs(const ContractDocument& document);

// The `read:` and `write:` blocks of one entity, as connections.yml spells them.
document::Json entity_block(const EntityContract& entity);
document::Json columns_block(const Contract& contract);

struct ImportedEntity {
  std::string entity;
  document::Json block;
};
struct OdcsImport {
  std::vector<ImportedEntity> entities;
  std::vector<std::string> warnings;  // what was not understood, with its path
  std::vector<Problem> problems;      // PZ0820: nothing was imported
};
OdcsImport from_odcs(const std::string& file, const std::string& text);

enum class DiffKind { Breaking, Compatible };
// Shape: columns and checks of what is read. Read: its other settings. Write: all of the write.
enum class ContractPart { Entity, Shape, Read, Write };
struct ContractChange {
  DiffKind kind = DiffKind::Compatible;
  ContractPart part = ContractPart::Entity;
  std::string entity;
  std::string text;  // "column 'a' removed"
};
std::vector<ContractChange> diff_contracts(const std::vector<EntityContract>& before,
                                           const std::vector<EntityContract>& after);

}  // namespace kedge::contracts
