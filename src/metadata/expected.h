// What a model asks of one database: tables, indexes, keys, checks and views as a schema::Schema
// (spec/metadata.md 2-8). What only the dialect can refuse is reported here.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kedge/metadata.h"
#include "kedge/schema.h"

namespace kedge::metadata {

// @formerName of an entity or a field: a rename hint.
struct FormerTable {
  schema::Name former;
  schema::Name now;
};
struct FormerColumn {
  schema::Name table;  // as it is called now
  Identifier former;
  Identifier now;
};

// Something declared: which object, and where.
struct Owner {
  std::string object;  // qualified name
  Place place;
};

// What of a table is nobody's business: indexes and constraints (@leave of a source), columns
// (@leave of a field).
struct LeftAlone {
  std::set<std::string> parts;  // labels
  std::set<Identifier> columns;
};
// What @leave calls a part: its name; a nameless CHECK its text, a nameless key its columns.
std::string label_of(const schema::Check& check);
std::string label_of(const schema::ForeignKey& key);

struct Expected {
  schema::Schema schema;
  std::vector<schema::Name> external;  // @unmanaged, and views whose SQL is somebody else's
  std::map<schema::Name, LeftAlone> leave;
  std::map<schema::Name, Owner> owners;  // of every table and view, external ones too
  std::vector<FormerTable> former_tables;
  std::vector<FormerColumn> former_columns;
  std::vector<Diagnostic> diagnostics;
  bool declares_nothing() const { return schema.tables.empty() && schema.views.empty(); }
  bool has_errors() const;
};

enum class CommentPolicy { Keep, Drop };  // migrate.manage_comments

Expected build_expected(const Model& model, schema::Dialect dialect,
                        CommentPolicy comments = CommentPolicy::Keep);

// SHA-256 (hex) of a view body: white space outside quotes collapsed, a trailing ';' dropped.
std::string view_fingerprint(std::string_view body);

// The column of a field in its table, and of "parent.child" inside a flattened value.
std::string column_of(const Field& field);

}  // namespace kedge::metadata
