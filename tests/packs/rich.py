"""The metadata that every pack has to cope with: all field types in all forms, references, shared and own enums, one
table for a family, recursion, views, templates, every reserved word of every language as a name, texts that end
comments and strings, equal names in two packages."""

SUBTYPES = {
    "string": "", "int": "", "long": "", "float": "", "double": "", "decimal": "precision: 12, scale: 3",
    "currency": "currency: EUR", "boolean": "", "date": "", "time": "", "timestamp": "", "uuid": "", "uri": "",
    "inet": "", "bytes": "", "enum": "values: [NORTH, south_east, class, None, x1]", "map": "valueType: string",
    "object": "objectRef: Note",
}

# Words of each language; spelt as the language spells them.
WORDS = {
    "Cpp": "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch "
           "char char8_t char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue "
           "co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern "
           "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or "
           "or_eq private protected public reflexpr register reinterpret_cast requires return short signed sizeof static "
           "static_assert static_cast struct switch synchronized template this thread_local throw true try typedef typeid "
           "typename union unsigned using virtual void volatile wchar_t while xor xor_eq errno assert std kedge unix linux "
           "stdin stdout NULL EOF _2nd",
    "Ecma": "abstract any arguments as async await boolean break case catch class const constructor continue debugger declare "
            "default delete do else enum eval export extends false finally for from function get if implements import in "
            "infer instanceof interface is keyof let module namespace never new null number object of package private "
            "protected public readonly require return set static string super switch symbol this throw true try type "
            "typeof undefined unique unknown var void while with yield __proto__ prototype toString valueOf hasOwnProperty",
    "Python": "False None True and_ as assert async await break class continue def del elif else except finally for from "
              "global if import in is lambda nonlocal not or pass raise return try while with yield match case type self cls "
              "int str float bool bytes dict list object property id field model_config schema copy json dict_ datetime "
              "decimal enum typing uuid dataclasses pydantic values items keys get pop update name value mro",
    "Java": "abstract assert boolean break byte case catch char class const continue default do double else enum exports "
            "extends false final finally float for goto if implements import instanceof int interface long module native new "
            "null package permits private protected public record requires return sealed short static strictfp super "
            "switch synchronized this throw throws transient true try var void volatile while yield hashCode toString "
            "getClass notify notifyAll wait clone finalize equals String Object List",
    "Kotlin": "as break class continue do else false for fun if in interface is null object package return super this throw "
              "true try typealias typeof val var when while by catch constructor delegate dynamic field file finally get "
              "import init param property receiver set setparam where actual abstract annotation companion const "
              "crossinline data enum expect external final infix inline inner internal lateinit noinline open operator out "
              "override private protected public reified sealed suspend tailrec vararg value it component1 copy equals "
              "hashCode toString",
    "Sharp": "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double "
             "else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface "
             "internal is lock long namespace new null object operator out override params private protected public "
             "readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try "
             "typeof uint ulong unchecked unsafe ushort using virtual void volatile while add and alias args ascending "
             "async await by descending dynamic equals field file from get global group init into join let managed nameof "
             "nint not notnull nuint on or orderby partial record remove required scoped select set unmanaged value var "
             "when where with yield Equals GetHashCode ToString GetType Clone PrintMembers EqualityContract Finalize "
             "MemberwiseClone ReferenceEquals Deconstruct Sharp",
}

# Names of types that the languages' own libraries have too.
TYPES = ("String Integer Long Object List Map Optional Record Enum Error Exception Date Promise Array Set Number Boolean Symbol "
         "Function Partial Readonly Tuple Guid DateOnly TimeOnly DateTime Dictionary Console System Type Any Unit Nothing Int "
         "Double Pair Vector Json Uuid TimeOfDay Timestamp Column Problem Table Query Row Engine Reader Writer Literal Final "
         "Generic Typing Decimal Math Thread Iterable Process Class Override Deprecated Serializable")

NASTY = "Ends */ a comment, \"\"\" and ''' too, <b> & ${x} $y {{z}} %s \\u0041 \\uZZ über 漢字 \\"


def snake(word):
    out = ""
    for i, c in enumerate(word):
        if c == "_":
            out += "_" if out and not out.endswith("_") else ""
        elif c.isupper() and i and (word[i - 1].islower() or word[i - 1].isdigit()
                                    or (word[i - 1].isupper() and i + 1 < len(word) and word[i + 1].islower())):
            out += "_" + c.lower()
        else:
            out += c.lower()
    return out.strip("_")


def word_lists():
    """The words, split so that no two of one list become one identifier in some case."""
    for name, text in WORDS.items():
        lists = []
        for word in text.split():
            keys = {snake(word), snake(word).replace("_", "")}
            for seen, words in lists:
                if not seen & keys:
                    seen |= keys
                    words.append(word)
                    break
            else:
                lists.append((set(keys), [word]))
        for number, (_, words) in enumerate(lists):
            yield f"{name}Words{number}", words


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def every_field(out, table):
    forms = [("", ""), ("Required", "required: true")]
    if not table:
        forms += [("List", "isArray: true"), ("ListRequired", "isArray: true, required: true")]
    for subtype, extra in SUBTYPES.items():
        for suffix, more in forms:
            attributes = ", ".join(part for part in (f"name: {subtype}{suffix or 'Field'}", extra, more) if part)
            out.append(f"        - field.{subtype}: {{ {attributes} }}")
    out.append("        - field.string: { name: limited, maxLength: 7, required: true }")
    out.append("        - field.timestamp: { name: localField, localTime: true }")
    out.append("        - field.timestamp: { name: localRequired, localTime: true, required: true }")
    out.append(f"        - field.string: {{ name: described, description: {quoted(NASTY)} }}")


def alpha():
    out = ["package: alpha", "children:",
           "  - field.enum: { name: Grade, abstract: true, values: [A, B, default, Void] }",
           "  - object.value:", "      name: Note", "      children: [{ field.string: { name: text, required: true } }]",
           "  - object.value:", "      name: Every", f"      description: {quoted(NASTY)}", "      children:"]
    every_field(out, table=False)
    out += ["  - object.entity:", "      name: EveryRow", f"      description: {quoted(NASTY)}", "      children:",
            "        - source.rdb: { table: every_rows }", "        - field.long: id"]
    every_field(out, table=True)
    out += ["        - field.enum: { name: grade, extends: Grade }",
            "        - field.enum: { name: gradeAgain, extends: Grade, required: true }",
            "        - identity.primary: { fields: id, generation: increment }",
            "        - identity.secondary: { name: byLimited, fields: limited }",
            "        - index.lookup: { name: idx_every, fields: [intField, longField] }"]
    out += """
  - object.entity:
      name: Odd
      children:
        - source.rdb: { table: 'an "odd" $table' }
        - field.uuid: { name: key, column: 'the "key" \\$k' }
        - field.string: { name: two, column: 'two words' }
        - field.long: { name: rowId, required: true }
        - identity.primary: { fields: key, generation: uuid }
        - identity.reference: { name: toRow, fields: rowId, references: EveryRow }
  - object.entity:
      name: OnlyKey
      children:
        - source.rdb: {}
        - field.long: a
        - field.string: { name: b, maxLength: 20 }
        - identity.primary: { fields: [a, b] }
  - object.entity:
      name: Settings
      children:
        - source.rdb: {}
        - field.int: id
        - field.string: { name: fixed, readOnly: true }
        - field.string: { name: once, mutability: writeOnce }
        - field.timestamp: { name: made, autoSet: onCreate, required: true }
        - field.int: { name: level, default: 3, required: true }
        - field.object: { name: place, objectRef: Place, storage: flattened }
        - field.object: { name: seat, objectRef: Place, storage: flattened, required: true }
        - identity.primary: { fields: id }
  - object.value:
      name: Place
      children:
        - field.string: { name: street, required: true, maxLength: 40 }
        - field.int: floor
  - object.value: { name: Nothing2 }
  - object.value:
      name: Bed
      children:
        - field.string: name
        - field.object[]: { name: parts, objectRef: Bed }
        - field.object: { name: below, objectRef: Bed }
        - field.object: { name: garden, objectRef: Garden }
  - object.value:
      name: Garden
      children:
        - field.object[]: { name: beds, objectRef: Bed, required: true }
        - field.object: { name: note, objectRef: "beta::Note", required: true }
        - field.object: { name: own, objectRef: Note }
  - object.entity:
      name: Vehicle
      discriminator: kind
      children:
        - source.rdb: {}
        - field.long: id
        - field.enum: { name: kind, values: [CAR, TRUCK], required: true }
        - identity.primary: { fields: id, generation: increment }
  - object.entity:
      name: Car
      extends: Vehicle
      discriminatorValue: CAR
      children:
        - field.int: { name: doors, required: true }
  - object.entity:
      name: Truck
      extends: Vehicle
      discriminatorValue: TRUCK
      children:
        - field.double: load
  - object.projection:
      name: VehicleView
      children:
        - source.rdb: { kind: view, view: v_vehicles }
        - field.long: { name: id, extends: Vehicle.id }
        - field.enum: { name: kind, extends: Vehicle.kind }
  - object.projection:
      name: Payload
      children:
        - field.object: { name: every, objectRef: Every }
        - field.int: n
  - template.prompt: { name: Ask, payloadRef: Payload, textRef: ask, responseRef: Garden }
  - template.toolcall: { name: Call, payloadRef: Payload, toolName: do_it }
""".strip("\n").split("\n")
    return "\n".join(out) + "\n"


def beta():
    return """package: beta
children:
  - object.value:
      name: Note
      children: [{ field.long: { name: number, required: true } }]
  - object.entity:
      name: Visit
      children:
        - source.rdb: {}
        - field.long: id
        - field.object: { name: note, objectRef: Note, storage: jsonb }
        - field.object[]: { name: others, objectRef: "alpha::Note" }
        - identity.primary: { fields: id, generation: increment }
"""


def words():
    out = ["package: alpha::deep", "children:"]
    for name, list_of_words in word_lists():
        out += ["  - object.value:", f"      name: {name}", "      children:"]
        out += [f"        - field.string: {{ name: {quoted(word)}, required: true }}" for word in list_of_words]
        members = [word for word in list_of_words]
        out.append(f"        - field.enum: {{ name: memberOfAll, values: [{', '.join(quoted(m) for m in members)}] }}")
    for name in TYPES.split():
        out += ["  - object.value:", f"      name: {name}", "      children:",
                f"        - field.string: {{ name: {name[0].lower() + name[1:]} }}",
                "        - field.int: { name: count, required: true }",
                "        - field.map: { name: more, valueType: string }",
                "        - field.date: day", "        - field.decimal: { name: amount, precision: 9, scale: 2 }",
                "        - field.uuid: tag", "        - field.timestamp: moment", "        - field.string[]: names"]
    out += ["  - object.entity:", "      name: Words", "      children:", "        - source.rdb: { table: select }",
            "        - field.long: id"]
    seen, start = {"id"}, len(out)
    for _, list_of_words in word_lists():
        for word in list_of_words:
            if len(out) - start < 220 and not {snake(word), snake(word).replace("_", "")} & seen:  # a Java record has at most 255
                seen |= {snake(word), snake(word).replace("_", "")}
                out.append(f"        - field.string: {{ name: {quoted(word)} }}")
    out.append("        - identity.primary: { fields: id, generation: increment }")
    return "\n".join(out) + "\n"


def rootless():
    return """children:
  - object.entity:
      name: Plain
      children:
        - source.rdb: {}
        - field.long: id
        - field.object: { name: garden, objectRef: "alpha::Garden", storage: jsonb }
        - identity.primary: { fields: id, generation: increment }
"""


def write_project(folder, targets, dialect="sqlite"):
    (folder / "metadata").mkdir(parents=True)
    (folder / "templates").mkdir()
    (folder / "templates/ask.mustache").write_text("{{n}}\n")
    for name, text in {"alpha": alpha(), "beta": beta(), "words": words(), "root": rootless()}.items():
        (folder / "metadata" / f"{name}.yml").write_text(text, encoding="utf-8")
    lines = ["name: rich", "version: 1.2.3", f"migrate: {{dialect: {dialect}}}", "gen:", "  targets:"]
    lines += [f"    - {target}" for target in targets]
    (folder / "project.yml").write_text("\n".join(lines) + "\n")
