"""`check --changed-since`: whatever is edited, deleted or moved away, the guards that read it run; those that do
not read it stay out. Used by run_check.py."""
import json
import shutil
import sqlite3
import subprocess

from project import edit, kedge_run, must


def git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
                   check=True, capture_output=True)


def first(folder, pattern):
    return sorted(path for path in folder.glob(pattern) if path.is_file())[0]


def append(path):
    path.write_text(path.read_text() + "\n// by hand\n")


def move_away(project):
    (project / "old").mkdir()
    (project / "models/yard/lots.yml").rename(project / "old/lots.yml")


def outside(project):
    path = project.parent / "shared/pilots.yml"
    path.write_text(path.read_text().replace("maxLength: 20", "maxLength: 24"))


# (what is done, how, the guards that must run)
CASES = [
    ("nothing", lambda p: None, set()),
    ("a generated file edited", lambda p: append(first(p / "src/gen", "**/*.hpp")), {"code"}),
    ("a generated file deleted", lambda p: first(p / "src/gen", "**/*.hpp").unlink(), {"code"}),
    ("the state of gen deleted", lambda p: shutil.rmtree(p / "codegen/state"), {"code"}),
    ("the docs deleted", lambda p: shutil.rmtree(p / "docs/generated"), {"docs"}),
    ("a feed edited", lambda p: edit(p, "feeds/arrivals.csv", "gross_tons", "tons"), {"contracts", "models", "metadata"}),
    ("a feed deleted", lambda p: (p / "feeds/arrivals.csv").unlink(), {"contracts", "models", "metadata"}),
    ("a model moved away", move_away, {"models"}),
    ("a template", lambda p: edit(p, "templates/notices/place.mustache", "berthCode", "berthCod"), {"templates"}),
    ("a migration", lambda p: append(first(p / "migrations", "*-pilots/up.sql")), {"metadata", "replay"}),
    ("a file that nobody reads", lambda p: (p / "notes.txt").write_text("x"), set()),
    ("metadata outside the folder", outside, {"metadata", "contracts", "templates", "code", "docs"}),
]


def beside_shared(kedge, top, healthy):
    """A project under `top` whose pilots are declared in a folder beside it."""
    project = top / "project"
    shutil.copytree(healthy, project)
    (top / "shared").mkdir()
    (project / "metadata/pilots.yml").rename(top / "shared/pilots.yml")
    edit(project, "project.yml", "    - path: metadata\n", "    - path: metadata\n    - path: ../shared\n")
    must(kedge, project, "gen")
    must(kedge, project, "docs")
    return project


def judge_since(kedge, base, healthy, judge):
    top = base / "since"
    project = beside_shared(kedge, top, healthy)
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "start")
    for name, act, wanted in CASES:
        act(project)
        part = kedge_run(kedge, project, "check", "--changed-since", "HEAD", "--format", "json")
        whole = kedge_run(kedge, project, "check", "--format", "json")
        guards = {guard["guard"] for guard in json.loads(part.stdout)["guards"] if not guard["skipped"]}
        judge(f"since: {name}: guards", guards == wanted, f"{sorted(guards)} instead of {sorted(wanted)}")
        judge(f"since: {name}: exit code", part.returncode == whole.returncode,
              f"{part.returncode} instead of {whole.returncode}: {whole.stdout[-1500:]}")
        git(top, "add", "-A")
        git(top, "stash", "-q") if name != "nothing" else None
    judge_elsewhere(kedge, base, healthy, judge)
    judge_state(kedge, base, judge)
    judge_submodule(kedge, base, judge)


def judge_elsewhere(kedge, base, healthy, judge):
    """What git cannot answer for: metadata beyond the repository, feeds that it ignores."""
    top = base / "elsewhere"
    project = beside_shared(kedge, top, healthy)
    (project / ".gitignore").write_text("/data/\n/.kedge/\n/feeds/\n")
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "start")
    outside(project)
    part = kedge_run(kedge, project, "check", "--changed-since", "HEAD", "--format", "json")
    guards = {guard["guard"] for guard in json.loads(part.stdout)["guards"] if not guard["skipped"]}
    judge("since: beyond the repository", guards == {"models", "metadata", "contracts", "templates", "code", "docs"}
          and part.returncode == 1, f"{sorted(guards)} {part.returncode}")


def small(kedge, project, settings=""):
    """One sqlite database that is watched without a contract, in a repository of its own."""
    project.mkdir(parents=True)
    (project / "project.yml").write_text("name: p\nversion: 1.0.0\non_source_drift: fail\n" + settings)
    (project / "connections.yml").write_text("src:\n  connector: sqlite\n  path: src.db\n  entities:\n    t: {read: {}}\n")
    (project / ".gitignore").write_text("/src.db\n/.kedge/\n")
    connection = sqlite3.connect(project / "src.db")
    connection.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT)")
    connection.close()
    git(project, "init", "-q")


def asked(kedge, project):
    done = kedge_run(kedge, project, "check", "--changed-since", "HEAD", "--format", "json")
    document = json.loads(done.stdout)
    return done.returncode, {guard["guard"] for guard in document.get("guards", []) if not guard["skipped"]}


def judge_state(kedge, base, judge):
    """Accepted baselines in a folder that is committed are declarations like any other."""
    project = base / "state"
    small(kedge, project, "state_dir: state\n")
    (project / "pipelines").mkdir()
    (project / "pipelines/p.sql").write_text("SELECT id FROM {{ source('src', 't') }}\n")
    must(kedge, project, "run", "--all")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "start")
    judge("since: a baseline as it was", asked(kedge, project) == (0, set()), asked(kedge, project))
    edit(project, "state/schemas.json", '"k"', '"kk"')
    judge("since: a baseline edited", asked(kedge, project) == (1, {"contracts"}), asked(kedge, project))


def judge_submodule(kedge, base, judge):
    """What lies in another repository below this one: git says nothing of it, so it may have changed."""
    project = base / "holder"
    small(kedge, project, "metadata:\n  sources:\n    - path: shared/meta\n")
    (project / "shared/meta").mkdir(parents=True)
    (project / "shared/meta/a.yml").write_text(
        "package: a\nchildren:\n  - object.value: {name: Money, children: [{field.long: cents}]}\n")
    git(project / "shared", "init", "-q")
    git(project / "shared", "add", "-A")
    git(project / "shared", "commit", "-qm", "shared")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "start")
    code, guards = asked(kedge, project)
    judge("since: metadata in a submodule", code == 0 and {"contracts", "metadata"} <= guards, (code, guards))
