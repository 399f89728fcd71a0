"""A small service over the harbour database: it checks itself against the model that it was deployed with and against
the live database, and only then serves. Arguments: model file, database file."""
import sqlite3
import sys

from gen import startup
from gen.harbour.tables import VesselTable


def main(model: str, database: str) -> None:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        startup.require_startup(startup.check_startup(model))
        startup.require_startup(startup.check_startup_database("sqlite", lambda sql: connection.execute(sql).fetchall()))
    except startup.StartupDriftError as error:
        sys.exit(f"not started:\n{error}")
    print("started")
    columns = f"{VesselTable.COLUMN_CALL_SIGN}, {VesselTable.COLUMN_NAME}"
    for call_sign, name in connection.execute(f"SELECT {columns} FROM {VesselTable.TABLE} ORDER BY 1"):
        print(call_sign, name)


main(*sys.argv[1:])
