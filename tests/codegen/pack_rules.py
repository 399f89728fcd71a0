"""Packs that a user owns: eject, update, per-file extension, the list; and the options of the built-in ones."""
import json
import re

from gen_rules import rule
from project import OBJECT, PACK, metadata, targets

ENTITY = """package: harbour
children:
  - object.entity:
      name: Boat
      children:
        - source.rdb: {}
        - field.long: id
        - field.string: { name: callSign, required: true, maxLength: 12 }
        - identity.primary: { fields: id, generation: increment }
"""


def with_pack(p, pack, more=""):
    p.write({"project.yml": targets(f"{{name: t, pack: {pack}, out: gen{more}}}"), "metadata/h.yml": ENTITY})


@rule
def eject_copies_and_says_what_to_change(p):
    with_pack(p, "cpp")
    project = p.read("project.yml")
    done = p.run("gen", "--eject", "cpp")
    assert done.returncode == 0 and "pack: cpp" in done.stdout and "pack: ./codegen/packs/cpp" in done.stdout, done.stdout
    assert p.read("project.yml") == project, "project.yml is never edited"
    before = {path: text for path, text in p.snapshot().items() if path.startswith("codegen/packs")}
    assert "codegen/packs/cpp/pack.yml" in before and "codegen/packs/cpp/object.mustache" in before
    answer = p.answer("gen", "--eject", "cpp")
    assert answer["exit_code"] == 2 and "ERR_FILE_EXISTS" in json.dumps(answer), answer
    p.write({"codegen/packs/cpp/object.mustache": "mine\n"})
    assert p.run("gen", "--eject", "cpp", "--force").returncode == 0
    assert {k: v for k, v in p.snapshot().items() if k.startswith("codegen/packs")} == before
    assert p.run("gen", "--eject", "java", "--to", "tools/java").returncode == 0 and p.there("tools/java/pack.yml")
    answer = p.answer("gen", "--eject", "ccp")
    assert answer["exit_code"] == 2 and "ERR_PACK_NOT_FOUND" in json.dumps(answer) and "cpp" in json.dumps(answer)
    for outside in ("../other", "/tmp/kedge-never"):
        answer = p.answer("gen", "--eject", "cpp", "--to", outside)
        assert answer["exit_code"] == 2 and "ERR_GEN_PATH_OUTSIDE" in json.dumps(answer), answer


@rule
def ejected_pack_gives_the_same_files(p):
    for pack in ("cpp", "typescript", "python", "java", "kotlin", "csharp", "openapi", "json-schema"):
        with_pack(p, pack)
        p.gen()
        built_in = {k: v for k, v in p.snapshot().items() if k.startswith("gen/")}
        assert built_in
        p.run("gen", "--eject", pack)
        with_pack(p, f"./codegen/packs/{pack}")
        answer = p.gen()
        assert set(answer.statuses().values()) == {"unchanged"}, (pack, answer)
        assert {k: v for k, v in p.snapshot().items() if k.startswith("gen/")} == built_in, pack
        p.write({"gen": None, "codegen/state": None})


@rule
def list_shows_packs_options_and_copies(p):
    with_pack(p, "cpp")
    text = p.run("gen", "--list").stdout
    for word in ("cpp", "namespace", "typescript", "orm", "kysely", "python", "pydantic", "java", "spring", "kotlin", "csharp", "openapi",
                 "paths", "json-schema"):
        assert word in text, (word, text)
    assert "markdown" not in text and "common" not in text, text
    p.run("gen", "--eject", "cpp")
    assert re.search(r"cpp .*identical", p.run("gen", "--list").stdout), p.run("gen", "--list").stdout
    p.write({"codegen/packs/cpp/object.mustache": p.read("codegen/packs/cpp/object.mustache") + "// one\n// two\n"})
    assert "differs: 0 lines behind, 2 of your own" in p.run("gen", "--list").stdout
    older(p, "enums", "#pragma once\n", "#pragma once\n// what it once said\n")
    assert re.search(r"differs: [1-9]\d* lines? behind, 2 of your own", p.run("gen", "--list").stdout) or "behind" in p.run("gen", "--list").stdout


def older(p, template, old, new):
    """As if this template had been copied from an older kedge, where it read differently."""
    for folder in ("codegen/packs/cpp", "codegen/packs/cpp/.origin"):
        p.edit(f"{folder}/{template}.mustache", old, new)


@rule
def update_merges_a_newer_pack_into_the_copy(p):
    with_pack(p, "./codegen/packs/cpp")
    p.run("gen", "--eject", "cpp")
    now = p.read("codegen/packs/cpp/object.mustache")
    assert p.run("gen", "--update-pack", "cpp").stdout == "the pack is up to date\n"
    older(p, "object", "#include <chrono>\n", "#include <chrono>\n#include <ctime>\n")
    assert p.answer("gen", "--update-pack", "cpp")["files"] == [{"path": "codegen/packs/cpp/object.mustache", "status": "updated"}]
    assert p.read("codegen/packs/cpp/object.mustache") == now
    older(p, "object", "#include <chrono>\n", "#include <chrono>\n#include <ctime>\n")
    p.edit("codegen/packs/cpp/object.mustache", "{{#isEntity}}\n\n// Absent", "// my own words\n{{#isEntity}}\n\n// Absent")
    answer = p.answer("gen", "--update-pack", "cpp")
    assert answer["exit_code"] == 0 and answer["files"][0]["status"] == "merged", answer
    text = p.read("codegen/packs/cpp/object.mustache")
    assert "// my own words" in text and "<ctime>" not in text
    assert p.gen().exit == 0 and "// my own words" in p.read("gen/harbour/Boat.hpp")


@rule
def update_leaves_conflicts_to_be_settled(p):
    with_pack(p, "./codegen/packs/cpp")
    p.run("gen", "--eject", "cpp")
    older(p, "object", "#include <chrono>\n", "#include <ctime>\n")
    p.edit("codegen/packs/cpp/object.mustache", "#include <ctime>\n", "#include <mytime>\n")
    for _ in range(2):
        answer = p.answer("gen", "--update-pack", "cpp")
        assert answer["exit_code"] == 1 and answer["files"] == [{"path": "codegen/packs/cpp/object.mustache", "status": "conflict"}], answer
    text = p.read("codegen/packs/cpp/object.mustache")
    assert text.count("<<<<<<< your edits") == 1, "markers are not nested"
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PACK_INVALID"] and "object.mustache" in str(answer) and not p.there("gen"), answer
    p.write({"codegen/packs/cpp/object.mustache": re.sub(r"<<<<<<<.*?>>>>>>> [^\n]*\n", "#include <mytime>\n", text, flags=re.S)})
    assert p.run("gen", "--update-pack", "cpp").returncode == 0 and p.gen().exit == 0


@rule
def update_brings_new_templates_and_keeps_line_ends(p):
    with_pack(p, "./codegen/packs/cpp")
    p.run("gen", "--eject", "cpp")
    rows = p.read("codegen/packs/cpp/rows.mustache")
    p.write({"codegen/packs/cpp/rows.mustache": None, "codegen/packs/cpp/.origin/rows.mustache": None})  # of a kedge that had none
    older(p, "object", "#include <chrono>\n", "#include <chrono>\n#include <ctime>\n")
    p.write({"codegen/packs/cpp/object.mustache": p.read("codegen/packs/cpp/object.mustache").replace("\n", "\r\n").encode()})
    answer = p.answer("gen", "--update-pack", "cpp")
    assert answer["exit_code"] == 0 and len(answer["files"]) == 2, answer
    assert p.read("codegen/packs/cpp/rows.mustache") == rows
    text = p.read("codegen/packs/cpp/object.mustache")
    assert "<ctime>" not in text and text.count("\n") == text.count("\r\n")
    p.write({"codegen/packs/cpp/rows.mustache": None})
    assert p.run("gen", "--update-pack", "cpp").stdout == "the pack is up to date\n" and not p.there("codegen/packs/cpp/rows.mustache"), "deleted by its owner"
    assert "ERR_PACK_NOT_FOUND" in json.dumps(p.answer("gen", "--update-pack", "java"))
    assert p.run("gen", "--eject", "java", "--to", "my/java").returncode == 0
    assert p.run("gen", "--update-pack", "java", "--to", "my/java").returncode == 0


@rule
def pack_may_change_one_file_of_another(p):
    p.write({"own/pack.yml": "extends: cpp\npack: ours\n", "own/tables.mustache": "#pragma once\n// {{package}} of ours\n"})
    with_pack(p, "./own", ", options: {namespace: port}")
    assert p.gen().exit == 0
    assert "from harbour." in p.read("gen/harbour/tables.hpp") and "// harbour of ours" in p.read("gen/harbour/tables.hpp")
    assert "pack ours" in p.read("gen/harbour/Boat.hpp") and "namespace port {" in p.read("gen/harbour/Boat.hpp")
    assert "std::optional" in p.read("gen/harbour/Boat.hpp"), "types come from the pack below"
    p.write({"own/pack.yml": "extends: cpp\npack: ours\ntypes: {string: MyString}\n"})
    p.gen()
    assert "MyString call_sign" in p.read("gen/harbour/Boat.hpp") and "std::int64_t id" in p.read("gen/harbour/Boat.hpp")
    p.write({"own/pack.yml": 'extends: cpp\npack: ours\nfiles: [{template: one, scope: model, out: "all.hpp"}]\n', "own/one.mustache": "// {{> note}}\n", "own/note.mustache": "n"})
    answer = p.gen()
    assert answer.status("gen/all.hpp") == "created" and answer.status("gen/harbour/Boat.hpp") == "removed", answer
    p.write({"own/pack.yml": "extends: ccp\npack: ours\n"})
    answer = p.gen()
    assert answer.exit == 2 and answer.codes() == ["ERR_PACK_NOT_FOUND"] and '"file": "own/pack.yml"' in str(answer), answer
    p.write({"own/pack.yml": "extends: cpp\npack: ours\n", "own/tables.mustache": "{{tabels}}\n"})
    answer = p.gen()
    assert answer.codes() == ["ERR_VAR_NOT_ON_PAYLOAD"] and '"file": "own/tables.mustache"' in str(answer), answer


@rule
def options_of_the_built_in_packs(p):
    with_pack(p, "typescript", ", options: {orm: kysely, long: bigint}")
    assert p.gen().status("gen/database.ts") == "created" and "id: bigint;" in p.read("gen/harbour/Boat.ts")
    assert "Generated<" in p.read("gen/database.ts")
    with_pack(p, "typescript")
    assert p.gen().status("gen/database.ts") == "removed" and "id: number;" in p.read("gen/harbour/Boat.ts")
    with_pack(p, "java", ", options: {spring: true, package: org.example.port}")
    answer = p.gen()
    assert answer.status("gen/KedgeStartupConfiguration.java") == "created" and "package org.example.port.harbour;" in p.read("gen/harbour/Boat.java")
    configuration = p.read("gen/KedgeStartupConfiguration.java")
    assert "kedge-model.json" in configuration and "ApplicationReadyEvent" in configuration
    with_pack(p, "kotlin", ", options: {spring: true}")
    assert p.gen().status("gen/KedgeStartupConfiguration.kt") == "created" and "ApplicationReadyEvent" in p.read("gen/KedgeStartupConfiguration.kt")
    with_pack(p, "kotlin")
    assert p.gen().status("gen/KedgeStartupConfiguration.kt") == "removed"
    with_pack(p, "openapi", ", options: {paths: false, title: Harbour}")
    p.gen()
    document = json.loads(p.read("gen/openapi.json"))
    assert document["info"]["title"] == "Harbour" and not document.get("paths") and "Boat" in document["components"]["schemas"], document
    with_pack(p, "markdown")
    assert p.gen().codes() == ["ERR_PACK_NOT_FOUND"], "documentation has a door of its own"


@rule
def gen_never_writes_the_model_of_the_start_up_check(p):
    for pack in ("cpp", "typescript", "python", "java", "kotlin", "csharp"):
        with_pack(p, pack)
        p.gen()
        assert not [path for path in p.snapshot() if "model" in path and path.endswith(".json")], pack
    done = p.run("model", "--out", "kedge-model.json")
    assert done.returncode == 0 and json.loads(p.read("kedge-model.json"))["kedge_model"] == 1
    assert p.run("model").stdout == p.read("kedge-model.json")


@rule
def types_follow_the_table_of_the_language(p):
    subtypes = "string int long float double decimal currency boolean date time timestamp uuid uri inet bytes".split()
    fields = [f"field.{name}: {{ name: f{name}, required: true }}" for name in subtypes] + ["field.timestamp: { name: flocal, localTime: true, required: true }"]
    wanted = {
        "cpp": "std::string std::int32_t std::int64_t float double std::string std::int64_t bool std::chrono::year_month_day kedge::TimeOfDay "
               "kedge::Timestamp kedge::Uuid std::string std::string std::vector<std::byte> kedge::LocalTimestamp",
        "typescript": "string number number number number string number boolean string string string string string string string string",
        "python": "str int int float float decimal.Decimal int bool datetime.date datetime.time datetime.datetime uuid.UUID str str bytes datetime.datetime",
        "java": "String Integer Long Float Double java.math.BigDecimal Long Boolean java.time.LocalDate java.time.LocalTime java.time.Instant "
                "java.util.UUID String String byte[] java.time.LocalDateTime",
        "kotlin": "String Int Long Float Double java.math.BigDecimal Long Boolean java.time.LocalDate java.time.LocalTime java.time.Instant "
                  "java.util.UUID String String ByteArray java.time.LocalDateTime",
        "csharp": "string int long float double decimal long bool DateOnly TimeOnly DateTimeOffset Guid string string byte[] DateTime",
    }
    files = {"cpp": "harbour/Sailing.hpp", "typescript": "harbour/Sailing.ts", "python": "harbour/sailing.py", "java": "harbour/Sailing.java",
             "kotlin": "Sailing.kt", "csharp": "Sailing.cs"}
    for pack, types in wanted.items():
        p.write({"project.yml": targets(f"{{name: {pack}, pack: {pack}, out: gen}}"), "metadata/h.yml": metadata(*fields)})
        p.gen()
        text = p.read("gen/" + files[pack])
        for name, type_name in zip([*subtypes, "local"], types.split()):
            pattern = {"cpp": rf"^  {re.escape(type_name)} f{name}\{{\}};", "typescript": rf"^  f{name}: {re.escape(type_name)};",
                       "python": rf"^    f{name}: {re.escape(type_name)}$", "java": rf"^    {re.escape(type_name)} f{name},?$",
                       "kotlin": rf"^    val f{name}: {re.escape(type_name)},", "csharp": rf"required {re.escape(type_name)} F{name} "}[pack]
            assert re.search(pattern, text, re.M), (pack, name, type_name, text)


@rule
def data_that_packs_see(p):
    """Every published key, through a template that prints them."""
    p.write({"metadata/h.yml": """package: harbour
children:
  - object.entity:
      name: ferryBoat
      description: It floats.
      children:
        - source.rdb: { table: boats, schema: port }
        - field.long: id
        - field.string: { name: callSign, required: true, maxLength: 12, default: none, description: On the radio., filterable: true }
        - field.decimal: { name: draught, precision: 5, scale: 2 }
        - field.currency: { name: fee, currency: EUR }
        - field.enum: { name: side, values: [NORTH, SOUTH], mutability: writeOnce }
        - field.timestamp: { name: made, autoSet: onCreate, required: true }
        - field.object: { name: hull, objectRef: Hull, storage: jsonb }
        - identity.primary: { fields: id, generation: increment }
        - identity.secondary: { name: bySign, fields: callSign }
        - index.lookup: { name: idx_fee, fields: [fee] }
        - relationship.composition: { name: trips, objectRef: Trip, cardinality: many }
  - object.value: { name: Hull, children: [{ field.int: age }] }
  - object.entity:
      name: Trip
      children:
        - source.rdb: {}
        - field.long: id
        - field.long: { name: boatId, required: true }
        - identity.primary: { fields: id }
        - identity.reference: { name: ofBoat, fields: boatId, references: ferryBoat }
""", "project.yml": "migrate: {dialect: postgres}\n" + targets('{name: t, pack: ./pack, out: gen, include: ["harbour::ferryBoat"]}'),
             "pack/pack.yml": PACK.replace("object: object}", "object: object, decimal: dec, currency: cur, timestamp: ts}"), "pack/object.mustache": """\
{{name}} {{Name}} {{nameCamel}} {{nameSnake}} {{nameUpper}} {{nameKebab}} {{package}} {{fqn}} {{kind}} {{isEntity}}{{isValue}}{{isProjection}} {{description}}
{{source.file}}:{{source.line}} {{#table}}{{name}} {{schema}} {{qualified}} {{isView}} {{readOnly}}{{/table}}
{{#fields}}
{{index}}{{#first}} first{{/first}}{{#last}} last{{/last}} {{name}} {{type}} {{column}} {{sqlType}} {{lang}} {{langBase}} req={{required}} null={{nullable}} key={{isKey}} gen={{generated}} mut={{mutability}}{{#maxLength}} len={{maxLength}}{{/maxLength}}{{#default}} def={{default}}{{/default}}{{#precision}} p={{precision}},{{scale}}{{/precision}}{{#currency}} {{currency}}{{/currency}}{{#enumValues}} {{.}}{{/enumValues}}{{#enumName}} {{enumName}}{{/enumName}}{{#autoSet}} {{autoSet}}{{/autoSet}}{{#objectRef}} {{objectRef}}{{/objectRef}}{{#filterable}} f{{/filterable}}{{#description}} "{{description}}"{{/description}}
{{/fields}}
set:{{#settable}} {{name}}{{/settable}}
{{#identities}}{{name}} {{kind}}{{#fields}} {{name}}{{/fields}}{{#columns}} {{column}}{{/columns}}{{#generation}} {{generation}}{{/generation}};{{/identities}}
{{#relationships}}{{name}} {{cardinality}} {{targetRef}} {{target.name}} {{target.package}} {{target.fqn}}{{/relationships}}
{{#indexes}}{{name}}{{#fields}} {{name}}{{/fields}}{{/indexes}}
"""})
    assert p.gen().exit == 0
    assert p.read("gen/harbour/FerryBoat.txt").split("\n", 2)[2] == """\
ferryBoat FerryBoat ferryBoat ferry_boat FERRY_BOAT ferry-boat harbour harbour::ferryBoat entity truefalsefalse It floats.
metadata/h.yml:3 boats port port.boats false false
0 first id long id bigint long long req=false null=false key=true gen=true mut=readWrite
1 callSign string call_sign character varying(12) string string req=true null=false key=false gen=false mut=readWrite len=12 def=none f "On the radio."
2 draught decimal draught numeric(5,2) dec? dec req=false null=true key=false gen=false mut=readWrite p=5,2
3 fee currency fee bigint cur? cur req=false null=true key=false gen=false mut=readWrite EUR
4 side enum side text enum? enum req=false null=true key=false gen=false mut=writeOnce NORTH SOUTH FerryBoatSide
5 made timestamp made timestamp with time zone ts ts req=true null=false key=false gen=false mut=readWrite onCreate
6 last hull object hull jsonb object? object req=false null=true key=false gen=false mut=readWrite harbour::Hull
set: callSign draught fee hull
primary primary id id increment;bySign secondary callSign call_sign;
trips many harbour::Trip Trip harbour harbour::Trip
idx_fee fee
""", p.read("gen/harbour/FerryBoat.txt")


@rule
def model_of_one_target(p):
    other = ENTITY.replace("package: harbour", "package: fleet").replace("Boat", "Truck")
    p.write({"project.yml": targets('{name: cpp, pack: cpp, out: gen, include: ["harbour::*"]}'), "metadata/h.yml": ENTITY, "metadata/f.yml": other})
    names = lambda *more: [entity["object"] for entity in json.loads(p.run("model", *more).stdout)["entities"]]
    assert sorted(names()) == ["fleet::Truck", "harbour::Boat"] and names("--target", "cpp") == ["harbour::Boat"]
    done = p.run("model", "--target", "cp")
    assert done.returncode == 2 and "ERR_GEN_NO_TARGET" in done.stdout + done.stderr and "'cpp'" in done.stdout + done.stderr
