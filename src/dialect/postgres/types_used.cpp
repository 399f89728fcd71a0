// The types that columns, domains and sequences use: each (type, modifier) once, however many
// columns have it.
#include "dialect/postgres/catalog.h"

namespace kedge::dialect::postgres {
namespace {

using schema::Type;
using schema::TypeKind;

enum Field : std::size_t {
  kOid,
  kModifier,
  kName,
  kClass,
  kCollation,
  kStorage,
  kElement,
  kElementClass,
  kElementName,
  kBase,
  kBaseModifier,
  kBaseName,
  kElementBase,
  kElementBaseName
};

std::string types_sql(const CatalogScope& scope) {
  const std::string relations =
      scope.relations.empty()
          ? "JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', "
            "'m', 'c') AND c.relnamespace IN (" +
                scope.namespaces + ") "
          : "";
  const std::string condition =
      scope.relations.empty() ? "" : "AND a.attrelid IN (" + scope.relations + ") ";
  return R"(
SELECT u.t::bigint, u.m, pg_catalog.format_type(u.t, u.m), t.typtype::text, t.typcollation::bigint,
       t.typstorage::text, e.oid::bigint, e.typtype::text, pg_catalog.format_type(e.oid, u.m),
       t.typbasetype::bigint, t.typtypmod,
       CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod) END,
       e.typbasetype::bigint,
       CASE WHEN e.typtype = 'd' THEN pg_catalog.format_type(e.typbasetype, e.typtypmod) END
FROM (SELECT DISTINCT a.atttypid AS t, a.atttypmod AS m FROM pg_catalog.pg_attribute a
      )" +
         relations + "WHERE a.attnum > 0 AND NOT a.attisdropped " + condition + R"(
      UNION SELECT d.typbasetype, d.typtypmod FROM pg_catalog.pg_type d
      WHERE d.typtype = 'd' AND d.typnamespace IN ()" +
         scope.namespaces + R"()
      UNION SELECT s, -1 FROM (VALUES (20::oid), (21::oid), (23::oid)) AS v(s)) u
JOIN pg_catalog.pg_type t ON t.oid = u.t
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A')";
}

Type named(TypeKind kind, const std::string& name) {
  Type type;
  type.kind = kind;
  type.native = name;
  return type;
}

Type type_of(const std::string& type_class, const std::string& name, const std::string& base) {
  if (type_class == "e") {
    return named(TypeKind::Enum, name);
  }
  if (type_class == "d") {
    Type domain = named(TypeKind::Domain, name);
    domain.element.push_back(get_dialect(schema::Dialect::Postgres).parse_type(base));
    return domain;
  }
  return get_dialect(schema::Dialect::Postgres).parse_type(name);
}

}  // namespace

void read_types(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  struct Pending {
    std::uint64_t domain;
    std::uint64_t base;
  };
  std::vector<Pending> pending;
  read_rows(connection, types_sql(scope), [&](const RowView& row) {
    const std::uint64_t key = key_of(row.oid(kOid), static_cast<int>(row.integer(kModifier)));
    catalog.type_collations[row.oid(kOid)] = row.oid(kCollation);
    catalog.type_storage[row.oid(kOid)] = row.text(kStorage).empty() ? 'p' : row.text(kStorage)[0];
    if (row.is_null(kElement)) {
      catalog.types[key] = type_of(row.text(kClass), row.text(kName), row.text(kBaseName));
    } else {
      Type array = named(TypeKind::Array, row.text(kName));
      array.element.push_back(
          type_of(row.text(kElementClass), row.text(kElementName), row.text(kElementBaseName)));
      catalog.types[key] = std::move(array);
    }
    if (row.text(kClass) == "d") {
      const int modifier = static_cast<int>(row.integer(kBaseModifier));
      pending.push_back({key, key_of(row.oid(kBase), modifier)});
    }
  });
  // A domain over an enum or another domain of this database: its base is known better by now.
  for (const Pending& domain : pending) {
    if (const auto base = catalog.types.find(domain.base); base != catalog.types.end()) {
      catalog.types[domain.domain].element = {base->second};
    }
  }
}

}  // namespace kedge::dialect::postgres
