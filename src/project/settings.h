// The values of the blocks of project.yml, one struct a chapter. Every value that can be wrong
// later (a path, a name, a pattern) keeps its place in the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/node.h"
#include "kedge/error.h"

namespace kedge::project {

struct Text {
  std::string text;
  std::optional<Position> where;  // nothing when it is the default
  bool operator==(const Text&) const = default;
};

enum class OnSourceDrift { Ignore, Warn, Fail };
enum class RequireContracts { None, Files, All };

struct EngineSettings {
  std::int64_t threads = 4;
  std::int64_t chunk_rows = 50'000;
  bool check_samples = true;
  std::optional<std::int64_t> node_timeout_ms;
  std::optional<std::string> duckdb_memory_limit;
  std::optional<std::int64_t> duckdb_threads;
  std::optional<std::string> duckdb_temp_directory;
};

struct EventHooks {
  std::vector<std::string> on;
  std::vector<std::string> command;  // empty: no hook
};

struct MetadataSettings {
  std::vector<Text> sources;  // empty: the folder metadata/ if there is one
  std::string column_naming = "snake_case";
  bool strict = true;
  bool strict_nodes = false;
  bool tph_required_checks = false;
  std::string sqlite_uuid;  // "" or "rfc4122"
  bool array_enum_checks = false;
};

struct LedgerSettings {
  std::optional<std::string> schema;
  std::string table = "_kedge_migrations";
  std::optional<std::string> lock_name;
  std::int64_t lock_wait_ms = 60'000;
};

struct D1Settings {
  std::string binding = "DB";
  bool remote = false;
  std::string wrangler_config = "wrangler.toml";
  bool auto_apply = false;
  bool carry_sequence = true;
};

struct ScratchSettings {
  std::optional<std::string> url;
  std::optional<std::string> pg_bin;
  std::optional<std::string> user;
  bool keep_on_failure = false;
};

struct MigrateSettings {
  std::optional<Text> target;
  std::optional<Text> dialect;
  Text dir = {"migrations", {}};
  std::string format = "default";  // default, flat or flyway
  std::vector<Text> allow;         // checked by migrate, which owns the tokens
  std::string on_ambiguous = "abort";
  std::vector<Text> scope;
  std::vector<Text> schemas;
  std::vector<Text> check;  // further connections that the metadata describes
  std::vector<Text> ignore_tables;
  std::optional<std::string> lock_timeout = "5s";  // as written; nothing = off
  std::optional<std::string> statement_timeout;
  bool online = false;
  bool manage_comments = true;
  LedgerSettings ledger;
  D1Settings d1;
  ScratchSettings scratch;
};

struct GenTarget {
  Text name;
  Text pack;
  Text out;
  std::vector<Text> include;
  std::vector<Text> exclude;
  document::Node options;  // a mapping; checked against the pack's option list
  std::vector<std::string> formatter;
  Position where;
};

struct GenSettings {
  std::vector<GenTarget> targets;
  Text state = {"codegen/state", {}};
  std::string eol = "lf";
  std::string bases = "committed";
  std::string orphans = "remove";
};

struct DocsSettings {
  Text out = {"docs/generated", {}};
};

struct TemplateLimits {
  std::int64_t text_bytes = 1 << 20;
  std::int64_t section_depth = 64;
  std::int64_t partial_depth = 32;
  std::int64_t output_bytes = 16 << 20;
  std::int64_t steps = 10'000'000;
  std::int64_t payload_depth = 128;
};

struct TemplateSettings {
  Text root = {"templates", {}};
  bool report_unused = false;
  TemplateLimits limits;
};

}  // namespace kedge::project
