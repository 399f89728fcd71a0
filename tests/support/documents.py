"""Judges what kedge prints against published schemas: its own in docs/reference/schemas, SARIF 2.1.0 and the
JUnit XML of Jenkins (fetched by `scripts/setup --test` into .deps/schemas)."""
import functools
import json
import pathlib
import subprocess
import warnings

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OWN = ROOT / "docs/reference/schemas"
FETCHED = ROOT / ".deps/schemas"


@functools.lru_cache(None)
def validator(path):
    schema = json.loads(path.read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # RefResolver: what Debian's version has
        store = {schema.get("$id", schema.get("id", "")): schema}
        store |= {other.as_uri(): json.loads(other.read_text(encoding="utf-8")) for other in OWN.glob("*.json")}
        return kind(schema, resolver=jsonschema.RefResolver(path.as_uri(), schema, store))


def faults(path, document):
    found = []
    for error in validator(path).iter_errors(document):
        best = error
        while best.context:  # the branch that came furthest says what is wrong
            best = max(best.context, key=lambda one: (len(one.absolute_path), len(one.context)))
        found.append("/".join(map(str, best.absolute_path)) + ": " + best.message[:200])
    return found


def document_faults(name, text):
    """The faults of a document that a command printed, against docs/reference/schemas/<name>.json."""
    return faults(OWN / f"{name}.json", json.loads(text))


def sarif_faults(text):
    return faults(FETCHED / "sarif-2.1.0.json", json.loads(text))


def junit_faults(text):
    done = subprocess.run(["xmllint", "--noout", "--schema", str(FETCHED / "jenkins-junit.xsd"), "-"], input=text,
                          capture_output=True, text=True, timeout=30)
    return done.stderr.splitlines()[:5] if done.returncode else []
