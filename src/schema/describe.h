// Which members a snapshot has, once, for both directions: describe() names every field of every
// value of kedge/schema.h to an archive, which either writes or reads. A field that is missing here
// makes the round-trip test fail.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "kedge/schema.h"

namespace kedge::schema::archive {

template <typename Enum>
struct EnumNames;

#define KEDGE_ENUM_NAMES(type, ...)                                                                \
  template <>                                                                                      \
  struct EnumNames<type> {                                                                         \
    static constexpr auto kValues = std::to_array<std::pair<type, std::string_view>>(__VA_ARGS__); \
  }

KEDGE_ENUM_NAMES(Default::Kind,
                 {{Default::Kind::Literal, "literal"}, {Default::Kind::Expression, "expr"}});
KEDGE_ENUM_NAMES(Identity::Kind, {{Identity::Kind::ByDefault, "increment"},
                                  {Identity::Kind::Always, "always"},
                                  {Identity::Kind::Serial, "serial"},
                                  {Identity::Kind::Uuid, "uuid"}});
KEDGE_ENUM_NAMES(NullsOrder, {{NullsOrder::Default, "default"},
                              {NullsOrder::First, "first"},
                              {NullsOrder::Last, "last"}});
KEDGE_ENUM_NAMES(Index::Constraint, {{Index::Constraint::None, "none"},
                                     {Index::Constraint::Unique, "unique"},
                                     {Index::Constraint::Exclude, "exclude"}});
KEDGE_ENUM_NAMES(ReferentialAction, {{ReferentialAction::NoAction, "no-action"},
                                     {ReferentialAction::Restrict, "restrict"},
                                     {ReferentialAction::Cascade, "cascade"},
                                     {ReferentialAction::SetNull, "set-null"},
                                     {ReferentialAction::SetDefault, "set-default"}});
KEDGE_ENUM_NAMES(Dialect, {{Dialect::Sqlite, "sqlite"},
                           {Dialect::Postgres, "postgres"},
                           {Dialect::Duckdb, "duckdb"},
                           {Dialect::Mysql, "mysql"},
                           {Dialect::D1, "d1"},
                           {Dialect::Ansi, "ansi"}});
KEDGE_ENUM_NAMES(ObjectKind, {{ObjectKind::Function, "function"},
                              {ObjectKind::Procedure, "procedure"},
                              {ObjectKind::Aggregate, "aggregate"},
                              {ObjectKind::Trigger, "trigger"},
                              {ObjectKind::Policy, "policy"},
                              {ObjectKind::Rule, "rule"},
                              {ObjectKind::Extension, "extension"},
                              {ObjectKind::Privilege, "privilege"},
                              {ObjectKind::Event, "event"},
                              {ObjectKind::Statistics, "statistics"},
                              {ObjectKind::Macro, "macro"}});
#undef KEDGE_ENUM_NAMES

// An archive offers, all by key:
//   required(key, value)             always written, must be there
//   optional(key, value, [fallback]) written where it differs from the fallback
//   name(schema key, name key, value), type(value): more than one key each
template <typename A, typename T>
using Ref = typename A::template Reference<T>;

template <typename A>
void describe(A& archive, Ref<A, Name> value) {
  archive.name("schema", "name", value);
}

template <typename A>
void describe(A& archive, Ref<A, Default> value) {
  archive.required("kind", value.kind);
  archive.required("value", value.value);
}

template <typename A>
void describe(A& archive, Ref<A, Identity> value) {
  archive.required("kind", value.kind);
  archive.optional("start", value.start);
  archive.optional("increment", value.increment);
  archive.optional("minimum", value.minimum);
  archive.optional("maximum", value.maximum);
  archive.optional("cache", value.cache);
  archive.optional("cycle", value.cycle);
  archive.optional("sequence", value.sequence);
}

template <typename A>
void describe(A& archive, Ref<A, Generated> value) {
  archive.required("expr", value.expression);
  archive.required("stored", value.stored);
}

template <typename A>
void describe(A& archive, Ref<A, Column> value) {
  archive.required("name", value.name);
  archive.type(value.type);
  archive.required("nullable", value.nullable);
  archive.optional("default", value.default_value);
  archive.optional("identity", value.identity);
  archive.optional("generated", value.generated);
  archive.optional("collation", value.collation);
  archive.optional("comment", value.comment);
  archive.optional("options", value.options);
}

template <typename A>
void describe(A& archive, Ref<A, PrimaryKey> value) {
  archive.optional("name", value.name);
  archive.required("columns", value.columns);
  archive.optional("deferrable", value.deferrable);
  archive.optional("initiallyDeferred", value.initially_deferred);
  archive.optional("include", value.include);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, IndexPart> value) {
  archive.optional("column", value.column);
  archive.optional("expr", value.expression);
  archive.optional("descending", value.descending);
  archive.optional("nulls", value.nulls);
  archive.optional("collation", value.collation);
  archive.optional("operatorClass", value.operator_class);
  archive.optional("prefix", value.prefix);
}

template <typename A>
void describe(A& archive, Ref<A, Index> value) {
  archive.required("name", value.name);
  archive.required("columns", value.parts);
  archive.required("unique", value.unique);
  archive.optional("where", value.where);
  archive.optional("using", value.method);
  archive.optional("include", value.include);
  archive.optional("nullsNotDistinct", value.nulls_not_distinct);
  archive.optional("constraint", value.constraint);
  archive.optional("deferrable", value.deferrable);
  archive.optional("initiallyDeferred", value.initially_deferred);
  archive.optional("exclusion", value.exclusion);
  archive.optional("valid", value.valid, true);
  archive.optional("generatedName", value.generated_name);
  archive.optional("options", value.options);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, ForeignKey> value) {
  archive.required("name", value.name);
  archive.required("columns", value.columns);
  archive.name("refSchema", "refTable", value.referenced_table);
  archive.required("refColumns", value.referenced_columns);
  archive.optional("onDelete", value.on_delete);
  archive.optional("onUpdate", value.on_update);
  archive.optional("setColumns", value.set_columns);
  archive.optional("matchFull", value.match_full);
  archive.optional("deferrable", value.deferrable);
  archive.optional("initiallyDeferred", value.initially_deferred);
  archive.optional("validated", value.validated, true);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, Check> value) {
  archive.required("name", value.name);
  archive.required("expression", value.expression);
  archive.optional("column", value.column);
  archive.optional("members", value.members);
  archive.optional("validated", value.validated, true);
  archive.optional("noInherit", value.no_inherit);
  archive.optional("enforced", value.enforced, true);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, Partition> value) {
  archive.optional("by", value.by);
  archive.optional("parent", value.parent);
  archive.optional("bound", value.bound);
}

template <typename A>
void describe(A& archive, Ref<A, Table> value) {
  archive.name("schema", "name", value.name);
  archive.required("columns", value.columns);
  archive.optional("primaryKey", value.primary_key);
  archive.optional("indexes", value.indexes);
  archive.optional("foreignKeys", value.foreign_keys);
  archive.optional("checks", value.checks);
  archive.optional("comment", value.comment);
  archive.optional("options", value.options);
  archive.optional("partition", value.partition);
  archive.optional("inherits", value.inherits);
  archive.optional("rowSecurity", value.row_security);
  archive.optional("forceRowSecurity", value.force_row_security);
  archive.optional("unlogged", value.unlogged);
}

template <typename A>
void describe(A& archive, Ref<A, ViewColumn> value) {
  archive.required("name", value.name);
  archive.type(value.type);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, Dependent> value) {
  archive.name("schema", "name", value.name);
  archive.required("kind", value.kind);
  archive.required("managed", value.managed);
}

template <typename A>
void describe(A& archive, Ref<A, View> value) {
  archive.name("schema", "name", value.name);
  archive.required("materialized", value.materialized);
  archive.required("body", value.body);
  archive.optional("columns", value.columns);
  archive.optional("indexes", value.indexes);
  archive.optional("comment", value.comment);
  archive.optional("fingerprint", value.fingerprint);
  archive.optional("defHash", value.definition_hash);
  archive.optional("stamp", value.stamp);
  archive.optional("dependsOn", value.depends_on);
  archive.optional("dependents", value.dependents);
  archive.optional("options", value.options);
}

template <typename A>
void describe(A& archive, Ref<A, Sequence> value) {
  archive.name("schema", "name", value.name);
  archive.type(value.type);
  archive.required("start", value.start);
  archive.required("increment", value.increment);
  archive.optional("minimum", value.minimum);
  archive.optional("maximum", value.maximum);
  archive.optional("cache", value.cache, std::int64_t{1});
  archive.optional("cycle", value.cycle);
  archive.optional("ownerTable", value.owner_table);
  archive.optional("ownerColumn", value.owner_column);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, EnumType> value) {
  archive.name("schema", "name", value.name);
  archive.required("labels", value.labels);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, DomainType> value) {
  archive.name("schema", "name", value.name);
  archive.type(value.base);
  archive.required("nullable", value.nullable);
  archive.optional("default", value.default_value);
  archive.optional("collation", value.collation);
  archive.optional("checks", value.checks);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, CompositeType> value) {
  archive.name("schema", "name", value.name);
  archive.required("fields", value.fields);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, DefinedObject> value) {
  archive.required("kind", value.kind);
  archive.name("schema", "name", value.name);
  archive.optional("signature", value.signature);
  archive.optional("table", value.table);
  archive.required("definition", value.definition);
  archive.optional("comment", value.comment);
  archive.optional("dependsOn", value.depends_on);
  archive.optional("options", value.options);
}

template <typename A>
void describe(A& archive, Ref<A, Unmodelled> value) {
  archive.required("kind", value.kind);
  archive.name("schema", "name", value.name);
}

template <typename A>
void describe(A& archive, Ref<A, Engine> value) {
  archive.required("dialect", value.dialect);
  archive.optional("name", value.product);
  archive.optional("version", value.version);
  archive.optional("major", value.major);
}

template <typename A>
void describe(A& archive, Ref<A, Namespace> value) {
  archive.required("name", value.name);
  archive.optional("comment", value.comment);
}

template <typename A>
void describe(A& archive, Ref<A, Schema> value) {
  archive.required("engine", value.engine);
  archive.optional("defaultSchema", value.default_schema);
  archive.optional("schemas", value.namespaces);
  archive.required("tables", value.tables);
  archive.optional("views", value.views);
  archive.optional("sequences", value.sequences);
  archive.optional("enums", value.enums);
  archive.optional("domains", value.domains);
  archive.optional("composites", value.composites);
  archive.optional("objects", value.objects);
  archive.optional("notModelled", value.unmodelled);
}

}  // namespace kedge::schema::archive
