#!/usr/bin/env python3
"""What scripts/package builds, as somebody gets it: the quick starts of the wheel and of the npm package, the unpacked archive, and (with
--root, a folder made by `debootstrap --variant=minbase bookworm`, as root) the .deb on a system that has nothing else. Each checks the
example project, healthy and with a drifted database. Prints `N passed, N failed`.
    run_packages.py --packages DIR [--root FOLDER]"""
import argparse
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--packages", required=True)
parser.add_argument("--root")
options = parser.parse_args()
packages = pathlib.Path(options.packages).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DRIFT = "DROP VIEW v_berth_load; ALTER TABLE vessels DROP COLUMN draught_m;"
passed = failed = 0


def check(name, done, code=0, needle=""):
    global passed, failed
    good = done.returncode == code and needle in done.stdout + done.stderr
    passed, failed = passed + good, failed + (not good)
    if not good:
        print(f"FAIL {name}: {done.returncode}\n{(done.stdout + done.stderr)[-1500:]}")
    return good


def run(*command, path=PATH, cwd=None):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, timeout=600, stdin=subprocess.DEVNULL,
                          env={"PATH": path, "HOME": "/tmp", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})


def package(pattern):
    return next(packages.glob(pattern))


def drift(project, text):
    connection = sqlite3.connect(project / "data/harbour.sqlite")
    connection.executescript(text)
    connection.close()


def judge(kind, project, kedge):
    """`kedge`: how the program is called there; `project`: the folder as this process sees it."""
    shutil.copytree(ROOT / "examples/harbour", project)
    (project / "data").mkdir()
    check(f"{kind}: migrate", run(*kedge, "migrate", "--apply", "--db", "harbour", "--slug", "first"), needle="applied")
    check(f"{kind}: gen", run(*kedge, "gen"))
    check(f"{kind}: run, over DuckDB", run(*kedge, "run", "--all"), needle="succeeded")
    check(f"{kind}: check", run(*kedge, "check"))
    drift(project, DRIFT)
    check(f"{kind}: check of a drifted database", run(*kedge, "check"), 1, "column_missing")


def snippet(readme, language, project):
    body = re.search(rf"```{language}\n(.*?)```", (ROOT / readme).read_text(), re.S).group(1)
    return body.replace("path/to/project", str(project))


def wheel(base):
    environment = base / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    check("wheel: pip", run(environment / "bin/pip", "install", "--quiet", "--no-index", package("*.whl")))
    project = base / "wheel"
    judge("wheel", project, [environment / "bin/kedge", "-C", project])
    (base / "start.py").write_text(snippet("clients/python/README.md", "python", project))
    check("wheel: the quick start", run(environment / "bin/python", base / "start.py", path=f"{environment}/bin:{PATH}"), needle="column_missing")


def npm(base):
    folder = base / "node"
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "x", "version": "1.0.0", "private": true}\n')
    node = f"{pathlib.Path(shutil.which('node')).parent}:{PATH}"
    check("npm: install", run("npm", "install", "--silent", "--offline", "--no-audit", package("kedge-*.tgz"), cwd=folder, path=node))
    project = base / "npm"
    judge("npm", project, [shutil.which("node"), folder / "node_modules/kedge/cli.js", "-C", project])
    (folder / "start.mjs").write_text(snippet("clients/node/README.md", "js", project))
    check("npm: the quick start", run("node", folder / "start.mjs", path=node), needle="vessels")


def archive(base):
    check("tar.gz: unpack", run("tar", "-xzf", package("*.tar.gz"), "-C", base))
    kedge = next(path for path in base.glob("kedge-*/**/bin/kedge"))
    judge("tar.gz", base / "archive", [kedge, "-C", base / "archive"])


def deb():
    """In a chroot of a clean Debian 12: apt brings what the package depends on and nothing else."""
    root = pathlib.Path(options.root).resolve()
    inside = ["chroot", root]
    shutil.copy(package("*.deb"), root / "tmp/kedge.deb")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copytree("/etc/apt/apt.conf.d", root / "etc/apt/apt.conf.d", dirs_exist_ok=True)  # a proxy, where there is one
    before = run(*inside, "sh", "-c", "if command -v kedge; then exit 3; fi")
    check("deb: nothing of it is there before", before)
    if check("deb: apt update", run(*inside, "apt-get", "update", "-qq")) and check(
            "deb: apt install", run(*inside, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "/tmp/kedge.deb")):
        shutil.rmtree(root / "srv/harbour", ignore_errors=True)
        judge("deb", root / "srv/harbour", [*inside, "kedge", "-C", "/srv/harbour"])
        for path in ("usr/share/man/man1/kedge-check.1", "usr/share/bash-completion/completions/kedge", "usr/share/zsh/vendor-completions/_kedge",
                     "usr/share/fish/vendor_completions.d/kedge.fish"):
            there = (root / path).exists() or (root / (path + ".gz")).exists()
            check(f"deb: {path}", run("true") if there else run("false"))


def main():
    with tempfile.TemporaryDirectory(prefix="kedge-packages-") as name:
        for part in (wheel, npm, archive):
            part(pathlib.Path(name))
    if options.root:
        deb()
    else:
        print("without --root the .deb is not installed")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if os.geteuid() != 0 and options.root:
    sys.exit("--root needs root")
sys.exit(main())
