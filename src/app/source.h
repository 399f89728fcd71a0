// SRC (spec/migrate.md 17, design 4): a connection name or URL (also with `db:` before it),
// `metadata:`, `sql:<path>`, `snapshot:[<path>]`, `chain:[<dir>]`, `empty:`. Whatever it names
// becomes one schema value.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "dialect/dialect.h"

namespace kedge::app {

// History: NAME@DATE, what `kedge record` kept of a connection.
enum class SourceKind { Live, Metadata, Sql, Snapshot, Chain, Empty, History };

struct SourceName {
  SourceKind kind = SourceKind::Live;
  std::string argument;  // connection or URL, path; may be empty
};
SourceName parse_source(const std::string& text);

struct SourceOptions {
  std::optional<schema::Dialect> dialect;  // what sql:, metadata:, chain: and empty: are read in
  dialect::IntrospectScope scope;
  db::ScratchOptions scratch;
};

struct Source {
  SourceName name;
  std::string shown;  // for people: secrets hidden
  schema::Schema schema;
  schema::Dialect dialect = schema::Dialect::Ansi;
  std::vector<Problem> warnings;
  bool is_declared = false;  // made from a declaration, not read from an engine
};

// The dialect that the source itself says; absent for sql:, metadata:, chain:, empty:.
std::optional<schema::Dialect> dialect_of(const Context& context, const SourceName& name);
// Throws ERR_SOURCE, ERR_CONNECT, ERR_INTROSPECT, ERR_FROM_SQL, ERR_NO_DIALECT, ...
Source load_source(const Context& context, const std::string& text, const SourceOptions& options);

// Runs a script or a folder of scripts in name order. ERR_FROM_SQL with file and line.
// `connection` is one to `scratch`; roles that a PostgreSQL dump names are made if the server is
// thrown away with it.
void run_sql_files(const Context& context, const db::ScratchDatabase& scratch,
                   db::Connection& connection, const std::string& path,
                   std::vector<Problem>& warnings);

}  // namespace kedge::app
