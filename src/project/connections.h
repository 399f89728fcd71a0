// connections.yml (contracts.md 3) as a value: connections with their options, entities with what
// `read:` and `write:` say. `columns:`, `expect:` and `sync:` stay nodes: the contracts module
// gives them their meaning; everything else is checked here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file_system.h"
#include "kedge/finding.h"
#include "project/settings.h"

namespace kedge::project {

struct Retry {
  std::int64_t max_attempts = 3;
  std::int64_t base_delay_ms = 1'000;
  std::int64_t max_delay_ms = 30'000;
};

struct FileFormat {
  std::optional<Text> format;  // csv, tsv, json, parquet
  std::optional<Text> path;
  std::optional<Text> delimiter;
  std::optional<bool> header;
  std::optional<Text> layout;  // ndjson, array
  std::optional<std::vector<std::string>> null_text;
};

struct Read {
  std::optional<Position> where;  // of the key `read`; nothing when it is not written
  FileFormat file;
  std::optional<Text> query;
  std::optional<Retry> retry;
  std::optional<OnSourceDrift> on_source_drift;
  std::optional<Text> extra_columns;       // ignore, warn, fail
  std::optional<document::Entry> columns;  // key and value, ${} expanded
  std::optional<document::Entry> sync;
  std::optional<document::Entry> expect;
};

struct Write {
  std::optional<Position> where;
  FileFormat file;
  std::optional<Text> strategy;  // append, replace, merge
  std::vector<Text> keys;
  std::optional<Text> duplicates;     // accept
  std::optional<Text> schema_policy;  // fail_on_change, additive, evolve
  std::optional<Text> on_delete;      // delete, soft, ignore
  std::optional<Text> delete_flag;
  std::optional<Retry> retry;
  std::optional<document::Entry> columns;
  std::optional<document::Entry> expect;
};

struct Entity {
  std::string name;
  Position where;  // of its key
  Read read;
  Write write;
  std::string description;
  std::vector<std::string> tags;
};

struct Option {
  std::string text;  // expanded; booleans and numbers as written
  Position where;
};

struct Connection {
  std::string name;
  Position where;
  std::string connector;  // "sqlite", "postgres", ...; object stores are known names not in a build
  Position connector_where;
  std::map<std::string, Option> options;  // defaults are not filled in
  std::optional<std::int64_t> max_concurrency;
  Retry retry;
  std::string description;
  std::vector<Entity> entities;      // in file order
  std::vector<std::string> secrets;  // texts that must never be shown, longest first

  const Entity* find_entity(std::string_view entity) const;
  bool is_database() const;  // not files
  // Name -> text for db::ConnectionSettings::options. Relative paths of sqlite, duckdb and
  // localfiles are joined to the project's folder.
  std::map<std::string, std::string> settings(const std::string& folder) const;
};

struct Connections {
  bool present = false;
  std::vector<Connection> connections;  // in file order
  const Connection* find(std::string_view name) const;
  std::vector<std::string> names() const;
};

struct ConnectionsLoad {
  Connections connections;
  std::vector<Problem> problems;  // in file order
  std::vector<Finding> warnings;  // PZ0601, PZ0135, and notes of unset variables where allowed
};

// What to do with an unset ${NAME} that only a connection option uses (contracts.md 3.5).
enum class UnsetOptions { Refuse, Note };

ConnectionsLoad load_connections(const base::FileSystem& files,
                                 const base::Environment& environment, const std::string& folder,
                                 UnsetOptions unset = UnsetOptions::Refuse);

// An entity that a source() or sink() call of a pipeline declares, with the call's options: the
// same keys, rules and codes as `read:` or `write:`. The nodes keep their places in `file`.
enum class CallSide { Read, Write };
struct CallEntity {
  std::string file;
  document::Node name;     // the entity
  document::Node options;  // a mapping; no entries = no options
  CallSide side = CallSide::Read;
};
Entity read_call_entity(const Connection& connection, const CallEntity& call,
                        std::vector<Problem>& problems);

std::vector<std::string> known_connectors();  // those that a connection may name

}  // namespace kedge::project
