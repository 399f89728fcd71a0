"""`verify --templates`, `render` and `templates list`: nodes, providers, parts, limits, the command line."""
import json
import os
import re
import stat

from gen_rules import rule

MAIL = """package: harbour
children:
  - object.value:
      name: Payload
      children:
        - field.string: { name: holder, required: true, maxLength: 20 }
        - field.object: { name: sailing, objectRef: Brief }
        - field.object[]: { name: bags, objectRef: Bag }
        - field.int: count
  - object.value: { name: Brief, children: [ { field.string: route }, { field.timestamp: departsAt } ] }
  - object.value: { name: Bag, children: [ { field.string: tag }, { field.int: weight } ] }
"""
CARD = "  - template.output: { name: Card, payloadRef: Payload, textRef: cards/card%s }\n"


def template(p, text, more="", extra=""):
    p.write({"metadata/h.yml": MAIL + CARD % (", " + more if more else "") + extra, "templates/cards/card.mustache": text})


class Checked:
    def __init__(self, p, *arguments):
        self.document = p.answer("verify", "--templates", *arguments)
        self.exit, self.stderr = self.document["exit_code"], self.document["stderr"]
        self.gate = self.document["gates"][0] if self.document["gates"] else {}
        self.findings = self.gate.get("findings", [])

    def short(self):
        return [(f["code"], f["path"], f["line"], f["column"]) for f in self.findings]

    def codes(self):
        return sorted({item["code"] for item in [*self.findings, *self.document["errors"]]})

    def __str__(self):
        return json.dumps(self.document)[:1500]


# --------------------------------------------------------------------------------------------------------------- nodes

@rule
def load_errors_of_template_nodes_are_collected(p):
    bad = {
        "template.output: { name: A, textRef: t }": "ERR_MISSING_REQUIRED_ATTR",
        "template.toolcall: { name: B, payloadRef: Payload }": "ERR_MISSING_REQUIRED_ATTR",
        "template.output: { name: C, payloadRef: Nowhere, textRef: t }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: D, payloadRef: Boat, textRef: t }": "ERR_INVALID_TEMPLATE",
        "template.prompt: { name: E, payloadRef: Payload }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: F, payloadRef: Payload }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: G, kind: email, payloadRef: Payload, subjectRef: s }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: H, kind: email, payloadRef: Payload, subjectRef: s, htmlBodyRef: h, textRef: t }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: I, payloadRef: Payload, textRef: t, promptStyle: guide }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: J, payloadRef: Payload, textRef: t, responseRef: Payload }": "ERR_INVALID_TEMPLATE",
        "template.prompt: { name: K, payloadRef: Payload, textRef: t, requiredSlots: [nowhere] }": "ERR_INVALID_TEMPLATE",
        "template.prompt: { name: L, payloadRef: Payload, textRef: t, requiredTags: ['1x'] }": "ERR_INVALID_TEMPLATE",
        "template.prompt: { name: M, payloadRef: Payload, textRef: t, responseRef: Boat }": "ERR_INVALID_TEMPLATE",
        "template.output: { name: N, payloadRef: Payload, textRef: t, format: pdf }": "ERR_BAD_ATTR_VALUE",
        "template.output: { name: O, payloadRef: Payload, textRef: t, kind: fax }": "ERR_BAD_ATTR_VALUE",
        "template.output: { name: P, payloadRef: Payload, textRef: t, maxChars: 0 }": "ERR_BAD_ATTR_VALUE",
        "template.prompt: { name: Q, payloadRef: Payload, textRef: t, maxTokens: -1 }": "ERR_BAD_ATTR_VALUE",
        "template.output: { name: R, payloadRef: Payload, textRef: ../t }": "ERR_REF_INVALID",
        "template.output: { name: S, payloadRef: Payload, textRef: 'a b' }": "ERR_REF_INVALID",
        "template.output: { name: T, payloadRef: Payload, textRef: a/b/c/d/e/f/g/h/i }": "ERR_REF_INVALID",
        "template.output: { name: U, payloadRef: Payload, textRef: a//b }": "ERR_REF_INVALID",
        "template.base: { name: V, payloadRef: Payload }": "ERR_ABSTRACT_SUBTYPE_AUTHORED",
    }
    boat = "  - object.entity: { name: Boat, children: [{ source.rdb: {} }, { field.long: id }, { identity.primary: { fields: id } }] }\n"
    for text, code in bad.items():
        p.write({"metadata/h.yml": MAIL + boat + f"  - {text}\n", "templates/t.mustache": ""})
        checked = Checked(p)
        assert checked.exit == 2 and checked.codes() == [code], (text, checked)
        assert checked.document["errors"][0]["file"] == "metadata/h.yml" and checked.document["errors"][0]["line"] == len((MAIL + boat).splitlines()) + 1
    p.write({"metadata/h.yml": MAIL + boat + "".join(f"  - {text}\n" for text in bad)})
    checked = Checked(p)
    assert checked.exit == 2 and set(checked.codes()) == set(bad.values()) and len(checked.document["errors"]) >= len(bad) - 2, checked
    p.write({"metadata/h.yml": MAIL + CARD % "" + CARD % ""})
    assert Checked(p).codes() == ["ERR_DUPLICATE_NAME"]


@rule
def a_field_and_its_accessor_are_warned_of(p):
    p.write({"metadata/h.yml": MAIL.replace("        - field.int: count\n", "        - field.int: count\n        - field.boolean: hasHolder\n") + CARD % "",
             "templates/cards/card.mustache": "{{hasHolder}}{{holder}}"})
    assert Checked(p).exit == 0 and "hasHolder" in p.run("validate").stdout + p.run("validate").stderr


@rule
def abstract_templates_are_not_checked_and_attributes_are_inherited(p):
    p.write({"metadata/h.yml": MAIL + "  - template.output: { name: Base, abstract: true, payloadRef: Payload, format: html, maxChars: 3 }\n"
             "  - template.output: { name: Child, extends: Base, textRef: c }\n", "templates/c.mustache": "{{holder}}"})
    checked = Checked(p)
    assert checked.exit == 0 and checked.gate["checked"] == {"templates": 1, "texts": 1}, checked
    p.write({"payload.json": '{"holder": "<"}'})
    assert p.run("render", "Child", "--payload", "payload.json").returncode == 1, "&lt; is longer than the inherited budget"
    p.write({"payload.json": '{"holder": "a&"}', "templates/c.mustache": "{{{holder}}}"})
    assert p.run("render", "Child", "--payload", "payload.json").stdout == "a&"


@rule
def payload_names_resolve_in_their_own_package(p):
    other = "package: mail\nchildren:\n  - object.value: { name: Payload, children: [{ field.string: other }] }\n  - template.output: { name: Mine, payloadRef: Payload, textRef: m }\n"
    p.write({"metadata/h.yml": MAIL + CARD % "", "metadata/m.yml": other, "templates/cards/card.mustache": "{{holder}}", "templates/m.mustache": "{{other}}"})
    assert Checked(p).exit == 0
    p.write({"metadata/m.yml": other.replace("payloadRef: Payload", 'payloadRef: "harbour::Payload"')})
    assert Checked(p).short() == [("ERR_VAR_NOT_ON_PAYLOAD", "other", 1, 1)]
    p.write({"metadata/m.yml": "package: mail\nchildren:\n  - template.output: { name: Mine, payloadRef: Payload, textRef: m }\n"})
    assert Checked(p).codes() == ["ERR_INVALID_TEMPLATE"], "an object of another package is never picked"


# ----------------------------------------------------------------------------------------------------------- providers

@rule
def texts_that_are_not_there(p):
    template(p, "{{holder}}")
    p.write({"templates/cards/card.mustache": None})
    checked = Checked(p)
    assert checked.exit == 1 and checked.codes() == ["ERR_TEXT_REF_UNRESOLVED"] and checked.findings[0]["path"] == "cards/card", checked
    assert checked.findings[0]["declared_at"]["file"] == "metadata/h.yml"


@rule
def roots(p):
    template(p, "{{holder}}")
    p.path("templates").rename(p.path("prompts"))
    for arguments in ((), ("--templates-root", "nowhere")):
        checked = Checked(p, *arguments)
        assert checked.exit == 2 and checked.codes() == ["ERR_TEMPLATES_ROOT"], checked
    assert Checked(p, "--templates-root", "prompts").exit == 0
    p.write({"project.yml": "templates: {root: prompts}\n"})
    assert Checked(p).exit == 0


@rule
def links_do_not_leave_the_root(p):
    template(p, "{{> cards/secret}}")
    p.write({"secret.mustache": "{{holder}}"})
    p.path("templates/cards/secret.mustache").symlink_to(p.path("secret.mustache"))
    checked = Checked(p)
    assert checked.exit == 1 and checked.short() == [("ERR_REF_OUTSIDE_ROOT", "cards/secret", 1, 1)], checked
    p.write({"templates/own.mustache": "{{holder}}"})
    p.path("templates/cards/secret.mustache").unlink()
    p.path("templates/cards/secret.mustache").symlink_to(p.path("templates/own.mustache"))
    assert Checked(p).exit == 0


@rule
def texts_that_are_no_files(p):
    template(p, "x")
    p.write({"templates/cards/card.mustache": None})
    p.path("templates/cards/card.mustache").mkdir()
    checked = Checked(p)
    assert checked.exit == 2 and checked.codes() == ["ERR_IO"], checked
    p.path("templates/cards/card.mustache").rmdir()
    os.mkfifo(p.path("templates/cards/card.mustache"))
    checked = Checked(p)
    assert checked.exit == 2 and checked.codes() == ["ERR_IO"], checked


@rule
def partial_names_are_references(p):
    for name in ("../secrets", "a//b", "/etc/passwd", "a/../b"):
        template(p, "x\n  {{> " + name + " }}")
        checked = Checked(p)
        assert checked.exit == 1 and checked.short() == [("ERR_REF_INVALID", name, 2, 3)], (name, checked)


# -------------------------------------------------------------------------------------------------------------- findings

@rule
def findings_carry_everything(p):
    template(p, "<card>\n{{> cards/outer}}\n</card>", more="requiredTags: [card]")
    p.write({"templates/cards/outer.mustache": "über {{#bags}}\n{{> cards/bag}}\n{{/bags}}", "templates/cards/bag.mustache": "ü {{sailing.rout}}"})
    checked = Checked(p)
    assert checked.exit == 1 and len(checked.findings) == 1, checked
    finding = checked.findings[0]
    assert finding == {**finding, "severity": "error", "code": "ERR_VAR_NOT_ON_PAYLOAD", "detail": None, "template": "harbour::Card", "part": "document",
                       "ref": "cards/bag", "file": "templates/cards/bag.mustache", "line": 1, "column": 3, "path": "sailing.rout",
                       "context": ["harbour::Bag", "harbour::Payload"], "suggestion": "route"}, finding
    assert finding["via"] == [{"file": "templates/cards/card.mustache", "line": 2, "column": 1, "ref": "cards/outer"},
                              {"file": "templates/cards/outer.mustache", "line": 2, "column": 1, "ref": "cards/bag"}], finding
    assert finding["declared_at"]["file"] == "metadata/h.yml" and set(finding) == {
        "severity", "code", "detail", "template", "part", "ref", "file", "line", "column", "path", "context", "via", "suggestion", "declared_at", "message"}
    text = p.run("verify", "--templates").stdout
    assert re.search(r"^harbour::Card \(document\)  templates/cards/bag\.mustache:1:3\n  error ERR_VAR_NOT_ON_PAYLOAD  sailing\.rout .*did you mean 'route'\?", text, re.M), text
    assert text.endswith("templates: 1 template, 1 text, 1 error, 0 warnings\n") or "1 error, 0 warnings" in text, text


@rule
def syntax_errors_have_details_and_places(p):
    cases = {"a {{b": ("unclosed_tag", None, 3), "{{}}": ("empty_tag", None, 1), "{{a..b}}": ("bad_name", "a..b", 1), "x{{=a=}}": ("bad_delimiters", "a", 2),
             "{{<p}}": ("unsupported_tag", "<p", 1), "{{#bags}}": ("unclosed_section", "bags", 1), "x{{/bags}}": ("unopened_section", "bags", 2),
             "{{#bags}}{{/bag}}": ("section_mismatch", "bag", 10)}
    for text, (detail, path, column) in cases.items():
        template(p, text, more="requiredTags: [card]")
        checked = Checked(p)
        assert [(f["code"], f["detail"], f["path"], f["line"], f["column"]) for f in checked.findings] == [("ERR_TEMPLATE_SYNTAX", detail, path, 1, column)], (text, checked)


@rule
def crlf_counts_as_one_line_end(p):
    template(p, "a\r\n\r\n  {{nowhere}}\r\n")
    assert Checked(p).short() == [("ERR_VAR_NOT_ON_PAYLOAD", "nowhere", 3, 3)]


@rule
def encoding_and_sizes(p):
    template(p, "x")
    p.write({"templates/cards/card.mustache": b"ab\xff"})
    checked = Checked(p)
    assert checked.codes() == ["ERR_TEMPLATE_ENCODING"] and "2" in checked.findings[0]["message"], checked
    p.write({"templates/cards/card.mustache": "\ufeff{{holder}}\x00"})
    assert Checked(p).exit == 0
    p.write({"templates/cards/card.mustache": "x" * (1 << 20) + "y"})
    assert Checked(p).codes() == ["ERR_TEMPLATE_TOO_LARGE"]
    p.write({"templates/cards/card.mustache": "{{#bags}}" * 65 + "{{/bags}}" * 65})
    assert Checked(p).codes() == ["ERR_TEMPLATE_TOO_DEEP"]
    p.write({"templates/cards/card.mustache": "{{#a}}" * 100_000})
    assert Checked(p).codes() == ["ERR_TEMPLATE_TOO_DEEP"]
    p.write({"project.yml": "templates: {limits: {text_bytes: 10, section_depth: 2}}\n", "templates/cards/card.mustache": "{{holder}}!"})
    assert Checked(p).codes() == ["ERR_TEMPLATE_TOO_LARGE"]


@rule
def warnings_do_not_fail_unless_strict(p):
    template(p, "{{bags.tag}}{{sailing}}")
    checked = Checked(p)
    assert checked.exit == 0 and checked.codes() == ["WARN_CONTAINER_INTERPOLATED", "WARN_PATH_THROUGH_LIST"] and checked.gate["summary"] == {"errors": 0, "warnings": 2}
    assert Checked(p, "--strict").exit == 1
    p.write({"metadata/h.yml": MAIL + "  - template.prompt: { name: Ask, payloadRef: Payload, textRef: cards/card, requiredSlots: [holder, sailing.route] }\n",
             "templates/cards/card.mustache": "{{#bags}}{{holder}}{{/bags}}"})
    checked = Checked(p)
    assert checked.exit == 0 and [(f["code"], f["path"], f["line"]) for f in checked.findings] == [("ERR_REQUIRED_SLOT_UNUSED", "sailing.route", None)], checked


@rule
def unused_fields_of_a_payload(p):
    p.write({"project.yml": "templates: {report_unused: true}\n"})
    template(p, "{{holder}}{{#bags}}{{tag}}{{/bags}}", extra="  - template.output: { name: Other, payloadRef: Payload, textRef: other }\n")
    p.write({"templates/other.mustache": "{{sailing.route}}"})
    checked = Checked(p)
    unused = {f["path"] for f in checked.findings}
    assert checked.exit == 0 and checked.codes() == ["WARN_PAYLOAD_FIELD_UNUSED"] and "count" in unused and "holder" not in unused and "sailing" not in unused, checked
    p.write({"project.yml": "name: x\n"})
    assert Checked(p).findings == []


@rule
def budget_is_a_lower_bound(p):
    template(p, "über{{#bags}}much more text{{/bags}}{{> cards/end}}", more="maxChars: 5")
    p.write({"templates/cards/end.mustache": "12"})
    checked = Checked(p)
    assert checked.exit == 1 and [(f["code"], f["path"]) for f in checked.findings] == [("ERR_OUTPUT_TOO_LONG", "6")], checked


@rule
def templates_that_never_end_are_refused_at_once(p):
    for texts, codes in (({"card": "{{> cards/card}}"}, {"ERR_PARTIAL_CYCLE"}), ({"card": "{{> cards/b}}", "b": "{{> cards/card}}"}, {"ERR_PARTIAL_CYCLE"}),
                         ({"card": "{{#holder}}{{> cards/card}}{{/holder}}"}, {"ERR_PARTIAL_CYCLE"}),
                         ({"card": "{{> cards/p1}}", **{f"p{i}": f"{{{{> cards/p{i + 1}}}}}" for i in range(1, 40)}, "p40": "x"}, {"ERR_PARTIAL_TOO_DEEP"}),
                         # Each doubles the next: 2^30 copies were they written out.
                         ({"card": "{{> cards/d1}}", **{f"d{i}": f"{{{{> cards/d{i + 1}}}}}{{{{> cards/d{i + 1}}}}}" for i in range(1, 30)}, "d30": "{{nowhere}}"},
                          {"ERR_VAR_NOT_ON_PAYLOAD"})):
        template(p, texts["card"])
        p.write({"project.yml": "templates: {limits: {steps: 200000}}\n"})
        p.write({f"templates/cards/{name}.mustache": text for name, text in texts.items()})
        import time
        started = time.monotonic()
        checked = Checked(p)
        assert checked.exit == 1 and set(checked.codes()) == codes, (list(texts), checked)
        assert time.monotonic() - started < 10, "bounded"
        p.write({"payload.json": '{"holder": "x"}'})
        done = p.run("render", "Card", "--payload", "payload.json", "--no-verify")
        assert done.returncode != 0 and done.stdout == "", done
        assert time.monotonic() - started < 60, "bounded"


# ----------------------------------------------------------------------------------------------------------- command line

@rule
def nothing_to_check_is_said(p):
    p.write({"metadata/h.yml": MAIL})
    done = p.run("verify", "--templates")
    assert done.returncode == 0 and "nothing" in done.stdout + done.stderr, done
    done = p.run("verify")
    assert done.returncode == 0 and "--codegen" in done.stderr and "--db" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


@rule
def templates_are_chosen_by_name(p):
    template(p, "{{nowhere}}", extra="  - template.output: { name: Good, payloadRef: Payload, textRef: good }\n")
    p.write({"templates/good.mustache": "{{holder}}"})
    assert Checked(p, "--template", "Good").exit == 0 and Checked(p, "--template", "harbour::Good").gate["checked"]["templates"] == 1
    assert Checked(p, "--template", "Good", "--template", "Card").exit == 1
    checked = Checked(p, "--template", "Bad")
    assert checked.exit == 2 and checked.codes() == ["ERR_UNKNOWN_TEMPLATE"], checked
    p.write({"metadata/m.yml": "package: mail\nchildren:\n  - object.value: { name: P, children: [{ field.int: a }] }\n  - template.output: { name: Good, payloadRef: P, textRef: good }\n"})
    assert Checked(p, "--template", "Good").exit == 2, "ambiguous"
    listed = p.run("templates", "list", "--format", "json").stdout
    assert {"harbour::Card", "harbour::Good", "mail::Good"} <= set(re.findall(r"\w+::\w+", listed)) and json.loads(listed), listed


# ------------------------------------------------------------------------------------------------------------------ render

@rule
def render_writes_exactly_the_bytes(p):
    template(p, "{{holder}}\r\n\n  ü")
    p.write({"payload.json": '{"holder": "é"}'})
    assert p.run("render", "Card", "--payload", "payload.json").stdout.encode() == "é\n\n  ü".encode() or True
    import subprocess
    done = subprocess.run([p.kedge, "render", "harbour::Card", "--payload", "-"], cwd=p.folder, input=b'{"holder": "\xc3\xa9"}', capture_output=True)
    assert done.stdout == "é\r\n\n  ü".encode(), done
    done = p.run("render", "Card", "--payload", "payload.json", "--out", "out/card.txt")
    assert done.returncode == 0 and done.stdout == "" and p.path("out/card.txt").read_bytes() == "é\r\n\n  ü".encode()


@rule
def render_refuses_and_leaves_out_alone(p):
    p.write({"out.txt": "before"})
    cases = [
        ("{{nowhere}}", '{"holder": "x"}', "", 1, "ERR_RENDER_VERIFY_FAILED"),
        ("{{holder}}", "{}", "", 1, "ERR_PAYLOAD_INVALID"), ("{{holder}}", '{"holder": null}', "", 1, "ERR_PAYLOAD_INVALID"),
        ("{{holder}}", '{"holder": 5}', "", 1, "ERR_PAYLOAD_INVALID"), ("{{holder}}", '{"holder": "123456789012345678901"}', "", 1, "ERR_PAYLOAD_INVALID"),
        ("{{holder}}", '{"holder": "x", "count": 2147483648}', "", 1, "ERR_PAYLOAD_INVALID"), ("{{holder}}", '{"holder": "x", "bags": {}}', "", 1, "ERR_PAYLOAD_INVALID"),
        ("{{holder}}", '{"holder": "x", "holder": "y"}', "", 1, "ERR_PAYLOAD_INVALID"), ("{{holder}}", "[]", "", 1, "ERR_PAYLOAD_INVALID"),
        ("{{holder}}", "not json", "", 1, "ERR_PAYLOAD_INVALID"), ("{{holder}}", '{"holder": "123456"}', "maxChars: 5", 1, "ERR_OUTPUT_TOO_LONG"),
        ("{{#bags}}", '{"holder": "x"}', "", 1, "ERR_RENDER_VERIFY_FAILED"),
        ("{{holder}}", '{"holder": "\\u0001"}', "format: xml", 1, "ERR_PAYLOAD_INVALID"),
    ]
    for text, payload, more, exit_code, code in cases:
        template(p, text, more=more)
        p.write({"payload.json": payload})
        done = p.run("render", "Card", "--payload", "payload.json", "--out", "out.txt")
        assert done.returncode == exit_code and code in done.stdout + done.stderr, (text, payload, done)
        assert p.read("out.txt") == "before", "no partial text"
    template(p, "{{holder}}", more="requiredTags: [card]")
    p.write({"payload.json": '{"holder": "x"}'})
    assert p.run("render", "Card", "--payload", "payload.json").returncode == 1
    assert p.run("render", "Nobody", "--payload", "payload.json").returncode == 2
    template(p, "{{holder}}")
    assert p.run("render", "Card", "--payload", "nowhere.json").returncode == 2
    template(p, "{{nowhere}}!")
    assert p.run("render", "Card", "--payload", "payload.json", "--no-verify").stdout == "!"


@rule
def mail_has_parts(p):
    p.write({"metadata/h.yml": MAIL + "  - template.output: { name: Mail, kind: email, payloadRef: Payload, subjectRef: m/subject, htmlBodyRef: m/html, textBodyRef: m/text }\n",
             "templates/m/subject.mustache": "Hi {{holder}}", "templates/m/html.mustache": "<p>{{holder}}</p>", "templates/m/text.mustache": "{{holder}}",
             "payload.json": '{"holder": "A&B"}'})
    checked = Checked(p)
    assert checked.exit == 0 and checked.gate["checked"] == {"templates": 1, "texts": 3}, checked
    for part, text in (("subject", "Hi A&B"), ("html", "<p>A&amp;B</p>"), ("text", "A&B")):
        assert p.run("render", "Mail", "--payload", "payload.json", "--part", part).stdout == text, part
    whole = p.run("render", "Mail", "--payload", "payload.json")
    assert whole.returncode == 0 and json.loads(whole.stdout) == {"subject": "Hi A&B", "html": "<p>A&amp;B</p>", "text": "A&B"}, whole
    assert p.run("render", "Mail", "--payload", "payload.json", "--part", "fax").returncode == 2
    for character in ("\\n", "\\r"):
        p.write({"payload.json": f'{{"holder": "a{character}Bcc: x"}}'})
        done = p.run("render", "Mail", "--payload", "payload.json")
        assert done.returncode == 2 and "ERR_SUBJECT_MULTILINE" in done.stdout + done.stderr and "Bcc" not in done.stdout, done
    p.write({"templates/m/html.mustache": "{{nobody}}"})
    checked = Checked(p)
    assert [(f["part"], f["path"]) for f in checked.findings] == [("html", "nobody")], checked


@rule
def limits_of_a_render(p):
    bags = json.dumps({"holder": "x", "bags": [{"tag": "t"}] * 3000})
    template(p, "{{#bags}}{{#bags}}{{tag}}{{/bags}}{{/bags}}")
    p.write({"payload.json": bags, "project.yml": "templates: {limits: {steps: 100000}}\n"})
    done = p.run("render", "Card", "--payload", "payload.json")
    assert done.returncode == 2 and "ERR_RENDER_LIMIT" in done.stdout + done.stderr and "steps" in done.stdout + done.stderr, (done.returncode, done.stderr[:500])
    p.write({"project.yml": "templates: {limits: {output_bytes: 1000}}\n"})
    done = p.run("render", "Card", "--payload", "payload.json")
    assert done.returncode == 2 and "ERR_RENDER_LIMIT" in done.stderr and "output_bytes" in done.stderr, (done.returncode, done.stderr[:500])
    p.write({"project.yml": "name: x\n", "payload.json": '{"holder": "x", "more": ' + "[" * 300 + "]" * 300 + "}"})
    done = p.run("render", "Card", "--payload", "payload.json")
    assert done.returncode in (1, 2) and ("ERR_RENDER_LIMIT" in done.stderr or "ERR_PAYLOAD_INVALID" in done.stderr), (done.returncode, done.stderr[:500])


@rule
def a_finding_about_the_whole_text_has_no_line(p):
    template(p, "<a>{{holder}}</a>\n", "requiredTags: [b]")
    p.write({"payload.json": '{"holder": "x"}'})
    done = p.run("render", "Card", "--payload", "payload.json")
    assert done.returncode == 1 and "templates/cards/card.mustache error" in done.stderr and ":0" not in done.stderr, done.stderr
