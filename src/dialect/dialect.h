// What SQL means in one dialect: quoting, folding, types, the catalog queries and the DDL of a
// change. No client library here; a dialect and a connector are two things (D1 and sqlite share a
// dialect). One object per dialect, stateless, immutable, usable from several threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "kedge/schema.h"

namespace kedge::dialect {

// What an introspection looks at. Empty lists mean everything that is not the engine's own.
struct IntrospectScope {
  std::vector<std::string> schemas;  // exact names
  std::vector<std::string> tables;   // "name", "schema.name", '*' globs
  bool privileges = false;           // grants too
  bool definitions = true;           // functions, triggers, policies ... too
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual schema::Dialect id() const = 0;
  // Always quoted, embedded quotes doubled.
  virtual std::string quote(const Identifier& identifier) const = 0;
  virtual std::string literal(std::string_view text) const = 0;  // a string literal
  // As the engine folds an unquoted identifier.
  virtual std::string fold(std::string_view unquoted) const = 0;
  // Do two names mean the same column here? `quoted` folding is models.md 3.2.
  virtual bool same_name(std::string_view live, std::string_view written, bool quoted) const = 0;
  // Native type name to canonical type. Never throws: what it does not know is Native.
  virtual schema::Type parse_type(std::string_view native) const = 0;
  // Canonical type to the spelling used in DDL.
  virtual std::string type_name(const schema::Type& type) const = 0;
  // A constant number of catalog queries, in one snapshot where the engine has one.
  virtual schema::Schema introspect(db::Connection& connection,
                                    const IntrospectScope& scope) const = 0;
};

const Dialect& get_dialect(schema::Dialect id);  // D1 gives sqlite's
std::string quote_name(const Dialect& dialect, const schema::Name& name);

// models.md 7: the bucket of a live type. By dialect name and for the six classes: buckets.h.
schema::Bucket bucket_of(schema::Dialect dialect, const schema::Type& type);

// contracts.md 5.3: the DuckDB type that values of a native type land in, with the facets that
// contracts compare (text length, precision and scale). No spelling (`native`) in the result,
// except for DuckDB's own nested types.
schema::Type to_duckdb(schema::Dialect dialect, const schema::Type& type);
schema::Type to_duckdb(std::string_view dialect, std::string_view native);  // "sqlserver" too
// By SQL Server's own names; a name that says no more than its kind keeps the kind.
schema::Type sqlserver_to_duckdb(const schema::Type& type);

}  // namespace kedge::dialect
