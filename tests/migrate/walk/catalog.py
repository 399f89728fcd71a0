"""What a database holds, read from its own catalog without kedge: a set of lines, equal for equal schemas."""
import re

POSTGRES = """
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' notnull=' || a.attnotnull
       || ' identity=' || a.attidentity::text || ' default=' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
       || ' comment=' || coalesce(col_description(c.oid, a.attnum), '')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm') AND c.relname NOT LIKE '\\_kedge%'
UNION ALL SELECT 'table ' || c.relname || ' comment=' || CASE WHEN c.relkind = 'r' THEN coalesce(obj_description(c.oid, 'pg_class'), '') ELSE
       regexp_replace(coalesce(obj_description(c.oid, 'pg_class'), ''), ':def:.*', '') END
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm') AND c.relname NOT LIKE '\\_kedge%'
UNION ALL SELECT 'constraint ' || conrelid::regclass::text || '.' || conname || ' ' || pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE '%\\_kedge%'
UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) || ' valid=' || i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE '\\_kedge%'
UNION ALL SELECT 'view ' || c.relname || ' ' || pg_get_viewdef(c.oid) FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('v', 'm')
UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""

MYSQL = """
SELECT concat_ws(' ', 'column', concat(c.table_name, '.', c.column_name), c.column_type, c.is_nullable, coalesce(c.column_default, ''), c.extra,
       concat('comment=', c.column_comment)) FROM information_schema.columns c
WHERE c.table_schema = database() AND c.table_name NOT LIKE '\\_kedge%'
UNION ALL SELECT concat_ws(' ', 'table', table_name, table_type, coalesce(engine, ''), IF(table_type = 'VIEW', '', table_comment))
FROM information_schema.tables WHERE table_schema = database() AND table_name NOT LIKE '\\_kedge%'
UNION ALL SELECT concat_ws(' ', 'index', table_name, index_name, non_unique, group_concat(concat(column_name, coalesce(collation, '')) ORDER BY seq_in_index))
FROM information_schema.statistics WHERE table_schema = database() AND table_name NOT LIKE '\\_kedge%' GROUP BY table_name, index_name, non_unique
UNION ALL SELECT concat_ws(' ', 'check', table_name, constraint_name, check_clause) FROM information_schema.check_constraints
WHERE constraint_schema = database() AND table_name NOT LIKE '\\_kedge%'
UNION ALL SELECT concat_ws(' ', 'key', r.table_name, r.constraint_name, r.referenced_table_name, r.delete_rule, r.update_rule,
       (SELECT group_concat(concat(k.column_name, '>', k.referenced_column_name) ORDER BY k.ordinal_position)
        FROM information_schema.key_column_usage k WHERE k.constraint_schema = r.constraint_schema
        AND k.constraint_name = r.constraint_name AND k.table_name = r.table_name))
FROM information_schema.referential_constraints r WHERE r.constraint_schema = database()
UNION ALL SELECT concat_ws(' ', 'view', table_name, view_definition) FROM information_schema.views WHERE table_schema = database()
"""

DUCKDB = """
SELECT concat_ws(' ', 'column', table_name || '.' || column_name, data_type, is_nullable, coalesce(column_default, ''), coalesce(comment, ''))
FROM duckdb_columns() WHERE NOT internal AND table_name NOT LIKE '\\_kedge%' ESCAPE '\\'
UNION ALL SELECT concat_ws(' ', 'table', table_name, coalesce(comment, '')) FROM duckdb_tables() WHERE NOT internal AND table_name NOT LIKE '\\_kedge%' ESCAPE '\\'
UNION ALL SELECT concat_ws(' ', 'constraint', table_name, constraint_text) FROM duckdb_constraints() WHERE table_name NOT LIKE '\\_kedge%' ESCAPE '\\'
AND constraint_type <> 'NOT NULL'
UNION ALL SELECT concat_ws(' ', 'index', table_name, sql) FROM duckdb_indexes()
UNION ALL SELECT concat_ws(' ', 'view', view_name, sql, coalesce(comment, '')) FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT concat_ws(' ', 'sequence', sequence_name) FROM duckdb_sequences()
"""


def squeeze(text):
    return re.sub(r"\s+", " ", text or "").strip()


def balanced(text, start):
    depth, quote = 0, None
    for at in range(start, len(text)):
        c = text[at]
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return text[start:at + 1]
    return text[start:]


def sqlite_lines(run):
    out = set()
    for kind, name, table, sql in run("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name NOT LIKE '\\_kedge%' ESCAPE '\\' "
                                      "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"):
        if kind != "table":
            out.add(f"{kind} {name} on {table}: {squeeze(sql)}")
            continue
        out.add(f"table {name} autoincrement={'AUTOINCREMENT' in sql}")
        for match in re.finditer(r"CHECK \(", sql):
            out.add(f"check {name}: {squeeze(balanced(sql, match.end() - 1))}")
        for _, column, kind_name, notnull, default, key, hidden in run(f"SELECT * FROM pragma_table_xinfo('{name}')"):
            out.add(f"column {name}.{column} {kind_name} notnull={notnull} default={default} key={key} hidden={hidden}")
        keys = {}
        for key, seq, other, source, to, update, delete, _ in run(f"SELECT * FROM pragma_foreign_key_list('{name}')"):
            keys.setdefault(key, [other, update, delete]).append(f"{source}>{to}")
        out |= {f"key {name} {' '.join(map(str, key))}" for key in keys.values()}
    return out


def lines(dialect, run):
    """`run` takes SQL and gives rows."""
    if dialect == "sqlite":
        return sqlite_lines(run)
    sql = {"postgres": POSTGRES, "mysql": MYSQL, "duckdb": DUCKDB}[dialect]
    return {squeeze(str(row[0])) for row in run(sql)}
