"""Writing generated files: configuration, state, decisions, conflicts, orphans, formatters, after a git merge."""
import os
import re
import stat

from project import OBJECT, PACK, Answer, metadata, targets

FILE = "gen/harbour/Sailing.txt"
RULES = []


def rule(function=None, **options):
    def add(f):
        RULES.append((f.__name__, f, options))
        return f
    return add(function) if function else add


def edited(p, path=FILE, line="  none", own="  mine"):
    """Puts a line of one's own behind a line that stays."""
    p.edit(path, f"{line}\n", f"{line}\n{own}\n")


def conflicted(p):
    """An edit and a regeneration that touch one line."""
    p.gen()
    p.edit(FILE, "a: int?", "a: int? by hand")
    p.write({"metadata/h.yml": metadata("field.long: a", "field.string: b")})


# ------------------------------------------------------------------------------------------------- configuration

@rule
def no_target_is_refused(p):
    p.write({"project.yml": "name: x\n"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NO_TARGET"], answer
    answer = p.verify()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NO_TARGET"], answer


@rule
def unknown_target_and_only_name_the_known(p):
    answer = p.gen("--target", "tt")
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NO_TARGET"] and "'t'" in answer.message(), answer
    answer = p.gen("--only", "harbour::Boat")
    assert answer.exit == 2 and "harbour::Boat" in answer.message() and "harbour::Sailing" in str(answer), answer
    assert not p.there("gen")


@rule
def unknown_keys_are_refused_with_their_line(p):
    for text, line in ((targets("{name: t, pack: ./pack, out: gen, outt: x}"), 3), ("gen:\n  target: []\n", 2),
                       ("gen:\n  targets: []\n  orphans: burn\n", 3), ("gen:\n  targets: []\n  eol: cr\n", 3),
                       (targets("{name: T-, pack: ./pack, out: gen}"), 3), (targets("{name: t, pack: ./pack}"), 3),
                       (targets("{name: t, pack: ./pack, out: gen}", "{name: t, pack: ./pack, out: gen2}"), 4)):
        p.write({"project.yml": text})
        answer = p.gen()
        places = re.findall(r'"line": (\d+)', str(answer))
        assert answer.exit == 2 and answer.codes() == ["ERR_CONFIG"] and str(line) in places, (text, answer)


@rule
def pack_that_is_not_there(p):
    p.write({"project.yml": targets("{name: t, pack: ccp, out: gen}")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PACK_NOT_FOUND"] and "cpp" in answer.message(), answer
    p.write({"project.yml": targets("{name: t, pack: ./nowhere, out: gen}")})
    assert p.gen().codes() == ["ERR_PACK_NOT_FOUND"]


@rule
def pack_yml_that_is_malformed(p):
    for text in (PACK + "colour: red\n", PACK + "format: pdf\n", PACK.replace("scope: object", "scope: table"),
                 PACK.replace("template: object, ", ""), PACK.replace('line: "//"', 'lines: "//"'), "- a\n", "pack: [\n"):
        p.write({"pack/pack.yml": text})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes() == ["ERR_PACK_INVALID"], (text, answer)
        assert '"file": "pack/pack.yml"' in str(answer), answer
    assert not p.there("gen")


@rule
def options_are_checked_against_the_pack(p):
    pack = PACK + "options:\n  style: {type: enum, values: [thin, thick], default: thin}\n  deep: {type: bool, default: \"false\"}\n  size: {type: int, default: \"3\"}\n"
    p.write({"pack/pack.yml": pack, "pack/object.mustache": "{{options.style}} {{options.size}}{{#options.deep}} deep{{/options.deep}}{{#options.style_thick}}!{{/options.style_thick}}\n"})
    for options in ("{styl: thin}", "{style: fat}", "{deep: maybe}", "{size: big}", "{style: [thin]}"):
        p.write({"project.yml": targets(f"{{name: t, pack: ./pack, out: gen, options: {options}}}")})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes() == ["ERR_PACK_OPTION"] and '"line": 3' in str(answer), (options, answer)
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen, options: {style: thick, deep: true}}")})
    assert p.gen().exit == 0 and p.read(FILE).endswith("thick 3 deep!\n"), p.read(FILE)


@rule
def placeholders(p):
    out = "{package}/{package_path}/{name}-{Name}-{name_snake}-{name_kebab}-{TypeName}-{target}.txt"
    p.write({"pack/pack.yml": PACK.replace("{package}/{Name}.txt", out),
             "metadata/h.yml": metadata(name="lateFerry", package="harbour::fleet")})
    assert p.gen().exit == 0
    assert p.there("gen/harbour/fleet/harbour/fleet/lateFerry-LateFerry-late_ferry-late-ferry-LateFerry-t.txt"), p.snapshot().keys()
    p.write({"pack/pack.yml": PACK.replace("{Name}", "{nam}")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PACK_PLACEHOLDER"] and "{nam}" in answer.message(), answer


@rule
def type_without_a_word_in_the_pack(p):
    p.write({"metadata/h.yml": metadata("field.int: a", "field.date: due")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PACK_TYPE_UNMAPPED"], answer
    assert "due" in answer.message() and "demo" in answer.message() and not p.there("gen"), answer


@rule
def pack_written_for_another_shape(p):
    p.write({"pack/object.mustache": OBJECT + "{{#fields}}\n{{colum}}\n{{/fields}}\n"})
    for answer in (p.gen(), p.verify()):
        assert answer.exit == 2 and answer.codes() == ["ERR_VAR_NOT_ON_PAYLOAD"], answer
        assert re.search(r'"file": "pack/object.mustache", "line": 11, "column": 1', str(answer)), answer
    checked = p.answer("verify", "--templates", "--packs")
    finding = checked["gates"][0]["findings"][0]
    assert (finding["code"], finding["file"], finding["line"], finding["suggestion"]) == (
        "ERR_VAR_NOT_ON_PAYLOAD", "pack/object.mustache", 11, "column"), checked
    p.write({"pack/object.mustache": "{{#fields}}\n"})
    assert p.gen().codes() == ["ERR_TEMPLATE_SYNTAX"]


@rule
def old_names_of_scopes_are_taken(p):
    p.write({"pack/pack.yml": PACK.replace("scope: object", "scope: perEntity") + '  - {template: p, scope: perPackage, out: "{package}.txt"}\n'
             '  - {template: m, scope: perModel, out: "all.txt"}\n', "pack/p.mustache": "{{package}}\n", "pack/m.mustache": "{{#packages}}{{package}}\n{{/packages}}"})
    assert p.gen().statuses() == {FILE: "created", "gen/harbour.txt": "created", "gen/all.txt": "created"}


@rule
def kinds_and_abstract_objects(p):
    p.write({"pack/pack.yml": PACK.replace("scope: object,", "scope: object, kinds: [entity],"), "metadata/h.yml": metadata() + """
  - object.value: { name: Base, abstract: true, children: [{ field.int: x }] }
  - object.entity:
      name: Boat
      children: [{ source.rdb: {} }, { field.long: id }, { identity.primary: { fields: id } }]
"""})
    assert p.gen().statuses() == {"gen/harbour/Boat.txt": "created"}
    p.write({"pack/pack.yml": PACK})
    assert set(p.gen().statuses()) == {"gen/harbour/Boat.txt", FILE}, "an abstract object has no file"


@rule
def include_and_exclude(p):
    p.write({"metadata/h.yml": metadata() + "  - object.value: { name: Boat, children: [{ field.int: x }] }\n",
             "metadata/d.yml": metadata(name="Deep", package="harbour::fleet")})
    cases = {'include: ["harbour::*"]': {"Sailing", "Boat"}, 'include: ["harbour::**"]': {"Sailing", "Boat", "Deep"},
             'include: ["harbour::*"], exclude: ["harbour::B*"]': {"Sailing"}, 'exclude: ["**"]': set(),
             'include: ["harbour::Sail*", "**::Deep"]': {"Sailing", "Deep"}}
    for text, names in cases.items():
        p.write({"project.yml": targets(f"{{name: t, pack: ./pack, out: gen, {text}}}")})
        assert {path.split("/")[-1][:-4] for path, status in p.gen().statuses().items() if status != "removed"} == names, text
    for pattern in ("harbour:*", "a***", "", "a::", "a b"):
        p.write({"project.yml": targets(f'{{name: t, pack: ./pack, out: gen, include: ["{pattern}"]}}')})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes() == ["ERR_SCOPE_PATTERN_INVALID"], (pattern, answer)
    p.write({"project.yml": targets('{name: t, pack: ./pack, out: gen, exclude: ["harbor::*"]}')})
    answer = p.gen()
    assert answer.exit == 0 and "WARN_GEN_PATTERN_UNUSED" in answer.stderr and "harbor::*" in answer.stderr, answer


# ----------------------------------------------------------------------------------------------------------- names

@rule
def two_members_with_one_identifier(p):
    for fields in (("field.int: seatsLeft", "field.int: seats_left"), ("field.int: line1", "field.int: line_1"),
                   ("field.enum: { name: a, values: [north, NORTH] }",), ("field.int: _a", "field.int: a")):
        p.write({"metadata/h.yml": metadata(*fields)})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NAME_COLLISION"] and not p.there("gen"), (fields, answer)
        assert '"line": ' in str(answer) and "both become" in answer.message(), answer


@rule
def two_types_with_one_identifier(p):
    p.write({"project.yml": targets("{name: t, pack: typescript, out: gen}")})
    entity = "  - object.entity:\n      name: Boat\n      children: [{ source.rdb: {} }, { field.long: id }, { field.enum: { name: side, values: [A] } }, { identity.primary: { fields: id } }]\n"
    other = "  - object.value: { name: %s, children: [{ field.int: x }] }\n"
    for name in ("BoatPatch", "NewBoat", "BoatTable", "BoatSide", "BoatSideValues", "boat"):
        p.write({"metadata/h.yml": "package: harbour\nchildren:\n" + entity + other % name})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NAME_COLLISION"] and not p.there("gen"), (name, answer)
    p.write({"metadata/h.yml": "package: harbour\nchildren:\n" + entity + other % "BoatRow"})
    assert p.gen().exit == 0


@rule
def equal_names_of_packages(p):
    p.write({"pack/object.mustache": "{{typeName}}\n", "pack/pack.yml": PACK.replace("{Name}", "{TypeName}"),
             "metadata/h.yml": metadata(name="Note"), "metadata/b.yml": metadata(name="Note", package="fleet::old"),
             "metadata/c.yml": metadata(name="Other")})
    assert set(p.gen().statuses()) == {"gen/harbour/HarbourNote.txt", "gen/fleet/old/FleetOldNote.txt", "gen/harbour/Other.txt"}
    p.write({"metadata/d.yml": metadata(name="Note", package="fleet_old")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PAYLOAD_NAME_COLLISION"], answer
    assert "fleet::old::Note" in answer.message() and "fleet_old::Note" in answer.message(), answer


@rule
def words_of_the_language_get_an_underscore(p):
    p.write({"pack/pack.yml": PACK + "reserved: [class, Class]\nreserved_types: [List]\n",
             "metadata/h.yml": metadata("field.int: class", "field.int: _2nd", "field.int: _", name="Class"),
             "metadata/l.yml": metadata(name="List"), "pack/object.mustache": "{{typeName}}{{#fields}} {{nameSnake}}{{/fields}}\n"})
    p.gen()
    assert p.read("gen/harbour/Class_.txt").endswith("\nClass_ class_ _2nd underscore\n"), p.read("gen/harbour/Class_.txt")
    assert "List_ " in p.read("gen/harbour/List.txt")


# -------------------------------------------------------------------------------------------------------------- paths

@rule
def two_files_with_one_path(p):
    p.write({"pack/pack.yml": PACK + '  - {template: other, scope: object, out: "{package}/{Name}.txt"}\n', "pack/other.mustache": "x\n"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_COLLISION"] and "object" in answer.message() and "other" in answer.message(), answer
    p.write({"pack/other.mustache": OBJECT})
    assert p.gen().statuses() == {FILE: "created"}, "equal texts are one file"
    p.write({"pack/pack.yml": PACK + '  - {template: object, scope: object, out: "{package}/{name_snake}.TXT"}\n'})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_COLLISION"], "paths that differ in case only"


@rule
def paths_that_leave_the_project(p):
    for out in ("../other", "a/../../other", "/tmp/kedge-no"):
        p.write({"project.yml": targets(f"{{name: t, pack: ./pack, out: {out}}}")})
        answer = p.gen()
        assert answer.exit == 2 and answer.codes()[0] in ("ERR_GEN_PATH_OUTSIDE", "ERR_CONFIG"), (out, answer)
    outside = p.folder.parent / (p.folder.name + "-outside")
    outside.mkdir()
    p.path("gen").symlink_to(outside)
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and not list(outside.iterdir()), answer
    p.path("gen").unlink()
    p.path("inside").mkdir()
    p.path("gen").symlink_to(p.path("inside"))
    assert p.gen().exit == 0 and p.there("inside/harbour/Sailing.txt"), "a link inside the project is fine"


@rule
def targets_of_which_none_is_left(p):
    p.gen()
    p.write({"project.yml": "name: x\n"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_NO_TARGET"] and p.there(FILE), answer
    answer = p.gen("--prune-targets")
    assert answer.exit == 0 and answer.statuses() == {FILE: "removed"} and not p.there(FILE), answer


@rule
def files_that_are_links_out_of_the_project(p):
    p.gen()
    outside = p.folder.parent / (p.folder.name + "-outside.txt")
    p.path(FILE).rename(outside)
    p.path(FILE).symlink_to(outside)
    mine = outside.read_text()
    p.write({"metadata/h.yml": metadata("field.long: a", "field.string: b")})
    for arguments in ((), ("--discard", FILE), ("--adopt", FILE), ("--dry-run",)):
        answer = p.gen(*arguments)
        assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and FILE in answer.message(), (arguments, answer)
    p.write({"metadata/h.yml": metadata(name="Other")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and p.path(FILE).is_symlink(), "nothing is removed"
    p.write({"project.yml": targets("{name: u, pack: ./pack, out: gen2}")})
    answer = p.gen("--prune-targets")
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and p.path(FILE).is_symlink(), answer
    assert outside.read_text() == mine and not p.there("gen2"), "neither written nor replaced"


@rule
def a_conflict_is_not_taken_back_through_a_link(p):
    conflicted(p)
    p.gen()
    outside = p.folder.parent / (p.folder.name + "-outside.txt")
    p.path(FILE).rename(outside)
    p.path(FILE).symlink_to(outside)
    marked = outside.read_text()
    p.write({"project.yml": targets("{name: u, pack: ./pack, out: gen2}")})
    answer = p.gen("--abort", FILE)
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and outside.read_text() == marked, answer


@rule
def devices_and_pipes_in_the_place_of_a_file(p):
    p.path(FILE).parent.mkdir(parents=True)
    os.mkfifo(p.path(FILE))
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_IO"] and "no regular file" in answer.message(), answer
    assert not p.there("codegen/state"), "nothing was written"


@rule
def docs_and_ejected_packs_stay_inside(p):
    outside = p.folder.parent / (p.folder.name + "-outside")
    outside.mkdir()
    p.path("docs").symlink_to(outside)
    p.write({"project.yml": "name: x\ndocs: {out: docs}\n"})
    answer = Answer(p.answer("docs"))
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and not list(outside.iterdir()), answer
    p.path("codegen").mkdir()
    p.path("codegen/packs").symlink_to(outside)
    answer = p.gen("--eject", "typescript")
    assert answer.exit == 2 and answer.codes() == ["ERR_GEN_PATH_OUTSIDE"] and not list(outside.iterdir()), answer


@rule
def folder_that_is_a_file(p):
    p.write({"gen": "a file\n"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_IO"] and p.read("gen") == "a file\n", answer
    assert not p.there("codegen/state"), "nothing was written"


@rule
def folder_in_the_place_of_a_file(p):
    p.path(FILE).mkdir(parents=True)
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_IO"] and FILE in answer.message(), answer


@rule
def read_only_file_stops_before_anything_is_written(p):
    p.write({"metadata/c.yml": metadata(name="Other")})
    p.gen()
    p.path(FILE).chmod(stat.S_IRUSR)
    before = p.snapshot()
    p.write({"metadata/c.yml": metadata("field.int: n", name="Other"), "metadata/h.yml": metadata("field.int: n")})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_IO"] and FILE in answer.message(), answer
    after = p.snapshot()
    assert {k: v for k, v in after.items() if not k.startswith("metadata")} == {k: v for k, v in before.items() if not k.startswith("metadata")}
    p.path(FILE).chmod(0o644)
    assert p.gen().statuses() == {FILE: "updated", "gen/harbour/Other.txt": "updated"}


# -------------------------------------------------------------------------------------------------------------- header

@rule
def header_names_pack_source_and_sum(p):
    import hashlib
    p.gen()
    first, rest = p.read(FILE).split("\n", 1)
    assert first == ("// @generated by kedge, pack demo, from harbour::Sailing. Hand edits are merged, not lost. kedge-sum:"
                     + hashlib.sha256(rest.encode()).hexdigest()[:16]), first
    assert rest.startswith("\nrecord"), "one empty line follows"
    p.write({"pack/pack.yml": PACK.replace('{line: "//"}', '{open: "<!--", close: "-->"}')})
    p.gen()
    assert re.match(r"<!-- @generated by kedge, pack demo, .* kedge-sum:[0-9a-f]{16} -->\n\n", p.read(FILE)), p.read(FILE)


@rule
def json_packs_carry_the_facts_in_a_key(p):
    import hashlib
    import json
    p.write({"project.yml": targets("{name: api, pack: openapi, out: api}", "{name: s, pack: json-schema, out: s}")})
    p.gen()
    text = p.read("api/openapi.json")
    facts = json.loads(text)["x-kedge-generated"]
    assert list(facts) == ["pack", "from", "sum"] and facts["pack"] == "openapi" and facts["from"] == "model"
    assert hashlib.sha256(text.replace(facts["sum"], "").encode()).hexdigest()[:16] == facts["sum"]
    assert text.startswith('{\n  "x-kedge-generated"')
    assert re.match(r'\{\n  "\$comment": "@generated by kedge, pack json-schema, from harbour::Sailing\.', p.read("s/harbour/Sailing.schema.json"))


@rule
def lost_header_is_no_handing_over(p):
    p.gen()
    body = p.read(FILE).split("\n", 2)[2]
    p.write({FILE: body})
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    assert p.gen().status(FILE) in ("updated", "merged") and "  c: int?" in p.read(FILE)


# --------------------------------------------------------------------------------------------------------------- state

@rule
def manifest_is_sorted_and_one_entry_a_line(p):
    p.write({"metadata/c.yml": metadata(name="Boat")})
    p.gen()
    lines = p.read("codegen/state/manifest.json").splitlines()
    entries = [line for line in lines if '"gen/' in line]
    assert entries == sorted(entries) and len(entries) == 2 and '"sha"' in entries[0] and '"target"' in entries[0], lines
    assert p.read("codegen/state/.gitattributes") == "base/** -diff -merge linguist-generated\n"
    assert p.read("codegen/state/base/" + FILE) == p.read(FILE)


@rule
def corrupt_manifest_stops_everything(p):
    p.gen()
    good = p.read("codegen/state/manifest.json")
    first = good.splitlines()
    marked = "\n".join([*first[:2], "<<<<<<< HEAD", first[2], "=======", first[2], ">>>>>>> other", *first[3:]]) + "\n"
    for text, line in (("{", 1), (good.replace('"version": 1\n', '"version": 7\n'), 5), (marked, 3), ("", 1), ("[]", 1), (good[:-10], None)):
        p.write({"codegen/state/manifest.json": text, "metadata/h.yml": metadata("field.int: changed")})
        before = p.snapshot()
        for answer in (p.gen(), p.verify()):
            assert answer.exit == 2 and answer.codes() == ["ERR_GEN_STATE_CORRUPT"], (text, answer)
            assert "kedge gen" in str(answer), "the remedy is named"
            assert line is None or f'"line": {line}' in str(answer), (text, answer)
        assert p.snapshot() == before, "nothing was written"
    p.write({"codegen/state/manifest.json": good})
    assert p.gen().status(FILE) == "updated"


@rule
def either_side_of_a_manifest_recovers(p):
    p.gen()
    old = p.read("codegen/state/manifest.json")
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    p.gen()
    p.write({"codegen/state/manifest.json": old})
    assert p.gen().status(FILE) == "unchanged" and p.verify().exit == 0


@rule
def tampered_base_counts_as_absent(p):
    p.gen()
    edited(p)
    p.write({"codegen/state/base/" + FILE: "something else\n", "metadata/h.yml": metadata("field.int: a")})
    answer = p.gen()
    assert answer.exit == 1 and answer.status(FILE) == "refused" and answer.codes() == ["ERR_GEN_NO_BASE"], answer


@rule(git=True)
def base_comes_from_git_history(p):
    p.gen()
    p.commit()
    for number in range(3):
        p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", f"field.int: c{number}")})
        p.gen()
        p.commit()
    edited(p)
    p.write({"codegen/state/base/" + FILE: None, "metadata/h.yml": metadata("field.int: a", "field.string: b")})
    p.commit("the edit, and no base")
    answer = p.gen()
    assert answer.exit == 0 and answer.status(FILE) == "merged", answer
    assert "  mine" in p.read(FILE) and "c2" not in p.read(FILE)


@rule(git=True)
def base_comes_from_the_sum_in_the_header(p):
    """State of another branch: the recorded hash is of a text that this file never had."""
    p.gen()
    p.commit()
    edited(p)
    p.commit()
    p.write({"codegen/state/base/" + FILE: None, "codegen/state/manifest.json": None,
             "metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    answer = p.gen()
    assert answer.exit == 0 and answer.status(FILE) == "merged" and "  mine" in p.read(FILE) and "  c: int?" in p.read(FILE), answer


@rule(git=True)
def bases_can_stay_on_this_machine(p):
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", more="  bases: local\n"), ".gitignore": ".kedge/\n"})
    p.gen()
    assert not p.there("codegen/state/base") and p.there(".kedge/gen/base/" + FILE)
    edited(p)
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    assert p.gen().status(FILE) == "merged" and "  mine" in p.read(FILE)
    p.commit()
    p.write({".kedge/gen/base": None, "metadata/h.yml": metadata("field.int: a")})
    answer = p.gen()
    assert answer.codes() == ["ERR_GEN_NO_BASE"], "the text generated last was never committed"


@rule(git=True)
def ignored_state_is_warned_of(p):
    p.write({".gitignore": "codegen/\n"})
    for answer in (p.gen(), p.verify()):
        assert answer.exit == 0 and "WARN_GEN_STATE_IGNORED" in answer.stderr, answer
    p.run_git("add", "-f", "codegen/state/manifest.json")
    assert "WARN_GEN_STATE_IGNORED" not in p.gen().stderr, "a tracked file is not ignored"


# ------------------------------------------------------------------------------------------------------------ decisions

@rule
def every_row_and_its_dry_run(p):
    names = ["Created", "Restored", "Same", "Stale", "Kept", "Merged", "Clash", "NoBase", "Foreign", "Binary", "Gone", "GoneEdited"]
    text = lambda fields, names: "package: h\nchildren:\n" + "".join(
        f"  - object.value: {{ name: {name}, children: [{', '.join('{ ' + f + ' }' for f in fields.get(name, fields['']))}] }}\n" for name in names)
    old = {"": ["field.int: a", "field.int: b"]}
    new = {"": old[""], **{name: [*old[""], "field.int: c"] for name in ("Stale", "Merged", "NoBase")}, "Clash": ["field.long: a", "field.int: b"]}
    path = lambda name: f"gen/h/{name}.txt"
    p.write({"metadata/h.yml": text(old, names[1:8] + names[10:])})
    p.gen()
    p.write({path("Restored"): None, path("Foreign"): "my own\n", path("Binary"): b"\xff\xfe\x00"})
    for name in ("Kept", "Merged", "NoBase", "GoneEdited"):
        edited(p, path(name))
    p.edit(path("Clash"), "a: int?", "a: int? mine")
    p.write({"codegen/state/base/" + path("NoBase"): None, "metadata/h.yml": text(new, names[:10])})
    wanted = {"Created": "created", "Restored": "restored", "Same": "unchanged", "Stale": "updated", "Kept": "kept", "Merged": "merged",
              "Clash": "conflict", "NoBase": "refused", "Foreign": "refused", "Binary": "refused", "Gone": "removed", "GoneEdited": "orphan"}
    before = p.snapshot()
    dry = p.gen("--dry-run")
    assert p.snapshot() == before, "a dry run writes nothing"
    real = p.gen()
    for answer in (dry, real):
        assert {path(k): v for k, v in wanted.items()} == answer.statuses(), answer.statuses()
        assert answer.exit == 1 and answer.document["dry_run"] == (answer is dry)
        assert answer.codes() == ["ERR_GEN_CONFLICT_UNRESOLVED", "ERR_GEN_FOREIGN_FILE", "ERR_GEN_NOT_TEXT", "ERR_GEN_NO_BASE", "ERR_GEN_ORPHAN_EDITED"]
        counts = {}
        for status in wanted.values():
            counts[status] = counts.get(status, 0) + 1
        assert {k: v for k, v in answer.document["summary"].items() if v} == counts, answer.document["summary"]
        assert answer.files[path("Clash")]["regions"] == 1
    text_of = p.run("gen").stdout
    assert re.search(r"^conflict +gen/h/Clash\.txt:\d+ \(1 region\)", text_of, re.M), text_of
    again = p.snapshot()
    p.gen()
    assert p.snapshot() == again, "a second run changes nothing"


@rule
def line_ends_stay_those_of_the_file(p):
    p.gen()
    p.write({FILE: p.read(FILE).replace("\n", "\r\n").encode()})
    assert p.gen().status(FILE) == "unchanged" and p.verify().exit == 0
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    assert p.gen().status(FILE) == "updated"
    text = p.read(FILE)
    assert text.count("\r\n") == text.count("\n") and "  c: int?\r\n" in text
    p.write({FILE: text.replace("  none\r\n", "  none\r\n  mine\r\n").encode(), "metadata/h.yml": metadata("field.int: a")})
    assert p.gen().status(FILE) == "merged" and p.read(FILE).count("\r\n") == p.read(FILE).count("\n") and "  mine\r\n" in p.read(FILE)


@rule
def new_files_take_the_line_ends_of_the_project(p):
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", more="  eol: crlf\n")})
    p.gen()
    assert p.read(FILE).count("\r\n") == p.read(FILE).count("\n") > 5
    assert p.gen().status(FILE) == "unchanged" and p.verify().exit == 0


@rule
def missing_last_newline_does_not_conflict(p):
    p.gen()
    p.write({FILE: p.read(FILE).rstrip("\n")})
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    answer = p.gen()
    assert answer.exit == 0 and "  c: int?" in p.read(FILE), answer


@rule
def the_same_change_on_both_sides(p):
    p.gen()
    p.edit(FILE, "  b: string?\n", "  b: string?\n  c: int?\n")
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    answer = p.gen()
    assert answer.exit == 0 and answer.status(FILE) == "updated" and p.verify().document["gates"][0]["edited"] == 0, answer


# ------------------------------------------------------------------------------------------------------------ conflicts

@rule
def markers_stand_until_settled(p):
    conflicted(p)
    answer = p.gen()
    assert answer.exit == 1 and answer.status(FILE) == "conflict"
    text = p.read(FILE)
    assert "<<<<<<< your edits\n  a: int? by hand\n||||||| last generated\n  a: int?\n=======\n  a: long?\n>>>>>>> new generated\n" in text, text
    assert "by hand" in p.read(".kedge/gen/pending/" + FILE + ".ours") and "<<<" not in p.read(".kedge/gen/pending/" + FILE + ".ours")
    before = p.snapshot()
    assert p.gen().exit == 1 and p.snapshot() == before
    assert p.verify().codes() == ["ERR_GEN_CONFLICT_UNRESOLVED"]
    p.write({FILE: re.sub(r"<<<<<<<.*?>>>>>>> new generated\n", "  a: something third\n", text, flags=re.S)})
    assert p.verify().exit == 0
    assert p.gen().status(FILE) == "kept" and not p.there(".kedge/gen/pending/" + FILE + ".ours")
    assert p.gen().status(FILE) == "kept" and "something third" in p.read(FILE)
    p.write({"metadata/h.yml": metadata("field.long: a", "field.string: b", "field.int: c")})
    assert p.gen().status(FILE) in ("merged", "conflict") and "something third" in p.read(FILE)


@rule
def conflict_of_keep_leaves_the_file(p):
    conflicted(p)
    mine = p.read(FILE)
    answer = p.gen("--on-conflict", "keep")
    assert answer.exit == 1 and answer.status(FILE) == "conflict" and p.read(FILE) == mine
    assert "a: long?" in p.read(".kedge/gen/pending/" + FILE + ".fresh")
    assert p.gen("--on-conflict", "keep").exit == 1 and p.verify().codes() == ["ERR_GEN_CONFLICT_UNRESOLVED"]
    said = p.run("gen", "--on-conflict", "keep").stdout
    assert f"conflict {FILE}  ERR" in said, f"no line and no region where the file has none: {said}"
    p.edit(FILE, "a: int? by hand", "a: long? by hand")
    answer = p.gen()
    assert answer.exit == 0 and answer.status(FILE) == "kept" and p.verify().exit == 0, answer


@rule
def conflict_of_fail_writes_nothing_at_all(p):
    p.write({"metadata/c.yml": metadata(name="Other")})
    conflicted(p)
    p.write({"metadata/c.yml": metadata("field.int: z", name="Other")})
    before = p.snapshot()
    answer = p.gen("--on-conflict", "fail")
    assert answer.exit == 1 and answer.status(FILE) == "conflict" and p.snapshot() == before, answer


@rule
def abort_puts_the_file_back(p):
    conflicted(p)
    mine = p.read(FILE)
    p.gen()
    answer = p.gen("--abort", FILE)
    assert answer.exit == 0 and answer.status(FILE) == "kept" and p.read(FILE) == mine, answer
    assert p.gen().exit == 1, "and the conflict comes back with the next run"
    answer = p.gen("--abort", "gen/harbour/Other.txt")
    assert answer.exit == 2 and "gen/harbour/Other.txt" in answer.message(), answer


@rule
def abort_settles_a_conflict_of_what_is_not_generated_any_more(p):
    p.write({"metadata/c.yml": metadata(name="Other")})
    conflicted(p)
    mine = p.read(FILE)
    assert p.gen().status(FILE) == "conflict"
    p.write({"metadata/h.yml": None})
    answer = p.gen("--abort", FILE)
    assert answer.exit == 0 and answer.status(FILE) == "kept" and "no target generates" in answer.message() and p.read(FILE) == mine, answer
    assert p.gen().codes() == ["ERR_GEN_ORPHAN_EDITED"] and p.gen("--forget", FILE).exit == 0 and p.verify().exit == 0


@rule
def abort_in_a_narrow_run_touches_nothing_else(p):
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", "{name: u, pack: ./pack, out: gen2}"),
             "metadata/c.yml": metadata(name="Other"), "metadata/k.yml": metadata(name="Third")})
    conflicted(p)
    mine = p.read(FILE)
    for narrow in (("--target", "u"), ("--only", "harbour::Other")):
        assert p.gen("--target", "t").status(FILE) == "conflict"
        before = {name: text for name, text in p.snapshot().items() if name.startswith("gen")}
        answer = p.gen(*narrow, "--abort", FILE)
        assert answer.exit == 0 and answer.status(FILE) == "kept" and "no target generates" not in answer.message(), answer
        names = [target["name"] for target in answer.document["targets"]]
        assert len(names) == len(set(names)) and all(target["pack"] for target in answer.document["targets"]), answer
        assert "removed" not in answer.statuses().values() and p.read(FILE) == mine, answer
        for name, text in before.items():
            assert name in (FILE, "gen2/harbour/Sailing.txt") or p.path(name).read_bytes() == text, name


@rule
def the_line_of_a_conflict_is_that_of_the_file(p):
    p.gen()
    header, *body = p.read(FILE).splitlines()
    p.write({FILE: "\n".join(["<<<<<<< HEAD", header, "=======", header, ">>>>>>> other", *body]) + "\n"})
    p.edit(FILE, "  none\n", "<<<<<<< HEAD\n  one\n=======\n  two\n>>>>>>> other\n")
    line = [number for number, text in enumerate(p.read(FILE).splitlines(), 1) if text == "<<<<<<< HEAD"][1]
    said = p.run("gen").stdout
    assert f"conflict {FILE}:{line} (1 region)" in said, (line, said)


@rule
def markers_that_git_left_are_a_conflict_too(p):
    p.gen()
    p.edit(FILE, "  none\n", "<<<<<<< HEAD\n  one\n=======\n  two\n>>>>>>> other\n")
    answer = p.gen()
    assert answer.exit == 1 and answer.status(FILE) == "conflict", answer
    p.edit(FILE, "<<<<<<< HEAD\n  one\n=======\n", "")
    assert p.gen().status(FILE) == "kept", "a lone closing marker is a line like others"


@rule(git=True)
def two_branches_that_both_generated(p):
    p.gen()
    p.commit("start")
    p.run_git("checkout", "-q", "-b", "other")
    p.write({"metadata/z.yml": metadata(name="Zed"), "metadata/h.yml": metadata("field.int: first", "field.int: a", "field.string: b")})
    p.gen()
    p.commit("other")
    p.run_git("checkout", "-q", "main")
    p.write({"metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: last")})
    p.gen()
    p.commit("main")
    p.run_git("merge", "-q", "other", check=False)
    assert "<<<<<<<" in p.read(FILE), "the headers clash"
    p.write({"metadata/h.yml": metadata("field.int: first", "field.int: a", "field.string: b", "field.int: last")})
    p.run_git("checkout", "--ours", "codegen/state/manifest.json")
    answer = p.gen()
    assert answer.exit == 0, (answer, p.read(FILE))
    text = p.read(FILE)
    assert "<<<<<<<" not in text and "first" in text and "last" in text and p.verify().exit == 0


# --------------------------------------------------------------------------------------------------------------- flags

@rule
def adopt_keeps_an_edit_for_ever(p):
    p.gen()
    edited(p)
    p.write({"codegen": None, "metadata/h.yml": metadata("field.int: a", "field.string: b", "field.int: c")})
    assert p.gen().codes() == ["ERR_GEN_NO_BASE"]
    p.edit(FILE, "  b: string?\n", "  b: string?\n  c: int?\n")
    answer = p.gen("--adopt", FILE)
    assert answer.exit == 0 and answer.status(FILE) == "kept" and "  mine" in p.read(FILE), answer
    for fields in (("field.int: a",), ("field.int: a", "field.string: b", "field.int: d")):
        p.write({"metadata/h.yml": metadata(*fields)})
        answer = p.gen()
        assert answer.exit == 0 and answer.status(FILE) == "merged" and "  mine" in p.read(FILE), answer
    answer = p.gen("--adopt", "gen/nowhere.txt")
    assert answer.exit == 2 and "gen/nowhere.txt" in answer.message()


@rule
def adopt_of_a_foreign_file(p):
    p.write({FILE: "all my own\n"})
    assert p.gen().codes() == ["ERR_GEN_FOREIGN_FILE"]
    assert p.gen("--adopt", FILE).status(FILE) == "kept" and p.read(FILE) == "all my own\n"
    assert p.gen().exit == 0 and p.read(FILE) == "all my own\n"


@rule
def discard_keeps_the_text_aside(p):
    p.gen()
    edited(p)
    mine = p.read(FILE)
    answer = p.gen("--discard", FILE)
    assert answer.exit == 0 and answer.status(FILE) == "updated" and "  mine" not in p.read(FILE), answer
    aside = list(p.path(".kedge/gen/discarded").rglob("Sailing.txt"))
    assert len(aside) == 1 and aside[0].read_text() == mine
    assert p.gen().status(FILE) == "unchanged"


@rule
def flags_do_not_write_in_a_dry_run(p):
    conflicted(p)
    p.gen()
    for flag in ("--abort", "--discard", "--adopt", "--forget"):
        before = p.snapshot()
        p.gen(flag, FILE, "--dry-run")
        assert p.snapshot() == before, flag


@rule
def exact_files_are_never_merged(p):
    p.write({"pack/pack.yml": PACK.replace("{Name}.txt\"}", "{Name}.txt\", exact: true}")})
    p.gen()
    edited(p)
    for fields in ((), ("field.int: a",)):
        p.write({"metadata/h.yml": metadata(*fields)})
        answer = p.gen()
        assert answer.exit == 1 and answer.status(FILE) == "refused" and answer.codes() == ["ERR_GEN_EXACT_EDITED"], answer
        answer = p.gen("--adopt", FILE)
        assert answer.exit == 1 and answer.status(FILE) == "refused", f"an edit that verify will never take is not adopted: {answer}"
        answer = p.verify()
        assert answer.exit == 1 and answer.codes() == ["ERR_GEN_EXACT_EDITED"] and f"--discard {FILE}" in answer.message(), answer
    assert p.gen("--discard", FILE).exit == 0 and p.verify().exit == 0, "the remedy that is printed ends it"
    p.write({"metadata/h.yml": metadata("field.int: z")})
    assert p.verify().codes() == ["ERR_GEN_STALE"] and p.gen().status(FILE) == "updated"


@rule
def target_and_only_narrow_the_run(p):
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", "{name: u, pack: ./pack, out: gen2}"), "metadata/c.yml": metadata(name="Boat")})
    assert set(p.gen("--target", "u").statuses()) == {"gen2/harbour/Sailing.txt", "gen2/harbour/Boat.txt"}
    assert not p.there("gen")
    p.gen()
    p.write({"metadata/c.yml": None, "metadata/h.yml": metadata("field.int: a")})
    answer = p.gen("--only", "harbour::Sailing")
    assert answer.statuses() == {FILE: "updated", "gen2/harbour/Sailing.txt": "updated"}, "and no orphan is swept"
    assert p.there("gen/harbour/Boat.txt")
    p.write({"metadata/h.yml": metadata("field.int: b")})
    answer = p.gen("--target", "t")
    assert answer.status("gen/harbour/Boat.txt") == "removed" and p.there("gen2/harbour/Boat.txt")
    assert p.verify().codes() == ["ERR_GEN_ORPHAN", "ERR_GEN_STALE"], "the other target is stale now"


# --------------------------------------------------------------------------------------------------------------- orphans

@rule
def orphans_are_removed_with_their_folders(p):
    p.write({"metadata/c.yml": metadata(name="Boat", package="harbour::deep")})
    p.gen()
    p.write({"gen/harbour/deep/own.txt": "mine\n"})
    p.write({"metadata/c.yml": None})
    assert p.verify().codes() == ["ERR_GEN_ORPHAN"]
    assert p.gen().status("gen/harbour/deep/Boat.txt") == "removed"
    assert p.there("gen/harbour/deep/own.txt"), "a file that kedge never wrote stays"
    assert not p.there("codegen/state/base/gen/harbour/deep/Boat.txt")
    p.write({"metadata/c.yml": metadata(name="Boat", package="harbour::alone")})
    p.gen()
    p.write({"metadata/c.yml": None})
    p.gen()
    assert not p.there("gen/harbour/alone") and p.verify().exit == 0


@rule
def orphans_can_be_kept(p):
    p.write({"metadata/c.yml": metadata(name="Boat")})
    p.gen()
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", more="  orphans: keep\n"), "metadata/c.yml": None})
    answer = p.gen()
    assert answer.exit == 0 and answer.status("gen/harbour/Boat.txt") == "orphan" and p.there("gen/harbour/Boat.txt"), answer
    assert p.gen().status("gen/harbour/Boat.txt") == "orphan"
    p.write({"gen/harbour/Boat.txt": None})
    assert p.gen().status("gen/harbour/Boat.txt") is None, "gone by itself: the record goes without a word"
    assert "Boat" not in p.read("codegen/state/manifest.json")


@rule
def edited_orphan_names_its_successor(p):
    p.gen()
    edited(p)
    p.write({"metadata/h.yml": metadata(name="Voyage")})
    answer = p.gen()
    assert answer.exit == 1 and answer.status(FILE) == "orphan" and answer.codes() == ["ERR_GEN_ORPHAN_EDITED"], answer
    assert "gen/harbour/Voyage.txt" in answer.files[FILE]["message"], answer
    assert p.gen().status(FILE) == "orphan", "the record is kept"
    assert p.gen("--forget", FILE).exit == 0 and p.there(FILE)
    answer = p.gen()
    assert answer.exit == 0 and answer.status(FILE) is None and p.verify().exit == 0 and "  mine" in p.read(FILE), answer
    answer = p.gen("--forget", FILE)
    assert answer.exit == 2 and FILE in answer.message()


@rule
def files_of_a_target_that_is_gone(p):
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}", "{name: u, pack: ./pack, out: gen2}")})
    p.gen()
    p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen}")})
    answer = p.gen()
    assert answer.status("gen2/harbour/Sailing.txt") == "orphan" and p.there("gen2/harbour/Sailing.txt"), answer
    assert "--prune-targets" in answer.files["gen2/harbour/Sailing.txt"]["message"]
    assert p.gen("--prune-targets").status("gen2/harbour/Sailing.txt") == "removed" and not p.there("gen2/harbour/Sailing.txt")


# ------------------------------------------------------------------------------------------------------------ formatters

FORMAT = "import os, sys\nt = sys.stdin.read()\nsys.stdout.write(t.replace('  ', '\\t') + '// ' + os.environ['KEDGE_FILE'] + '\\n\\n\\n')\n"


@rule
def formatter_sees_text_and_path(p):
    p.write({"fmt.py": FORMAT, "project.yml": targets("{name: t, pack: ./pack, out: gen, formatter: {command: [python3, fmt.py]}}")})
    assert p.gen().exit == 0
    text = p.read(FILE)
    assert "\ta: int?\n" in text and text.endswith(f"// {FILE}\n") and not text.endswith("\n\n"), text
    assert p.gen().status(FILE) == "unchanged" and p.verify().exit == 0
    edited(p, line="\tnone", own="\tmine")
    p.write({"metadata/h.yml": metadata("field.int: a")})
    assert p.gen().status(FILE) == "merged" and "\tmine" in p.read(FILE)
    p.write({"fmt.py": FORMAT.replace("'\\t'", "'    '")})
    assert p.gen().status(FILE) in ("merged", "conflict"), "another formatter is another output"


@rule
def formatter_that_fails_or_is_missing(p):
    for command, words in (("[python3, -c, 'import sys; print(\"broken here\"); sys.exit(3)']", ["3", "broken here"]), ("[kedge-no-such-program]", ["t"])):
        p.write({"project.yml": targets(f"{{name: t, pack: ./pack, out: gen, formatter: {{command: {command}}}}}")})
        for answer in (p.gen(), p.verify()):
            assert answer.exit == 2 and answer.codes() == ["ERR_GEN_FORMATTER"], (command, answer)
            assert all(word in answer.message() for word in words) and not p.there("gen"), answer


@rule
def formatter_that_gives_back_no_text(p):
    """More than there is room for, nothing at all, or what is no text: refused before anything is written."""
    p.gen()
    before = p.snapshot()
    for command, word in (("[yes]", "MiB"), ("['true']", "nothing"), ("[printf, '\\377']", "UTF-8")):
        p.write({"project.yml": targets(f"{{name: t, pack: ./pack, out: gen, formatter: {{command: {command}}}}}")})
        for answer in (p.gen(), p.verify()):
            assert answer.exit == 2 and answer.codes() == ["ERR_GEN_FORMATTER"] and word in answer.message(), (command, answer)
        assert {k: v for k, v in p.snapshot().items() if k.startswith("gen/")} == \
            {k: v for k, v in before.items() if k.startswith("gen/")}, command


# ----------------------------------------------------------------------------------------------------------------- limits

@rule
def file_that_grows_too_large(p):
    fields = [f"field.int: f{number}" for number in range(300)]
    p.write({"metadata/h.yml": metadata(*fields), "pack/object.mustache": "{{#fields}}{{#fields}}{{#fields}}{{name}}\n{{/fields}}{{/fields}}{{/fields}}"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes()[0] in ("ERR_GEN_LIMIT", "ERR_RENDER_LIMIT") and not p.there("gen"), answer


@rule
def result_does_not_depend_on_the_machine(p):
    p.write({"metadata/c.yml": metadata(name="Boat")})
    p.gen()
    first = p.snapshot()
    environment = {**os.environ, "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"}
    import subprocess
    p.write({"gen": None, "codegen": None})
    subprocess.run([p.kedge, "gen"], cwd=p.folder, env=environment, check=True, capture_output=True)
    second = {k: v for k, v in p.snapshot().items() if not k.startswith(".kedge")}
    assert second == {k: v for k, v in first.items() if not k.startswith(".kedge")}


@rule
def the_lock_is_respected(p):
    import fcntl
    import subprocess
    p.gen()
    p.write({"metadata/h.yml": metadata("field.int: z")})
    with open(p.path(".kedge/lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen([p.kedge, "gen", "--format", "json"], cwd=p.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.wait(timeout=1)
            waited = False
        except subprocess.TimeoutExpired:
            waited = True
        assert p.gen("--dry-run").exit == 0, "a dry run needs no lock"
        fcntl.flock(lock, fcntl.LOCK_UN)
    assert waited and process.wait(timeout=30) == 0
    process.stdout.close()
    process.stderr.close()


# ------------------------------------------------------------------------------------------------- a run that has nothing to do

SEEN = ".kedge/gen/seen"


def remembered(p):
    """Runs until the answer comes from the notes: the project is clean, and nothing is written any more."""
    p.gen()
    assert p.gen().status(FILE) == "unchanged" and p.there(SEEN)
    before = p.path(SEEN).stat()
    assert p.gen().status(FILE) == "unchanged"
    after = p.path(SEEN).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns), "told from the notes, not done again"


def in_place(p, name, old, new):
    """An edit of the same size in the same file, its time put back: only the kernel's own change time tells."""
    path = p.path(name)
    times = path.stat()
    assert len(old) == len(new) and path.read_bytes().count(old) == 1, path.read_bytes()
    with open(path, "r+b") as file:
        file.seek(path.read_bytes().index(old))
        file.write(new)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@rule
def notes_miss_no_change_of_an_output(p):
    for what, change, wanted in (
            ("edited", lambda: in_place(p, FILE, b"  none", b"  mine"), "kept"),
            ("deleted", lambda: p.path(FILE).unlink(), "restored"),
            ("replaced by a folder", lambda: (p.path(FILE).unlink(), p.path(FILE).mkdir()), None)):
        if p.path(FILE).is_dir():
            p.path(FILE).rmdir()
        p.write({FILE: None} if p.there(FILE) else {})
        remembered(p)
        change()
        answer = p.gen()
        assert answer.status(FILE) == wanted if wanted else answer.exit != 0, (what, answer)


@rule
def notes_miss_no_change_of_an_input(p):
    other = p.path("metadata/other.yml")
    for what, change in (
            ("metadata edited", lambda: in_place(p, "metadata/h.yml", b"string: b", b"string: c")),
            ("metadata added", lambda: other.write_text(metadata("field.int: a", name="Other"))),
            ("metadata removed", lambda: other.unlink()),
            ("template edited", lambda: in_place(p, "pack/object.mustache", b"record", b"RECORD")),
            ("types edited", lambda: in_place(p, "pack/pack.yml", b"int: int", b"int: INT")),
            ("configuration edited", lambda: p.write({"project.yml": targets("{name: t, pack: ./pack, out: gen2}")}))):
        remembered(p)
        before = p.snapshot()
        change()
        p.gen()
        after = p.snapshot()
        assert any(before.get(name) != after.get(name) for name in {*before, *after} if name.startswith(("gen/", "codegen/")) or name == SEEN), what


@rule
def notes_of_a_copied_project_are_about_the_other_one(p):
    import shutil
    remembered(p)
    copy = p.folder.with_name(p.folder.name + "-copy")
    shutil.copytree(p.folder, copy)
    try:
        p.folder, original = copy, p.folder
        p.write({"metadata/h.yml": metadata("field.int: fresh")})
        assert p.gen().status(FILE) == "updated" and "fresh" in p.read(FILE)
    finally:
        p.folder = original
        shutil.rmtree(copy)


@rule
def notes_that_are_broken_old_or_gone_are_no_loss(p):
    remembered(p)
    good = p.path(SEEN).read_bytes()
    edited(p)
    for text in (None, b"", b"kedge-seen 1", b"kedge-seen 0\n", good[:-1], good[:len(good) // 2], b"\xff" * 100, good):
        p.write({SEEN: text} if text is not None or p.there(SEEN) else {})
        assert p.gen().status(FILE) == "kept", text
    # The state is part of what was seen.
    remembered_state = p.read("codegen/state/manifest.json")
    p.gen()
    p.write({"codegen/state/manifest.json": "{"})
    assert p.gen().exit == 2
    p.write({"codegen/state/manifest.json": remembered_state})
    assert p.gen().status(FILE) == "kept"
