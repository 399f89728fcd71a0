#!/usr/bin/env python3
"""The code of every built-in pack over the metadata of rich.py: it compiles without a warning, runs, and its start-up
check finds each drift between code, model and live database, in every language alike.
    run_packs.py --kedge PATH --language NAME [--deps DIR] [--keep DIR]    prints `N passed, N failed`
A program of programs/ knows: use | check MODEL | require MODEL | sql ENGINE | rows ENGINE FILE (C++: sqlite FILE,
postgres CONNINFO, through the adapters of the runtime library)."""
import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
sys.path.insert(0, str(here))
sys.path.insert(0, str(root / "tests/cases/runner"))
import rich  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--kedge", required=True)
parser.add_argument("--language", required=True)
parser.add_argument("--deps", default=str(root / ".deps"))
parser.add_argument("--keep", default="", help="work in this folder and leave it")
options = parser.parse_args()
kedge = str(pathlib.Path(options.kedge).resolve())
deps = pathlib.Path(options.deps).resolve()
node_modules = deps / "node/node_modules"
python = str(deps / "python/bin/python")
passed, failed = 0, 0


def judge(name, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {options.language} {name}: {detail}"[:6000])
    return condition


def run(command, folder, **more):
    return subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, **more)


def works(name, command, folder, **more):
    done = run(command, folder, **more)
    return judge(name, done.returncode == 0, f"{' '.join(map(str, command))[:300]}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def sources(folder, suffix):
    return sorted(folder.rglob("*" + suffix))


# ------------------------------------------------------------------------------------------------ compilers
# Each gives the command of the program that it built, or nothing when it did not build.

def build_cpp(folder):
    headers = [str(path.relative_to(folder / "gen")) for path in sources(folder / "gen", ".hpp")]
    (folder / "gen/everything.hpp").write_text("".join(f'#include "{header}"\n' for header in headers))
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O0"]
    include = ["-I", "gen", "-I", root / "runtime/cpp/include", "-I", "/usr/include/postgresql"]
    program = None
    for header in ("alpha/Garden.hpp", "alpha/Bed.hpp", "alpha/rows.hpp"):  # each alone, with all its members in use
        name = header.split("/")[-1][:-4]
        use = f"void use() {{ generated::{name} value; generated::{name} other(value); }}\n" if name != "rows" else ""
        (folder / "alone.cpp").write_text(f'#include "{header}"\n{use}')
        works(f"{header} alone", ["clang++", *flags, "-fsyntax-only", *include, "alone.cpp"], folder)
    for compiler in ("g++", "clang++"):
        objects = [*sources(root / "runtime/cpp", ".cpp"), folder / "gen/kedge_startup.cpp", here / "programs/main.cpp"]
        if compiler == "clang++":  # the GNU dialect too: it has macros such as `linux`
            works(f"{compiler} gnu++20", [compiler, "-std=gnu++20", *flags[1:], "-fsyntax-only", *include, here / "programs/main.cpp"], folder)
        if works(f"{compiler} compiles", [compiler, *flags, *include, *objects, "-o", f"main-{compiler}", "-lpq", "-lsqlite3"], folder):
            program = [folder / f"main-{compiler}"]
            works(f"{compiler} runs", [*program, "use"], folder)
    return program


def build_typescript(folder):
    shutil.copy(here / "programs/main.ts", folder / "main.ts")
    shutil.copy(here / "programs/kysely.ts", folder / "kysely.ts")
    (folder / "node_modules").symlink_to(node_modules)
    (folder / "package.json").write_text('{"type": "module"}\n')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": {
        "strict": True, "noUnusedLocals": True, "noUnusedParameters": True, "noImplicitReturns": True,
        "noUncheckedIndexedAccess": True, "exactOptionalPropertyTypes": False, "isolatedModules": True, "target": "es2022",
        "module": "nodenext", "moduleResolution": "nodenext", "types": ["node"], "skipLibCheck": True, "outDir": "out"},
        "files": ["main.ts", "kysely.ts"]}))
    if not works("tsc --strict", ["node", node_modules / "typescript/bin/tsc", "-p", "."], folder):
        return None
    works("kysely runs", ["node", "out/kysely.js"], folder)
    return ["node", folder / "out/main.js"]


def build_python(folder):
    shutil.copy(here / "programs/main.py", folder / "main.py")
    works("mypy --strict", [python, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", folder / ".mypy", "gen", "main.py"], folder)
    works("compileall", [python, "-W", "error", "-m", "compileall", "-q", "gen"], folder)
    other = folder / "pydantic"
    other.mkdir()
    shutil.copy(here / "programs/main.py", other / "main.py")
    shutil.copy(here / "programs/pydantic_use.py", other / "pydantic_use.py")
    shutil.move(folder / "gen_pydantic", other / "gen")
    works("mypy of pydantic models", [python, "-m", "mypy", "--no-error-summary", "--cache-dir", folder / ".mypy", "gen", "pydantic_use.py"], other)
    works("pydantic models run", [python, "-W", "error", "pydantic_use.py"], other)
    works("the program over pydantic models", [python, "-W", "error", "main.py", "use"], other)
    return [python, "-W", "error", folder / "main.py"]


def build_java(folder):
    shutil.copy(here / "programs/Main.java", folder / "Main.java")
    spring = spring_stubs(folder, ".java")
    command = ["javac", "-encoding", "UTF-8", "-Xlint:all", "-Xdoclint:syntax,html", "-Werror", "-d", "classes"]
    if works("javac", [*command, "Main.java", *spring, *sources(folder / "gen", ".java")], folder):
        return ["java", "-cp", folder / "classes", "Main"]
    return None


def build_kotlin(folder):
    shutil.copy(here / "programs/Main.kt", folder / "Main.kt")
    spring = spring_stubs(folder, ".java")
    works("stubs", ["javac", "-d", "classes", *spring], folder)
    library = node_modules / "kotlin-compiler/lib"
    command = ["java", "-Xmx1200m", "-cp", library / "kotlin-compiler.jar", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
               "-kotlin-home", library.parent, "-Werror", "-cp", "classes", "-d", "classes", "-jvm-target", "17"]
    if works("kotlinc", [*command, "Main.kt", "gen"], folder):
        return ["java", "-cp", f"{folder / 'classes'}:{library / 'kotlin-stdlib.jar'}", "MainKt"]
    return None


def build_csharp(folder):
    shutil.copy(here / "programs/Main.cs", folder / "Main.cs")
    if not works("roslyn", [python, here / "roslyn.py", deps / "roslyn", "main.dll", "Main.cs", *sources(folder / "gen", ".cs")], folder):
        return None
    runtime = next((deps / "python/lib").glob("python*/site-packages/dnv/net/runtime/.net/dotnet"))
    runtime.chmod(0o755)
    os.environ["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1"
    return [runtime, "exec", folder / "main.dll"]


def spring_stubs(folder, suffix):
    """The three annotations and classes that the configuration class names, so that it compiles without Spring."""
    stubs = {
        "org/springframework/boot/context/event/ApplicationReadyEvent": "public class ApplicationReadyEvent {}",
        "org/springframework/context/annotation/Configuration": "public @interface Configuration {}",
        "org/springframework/context/event/EventListener": "public @interface EventListener { Class<?>[] value() default {}; }",
        "com/fasterxml/jackson/databind/ObjectMapper":
            "public class ObjectMapper { public <T> T readValue(java.io.InputStream in, Class<T> type) { return null; } }",
    }
    paths = []
    for name, text in stubs.items():
        path = folder / "stubs" / (name + suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"package {name.rsplit('/', 1)[0].replace('/', '.')};\n{text}\n")
        paths.append(path)
    return paths


TARGETS = {
    "cpp": ["{name: cpp, pack: cpp, out: gen}"],
    "typescript": ["{name: ts, pack: typescript, out: gen, options: {orm: kysely}}"],
    "python": ["{name: py, pack: python, out: gen}", "{name: pyd, pack: python, out: gen_pydantic, options: {style: pydantic}}"],
    "java": ["{name: java, pack: java, out: gen, options: {spring: true}}"],
    "kotlin": ["{name: kotlin, pack: kotlin, out: gen, options: {spring: true}}"],
    "csharp": ["{name: cs, pack: csharp, out: gen}"],
    "api": ["{name: api, pack: openapi, out: api}", "{name: schemas, pack: json-schema, out: schemas}"],
}


# ------------------------------------------------------------------------------------- code against the model file

def entity(model, name):
    return next(item for item in model["entities"] if item["object"] == name)


def column(model, name, physical):
    return next(item for item in entity(model, name)["columns"] if item["column"] == physical)


def other_column(model):
    entity(model, "alpha::EveryRow")["columns"].append(
        {"field": "late", "column": "late", "type": "int", "nullable": True, "key": 0, "values": [], "length": 0})


# name, change of the model, the code, a word of the message
MODEL_DRIFTS = [
    ("an object that is gone", lambda m: m["entities"].remove(entity(m, "beta::Visit")), "ERR_STARTUP_ENTITY_MISSING", "beta::Visit"),
    ("an object more", lambda m: m["entities"].append({"object": "beta::Late", "schema": "", "table": "lates", "columns": []}),
     "ERR_STARTUP_ENTITY_UNKNOWN", "beta::Late"),
    ("another table", lambda m: entity(m, "beta::Visit").update(table="trips"), "ERR_STARTUP_TABLE", "trips"),
    ("another schema", lambda m: entity(m, "beta::Visit").update(schema="port"), "ERR_STARTUP_TABLE", "beta::Visit"),
    ("a column only in the metadata", other_column, "ERR_STARTUP_COLUMN_MISSING", "late"),
    ("a column only in the code",
     lambda m: entity(m, "alpha::EveryRow")["columns"].remove(column(m, "alpha::EveryRow", "limited")), "ERR_STARTUP_COLUMN_EXTRA", "limited"),
    ("another type", lambda m: column(m, "alpha::EveryRow", "int_field").update(type="long"), "ERR_STARTUP_TYPE", "int_field"),
    ("null", lambda m: column(m, "alpha::EveryRow", "int_field").update(nullable=False), "ERR_STARTUP_NULL", "int_field"),
    ("the key", lambda m: column(m, "alpha::OnlyKey", "b").update(key=1), "ERR_STARTUP_KEY", "column b"),
    ("members", lambda m: column(m, "alpha::EveryRow", "enum_field")["values"].append("WEST"), "ERR_STARTUP_ENUM", "enum_field"),
    ("a length", lambda m: column(m, "alpha::EveryRow", "limited").update(length=8), "ERR_STARTUP_LENGTH", "limited"),
]


def codes(done):
    return [line.split(" ", 1)[0] for line in done.stdout.splitlines()]


def check_models(program, folder):
    model = json.loads((folder / "model.json").read_text())
    changed = folder / "changed.json"
    done = run([*program, "check", folder / "model.json"], folder)
    judge("the model that it was made from", done.returncode == 0 and done.stdout == "", done.stdout + done.stderr)
    for name, change, code, word in MODEL_DRIFTS:
        copied = copy.deepcopy(model)
        change(copied)
        changed.write_text(json.dumps(copied))
        done = run([*program, "check", changed], folder)
        judge(name, codes(done) == [code] and word in done.stdout, f"expected {code} {word}, got {done.stdout}{done.stderr}")
    for name, text in (("broken", "{"), ("empty", ""), ("of another version", json.dumps({**model, "kedge_model": 2})),
                       ("a list", "[]"), ("without entities", '{"kedge_model": 1}')):
        changed.write_text(text)
        done = run([*program, "check", changed], folder)
        judge(f"a model file that is {name}", codes(done) == ["ERR_STARTUP_MODEL"], done.stdout + done.stderr)
    done = run([*program, "check", folder / "absent.json"], folder)
    judge("a model file that is absent", codes(done) == ["ERR_STARTUP_MODEL"], done.stdout + done.stderr)
    copied = copy.deepcopy(model)
    for _, change, _, _ in (MODEL_DRIFTS[5], MODEL_DRIFTS[2]):
        change(copied)
    changed.write_text(json.dumps(copied))
    modes = {"": 1, "enforce": 1, "warn": 0, "off": 0}
    for mode, exit_code in modes.items():
        environment = {**os.environ, "KEDGE_STARTUP_CHECK": mode} if mode else {k: v for k, v in os.environ.items() if k != "KEDGE_STARTUP_CHECK"}
        done = run([*program, "require", changed], folder, env=environment)
        told = "limited" in done.stderr and "trips" in done.stderr
        judge(f"KEDGE_STARTUP_CHECK={mode or '(unset)'}", (done.returncode == 0) == (exit_code == 0)
              and told == (mode != "off") and ("started" in done.stdout) == (exit_code == 0), done.stdout + done.stderr)


# ---------------------------------------------------------------------------------- code against the live database

# name, SQL by engine, the code, words of the message
DATABASE_DRIFTS = [
    ("a dropped table", "DROP TABLE visits", "ERR_STARTUP_DB_TABLE", ["beta::Visit", "visits"]),
    ("a dropped column", "ALTER TABLE visits DROP COLUMN others", "ERR_STARTUP_DB_COLUMN", ["visits.others"]),
    ("a renamed column", {engine: f"ALTER TABLE vehicles RENAME COLUMN {name} TO cargo" for engine, name in
                          (("sqlite", "load"), ("postgres", "load"), ("mysql", "`load`"))}, "ERR_STARTUP_DB_COLUMN", ["load"]),
    ("another type", {"postgres": "ALTER TABLE visits ALTER COLUMN note TYPE bytea USING NULL",
                      "mysql": "ALTER TABLE visits MODIFY COLUMN note BLOB",
                      "sqlite": "ALTER TABLE visits DROP COLUMN note; ALTER TABLE visits ADD COLUMN note BLOB"},
     "ERR_STARTUP_DB_TYPE", ["visits.note"]),
    ("null", {"postgres": "ALTER TABLE visits ALTER COLUMN note SET NOT NULL",
              "mysql": "ALTER TABLE visits MODIFY COLUMN note JSON NOT NULL",
              "sqlite": "ALTER TABLE visits DROP COLUMN note; ALTER TABLE visits ADD COLUMN note TEXT NOT NULL DEFAULT ''"},
     "ERR_STARTUP_DB_NULL", ["visits.note"]),
]


class SqliteBed:
    engine = "sqlite"

    def __init__(self, folder):
        self.path = folder / "live.sqlite"
        self.connection = f"connector: sqlite\n  path: {self.path}"

    def fresh(self, ddl):
        self.path.unlink(missing_ok=True)
        self.script(ddl)

    def script(self, sql):
        with sqlite3.connect(self.path) as connection:
            connection.executescript(sql)

    def rows(self, sql):
        with sqlite3.connect(self.path) as connection:
            return connection.execute(sql).fetchall()

    def direct(self):
        return ["sqlite", self.path]


class ServerBed:
    def __init__(self, databases, engine, folder):
        self.engine, self.databases, self.folder, self.database = engine, databases, folder, None

    def fresh(self, ddl):
        if self.database is not None:
            self.database.close()
        self.database = self.databases.open(self.engine, self.folder / "unused", self.folder)
        self.database.script(ddl)

    def script(self, sql):
        self.database.script(sql)

    def rows(self, sql):
        result = self.database.query(sql)
        return result[1] if isinstance(result, tuple) else result

    def direct(self):
        known = self.database.connection()
        return ["postgres", f"host={known['host']} port={known['port']} dbname={known['database']} user={known['user']} "
                            f"password={self.databases_password()}"]

    @staticmethod
    def databases_password():
        from kt.databases import PASSWORD
        return PASSWORD


def check_database(program, bed, ddl, folder):
    def found():
        if options.language == "cpp":
            if bed.engine == "mysql":
                return None
            return run([*program, *bed.direct()], folder)
        asked = run([*program, "sql", bed.engine], folder)
        file = folder / "rows.txt"
        file.write_text("\x1e".join("\x1f".join(str(cell) for cell in row) for row in bed.rows(asked.stdout)), encoding="utf-8")
        return run([*program, "rows", bed.engine, file], folder)

    bed.fresh(ddl)
    done = found()
    if done is None:
        return
    judge(f"{bed.engine}: a database in line", done.returncode == 0 and done.stdout == "", done.stdout + done.stderr)
    for name, change, code, words in DATABASE_DRIFTS:
        sql = change if isinstance(change, str) else change[bed.engine]
        bed.fresh(ddl)
        bed.script(sql)
        done = found()
        judge(f"{bed.engine}: {name}", set(codes(done)) == {code} and all(word in done.stdout for word in words),
              f"expected {code} {words}, got {done.stdout}{done.stderr}")


def ddl_of(folder, dialect):
    """The tables of the metadata, as kedge makes them for an engine."""
    other = folder / f"ddl-{dialect}"
    rich.write_project(other, TARGETS[options.language], dialect)
    done = run([kedge, "diff", "empty:", "metadata:", "--dialect", dialect, "--format", "sql"], other)
    # What kedge notes about views lies in a table of its own, which a script by hand does not need.
    sql = re.sub(r"^REPLACE INTO `_kedge_views`[^;]*;\n?", "", done.stdout, flags=re.M)
    judge(f"{dialect}: tables", done.returncode == 1 and "CREATE TABLE" in done.stdout, done.stdout[-500:] + done.stderr[-2000:])
    return sql


def check_databases(program, folder):
    from kt.databases import Databases
    check_database(program, SqliteBed(folder), ddl_of(folder, "sqlite"), folder)
    databases = Databases()
    try:
        for engine in ("postgres",) if options.language == "cpp" else ("postgres", "mysql"):
            check_database(program, ServerBed(databases, engine, folder), ddl_of(folder, engine), folder)
    finally:
        databases.stop()


# -------------------------------------------------------------------------------------------------- API documents

def check_documents(folder):
    works("the OpenAPI document against its schema", [python, here / "check_documents.py", folder], folder)


def main(folder):
    project = folder / "project"
    rich.write_project(project, TARGETS[options.language])
    if not works("kedge gen", [kedge, "gen"], project):
        return
    done = run([kedge, "verify", "--codegen"], project)
    judge("verify --codegen", done.returncode == 0, done.stdout + done.stderr)
    if options.language == "api":
        check_documents(project)
        return
    works("kedge model", [kedge, "model", "--out", "model.json"], project)
    program = globals()[f"build_{options.language}"](project)
    if program is not None:
        works("the program", [*program, "use"], project)
        check_models(program, project)
        check_databases(program, project)


if options.keep:
    shutil.rmtree(options.keep, ignore_errors=True)
    pathlib.Path(options.keep).mkdir(parents=True)
    main(pathlib.Path(options.keep).resolve())
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(pathlib.Path(temporary))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or passed == 0 else 0)
