// What introspection of PostgreSQL keeps while it reads: relations by OID and the type, collation
// and operator class names that rows refer to. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "dialect/dialect.h"
#include "dialect/row_view.h"

namespace kedge::dialect::postgres {

using Oid = std::uint32_t;

struct Attribute {
  int number = 0;
  Oid type = 0;
  Oid collation = 0;
  Identifier name;
};

// A table, view or composite type of the result, by its place there; or a hidden relation (owned by
// an extension, outside the scope), known for its names only.
struct Relation {
  enum class Kind { Table, View, Composite, Hidden };
  Kind kind = Kind::Hidden;
  std::size_t place = 0;
  schema::Name name;
  std::vector<Attribute> attributes;
};

struct OperatorClass {
  std::string name;
  Oid method = 0;
  Oid input = 0;
  bool is_default = false;
};

struct NamedSequence {
  schema::Sequence sequence;
  std::string regclass;   // as nextval('...'::regclass) spells it
  bool internal = false;  // of an identity column
  Oid table = 0;
  int column = 0;
  bool used = false;  // an identity of a column was made from it
};

// What a unique or exclusion constraint says about the index that it owns.
struct IndexConstraint {
  schema::Index::Constraint constraint = schema::Index::Constraint::None;
  bool deferrable = false;
  bool deferred = false;
  std::string exclusion;
  std::string comment;
};

struct Catalog {
  schema::Schema schema;
  int major = 0;
  std::unordered_map<Oid, std::string> namespaces;  // all that are looked at
  std::unordered_map<Oid, Relation> relations;
  std::unordered_map<std::uint64_t, schema::Type> types;  // by (type, modifier)
  std::unordered_map<Oid, Oid> type_collations;           // type: its own collation
  std::unordered_map<Oid, char> type_storage;
  std::unordered_map<Oid, std::string> collations;
  std::unordered_map<Oid, OperatorClass> operator_classes;
  std::map<std::pair<Oid, Oid>, Oid> default_classes;  // (method, input type): class
  std::unordered_map<Oid, std::size_t> domains;        // place in schema.domains
  std::unordered_map<Oid, NamedSequence> sequences;
  std::unordered_map<std::uint64_t, Oid> owned_sequences;  // (table, column): sequence
  std::unordered_map<Oid, std::vector<Oid>> readers;       // relation: views that read it
  std::unordered_map<Oid, schema::Name> functions;
  std::unordered_map<Oid, IndexConstraint> index_constraints;

  schema::Name name_of(Oid space, const std::string& name) const;
  const Relation* find(Oid relation) const;
  schema::Table* table(Oid relation);
  Identifier column(Oid relation, int number) const;
  const schema::Type& type(Oid type, int modifier) const;
  std::string collation_of(Oid collation, Oid type) const;  // empty when it is the type's own
};

std::uint64_t key_of(Oid first, int second);

// Which relations the queries look at, as SQL conditions.
struct CatalogScope {
  std::string namespaces;  // "1, 2, 3": never empty
  std::string tables;      // condition on n.nspname and c.relname; empty for all
  std::string relations;   // OIDs when a table scope is given, else empty
  bool definitions = true;
  bool privileges = false;
};
std::string table_condition(const std::vector<std::string>& patterns);

// The readers, in the order in which they are called. Each runs one statement.
void read_namespaces(db::Connection& connection, const IntrospectScope& scope, Catalog& catalog,
                     CatalogScope& queries);
void read_relations(db::Connection& connection, CatalogScope& scope, Catalog& catalog);
void read_objects(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
void read_types(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
void read_links(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
void read_columns(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
void read_constraints(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
void read_indexes(db::Connection& connection, const CatalogScope& scope, Catalog& catalog);
// No statement: dependents of views, sequences that nothing owns.
void finish(Catalog& catalog);

// The default of a column as pg_get_expr prints it; nothing for NULL.
std::optional<schema::Default> default_of(const std::string& expression);
// "1 2 3", "{1,2,3}": vectors and arrays of the catalog.
std::vector<std::int64_t> numbers_of(std::string_view text);

}  // namespace kedge::dialect::postgres
