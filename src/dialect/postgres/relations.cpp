// Namespaces and relations: tables, views, composite types.
#include "base/text.h"
#include "dialect/postgres/catalog.h"
#include "dialect/view_stamp.h"

namespace kedge::dialect::postgres {
namespace {

std::string relations_sql(const CatalogScope& scope) {
  std::string sql = R"(
SELECT c.oid::bigint, c.relnamespace::bigint, c.relname, c.relkind::text,
       c.relpersistence = 'u', c.relrowsecurity, c.relforcerowsecurity,
       pg_catalog.array_to_string(c.reloptions || (
         SELECT pg_catalog.array_agg('toast.' || o) FROM pg_catalog.unnest(b.reloptions) o), E'\x1f'),
       CASE WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid) END,
       CASE WHEN c.relispartition THEN pg_catalog.pg_get_expr(c.relpartbound, c.oid) END,
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END,
       d.description, c.reltuples::bigint, c.relreplident::text, t.spcname, am.amname,
       CASE WHEN c.reloftype <> 0 THEN pg_catalog.format_type(c.reloftype, NULL) END,
       e.objid IS NOT NULL
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_description d
  ON d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = 0
LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = c.reltablespace
LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
LEFT JOIN pg_catalog.pg_class b ON b.oid = c.reltoastrelid AND b.reloptions IS NOT NULL
LEFT JOIN (SELECT x.objid FROM pg_catalog.pg_depend x
           WHERE x.refclassid = 'pg_catalog.pg_extension'::regclass AND x.deptype = 'e'
             AND x.classid = 'pg_catalog.pg_class'::regclass) e ON e.objid = c.oid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'c', 'f') AND c.relnamespace IN ()" +
                    scope.namespaces + ")";
  return scope.tables.empty() ? sql : sql + " AND (c.relkind = 'c' OR " + scope.tables + ")";
}

enum Field : std::size_t {
  kOid,
  kNamespace,
  kName,
  kKind,
  kUnlogged,
  kRowSecurity,
  kForceRowSecurity,
  kOptions,
  kPartitionKey,
  kPartitionBound,
  kViewText,
  kComment,
  kRows,
  kReplicaIdentity,
  kTablespace,
  kAccessMethod,
  kOfType,
  kExtension
};

void set_options(std::map<std::string, std::string>& options, const RowView& row) {
  for (const std::string& item : split_list(row.text(kOptions))) {
    options.insert(split_option(item));
  }
  if (!row.is_null(kTablespace)) {
    options["tablespace"] = row.text(kTablespace);
  }
}

std::string replica_identity(const std::string& letter) {
  return letter == "f" ? "full" : letter == "n" ? "nothing" : letter == "i" ? "index" : "";
}

schema::Table table_of(const RowView& row, schema::Name name) {
  schema::Table table;
  table.name = std::move(name);
  table.comment = row.text(kComment);
  table.unlogged = row.flag(kUnlogged);
  table.row_security = row.flag(kRowSecurity);
  table.force_row_security = row.flag(kForceRowSecurity);
  set_options(table.options, row);
  if (const std::string identity = replica_identity(row.text(kReplicaIdentity));
      !identity.empty()) {
    table.options["replica_identity"] = identity;
  }
  if (!row.is_null(kAccessMethod) && row.text(kAccessMethod) != "heap") {
    table.options["access_method"] = row.text(kAccessMethod);
  }
  if (!row.is_null(kOfType)) {
    table.options["of_type"] = row.text(kOfType);
  }
  if (!row.is_null(kPartitionKey) || !row.is_null(kPartitionBound)) {
    table.partition =
        schema::Partition{row.text(kPartitionKey), std::nullopt, row.text(kPartitionBound)};
  }
  if (row.integer(kRows) >= 0) {
    table.rows_estimate = row.integer(kRows);
  }
  return table;
}

schema::View view_of(const RowView& row, schema::Name name, int major) {
  schema::View view;
  view.name = std::move(name);
  view.materialized = row.text(kKind) == "m";
  std::string_view body = base::trim(row.text(kViewText));
  if (body.ends_with(';')) {
    body.remove_suffix(1);
  }
  view.body = std::string(body);
  set_options(view.options, row);
  read_comment_stamp(row.text(kComment), view);
  // Another major version may print the same view in other words.
  if (view.stamp.ends_with(":" + std::to_string(major))) {
    check_rendering(view, base::md5_hex(row.text(kViewText)));
  }
  return view;
}

void add_relation(Catalog& catalog, const RowView& row) {
  Relation& relation = catalog.relations[row.oid(kOid)];
  relation.name = catalog.name_of(row.oid(kNamespace), row.text(kName));
  const std::string& kind = row.text(kKind);
  if (row.flag(kExtension)) {
    return;
  }
  if (kind == "r" || kind == "p") {
    relation.kind = Relation::Kind::Table;
    relation.place = catalog.schema.tables.size();
    catalog.schema.tables.push_back(table_of(row, relation.name));
  } else if (kind == "v" || kind == "m") {
    relation.kind = Relation::Kind::View;
    relation.place = catalog.schema.views.size();
    catalog.schema.views.push_back(view_of(row, relation.name, catalog.major));
  } else if (kind == "c") {
    relation.kind = Relation::Kind::Composite;
    relation.place = catalog.schema.composites.size();
    catalog.schema.composites.push_back({relation.name, {}, ""});
  } else {
    catalog.schema.unmodelled.push_back({"foreign table", relation.name});
  }
}

bool is_looked_at(const std::string& name, const IntrospectScope& scope) {
  if (!scope.schemas.empty()) {
    return std::find(scope.schemas.begin(), scope.schemas.end(), name) != scope.schemas.end();
  }
  return !name.starts_with("pg_") && name != "information_schema";
}

}  // namespace

void read_namespaces(db::Connection& connection, const IntrospectScope& scope, Catalog& catalog,
                     CatalogScope& queries) {
  static constexpr std::string_view kSql = R"(
SELECT n.oid::bigint, n.nspname, d.description,
       n.nspname = coalesce(pg_catalog.current_schema(), 'public'), e.objid IS NOT NULL
FROM pg_catalog.pg_namespace n
LEFT JOIN pg_catalog.pg_description d
  ON d.classoid = 'pg_catalog.pg_namespace'::regclass AND d.objoid = n.oid
LEFT JOIN pg_catalog.pg_depend e
  ON e.classid = 'pg_catalog.pg_namespace'::regclass AND e.objid = n.oid AND e.deptype = 'e')";
  catalog.schema.default_schema = Identifier("public");
  read_rows(connection, kSql, [&](const RowView& row) {
    if (row.flag(3) && !row.text(1).starts_with("pg_")) {
      catalog.schema.default_schema = Identifier(row.text(1));
    }
    if (is_looked_at(row.text(1), scope)) {
      catalog.namespaces[row.oid(0)] = row.text(1);
      queries.namespaces += (queries.namespaces.empty() ? "" : ", ") + std::to_string(row.oid(0));
      if (!row.flag(4)) {
        catalog.schema.namespaces.push_back({Identifier(row.text(1)), row.text(2)});
      }
    }
  });
  std::erase_if(catalog.schema.namespaces, [&](const schema::Namespace& space) {
    return space.name == catalog.schema.default_schema;
  });
  if (queries.namespaces.empty()) {
    queries.namespaces = "0";
  }
  queries.tables = table_condition(scope.tables);
}

void read_relations(db::Connection& connection, CatalogScope& scope, Catalog& catalog) {
  const bool scoped = !scope.tables.empty();
  read_rows(connection, relations_sql(scope), [&](const RowView& row) {
    add_relation(catalog, row);
    if (scoped) {
      scope.relations += (scope.relations.empty() ? "" : ", ") + std::to_string(row.oid(kOid));
    }
  });
  if (scoped && scope.relations.empty()) {
    scope.relations = "0";
  }
}

}  // namespace kedge::dialect::postgres
