"""A small project in a folder of its own, kedge on it, and what it answered."""
import json
import pathlib
import shutil
import subprocess

PACK = """pack: demo
version: 1
comment: {line: "//"}
types: {string: string, int: int, long: long, enum: enum, object: object}
list: "{}[]"
nullable: "{}?"
files:
  - {template: object, scope: object, out: "{package}/{Name}.txt"}
"""
OBJECT = "record {{Name}}\n{{#fields}}\n  {{nameSnake}}: {{lang}}\n{{/fields}}\nend\n\nnotes\n  none\nend\n"


def metadata(*fields, name="Sailing", package="harbour"):
    lines = [f"package: {package}", "children:", "  - object.value:", f"      name: {name}", "      children:"]
    return "\n".join(lines + [f"        - {field}" for field in fields or ("field.int: a", "field.string: b")]) + "\n"


def targets(*list_of_targets, more=""):
    return "gen:\n" + more + "  targets:\n" + "".join(f"    - {target}\n" for target in list_of_targets)


class Project:
    def __init__(self, kedge, folder, files=None, git=False):
        self.kedge, self.folder, self.git = kedge, pathlib.Path(folder), git
        self.folder.mkdir(parents=True)
        self.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}"), "pack/pack.yml": PACK,
                    "pack/object.mustache": OBJECT, "metadata/h.yml": metadata(), **(files or {})})
        if git:
            for command in (["init", "-q", "-b", "main"], ["config", "user.email", "a@example.org"], ["config", "user.name", "a"]):
                self.run_git(*command)

    def run_git(self, *arguments, check=True):
        return subprocess.run(["git", *arguments], cwd=self.folder, check=check, capture_output=True, text=True)

    def commit(self, message="x"):
        self.run_git("add", "-A")
        self.run_git("commit", "-q", "-m", message)

    def path(self, name):
        return self.folder / name

    def write(self, files):
        for name, text in files.items():
            path = self.path(name)
            if text is None:
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def read(self, name):
        return self.path(name).read_bytes().decode()

    def there(self, name):
        return self.path(name).exists()

    def edit(self, name, old, new):
        text = self.read(name)
        assert text.count(old) == 1, f"{name} holds {old!r} {text.count(old)} times:\n{text}"
        self.write({name: text.replace(old, new)})

    def run(self, *arguments):
        return subprocess.run([self.kedge, *arguments], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120)

    def answer(self, *arguments):
        """The one JSON document of a command, with its exit code checked against it."""
        done = self.run(*arguments, "--format", "json")
        document = json.loads(done.stdout)
        document["stderr"] = done.stderr
        assert document.get("exit_code", done.returncode) == done.returncode, (document, done.returncode)
        document["exit_code"] = done.returncode
        return document

    def gen(self, *arguments):
        return Answer(self.answer("gen", *arguments))

    def verify(self, *arguments):
        return Answer(self.answer("verify", "--codegen", *arguments))

    def snapshot(self):
        return {path.relative_to(self.folder).as_posix(): path.read_bytes()
                for path in sorted(self.folder.rglob("*")) if path.is_file() and ".git/" not in path.as_posix()
                and not path.name == "lock"}


class Answer:
    def __init__(self, document):
        self.document, self.exit = document, document["exit_code"]
        self.files = {file["path"]: file for target in document.get("targets", []) for file in target["files"]}
        self.findings = [finding for gate in document.get("gates", []) for finding in gate.get("findings", [])]
        self.gates = {gate["gate"]: gate for gate in document.get("gates", [])}
        self.stderr = document["stderr"]

    def status(self, path):
        return self.files[path]["status"] if path in self.files else None

    def statuses(self):
        return {path: file["status"] for path, file in self.files.items()}

    def errors(self):
        return self.document.get("errors") or ([self.document["error"]] if "error" in self.document else [])

    def codes(self):
        return sorted({item["code"] for item in [*self.errors(), *self.findings, *self.files.values()] if item.get("code")})

    def message(self):
        return "\n".join(item["message"] for item in [*self.errors(), *self.findings, *self.files.values()] if item.get("message"))

    def __str__(self):
        return json.dumps(self.document)[:1500]
