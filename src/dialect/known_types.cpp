#include "dialect/known_types.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialect/dialect.h"
#include "dialect/type_text.h"

namespace kedge::dialect {
namespace {

using schema::TypeKind;

// What PostgreSQL itself has beyond the types of the type table (its manual, chapter 8).
constexpr std::array kPostgresNames = {"money",
                                       "xml",
                                       "point",
                                       "line",
                                       "lseg",
                                       "box",
                                       "path",
                                       "polygon",
                                       "circle",
                                       "cidr",
                                       "macaddr",
                                       "macaddr8",
                                       "tsvector",
                                       "tsquery",
                                       "int4range",
                                       "int8range",
                                       "numrange",
                                       "tsrange",
                                       "tstzrange",
                                       "daterange",
                                       "int4multirange",
                                       "int8multirange",
                                       "nummultirange",
                                       "tsmultirange",
                                       "tstzmultirange",
                                       "datemultirange",
                                       "oid",
                                       "regclass",
                                       "regcollation",
                                       "regconfig",
                                       "regdictionary",
                                       "regnamespace",
                                       "regoper",
                                       "regoperator",
                                       "regproc",
                                       "regprocedure",
                                       "regrole",
                                       "regtype",
                                       "pg_lsn",
                                       "pg_snapshot",
                                       "txid_snapshot",
                                       "xid",
                                       "xid8",
                                       "jsonpath",
                                       "name",
                                       "refcursor",
                                       "dec",
                                       "nchar",
                                       "char varying",
                                       "national character",
                                       "national char",
                                       "cid",
                                       "tid",
                                       "national character varying"};

// What MySQL and MariaDB have beyond theirs.
constexpr std::array kMysqlNames = {"set",
                                    "geometry",
                                    "point",
                                    "linestring",
                                    "polygon",
                                    "multipoint",
                                    "multilinestring",
                                    "multipolygon",
                                    "geometrycollection",
                                    "geomcollection",
                                    "vector",
                                    "serial",
                                    "dec",
                                    "fixed",
                                    "character",
                                    "char varying",
                                    "nchar",
                                    "nvarchar",
                                    "character varying",
                                    "national varchar",
                                    "national char",
                                    "long varchar",
                                    "long",
                                    "national character",
                                    "char byte",
                                    "int1",
                                    "int2",
                                    "int3",
                                    "int4",
                                    "int8",
                                    "middleint",
                                    "float4",
                                    "float8",
                                    "long varbinary"};

struct ExtensionType {
  std::string_view extension;
  std::string_view type;
};
constexpr std::array kExtensionTypes = {
    ExtensionType{"citext", "citext"},     ExtensionType{"hstore", "hstore"},
    ExtensionType{"ltree", "ltree"},       ExtensionType{"ltree", "lquery"},
    ExtensionType{"ltree", "ltxtquery"},   ExtensionType{"cube", "cube"},
    ExtensionType{"seg", "seg"},           ExtensionType{"vector", "vector"},
    ExtensionType{"vector", "halfvec"},    ExtensionType{"vector", "sparsevec"},
    ExtensionType{"postgis", "geometry"},  ExtensionType{"postgis", "geography"},
    ExtensionType{"postgis", "box2d"},     ExtensionType{"postgis", "box3d"},
    ExtensionType{"intarray", "query_int"}};
// Extensions that bring no types of columns.
constexpr std::array kTypeless = {
    "plpgsql",   "pg_stat_statements", "pg_trgm",  "pgcrypto",      "uuid-ossp",
    "btree_gin", "btree_gist",         "unaccent", "fuzzystrmatch", "tablefunc",
    "dblink",    "postgres_fdw",       "file_fdw", "amcheck"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "public.Mood" and "\"Mood\"" without quotes, in lower case; PostgreSQL's own schema left out.
std::string plain_name(std::string_view text) {
  std::string plain;
  for (const char character : base::to_lower(base::trim(text))) {
    if (character != '"') {
      plain += character;
    }
  }
  return plain.starts_with("pg_catalog.") ? plain.substr(11) : plain;
}

bool by_extension(const schema::Schema& shape, std::string_view type) {
  const std::size_t dot = type.rfind('.');
  const std::string_view bare = dot == std::string_view::npos ? type : type.substr(dot + 1);
  return std::any_of(shape.objects.begin(), shape.objects.end(), [&](const auto& object) {
    if (object.kind != schema::ObjectKind::Extension || holds(kTypeless, object.name.name.text())) {
      return false;
    }
    bool listed = false;
    for (const ExtensionType& one : kExtensionTypes) {
      listed = listed || one.extension == object.name.name.text();
      if (one.extension == object.name.name.text() && one.type == bare) {
        return true;
      }
    }
    return !listed;
  });
}

// A type that the database made for itself, or has in a column already.
bool is_own(const schema::Schema& shape, std::string_view type) {
  const auto named = [&](const auto& one) {
    return plain_name(to_string(one.name)) == type ||
           plain_name(shape.default_schema.text() + "." + one.name.name.text()) == type;
  };
  const auto used = [&](const schema::Table& table) {
    return named(table) ||
           std::any_of(table.columns.begin(), table.columns.end(), [&](const auto& c) {
             return plain_name(take_apart(c.type.native).words) == type;
           });
  };
  return std::any_of(shape.enums.begin(), shape.enums.end(), named) ||
         std::any_of(shape.domains.begin(), shape.domains.end(), named) ||
         std::any_of(shape.composites.begin(), shape.composites.end(), named) ||
         std::any_of(shape.tables.begin(), shape.tables.end(), used) ||
         std::any_of(shape.views.begin(), shape.views.end(), named);
}

}  // namespace

std::optional<std::string> find_unknown_type(const schema::Schema& shape, std::string_view native) {
  const schema::Dialect id = shape.engine.dialect;
  if (id != schema::Dialect::Postgres && id != schema::Dialect::Mysql &&
      id != schema::Dialect::Duckdb) {
    return std::nullopt;
  }
  const schema::Type type = get_dialect(id).parse_type(native);
  if (type.kind == TypeKind::Array && !type.element.empty()) {
    return find_unknown_type(shape, type.element.front().native);
  }
  if (type.kind != TypeKind::Native) {
    return std::nullopt;
  }
  const std::string name = plain_name(take_apart(native).words);
  const bool known = id == schema::Dialect::Postgres
                         ? holds(kPostgresNames, name) || by_extension(shape, name)
                         : id == schema::Dialect::Mysql && holds(kMysqlNames, name);
  return known || is_own(shape, name) ? std::nullopt
                                      : std::optional(std::string(base::trim(native)));
}

}  // namespace kedge::dialect
