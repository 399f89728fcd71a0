// The one statement that reads everything in a PostgreSQL database that is no relation: a UNION ALL
// of small selects. `$N` stands for the namespaces that are looked at, `$X(class, oid)` for "not
// owned by an extension". Longer than a file should be because it is a table of SQL texts.
#include "dialect/postgres/object_sql.h"

#include "base/text.h"

namespace kedge::dialect::postgres {
namespace {

// Names that the other rows refer to; needed for tables alone, too.
constexpr std::string_view kNames = R"(
SELECT 'collation' AS kind, o.oid::bigint AS id, o.collnamespace::bigint AS space,
       o.collname::text AS name, 0::bigint AS ref, NULL::text AS a, NULL::text AS b,
       NULL::text AS c, NULL::text AS comment
FROM pg_catalog.pg_collation o
UNION ALL
SELECT 'opclass', o.oid::bigint, o.opcnamespace::bigint, o.opcname::text, o.opcintype::bigint,
       o.opcmethod::bigint::text, CASE WHEN o.opcdefault THEN 't' END, NULL, NULL
FROM pg_catalog.pg_opclass o
UNION ALL
SELECT 'enum', o.oid::bigint, o.typnamespace::bigint, o.typname::text, 0,
       l.labels, NULL, NULL, pg_catalog.obj_description(o.oid, 'pg_type')
FROM pg_catalog.pg_type o
LEFT JOIN (SELECT enumtypid, pg_catalog.string_agg(enumlabel, E'\x1f' ORDER BY enumsortorder) AS labels
           FROM pg_catalog.pg_enum GROUP BY enumtypid) l ON l.enumtypid = o.oid
WHERE o.typtype = 'e' AND o.typnamespace IN ($N) AND $X(pg_type, o.oid)
UNION ALL
SELECT 'domain', o.oid::bigint, o.typnamespace::bigint, o.typname::text, o.typbasetype::bigint,
       o.typtypmod::text, pg_catalog.pg_get_expr(o.typdefaultbin, 0),
       (CASE WHEN o.typnotnull THEN '1 ' ELSE '0 ' END) || o.typcollation::bigint,
       pg_catalog.obj_description(o.oid, 'pg_type')
FROM pg_catalog.pg_type o
WHERE o.typtype = 'd' AND o.typnamespace IN ($N) AND $X(pg_type, o.oid)
UNION ALL
SELECT 'composite', o.typrelid::bigint, o.typnamespace::bigint, o.typname::text, 0, NULL, NULL,
       NULL, pg_catalog.obj_description(o.oid, 'pg_type')
FROM pg_catalog.pg_type o
JOIN pg_catalog.pg_class c ON c.oid = o.typrelid AND c.relkind = 'c'
WHERE o.typtype = 'c' AND o.typnamespace IN ($N))";

constexpr std::string_view kDefinitions = R"(
UNION ALL
SELECT CASE o.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END, o.oid::bigint,
       o.pronamespace::bigint, o.proname::text, 0,
       pg_catalog.oidvectortypes(o.proargtypes), pg_catalog.pg_get_functiondef(o.oid),
       NULL, pg_catalog.obj_description(o.oid, 'pg_proc')
FROM pg_catalog.pg_proc o
WHERE o.prokind <> 'a' AND o.pronamespace IN ($N) AND $X(pg_proc, o.oid)
UNION ALL
SELECT 'aggregate', o.oid::bigint, o.pronamespace::bigint, o.proname::text, 0,
       pg_catalog.pg_get_function_identity_arguments(o.oid),
       pg_catalog.format('CREATE AGGREGATE %s(%s) (SFUNC = %s, STYPE = %s', o.oid::regproc,
         CASE WHEN o.pronargs = 0 THEN '*'
              ELSE pg_catalog.pg_get_function_identity_arguments(o.oid) END,
         g.aggtransfn, pg_catalog.format_type(g.aggtranstype, NULL)) ||
         CASE WHEN g.aggtransspace > 0 THEN ', SSPACE = ' || g.aggtransspace ELSE '' END ||
         CASE WHEN g.aggfinalfn <> 0 THEN ', FINALFUNC = ' || g.aggfinalfn::text ELSE '' END ||
         CASE WHEN g.aggfinalextra THEN ', FINALFUNC_EXTRA' ELSE '' END ||
         CASE WHEN g.aggcombinefn <> 0 THEN ', COMBINEFUNC = ' || g.aggcombinefn::text ELSE '' END ||
         CASE WHEN g.aggserialfn <> 0 THEN ', SERIALFUNC = ' || g.aggserialfn::text ELSE '' END ||
         CASE WHEN g.aggdeserialfn <> 0 THEN ', DESERIALFUNC = ' || g.aggdeserialfn::text ELSE '' END ||
         CASE WHEN g.agginitval IS NOT NULL
              THEN ', INITCOND = ' || pg_catalog.quote_literal(g.agginitval) ELSE '' END ||
         CASE WHEN g.aggmtransfn <> 0
              THEN pg_catalog.format(', MSFUNC = %s, MINVFUNC = %s, MSTYPE = %s', g.aggmtransfn,
                g.aggminvtransfn, pg_catalog.format_type(g.aggmtranstype, NULL)) ELSE '' END ||
         CASE WHEN g.aggmfinalfn <> 0 THEN ', MFINALFUNC = ' || g.aggmfinalfn::text ELSE '' END ||
         CASE WHEN g.aggminitval IS NOT NULL
              THEN ', MINITCOND = ' || pg_catalog.quote_literal(g.aggminitval) ELSE '' END ||
         CASE WHEN g.aggsortop <> 0 THEN ', SORTOP = ' || g.aggsortop::regoper::text ELSE '' END ||
         CASE o.proparallel WHEN 's' THEN ', PARALLEL = SAFE' WHEN 'r' THEN ', PARALLEL = RESTRICTED'
              ELSE '' END ||
         CASE WHEN g.aggkind = 'h' THEN ', HYPOTHETICAL' ELSE '' END || ')',
       NULL, pg_catalog.obj_description(o.oid, 'pg_proc')
FROM pg_catalog.pg_proc o JOIN pg_catalog.pg_aggregate g ON g.aggfnoid = o.oid
WHERE o.pronamespace IN ($N) AND $X(pg_proc, o.oid)
UNION ALL
SELECT 'trigger', o.oid::bigint, r.relnamespace::bigint, o.tgname::text, o.tgrelid::bigint,
       o.tgenabled::text, pg_catalog.pg_get_triggerdef(o.oid), o.tgfoid::bigint::text,
       pg_catalog.obj_description(o.oid, 'pg_trigger')
FROM pg_catalog.pg_trigger o JOIN pg_catalog.pg_class r ON r.oid = o.tgrelid
WHERE NOT o.tgisinternal AND r.relnamespace IN ($N) $TRIGGER_PARENT
UNION ALL
SELECT 'rule', o.oid::bigint, r.relnamespace::bigint, o.rulename::text, o.ev_class::bigint,
       o.ev_enabled::text, pg_catalog.pg_get_ruledef(o.oid), NULL,
       pg_catalog.obj_description(o.oid, 'pg_rewrite')
FROM pg_catalog.pg_rewrite o JOIN pg_catalog.pg_class r ON r.oid = o.ev_class
WHERE o.rulename <> '_RETURN' AND r.relnamespace IN ($N)
UNION ALL
SELECT 'policy', o.oid::bigint, r.relnamespace::bigint, o.polname::text, o.polrelid::bigint, NULL,
       pg_catalog.format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', o.polname,
         o.polrelid::regclass, CASE WHEN o.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
         CASE o.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                       WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
         (SELECT pg_catalog.string_agg(CASE WHEN p.id = 0 THEN 'PUBLIC'
              ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(p.id)) END, ', ' ORDER BY p.id)
          FROM pg_catalog.unnest(o.polroles) AS p(id))) ||
         coalesce(' USING (' || pg_catalog.pg_get_expr(o.polqual, o.polrelid) || ')', '') ||
         coalesce(' WITH CHECK (' || pg_catalog.pg_get_expr(o.polwithcheck, o.polrelid) || ')', ''),
       NULL, pg_catalog.obj_description(o.oid, 'pg_policy')
FROM pg_catalog.pg_policy o JOIN pg_catalog.pg_class r ON r.oid = o.polrelid
WHERE r.relnamespace IN ($N)
UNION ALL
SELECT 'statistics', o.oid::bigint, o.stxnamespace::bigint, o.stxname::text, o.stxrelid::bigint,
       NULL, pg_catalog.pg_get_statisticsobjdef(o.oid), NULL,
       pg_catalog.obj_description(o.oid, 'pg_statistic_ext')
FROM pg_catalog.pg_statistic_ext o WHERE o.stxnamespace IN ($N)
UNION ALL
SELECT 'extension', o.oid::bigint, o.extnamespace::bigint, o.extname::text, 0, o.extversion,
       pg_catalog.format('CREATE EXTENSION IF NOT EXISTS %I WITH SCHEMA %I', o.extname, n.nspname),
       NULL, NULL
FROM pg_catalog.pg_extension o JOIN pg_catalog.pg_namespace n ON n.oid = o.extnamespace
WHERE o.extname <> 'plpgsql'
UNION ALL
SELECT 'depends', o.objid::bigint, 0, NULL, o.refobjid::bigint, o.classid::regclass::text, NULL,
       NULL, NULL
FROM pg_catalog.pg_depend o
JOIN pg_catalog.pg_proc p ON p.oid = o.objid AND p.pronamespace IN ($N)
WHERE o.classid = 'pg_catalog.pg_proc'::regclass AND o.refclassid = 'pg_catalog.pg_class'::regclass
  AND o.deptype = 'n')";

struct Foreign {
  std::string_view kind;
  std::string_view select;  // oid and name of what is seen and not modelled
};
constexpr Foreign kForeign[] = {
    {"range type",
     "o.oid, o.typnamespace, o.typname FROM pg_catalog.pg_type o WHERE o.typtype = 'r' AND "
     "o.typnamespace IN ($N) AND $X(pg_type, o.oid)"},
    {"base type",
     "o.oid, o.typnamespace, o.typname FROM pg_catalog.pg_type o WHERE o.typtype = 'b' AND "
     "o.typelem = 0 AND o.typnamespace IN ($N) AND $X(pg_type, o.oid)"},
    {"collation",
     "o.oid, o.collnamespace, o.collname FROM pg_catalog.pg_collation o WHERE o.oid >= 16384 AND "
     "o.collnamespace IN ($N) AND $X(pg_collation, o.oid)"},
    {"operator",
     "o.oid, o.oprnamespace, o.oprname FROM pg_catalog.pg_operator o WHERE o.oprnamespace IN ($N) "
     "AND $X(pg_operator, o.oid)"},
    {"operator class",
     "o.oid, o.opcnamespace, o.opcname FROM pg_catalog.pg_opclass o WHERE o.opcnamespace IN ($N) "
     "AND $X(pg_opclass, o.oid)"},
    {"conversion",
     "o.oid, o.connamespace, o.conname FROM pg_catalog.pg_conversion o WHERE o.connamespace IN "
     "($N) AND $X(pg_conversion, o.oid)"},
    {"text search configuration",
     "o.oid, o.cfgnamespace, o.cfgname FROM pg_catalog.pg_ts_config o WHERE o.cfgnamespace IN ($N) "
     "AND $X(pg_ts_config, o.oid)"},
    {"text search dictionary",
     "o.oid, o.dictnamespace, o.dictname FROM pg_catalog.pg_ts_dict o WHERE o.dictnamespace IN "
     "($N) AND $X(pg_ts_dict, o.oid)"},
    {"default of a view column",
     "o.oid, c.relnamespace, (c.relname || '.' || a.attname) FROM pg_catalog.pg_attrdef o "
     "JOIN pg_catalog.pg_class c ON c.oid = o.adrelid JOIN pg_catalog.pg_attribute a ON a.attrelid "
     "= o.adrelid AND a.attnum = o.adnum WHERE c.relkind = 'v' AND c.relnamespace IN ($N)"},
    {"comment on the default schema",
     "o.oid, 0::oid, o.nspname FROM pg_catalog.pg_namespace o WHERE o.nspname = 'public' AND "
     "pg_catalog.obj_description(o.oid, 'pg_namespace') <> 'standard public schema'"},
    {"comment on a constraint of a domain",
     "o.oid, o.connamespace, (t.typname || '.' || o.conname) FROM pg_catalog.pg_description d "
     "JOIN pg_catalog.pg_constraint o ON o.oid = d.objoid JOIN pg_catalog.pg_type t ON t.oid = "
     "o.contypid WHERE d.classoid = 'pg_catalog.pg_constraint'::regclass AND o.connamespace IN "
     "($N) AND $X(pg_type, t.oid)"},
    {"comment on a column of a composite type",
     "c.oid, c.relnamespace, (c.relname || '.' || a.attname) FROM pg_catalog.pg_description d "
     "JOIN pg_catalog.pg_class c ON c.oid = d.objoid JOIN pg_catalog.pg_attribute a ON a.attrelid "
     "= c.oid AND a.attnum = d.objsubid WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND "
     "c.relkind = 'c' AND c.relnamespace IN ($N) AND $X(pg_type, c.reltype)"},
    {"comment on the index of a constraint",
     "o.oid, o.connamespace, o.conname FROM pg_catalog.pg_description d JOIN "
     "pg_catalog.pg_constraint o ON o.conindid = d.objoid AND o.contype IN ('p', 'u', 'x') WHERE "
     "d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0 AND o.connamespace IN ($N) "
     "AND $X(pg_class, o.conrelid)"},
    {"cast",
     "o.oid, 0::oid, (pg_catalog.format_type(o.castsource, NULL) || ' AS ' || "
     "pg_catalog.format_type(o.casttarget, NULL)) FROM pg_catalog.pg_cast o WHERE o.oid >= 16384 "
     "AND $X(pg_cast, o.oid)"},
    {"event trigger",
     "o.oid, 0::oid, o.evtname FROM pg_catalog.pg_event_trigger o WHERE $X(pg_event_trigger, "
     "o.oid)"},
    {"publication", "o.oid, 0::oid, o.pubname FROM pg_catalog.pg_publication o WHERE true"},
    {"foreign server",
     "o.oid, 0::oid, o.srvname FROM pg_catalog.pg_foreign_server o WHERE $X(pg_foreign_server, "
     "o.oid)"},
    {"foreign data wrapper",
     "o.oid, 0::oid, o.fdwname FROM pg_catalog.pg_foreign_data_wrapper o WHERE "
     "$X(pg_foreign_data_wrapper, o.oid)"},
    {"language",
     "o.oid, 0::oid, o.lanname FROM pg_catalog.pg_language o WHERE o.oid >= 16384 AND "
     "$X(pg_language, o.oid)"},
};

// Grants that differ from what everybody has anyway: one row a grantee and grant option. What
// everybody has and PUBLIC lost is a REVOKE.
constexpr std::string_view kPrivileges = R"(
UNION ALL
SELECT 'privilege', r.oid::bigint, r.relnamespace::bigint, r.relname::text,
       CASE WHEN r.relkind = 'S' THEN 0 ELSE r.oid::bigint END,
       CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END,
       pg_catalog.format('GRANT %s ON %s %s TO ', pg_catalog.string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type),
         CASE WHEN r.relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, r.oid::regclass),
       CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END, NULL
FROM pg_catalog.pg_class r, pg_catalog.aclexplode(r.relacl) x
WHERE r.relnamespace IN ($N) AND r.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND x.grantee <> r.relowner
GROUP BY r.oid, r.relnamespace, r.relname, r.relkind, x.grantee, x.is_grantable
UNION ALL
SELECT 'privilege', r.oid::bigint, r.relnamespace::bigint, r.relname::text, r.oid::bigint,
       CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END,
       pg_catalog.format('GRANT %s (%I) ON TABLE %s TO ', x.privilege_type, t.attname, r.oid::regclass),
       CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END, NULL
FROM pg_catalog.pg_class r JOIN pg_catalog.pg_attribute t ON t.attrelid = r.oid, pg_catalog.aclexplode(t.attacl) x
WHERE r.relnamespace IN ($N) AND x.grantee <> r.relowner AND NOT t.attisdropped
UNION ALL
SELECT 'privilege', r.oid::bigint, r.oid::bigint, r.nspname::text, 0,
       CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END,
       pg_catalog.format('GRANT %s ON SCHEMA %I TO ', pg_catalog.string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type), r.nspname),
       CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END, NULL
FROM pg_catalog.pg_namespace r, pg_catalog.aclexplode(r.nspacl) x
WHERE r.oid IN ($N) AND x.grantee <> r.nspowner AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_init_privs p WHERE p.classoid = 'pg_catalog.pg_namespace'::regclass
      AND p.objoid = r.oid AND p.initprivs = r.nspacl)
GROUP BY r.oid, r.nspname, x.grantee, x.is_grantable
UNION ALL
SELECT 'privilege', r.oid::bigint, r.pronamespace::bigint, r.proname::text, 0,
       CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END,
       pg_catalog.format('GRANT %s ON %s %s TO ', x.privilege_type,
         CASE WHEN r.prokind = 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, r.oid::regprocedure),
       CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END, NULL
FROM pg_catalog.pg_proc r, pg_catalog.aclexplode(r.proacl) x
WHERE r.pronamespace IN ($N) AND x.grantee <> r.proowner AND x.grantee <> 0 AND $X(pg_proc, r.oid)
UNION ALL
SELECT 'privilege', r.oid::bigint, r.pronamespace::bigint, r.proname::text, 0, 'PUBLIC',
       pg_catalog.format('REVOKE EXECUTE ON %s %s FROM ',
         CASE WHEN r.prokind = 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, r.oid::regprocedure), NULL, NULL
FROM pg_catalog.pg_proc r
WHERE r.pronamespace IN ($N) AND r.proacl IS NOT NULL AND $X(pg_proc, r.oid) AND NOT EXISTS (
    SELECT FROM pg_catalog.aclexplode(r.proacl) x WHERE x.grantee = 0)
UNION ALL
SELECT 'privilege', r.oid::bigint, r.typnamespace::bigint, r.typname::text, 0,
       pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)),
       pg_catalog.format('GRANT USAGE ON TYPE %s TO ', pg_catalog.format_type(r.oid, NULL)),
       CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END, NULL
FROM pg_catalog.pg_type r, pg_catalog.aclexplode(r.typacl) x
WHERE r.typnamespace IN ($N) AND x.grantee <> r.typowner AND x.grantee <> 0 AND $X(pg_type, r.oid)
UNION ALL
SELECT 'privilege', r.oid::bigint, r.typnamespace::bigint, r.typname::text, 0, 'PUBLIC',
       pg_catalog.format('REVOKE USAGE ON TYPE %s FROM ', pg_catalog.format_type(r.oid, NULL)), NULL, NULL
FROM pg_catalog.pg_type r
WHERE r.typnamespace IN ($N) AND r.typacl IS NOT NULL AND $X(pg_type, r.oid) AND NOT EXISTS (
    SELECT FROM pg_catalog.aclexplode(r.typacl) x WHERE x.grantee = 0)
UNION ALL
SELECT 'privilege', d.oid::bigint, d.defaclnamespace::bigint, 'default privileges', 0, g.grantee,
       pg_catalog.format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s %s ON %s ', pg_catalog.pg_get_userbyid(d.defaclrole),
         (SELECT pg_catalog.format(' IN SCHEMA %I', n.nspname) FROM pg_catalog.pg_namespace n WHERE n.oid = d.defaclnamespace),
         g.action, CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS'
                                        WHEN 'T' THEN 'TYPES' ELSE 'SCHEMAS' END) || g.side, g.option, NULL
FROM pg_catalog.pg_default_acl d, LATERAL (
    SELECT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END,
           'GRANT ' || pg_catalog.string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type), 'TO ',
           CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END
    FROM pg_catalog.aclexplode(d.defaclacl) x
    WHERE x.grantee <> d.defaclrole AND NOT (x.grantee = 0 AND d.defaclnamespace = 0 AND d.defaclobjtype IN ('f', 'T'))
    GROUP BY x.grantee, x.is_grantable
    UNION ALL
    SELECT 'PUBLIC', CASE d.defaclobjtype WHEN 'f' THEN 'REVOKE EXECUTE' ELSE 'REVOKE USAGE' END, 'FROM ', NULL
    WHERE d.defaclnamespace = 0 AND d.defaclobjtype IN ('f', 'T') AND NOT EXISTS (
        SELECT FROM pg_catalog.aclexplode(d.defaclacl) x WHERE x.grantee = 0)) g(grantee, action, side, option)
WHERE d.defaclnamespace = 0 OR d.defaclnamespace IN ($N))";

std::string foreign_sql() {
  std::string sql;
  for (const Foreign& foreign : kForeign) {
    sql += "\nUNION ALL SELECT 'unmodelled', s.i::bigint, s.n::bigint, s.t::text, 0, '" +
           std::string(foreign.kind) + "', NULL, NULL, NULL FROM (SELECT " +
           std::string(foreign.select) + ") s(i, n, t)";
  }
  return sql;
}

// $X(class, oid): neither an extension nor another object (a range type) owns it.
std::string expand_ownership(std::string sql) {
  for (std::size_t at = sql.find("$X("); at != std::string::npos; at = sql.find("$X(", at)) {
    const std::size_t comma = sql.find(',', at);
    const std::size_t close = sql.find(')', at);
    const std::string catalog = sql.substr(at + 3, comma - at - 3);
    const std::string id = sql.substr(comma + 1, close - comma - 1);
    const std::string text =
        "NOT EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.classid = 'pg_catalog." + catalog +
        "'::regclass AND x.objid =" + id + " AND x.deptype IN ('e', 'i'))";
    sql.replace(at, close - at + 1, text);
  }
  return sql;
}

}  // namespace

std::string object_sql(const CatalogScope& scope, int major) {
  std::string sql(kNames);
  if (scope.definitions) {
    sql += kDefinitions;
    sql += foreign_sql();
  }
  if (scope.privileges) {
    sql += kPrivileges;
  }
  sql = base::replace_all(std::move(sql), "$N", scope.namespaces);
  sql = base::replace_all(std::move(sql), "$TRIGGER_PARENT",
                          major >= 13 ? "AND o.tgparentid = 0" : "");
  return expand_ownership(std::move(sql));
}

}  // namespace kedge::dialect::postgres
