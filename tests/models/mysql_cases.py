#!/usr/bin/env python3
"""The model cases on a MariaDB server: those whose SQL is plain enough for it. Same judgement as the shared runner.

mysql_cases.py --kedge PATH [--only WORD]
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent / "cases"
sys.path.insert(0, str(ROOT / "runner"))
from kt import models  # noqa: E402
from kt.common import CaseError, Skip, Space, Stop, clean_env  # noqa: E402
from kt.databases import Databases, SqlError  # noqa: E402

# VARCHAR without a length, double-quoted names, comments on tables, structs, lists and || belong to other dialects.
FOREIGN = re.compile(r'AS VARCHAR\)|CREATE TABLE "|\|\||GENERATED|COMMENT ON|STRUCT\(|INTEGER\[\]|" (DATE|INTEGER)\b')


class MysqlDatabases(Databases):
    """Gives MariaDB databases under the name of a dialect that the runner knows."""

    def open(self, dialect, path, cwd):
        database = super().open("mysql", path, cwd)
        settings = database.connection()
        settings["password"] = database.variables()["KT_MY_PASSWORD"]
        database.connection = lambda: settings
        return database


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kedge", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    databases = MysqlDatabases()
    try:
        for name, path, case in models.load(ROOT / "models"):
            if args.only not in name or "query-" in name and "backed" not in name:
                continue
            # Names of tables, other than those of columns, are case-sensitive there; a schema is a database.
            if isinstance(case, CaseError) or name in ("letter-case", "ingest-other-schema") or name.endswith("-tables-of-a-schema") or FOREIGN.search(path.read_text()):
                counts["skipped"] += 1
                continue
            with tempfile.TemporaryDirectory(prefix="kedge-mysql-") as folder:
                space = make_space(args.kedge, Path(folder))
                try:
                    models.run(case, "postgres", space, databases)
                except Skip as skip:
                    print(f"skipped: {skip}")
                    counts["skipped"] += 1
                    continue
                except (CaseError, Stop, SqlError) as error:
                    space.problems.append(str(error))
                counts["failed" if space.problems else "passed"] += 1
                if space.problems:
                    print(f"FAIL {name} [mysql]: " + " | ".join(space.problems)[:600], flush=True)
    finally:
        databases.stop()
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


def make_space(kedge, folder):
    home = folder / "home"
    home.mkdir()
    return Space(str(kedge), folder, clean_env(home), 60)


if __name__ == "__main__":
    sys.exit(main())
