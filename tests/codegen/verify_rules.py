"""What `verify --codegen`, `verify --docs` and `kedge docs` say."""
import json
import subprocess

from gen_rules import FILE, edited, rule
from pack_rules import ENTITY
from project import PACK, metadata, targets

# ------------------------------------------------------------------------------------------------------------- codegen


@rule
def the_remedy_of_an_orphan_ends_it(p):
    for edit, orphans in ((False, ""), (True, ""), (False, "  orphans: keep\n")):
        p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", more=orphans), "metadata/c.yml": metadata(name="Gone")})
        p.gen()
        if edit:
            edited(p, "gen/harbour/Gone.txt")
        p.write({"metadata/c.yml": None})
        answer = p.verify()
        assert answer.codes() == ["ERR_GEN_ORPHAN"], answer
        remedy = "--forget gen/harbour/Gone.txt"
        assert (remedy in answer.message()) == (edit or bool(orphans)), answer
        p.gen(*(remedy.split() if remedy in answer.message() else ()))
        assert p.verify().exit == 0, (edit, orphans)
        p.write({"gen/harbour/Gone.txt": None} if p.there("gen/harbour/Gone.txt") else {})
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", "{name: u, pack: ./pack, out: gen2}")})
    p.gen()
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}")})
    assert "--prune-targets" in p.verify().message() and p.verify().exit == 1
    assert p.gen().exit == 0 and p.verify().exit == 1, "gen alone leaves what a target left"
    p.gen("--prune-targets")
    assert p.verify().exit == 0 and not p.there("gen2/harbour/Sailing.txt")


@rule
def every_verdict(p):
    p.write({"metadata/c.yml": metadata(name="Gone") + "  - object.value: { name: Missing, children: [{ field.int: a }] }\n"
             "  - object.value: { name: Stale, children: [{ field.int: a }] }\n  - object.value: { name: StaleEdited, children: [{ field.int: a }] }\n"
             "  - object.value: { name: Edited, children: [{ field.int: a }] }\n  - object.value: { name: Marked, children: [{ field.int: a }] }\n"})
    p.gen()
    path = lambda name: f"gen/harbour/{name}.txt"
    p.write({path("Missing"): None, "gen/own.txt": "mine\n", "gen/harbour/deep/own.txt": "mine\n",
             "metadata/c.yml": "package: harbour\nchildren:\n" + "".join(
                 f"  - object.value: {{ name: {name}, children: [{{ field.int: {'b' if name.startswith('Stale') else 'a'} }}] }}\n"
                 for name in ("Missing", "Stale", "StaleEdited", "Edited", "Marked", "Unrecorded"))})
    for name in ("Edited", "StaleEdited"):
        edited(p, path(name))
    p.edit(path("Marked"), "  none\n", "<<<<<<< a\n  x\n=======\n  y\n>>>>>>> b\n")
    p.write({path("Unrecorded"): "all my own\n"})
    answer = p.verify()
    verdicts = {finding["path"]: finding["code"] for finding in answer.findings}
    assert verdicts == {path("Missing"): "ERR_GEN_MISSING", path("Stale"): "ERR_GEN_STALE", path("StaleEdited"): "ERR_GEN_STALE",
                        path("Marked"): "ERR_GEN_CONFLICT_UNRESOLVED", path("Unrecorded"): "ERR_GEN_UNRECORDED", path("Gone"): "ERR_GEN_ORPHAN"}, verdicts
    gate = answer.gates["codegen"]
    assert answer.exit == 1 and gate["ran"] and not gate["ok"] and gate["checked"] == 7 and gate["edited"] == 1 and gate["ignored"] == 2, gate
    assert all(finding["target"] == "t" and set(finding) == {"severity", "code", "target", "path", "line", "pointer", "message"}
               for finding in answer.findings), answer
    assert all("kedge gen" in finding["message"] for finding in answer.findings), answer
    text = p.run("verify", "--codegen").stdout
    assert "7" in text and "1" in text and "2" in text, text
    assert p.run("gen", "--check").stdout == text and p.run("gen", "--check").returncode == 1
    before = p.snapshot()
    p.verify()
    assert p.snapshot() == before, "verify never touches the project"


@rule
def unrecorded_output_is_stale_or_clean(p):
    p.gen()
    p.write({"codegen": None})
    assert p.verify().exit == 0, "equal to fresh output: clean"
    p.write({"metadata/h.yml": metadata("field.int: z")})
    assert p.verify().codes() == ["ERR_GEN_STALE"], "unedited output by its header"
    edited(p)
    assert p.verify().codes() == ["ERR_GEN_UNRECORDED"]


@rule
def strict_and_show_edits(p):
    p.gen()
    p.edit(FILE, "  b: string?\n", "")
    edited(p)
    assert p.verify().exit == 0
    answer = p.verify("--strict")
    assert answer.exit == 1 and answer.codes() == ["ERR_GEN_EDITED"], answer
    text = p.run("verify", "--codegen", "--show-edits").stdout
    assert FILE in text and "-   b: string?" in text and "+   mine" in text, text


@rule
def gates_combine_and_the_largest_exit_wins(p):
    p.gen()
    p.run("docs")
    p.write({"metadata/h.yml": metadata("field.int: z")})
    answer = p.verify("--docs", "--templates")
    assert answer.exit == 1 and set(answer.gates) == {"codegen", "docs", "templates"}, answer
    p.write({"codegen/state/manifest.json": "{"})
    answer = p.verify("--docs", "--templates")
    assert answer.exit == 2 and not answer.gates["codegen"]["ran"] and answer.gates["docs"]["ran"] and "ERR_GEN_STATE_CORRUPT" in answer.codes(), answer


@rule
def facts_of_the_api_document(p):
    p.write({"project.yml": targets("{name: api, pack: openapi, out: api}"), "metadata/h.yml": ENTITY.replace(
        "        - identity", "        - field.enum: { name: side, values: [N, S] }\n        - field.string[]: names\n        - identity")})
    p.gen()
    good = json.loads(p.read("api/openapi.json"))
    boat = ["components", "schemas", "Boat"]
    route = list(good["paths"])[0]
    changes = [
        ("ERR_API_SCHEMA_MISSING", boat, lambda at: at.pop("Boat")),
        ("ERR_API_PROPERTY", [*boat, "properties", "callSign"], lambda at: at.pop("callSign")),
        ("ERR_API_PROPERTY", [*boat, "properties", "x"], lambda at: at.update(more={"type": "string"})),
        ("ERR_API_TYPE", [*boat, "properties", "id", "format"], lambda at: at.update(format="int32")),
        ("ERR_API_TYPE", [*boat, "properties", "callSign", "type"], lambda at: at.update(type=["string", "null"])),
        ("ERR_API_TYPE", [*boat, "properties", "names", "type"], lambda at: at.update(type="string")),
        ("ERR_API_TYPE", [*boat, "properties", "names", "items", "type"], lambda at: at.update(type="integer")),
        ("ERR_API_REQUIRED", [*boat, "required"], lambda at: at.update(required=[])),
        ("ERR_API_CONSTRAINT", [*boat, "properties", "callSign", "maxLength"], lambda at: at.update(maxLength=13)),
        ("ERR_API_CONSTRAINT", [*boat, "properties", "callSign", "maxLength"], lambda at: at.pop("maxLength")),
        ("ERR_API_CONSTRAINT", [*boat, "properties", "side", "enum"], lambda at: at["enum"].append("W")),
        ("ERR_API_ROUTE", ["paths", route, "post"], lambda at: at.pop("post")),
        ("ERR_API_ROUTE", ["paths", route], lambda at: at.pop(route)),
    ]
    for code, pointer, change in changes:
        document = json.loads(json.dumps(good))
        at = document
        for key in pointer[:-1]:
            at = at[key]
        change(at)
        p.write({"api/openapi.json": json.dumps(document, indent=2) + "\n"})
        answer = p.verify()
        assert answer.exit == 1 and answer.codes() == [code], (code, pointer, answer)
        assert answer.findings[0]["pointer"].startswith("/") and answer.findings[0]["path"] == "api/openapi.json" and answer.findings[0]["line"], answer
    free = json.loads(json.dumps(good))
    free["info"]["description"] = "free"
    free["components"]["schemas"]["Boat"]["description"] = "free"
    free["components"]["schemas"]["Boat"]["properties"]["callSign"]["example"] = "KDG"
    free["components"]["schemas"]["Boat"]["properties"]["own"] = {"type": "string", "x-extra": True}
    free["components"]["schemas"]["Own"] = {"type": "object"}
    free["x-own"] = 1
    free["paths"]["/own"] = {"get": {"responses": {"200": {"description": "x"}}}}
    first = free["paths"].pop(route)
    free["paths"][route] = {**first, "get": {**first["get"], "summary": "free"}}
    p.write({"api/openapi.json": json.dumps(free, indent=2) + "\n"})
    assert p.verify().exit == 0, p.verify()
    p.write({"api/openapi.json": "{ not json"})
    answer = p.verify()
    assert answer.exit == 1 and answer.codes() == ["ERR_API_DOC_UNREADABLE"], answer


@rule
def facts_of_json_schemas(p):
    p.write({"project.yml": targets("{name: s, pack: json-schema, out: s}"), "metadata/h.yml": ENTITY})
    p.gen()
    good = json.loads(p.read("s/harbour/Boat.schema.json"))
    for code, change in (("ERR_API_PROPERTY", lambda d: d["properties"].pop("callSign")), ("ERR_API_TYPE", lambda d: d["properties"]["id"].update(type="string")),
                         ("ERR_API_REQUIRED", lambda d: d.pop("required")), ("ERR_API_CONSTRAINT", lambda d: d["properties"]["callSign"].update(maxLength=1))):
        document = json.loads(json.dumps(good))
        change(document)
        p.write({"s/harbour/Boat.schema.json": json.dumps(document, indent=2) + "\n"})
        answer = p.verify()
        assert answer.exit == 1 and answer.codes() == [code], (code, answer)


# ---------------------------------------------------------------------------------------------------------------- docs

@rule
def docs_write_their_pages(p):
    p.write({"metadata/h.yml": ENTITY + "  - object.value: { name: Hull, children: [{ field.int: age }] }\n"
             "  - template.output: { name: Card, payloadRef: Hull, textRef: card }\n", "templates/card.mustache": "{{age}}\n"})
    done = p.run("docs")
    assert done.returncode == 0, done.stderr
    pages = [path for path in p.snapshot() if path.startswith("docs/generated/")]
    for name in ("index.md", "schema.md", "er.mmd"):
        assert f"docs/generated/{name}" in pages, pages
    assert {f"docs/generated/harbour/{name}.md" for name in ("boat", "hull", "card.template")} <= set(pages), pages
    for page in pages:
        first = p.read(page).split("\n", 1)[0]
        assert "@generated by kedge docs. kedge-sum:" in first, (page, first)
    assert p.read("docs/generated/index.md").startswith("<!-- @generated by kedge docs. kedge-sum:")
    schema = p.read("docs/generated/schema.md")
    assert "boats" in schema and "call_sign" in schema and "callSign" in schema and "migrations" in schema and "CREATE" not in schema, schema
    assert p.answer("verify", "--docs")["exit_code"] == 0
    before = p.snapshot()
    p.run("docs")
    assert p.snapshot() == before
    p.write({"metadata/h.yml": metadata()})
    p.run("docs")
    assert not p.there("docs/generated/schema.md"), "no table, no page of tables"


@rule
def docs_verdicts(p):
    p.run("docs")
    page = "docs/generated/index.md"
    p.write({page: p.read(page).replace("\n", "\r\n").encode()})
    assert p.answer("verify", "--docs")["exit_code"] == 0, "line ends do not count"
    p.write({page: p.read(page) + "more\n"})
    answer = p.answer("verify", "--docs")
    assert answer["exit_code"] == 1 and [f["code"] for f in answer["gates"][0]["findings"]] == ["ERR_DOCS_STALE"], answer
    p.write({page: None, "docs/generated/own.md": "# mine\n"})
    answer = p.answer("verify", "--docs")
    assert [f["code"] for f in answer["gates"][0]["findings"]] == ["ERR_DOCS_MISSING"], answer
    p.run("docs")
    p.write({"metadata/h.yml": metadata(name="Voyage")})
    codes = {f["code"] for f in p.answer("verify", "--docs")["gates"][0]["findings"]}
    assert codes == {"ERR_DOCS_STALE", "ERR_DOCS_MISSING", "ERR_DOCS_ORPHAN"}, codes
    old = [path for path in p.snapshot() if "sailing" in path and path.startswith("docs")][0]
    p.write({old: p.read(old) + "mine\n"})
    done = p.run("docs")
    assert p.there(old), "an edited page that is no longer produced is not deleted"
    p.write({old: None})
    assert p.there("docs/generated/own.md") and "own.md" not in done.stdout and p.answer("verify", "--docs")["exit_code"] == 0


@rule
def docs_delete_what_they_no_longer_produce_and_list_it(p):
    p.run("docs")
    old = [path for path in p.snapshot() if "sailing" in path and path.startswith("docs")][0]
    p.write({"metadata/h.yml": metadata(name="Voyage")})
    done = p.run("docs")
    assert not p.there(old) and old in done.stdout, done.stdout
    p.write({"docs/generated/index.md": p.read("docs/generated/index.md") + "mine\n"})
    p.run("docs")
    aside = list(p.path(".kedge/gen/discarded").rglob("index.md"))
    assert len(aside) == 1 and aside[0].read_text().endswith("mine\n") and not p.read("docs/generated/index.md").endswith("mine\n")


@rule(git=True)
def pages_that_git_ignores_are_not_checked(p):
    p.run("docs")
    p.write({".gitignore": "docs/generated/schema.md\ndocs/generated/index.md\n"})
    p.write({"docs/generated/index.md": None})
    answer = p.answer("verify", "--docs")
    assert answer["exit_code"] == 0 and answer["gates"][0]["ignored"] >= 1, answer
    p.write({".gitignore": "docs/\n"})
    answer = p.answer("verify", "--docs")
    assert answer["exit_code"] == 2 and "ERR_DOCS_NOTHING_CHECKED" in json.dumps(answer), answer
    p.run("docs")
    p.run_git("add", "-f", "docs/generated/index.md")
    p.write({"docs/generated/index.md": p.read("docs/generated/index.md") + "x\n"})
    answer = p.answer("verify", "--docs")
    assert answer["exit_code"] == 1, "a tracked page is never ignored"
    p.write({".gitignore": None})
    excludes = p.folder.parent / (p.folder.name + "-excludes")
    excludes.write_text("docs/\n")
    p.run_git("config", "core.excludesFile", str(excludes))
    assert p.answer("verify", "--docs")["exit_code"] == 1, "global excludes do not count"


@rule
def docs_without_pages_check_nothing(p):
    p.write({"metadata/h.yml": "package: harbour\nchildren: []\n"})
    answer = p.answer("verify", "--docs")
    assert answer["exit_code"] == 2, answer


@rule
def docs_go_where_the_project_says(p):
    p.write({"project.yml": "docs: {out: wiki/data}\n"})
    p.run("docs")
    assert p.there("wiki/data/index.md") and not p.there("docs")
    assert p.answer("verify", "--docs")["exit_code"] == 0
