"""One drift of each kind: (name, what makes it in a copy of the healthy project, findings, exit code).
A finding is `guard code subject`, where the subject is `container.name` or `name`; what could not be
checked is `guard code !`."""
import re
import shutil

from project import edit, sql

PILOTS = """CREATE TABLE "pilots" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  "license" VARCHAR(12) NOT NULL,
  "phone" VARCHAR(20),
  "grade" INTEGER DEFAULT 3 NOT NULL
);"""
MOORINGS = re.compile(r'CREATE TABLE "moorings".*?\n\);', re.S)
BERTHS = re.compile(r'CREATE TABLE "berths".*?\n\);', re.S)


def yard(text):
    return lambda project: sql(project, text)


def harbour(text):
    return lambda project: sql(project, text, "harbour")


def change(path, old, new):
    return lambda project: edit(project, path, old, new)


def remove(path):
    return lambda project: (project / path).unlink()


def write(path, text):
    def act(project):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    return act


def pilots(old, new):
    return harbour("DROP TABLE pilots;" + PILOTS.replace(old, new))


def migration(project, slug):
    return next((project / "migrations").glob(f"*-{slug}"))


def first_sql(project):
    return (migration(project, "first") / "up.sql").read_text()


def rebuild(table, pattern, old, new, indexes):
    """The live table again, with one thing of its definition changed."""
    def act(project):
        definition = pattern.search(first_sql(project)).group(0)
        assert old in definition, old
        sql(project, f"DROP TABLE {table};" + definition.replace(old, new) + indexes, "harbour")
    return act


def lose_foreign_key(project):
    definition = MOORINGS.search(first_sql(project)).group(0)
    definition = re.sub(r',\n  CONSTRAINT "moorings_vessel_id_fk"[^\n]*', "", definition)
    sql(project, "DROP TABLE moorings;" + definition + MOORING_INDEXES, "harbour")


def lose_check(project):
    definition = BERTHS.search(first_sql(project)).group(0)
    definition = re.sub(r',\n  CONSTRAINT "berths_side_chk"[^\n]*', "", definition)
    sql(project, "DROP TABLE berths;" + definition + BERTH_INDEXES, "harbour")


def edit_migration(slug, name, extra):
    def act(project):
        with (migration(project, slug) / name).open("a") as file:
            file.write(extra)
    return act


def change_view(project):
    text = re.search(r'CREATE VIEW "v_berth_load".*?;', first_sql(project), re.S).group(0)
    sql(project, "DROP VIEW v_berth_load;" + text.replace("COALESCE(a1.c1, 0)", "COALESCE(a1.c1, 7)"), "harbour")


def own_view(project):
    sql(project, 'DROP VIEW v_berth_load; CREATE VIEW v_berth_load AS SELECT id, code, 0 AS mooring_count FROM berths;',
        "harbour")


def pending(project, time="20990101000000"):
    folder = project / f"migrations/{time}-later"
    shutil.copytree(migration(project, "pilots"), folder)
    (folder / "plan.json").unlink()
    (folder / "up.sql").write_text("CREATE INDEX later ON pilots (phone);\n")
    (folder / "down.sql").write_text("DROP INDEX later;\n")


def out_of_order(project):
    pending(project, str(int(migration(project, "pilots").name.split("-")[0]) - 1))


def half_applied(project):
    sql(project, "UPDATE _kedge_migrations SET status = 'failed' WHERE name LIKE '%-pilots'", "harbour")


def stale_snapshot(project):
    path = "migrations/.schema.sqlite.json"
    text = (project / path).read_text()
    assert '"phone"' in text
    (project / path).write_text(text.replace('"phone"', '"telephone"'))


MOORING_INDEXES = ('CREATE INDEX "idx_moorings_berth" ON "moorings" ("berth_id");'
                   'CREATE INDEX "idx_moorings_vessel" ON "moorings" ("vessel_id");')
BERTH_INDEXES = 'CREATE UNIQUE INDEX "berths_code_unique" ON "berths" ("code");'
ARRIVAL = "templates/notices/arrival.mustache"
BERTH = "src/gen/harbour/Berth.hpp"
STAY = "src/gen/harbour/Stay.hpp"
BERTH_PAGE = "docs/generated/harbour/berth.md"
PAGE = "docs/generated/harbour/stay.md"

KINDS = [
    ("model: dropped column", yard("ALTER TABLE bins DROP COLUMN size"),
     ["models column_missing bins.size"], 1),
    ("model: renamed column", yard("ALTER TABLE lots RENAME COLUMN code TO lot_code"),
     ["models column_missing lots.code"], 1),
    ("model: retyped column", yard("DROP TABLE bins; CREATE TABLE bins (id INTEGER PRIMARY KEY, size TEXT)"),
     ["models type_changed bins.size"], 1),
    ("model: missing table", yard("DROP TABLE bins"),
     ["models table_missing bins"], 1),
    ("model: broken sql model", yard("ALTER TABLE pallets DROP COLUMN height"),
     ["models sql_broken tall"], 1),
    ("model: column not in the result", change("models/yard/tall.yml", "AS tallness", "AS tall_m"),
     ["models column_not_in_result tall.tallness"], 1),
    ("model: broken stage", yard("ALTER TABLE lots DROP COLUMN region"),
     ["models column_missing lots.region",
      "models stage_references_dropped_column by_region"], 1),
    ("model: missing join target", remove("models/harbour/berths.yml"),
     ["models join_target_missing moorings.berths"], 1),
    ("model: dropped join key", yard("ALTER TABLE crates DROP COLUMN lot_id"),
     ["models column_missing crates.lot_id",
      "models join_local_key_dropped crates.lots"], 1),
    ("model: dropped measure dependency", yard("ALTER TABLE crates DROP COLUMN kg"),
     ["models column_missing crates.kg",
      "models references_dropped_column crates.tons",
      "models references_dropped_column crates.total_kg",
      "models references_dropped_measure crates.double_kg"], 1),
    ("model: filter", yard("ALTER TABLE crates DROP COLUMN state"),
     ["models column_missing crates.state",
      "models references_dropped_column crates.state <> 'gone'"], 1),
    ("model: default time dimension", yard("ALTER TABLE crates DROP COLUMN packed"),
     ["models column_missing crates.packed",
      "models default_cleared crates.packed"], 1),
    ("model: broken yaml", write("models/yard/bins.yml", "name: [bins\n"),
     ["models yaml_syntax !"], 2),
    ("model: unknown key", change("models/yard/bins.yml", "sql_table", "sql_tabel"),
     ["models source_mode !",
      "models unknown_key !"], 2),
    ("metadata: missing column", harbour("ALTER TABLE pilots DROP COLUMN phone"),
     ["metadata schema_difference pilots.phone"], 1),
    ("metadata: extra column", harbour("ALTER TABLE pilots ADD COLUMN email TEXT"),
     ["metadata schema_difference pilots.email"], 1),
    ("metadata: type", pilots('"phone" VARCHAR(20)', '"phone" INTEGER'),
     ["metadata schema_difference pilots.phone"], 1),
    ("metadata: nullability", pilots('"license" VARCHAR(12) NOT NULL', '"license" VARCHAR(12)'),
     ["metadata schema_difference pilots.license"], 1),
    ("metadata: default", pilots("DEFAULT 3", "DEFAULT 4"),
     ["metadata schema_difference pilots.grade"], 1),
    ("metadata: missing index", harbour("DROP INDEX idx_moorings_vessel"),
     ["metadata schema_difference moorings.idx_moorings_vessel"], 1),
    ("metadata: missing foreign key", lose_foreign_key,
     ["metadata schema_difference moorings.moorings_vessel_id_fk"], 1),
    ("metadata: foreign key action", rebuild("moorings", MOORINGS, "ON DELETE RESTRICT", "ON DELETE CASCADE", MOORING_INDEXES),
     ["metadata schema_difference moorings.moorings_vessel_id_fk",
      "metadata schema_difference moorings.moorings_vessel_id_fk"], 1),
    ("metadata: missing check", lose_check,
     ["metadata schema_difference berths.berths_side_chk"], 1),
    ("metadata: changed check", rebuild("berths", BERTHS, "'SOUTH')", "'SOUTH', 'EAST')", BERTH_INDEXES),
     ["metadata schema_difference berths.berths_side_chk",
      "metadata schema_difference berths.berths_side_chk"], 1),
    ("metadata: changed view body", change_view,
     ["metadata schema_difference v_berth_load"], 1),
    ("metadata: view without stamp", own_view,
     ["metadata ERR_VIEW_NOT_ADOPTED ",
      "metadata schema_difference v_berth_load"], 1),
    ("metadata: unknown table", harbour("CREATE TABLE strays (id INTEGER PRIMARY KEY)"),
     ["metadata schema_difference strays"], 1),
    ("metadata: missing table", harbour("DROP TABLE pilots"),
     ["metadata schema_difference pilots"], 1),
    ("metadata: changed declaration", change("metadata/pilots.yml", "default: 3", "default: 5"),
     ["docs ERR_DOCS_STALE docs.docs/generated/schema.md",
      "metadata schema_difference pilots.grade"], 1),
    ("metadata: broken yaml", write("metadata/pilots.yml", "package: [x\n"),
     ["code ERR_MALFORMED_YAML !",
      "contracts ERR_MALFORMED_YAML !",
      "docs ERR_MALFORMED_YAML !",
      "metadata ERR_MALFORMED_YAML !",
      "templates ERR_MALFORMED_YAML !"], 2),
    ("metadata: pending migration", pending,
     ["metadata ERR_PENDING_MIGRATIONS later",
      "replay ERR_REPLAY_SNAPSHOT_MISMATCH "], 1),
    ("metadata: edited migration", edit_migration("pilots", "up.sql", "-- a word more\n"),
     ["metadata ERR_MIGRATION_EDITED pilots"], 1),
    ("metadata: lost migration", lambda project: shutil.rmtree(migration(project, "pilots")),
     ["metadata ERR_MIGRATION_MISSING pilots",
      "replay ERR_REPLAY_SNAPSHOT_MISMATCH "], 1),
    ("metadata: migration out of order", out_of_order,
     ["metadata ERR_OUT_OF_ORDER later",
      "replay ERR_REPLAY_FAILED "], 1),
    ("metadata: half applied migration", half_applied,
     ["metadata ERR_HALF_APPLIED pilots"], 1),
    ("metadata: stale snapshot", stale_snapshot,
     ["metadata ERR_SNAPSHOT_STALE ",
      "replay ERR_REPLAY_SNAPSHOT_MISMATCH "], 1),
    ("replay: chain that does not run", edit_migration("pilots", "up.sql", "CREATE INDEX nowhere ON nothing (x);\n"),
     ["metadata ERR_MIGRATION_EDITED pilots",
      "replay ERR_REPLAY_FAILED "], 1),
    ("replay: chain that leads elsewhere", edit_migration("pilots", "up.sql", "CREATE INDEX fast ON pilots (phone);\n"),
     ["metadata ERR_MIGRATION_EDITED pilots",
      "replay ERR_REPLAY_SNAPSHOT_MISMATCH "], 1),
    ("contract: missing column", yard("ALTER TABLE scales DROP COLUMN unit"),
     ["contracts PZ0331 scales.unit"], 1),
    ("contract: retyped column", yard("DROP TABLE scales; CREATE TABLE scales (id INTEGER PRIMARY KEY, at DATETIME, reading TEXT,"
                                      " unit TEXT)"),
     ["contracts PZ0331 scales.reading"], 1),
    ("contract: missing table", yard("DROP TABLE scales"),
     ["contracts PZ0330 !"], 2),
    ("contract: cursor", yard("ALTER TABLE scales RENAME COLUMN at TO seen_at"),
     ["contracts  scales",
      "contracts PZ0331 scales.at"], 1),
    ("contract: csv without column", change("feeds/arrivals.csv", "berth,", "place,"),
     ["contracts  arrivals",
      "contracts PZ0331 arrivals.berth"], 1),
    ("contract: write target retyped", change("pipelines/arrivals.sql", "gross_tons\nFROM", "gross_tons > 1 AS gross_tons\nFROM"),
     ["contracts PZ0812 main.arrivals.gross_tons"], 1),
    ("contract: pipeline column", change("pipelines/arrivals.sql", "eta, gross_tons", "eta, gross_tonnage"),
     ["contracts PZ0401 !"], 2),
    ("contract: merge key", change("pipelines/arrivals.sql", "call_sign, berth", "berth"),
     ["contracts PZ0209 !"], 2),
    ("contract: broken yaml", change("connections.yml", "harbour:", "harbour: ["),
     ["contracts PZ0101 !",
      "metadata PZ0101 !",
      "models PZ0101 !",
      "replay PZ0101 !"], 2),
    ("contract: unset variable", change("connections.yml", "path: data/yard.sqlite", "path: ${KEDGE_NO_SUCH_VARIABLE}"),
     ["contracts PZ0103 !",
      "metadata PZ0103 !",
      "models PZ0103 !",
      "replay PZ0103 !"], 2),
    ("contract: missing file", remove("feeds/arrivals.csv"),
     ["contracts PZ0330 !"], 2),
    ("contract: unreachable database", write("data/yard.sqlite", "this is no database at all" * 100),
     ["contracts connection_failed !",
      "models connection_failed !"], 2),
    ("contract: broken pipeline", change("pipelines/arrivals.sql", "'arrivals')", "'departures')"),
     ["contracts  ",
      "contracts PZ0330 !"], 2),
    ("template: unknown variable", change(ARRIVAL, "{{vesselName}}", "{{vesselNam}} {{vesselName}}"),
     ["templates ERR_VAR_NOT_ON_PAYLOAD harbour::ArrivalNoticePrompt.vesselNam"], 1),
    ("template: missing partial", change(ARRIVAL, "{{>notices/place}}", "{{>notices/plaice}}"),
     ["templates ERR_PARTIAL_UNRESOLVED harbour::ArrivalNoticePrompt.notices/plaice"], 1),
    ("template: syntax error", change(ARRIVAL, "{{/hasStays}}", ""),
     ["templates ERR_TEMPLATE_SYNTAX harbour::ArrivalNoticePrompt.hasStays"], 1),
    ("template: missing text", remove(ARRIVAL),
     ["templates ERR_TEXT_REF_UNRESOLVED harbour::ArrivalNoticePrompt.notices/arrival"], 1),
    ("template: required slot unused", change(ARRIVAL, "{{vesselName}}", "unknown"),
     ["templates ERR_REQUIRED_SLOT_UNUSED harbour::ArrivalNoticePrompt.vesselName"], 0),
    ("code: stale file", lambda project: (
        edit(project, "metadata/notices.yml", "- field.string: since", "- field.string: sinceWhen"),
        edit(project, ARRIVAL, "{{#hasSince}}, since {{since}}{{/hasSince}}", "{{sinceWhen}}")),
     ["code ERR_GEN_STALE service.src/gen/harbour/Stay.hpp",
      "docs ERR_DOCS_STALE docs.docs/generated/harbour/stay.md"], 1),
    ("code: missing file", remove(STAY),
     ["code ERR_GEN_MISSING service.src/gen/harbour/Stay.hpp"], 1),
    ("code: unsettled conflict", lambda project: (project / BERTH).write_text(
        "<<<<<<< yours\n" + (project / BERTH).read_text() + "=======\n>>>>>>> generated\n"),
     ["code ERR_GEN_CONFLICT_UNRESOLVED service.src/gen/harbour/Berth.hpp"], 1),
    ("code: edited file of physical names", change("src/gen/harbour/tables.hpp", "moorings", "moorings_2"),
     ["code ERR_GEN_EXACT_EDITED service.src/gen/harbour/tables.hpp"], 1),
    ("docs: stale page", write(PAGE, "# Stay\n"),
     ["docs ERR_DOCS_STALE docs.docs/generated/harbour/stay.md"], 1),
    ("docs: missing page", remove("docs/generated/harbour/mooring.md"),
     ["docs ERR_DOCS_MISSING docs.docs/generated/harbour/mooring.md"], 1),
    ("docs: orphan page", lambda project: shutil.copyfile(project / BERTH_PAGE, project / "docs/generated/harbour/ghost.md"),
     ["docs ERR_DOCS_ORPHAN docs.docs/generated/harbour/ghost.md"], 1),
]

# These leave each other as they are, so one project can have them all.
TOGETHER = [
    "model: dropped column", "model: renamed column", "model: broken sql model", "model: broken stage",
    "model: missing join target", "model: dropped join key", "model: dropped measure dependency", "model: filter",
    "model: default time dimension", "metadata: extra column", "metadata: missing column", "metadata: missing index",
    "metadata: missing check", "metadata: changed view body", "metadata: unknown table", "metadata: edited migration",
    "contract: missing column", "contract: cursor", "contract: csv without column", "template: unknown variable",
    "template: missing partial", "code: missing file", "code: unsettled conflict",
    "code: edited file of physical names", "docs: stale page", "docs: missing page", "docs: orphan page"]
