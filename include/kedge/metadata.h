// The metadata language (spec/metadata.md) as a loaded, merged, resolved and checked value: objects
// with their effective fields, identities, references, relationships, sources and origins, and the
// template nodes. References are qualified names ("harbour::Berth"), never pointers. Every part
// knows where it was declared. Inheritance is already applied: an object holds all of its children,
// base first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kedge/error.h"
#include "kedge/finding.h"

namespace kedge::metadata {

// Where something was declared: file position and JSON pointer inside the file.
struct Place {
  Position where;
  std::string pointer;
};

struct Documentation {
  std::string description;
  std::string summary;
  std::string title;
  std::string notes;
  std::string deprecated;
  std::string replaced_by;
  std::vector<std::string> see_also;
  std::vector<std::string> aliases;
};

// A literal of a default, filter or expression. Decimals and dates are strings.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
std::string to_text(const Scalar& scalar);  // null = ""

enum class FieldType {
  String,
  Int,
  Long,
  Float,
  Double,
  Decimal,
  Boolean,
  Date,
  Time,
  Timestamp,
  Currency,
  Uuid,
  Enum,
  Object,
  Map,
  Uri,
  Inet,
  Bytes
};
std::string to_string(FieldType type);  // "string", "int", ...
std::optional<FieldType> find_field_type(std::string_view name);

// "Entity.member", resolved: the object's qualified name and the member.
struct MemberRef {
  std::string object;
  std::string member;
  bool empty() const { return object.empty(); }
  bool operator==(const MemberRef&) const = default;
  auto operator<=>(const MemberRef&) const = default;
};

struct Filter {
  enum class Kind { And, Or, Not, Compare };
  Kind kind = Kind::And;
  std::vector<Filter> parts;  // And, Or, Not
  std::string field;          // Compare
  std::string op;             // eq ne gt gte lt lte in like isNull
  std::vector<Scalar> values;
  Place place;
};

struct Expression {
  enum class Kind { Field, Value, Compare, IsNull, IsNotNull, Not, And, Or, Coalesce };
  Kind kind = Kind::Value;
  std::string field;
  Scalar value;
  std::string op;  // Compare
  std::vector<Expression> parts;
  Place place;
};

struct OrderBy {
  std::string field;
  bool descending = false;
};

// Base.hop.hop: each hop names a relationship or an identity.reference of the entity reached.
struct Path {
  std::string base;
  std::vector<std::string> hops;
};

struct Origin {
  enum class Kind { Passthrough, Aggregate, Computed, First };
  Kind kind = Kind::Passthrough;
  MemberRef source;       // @from or @of
  std::string aggregate;  // count sum avg min max any all collect
  std::optional<Path> via;
  std::optional<Filter> filter;
  std::optional<Expression> expression;
  std::vector<OrderBy> order_by;
  bool distinct = false;
  bool convert = false;
  Place place;
};

struct Validator {
  enum class Kind {
    Required,
    Numeric,
    Length,
    Regex,
    Comparison,
    RequiredWhen,
    PresentIff,
    AtLeastOne,
    Array,
    Base
  };
  Kind kind = Kind::Base;
  std::string name;
  std::string minimum;  // as written, empty when absent
  std::string maximum;
  std::string pattern;
  std::string left;  // Comparison
  std::string op;
  std::string right;
  std::string field;  // RequiredWhen, PresentIff
  std::string when;
  Scalar equals;
  std::vector<std::string> fields;  // AtLeastOne
  bool enforce = true;
  Place place;
};

struct FieldDefault {
  enum class Kind { Literal, Sql };
  Kind kind = Kind::Literal;
  std::string text;  // enum with an int value map: the member's name
  Place place;
};

enum class AutoSet { None, OnCreate, OnUpdate };
enum class Storage { None, Flattened, Jsonb, Subdocument };

struct Field {
  std::string name;
  FieldType type = FieldType::String;
  bool is_array = false;
  Place place;
  std::string declared_in;  // qualified name of the object that declares it
  MemberRef extends;        // a nested target ("Berth.code"); empty otherwise
  std::string extends_top;  // qualified name of an abstract package-level field
  Documentation documentation;

  std::string column;            // physical name, naming strategy applied
  bool has_column_name = false;  // given by @column
  bool required = false;
  bool unique = false;
  bool indexed = false;
  bool read_only = false;
  bool filterable = false;
  bool sortable = false;
  std::string mutability;
  std::string string_format;
  std::string locale;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> precision;
  std::optional<std::int64_t> scale;
  std::optional<FieldDefault> default_value;
  AutoSet auto_set = AutoSet::None;
  bool local_time = false;
  bool lenient = false;
  bool leave = false;                                            // the column may look as it likes
  std::string currency;                                          // currency fields; default USD
  std::vector<std::string> values;                               // enum members, in order
  std::vector<std::pair<std::string, std::int64_t>> int_values;  // @intValueMap
  std::string object_ref;                                        // qualified
  std::string value_type;                                        // map
  bool open_map = false;  // map without @valueType and @objectRef: payloads only
  Storage storage = Storage::None;
  std::string column_type;                     // @dbColumnType
  std::map<std::string, std::string> db_type;  // @dbType: dialect -> raw type
  std::vector<std::string> former_names;
  std::optional<Origin> origin;
  std::vector<Validator> validators;
  bool is_derived() const { return origin.has_value(); }
};

enum class Generation { None, Increment, Uuid, Assigned };

// Physical attributes shared by unique keys and lookups (spec 4.4).
struct IndexShape {
  std::vector<std::string> fields;
  std::string expression;
  std::vector<bool> descending;  // as many as given
  std::string where;
  std::string method;
  std::vector<std::string> include;
  bool nulls_not_distinct = false;
};

struct Identity {
  enum class Kind { Primary, Secondary };
  Kind kind = Kind::Primary;
  std::string name;
  IndexShape shape;
  Generation generation = Generation::None;
  MemberRef extends;
  Place place;
  std::string declared_in;
};

struct LookupIndex {
  std::string name;
  IndexShape shape;
  Place place;
  std::string declared_in;
};

enum class Action { NoAction, Restrict, Cascade, SetNull };

struct Reference {
  std::string name;
  std::vector<std::string> fields;
  std::string target;                      // qualified name of the referenced object
  std::vector<std::string> target_fields;  // empty: its primary key
  bool enforce = true;
  std::string constraint_name;
  std::optional<Action> on_delete;
  std::optional<Action> on_update;
  bool deferrable = false;
  bool initially_deferred = false;
  Place place;
  std::string declared_in;
};

struct Relationship {
  enum class Kind { Composition, Aggregation, Association };
  Kind kind = Kind::Association;
  std::string name;
  std::string target;  // qualified
  bool many = false;
  std::optional<Action> on_delete;
  std::optional<Action> on_update;
  std::string through;  // qualified; empty when not many-to-many
  std::string source_ref_field;
  bool symmetric = false;
  Place place;
  Documentation documentation;
};

struct Source {
  enum class Kind { Table, View, MaterializedView, StoredProc, TableFunction };
  Kind kind = Kind::Table;
  std::string name;                // the node's own name, may be empty
  std::string physical;            // table or view name, naming strategy applied
  bool has_physical_name = false;  // given by an attribute
  std::string schema;              // empty: the dialect's default
  bool replica = false;
  std::optional<std::string> sql;
  bool unmanaged = false;
  std::vector<std::string> depends_on;  // as written: qualified object names or table names
  std::vector<std::string> leave;       // indexes and constraints of the table that are left alone
  std::string parameter_ref;
  bool own = true;  // declared on the object itself, not inherited
  Place place;
};

struct Object {
  enum class Kind { Entity, Value, Projection, Report };
  Kind kind = Kind::Entity;
  std::string name;
  std::string package;
  std::string qualified_name;  // "harbour::Berth"
  bool is_abstract = false;
  std::string extends;  // qualified; empty when none
  Place place;
  Documentation documentation;
  std::vector<std::string> former_names;
  std::vector<Field> fields;  // base first, then own, in declaration order
  std::vector<Identity> identities;
  std::vector<Reference> references;
  std::vector<Relationship> relationships;
  std::vector<LookupIndex> indexes;
  std::vector<Source> sources;
  std::vector<Validator> validators;  // object level
  std::optional<Filter> filter;       // projections
  std::string discriminator;          // single-table inheritance: on the base
  std::string discriminator_value;    // on a subtype
  std::string table_owner;            // the object whose table holds its rows; empty: no table
  std::string base_entity;            // projections: qualified name of the base
};
std::string to_string(Object::Kind kind);  // "entity", "value", "projection", "report"

// spec/templates.md 2. References are resolved; the texts live in files of their own.
struct Template {
  enum class Kind { Prompt, Output, Toolcall };
  Kind kind = Kind::Prompt;
  std::string name;
  std::string package;
  std::string qualified_name;
  bool is_abstract = false;
  std::string extends;
  Place place;
  Documentation documentation;
  std::map<std::string, Place> attributes;  // where each effective attribute was written
  std::string payload_ref;                  // qualified; empty when it could not be resolved
  std::string response_ref;                 // qualified
  std::string text_ref;
  std::string format = "text";
  std::optional<std::int64_t> max_chars;
  std::optional<std::int64_t> max_tokens;
  std::vector<std::string> required_tags;
  std::vector<std::string> required_slots;
  std::string owner;
  std::string since;
  std::string model;
  std::string response_format = "json";
  std::string prompt_style = "guide";
  std::string output_kind = "document";  // @kind of an output: document | email
  std::string subject_ref;
  std::string html_body_ref;
  std::string text_body_ref;
  std::string tool_name;
};
std::string to_string(Template::Kind kind);  // "prompt", "output", "toolcall"

enum class Naming { Literal, SnakeCase, KebabCase };

// metadata: of project.yml (spec 1.1).
struct Settings {
  struct SourcePlace {
    std::string path;
    std::optional<Position> where;
  };
  std::vector<SourcePlace> sources;  // empty: the folder metadata/ when it exists
  Naming column_naming = Naming::SnakeCase;
  bool strict = true;
  bool strict_nodes = false;
  bool tph_required_checks = false;
  bool rfc4122_uuids = false;  // sqlite_uuid: rfc4122
  bool array_enum_checks = false;
};

struct Model {
  Settings settings;
  std::vector<std::string> files;  // read, in load order
  std::vector<Object> objects;     // in load order, abstract ones included
  std::vector<Template> templates;
  std::vector<Field> shared_fields;  // abstract package-level fields; name = qualified name
  // The position of an object in `objects` by qualified name.
  std::map<std::string, std::size_t, std::less<>> object_index;
  // Positions of those whose rows lie in the table of another, by that one's qualified name.
  std::map<std::string, std::vector<std::size_t>, std::less<>> subtype_index;
};

const Object* find_object(const Model& model, std::string_view qualified_name);
const Field* find_field(const Object& object, std::string_view name);
const Identity* find_primary(const Object& object);
// The source that counts for an object's rows: own or inherited, role primary.
const Source* primary_source(const Object& object);

// One message of loading (spec 9). Sorted by file, line, column.
struct Diagnostic {
  Finding finding;  // notes = related places
  std::string pointer;
  std::vector<std::string> suggestions;
  bool is_error() const { return finding.severity == Severity::Error; }
};

struct LoadResult {
  Model model;
  std::vector<Diagnostic> diagnostics;
  bool has_errors() const;
};

}  // namespace kedge::metadata
