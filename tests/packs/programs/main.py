"""Uses the code that the python pack made, and answers the runner: see run_packs.py for the commands."""
from __future__ import annotations

import datetime
import importlib
import pathlib
import sys
import typing

import gen
from gen import startup
from gen.alpha import bed, enums, every_row, garden, tables
from gen.alpha.note import AlphaNote
from gen.beta.note import BetaNote


def use() -> None:
    top = pathlib.Path(gen.__path__[0])
    for path in sorted(top.rglob("*.py")):
        importlib.import_module(".".join(path.relative_to(top.parent).with_suffix("").parts))
    assert enums.EveryRowEnumRequired("south_east") is enums.EveryRowEnumRequired.SOUTH_EAST
    assert str(enums.EveryRowEnumRequired.CLASS) == "class"
    note = AlphaNote(text="x")
    assert note == AlphaNote(text="x") and BetaNote(number=1).number == 1
    try:
        note.text = "y"  # type: ignore[misc]
        raise SystemExit("not so: a value is frozen")
    except (AttributeError, TypeError, ValueError):
        pass
    deep = bed.Bed(parts=[bed.Bed(name="deep")], garden=garden.Garden(beds=[], note=BetaNote(number=2)))
    assert deep.parts is not None and deep.parts[0].name == "deep"
    patch: every_row.EveryRowPatch = {"string_field": None, "date_field": datetime.date(2026, 5, 3)}
    assert "int_field" not in patch
    assert tables.OddTable.TABLE == 'an "odd" $table' and tables.OddTable.COLUMN_KEY == 'the "key" \\$k'


def show(problems: list[startup.Problem]) -> None:
    for problem in problems:
        print(problem.code, problem.message)


class Asked(Exception):
    pass


def rows(path: str) -> typing.Callable[[str], list[list[str]]]:
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return lambda sql: [line.split("\x1f") for line in text.split("\x1e") if line]


def ask(sql: str) -> list[list[str]]:
    sys.stdout.write(sql)
    raise Asked


def main(command: str, *rest: str) -> None:
    if command == "use":
        use()
    elif command == "check":
        show(startup.check_startup(rest[0]))
    elif command == "require":
        startup.require_startup(startup.check_startup(rest[0]))
        print("started")
    elif command == "sql":
        try:
            startup.check_startup_database(rest[0], ask)
        except Asked:
            pass
    else:
        show(startup.check_startup_database(rest[0], rows(rest[1])))


main(*sys.argv[1:])
