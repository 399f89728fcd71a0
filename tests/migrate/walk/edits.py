"""Random edits of a Shape. Each takes (rng, shape) and gives what it did, or None when it found nothing to do there."""
from shape import KINDS, NUMBERS, TEXTS, Entity, Field, View

DEFAULTS = {"string": ["x", "it's", ""], "uri": ["http://x"], "int": [0, 7, -3], "long": [0, 9000000000], "currency": [0, 125], "float": [0.5],
            "double": [2.25], "decimal": [1.25, 0], "boolean": [True, False], "date": ["2027-01-02"], "time": ["10:20:30"],
            "timestamp": ["2027-01-02T03:04:05"], "enum": ["A"], "inet": ["10.0.0.1"], "uuid": ["0b2f6a54-43a5-4d3d-8a55-0e2b9d6f4c11"]}


def random_field(rng, shape, kinds=KINDS):
    kind = rng.choice(kinds)
    field = Field(shape.fresh(kind[:3]), kind)
    if kind not in ("map", "object", "bytes") and rng.random() < 0.1:
        field.attributes["isArray"] = True
    elif kind == "object":
        field.attributes["storage"] = rng.choice(["flattened", "jsonb"])
    elif kind == "string" and rng.random() < 0.5:
        field.attributes["maxLength"] = rng.choice([40, 60, 80])
    elif kind == "enum" and rng.random() < 0.3:
        field.attributes["intValueMap"] = {"A": 1, "B": 2, "C": 5}
    elif kind == "timestamp" and rng.random() < 0.3:
        field.attributes["localTime"] = True
    if kind in ("date", "time", "timestamp") and not field.is_list() and rng.random() < 0.2:
        field.attributes["autoSet"] = rng.choice(["onCreate", "onUpdate"])
    elif kind in DEFAULTS and not field.is_list() and rng.random() < 0.4:
        field.attributes["default"] = rng.choice(DEFAULTS[kind])
    if rng.random() < 0.15:
        field.attributes["description"] = rng.choice(["plain", "it's"])
    return field


def random_entity(rng, shape):
    entity = Entity(shape.fresh("Ent"))
    kind = rng.choice(["long", "long", "int", "uuid", "string"])
    key = Field("id", kind)
    if kind == "string":
        key.attributes["maxLength"] = 40
    entity.generation = {"long": "increment", "int": "increment", "uuid": "uuid", "string": "assigned"}[kind]
    if kind != "string" and rng.random() < 0.3:
        entity.generation = None
    entity.fields.append(key)
    for _ in range(rng.randint(2, 6)):
        field = random_field(rng, shape)
        if rng.random() < 0.3:
            field.attributes["required"] = True
        entity.fields.append(field)
    return entity


def pick_entity(rng, shape):
    return rng.choice(list(shape.entities.values())) if shape.entities else None


def pick_field(rng, entity, test=lambda field: True):
    """One that is no key, no discriminator and no part of a reference, now or before: the rows of the walk would not fit it again."""
    found = [one for one in entity.fields if one.name not in entity.key and one.name != entity.discriminator and test(one)]
    found = [one for one in found if not one.name.startswith("ref")]
    return rng.choice(found) if found else None


def add_entity(rng, shape):
    if len(shape.entities) >= 5:
        return None
    entity = random_entity(rng, shape)
    shape.entities[entity.name] = entity
    return f"add {entity.name}"


def drop_entity(rng, shape):
    if len(shape.entities) < 2:
        return None
    entity = pick_entity(rng, shape)
    for other, reference in shape.referrers(entity.name):
        other.references.remove(reference)
    shape.drop_views(entity.name)
    del shape.entities[entity.name]
    return f"drop {entity.name}"


def rename_entity(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None or entity.former or any(view.sql and view.base == entity.name for view in shape.views.values()):
        return None
    entity.former, entity.table = entity.table, shape.fresh("renamed")
    return f"rename table {entity.former} to {entity.table}"


def add_field(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None or len(entity.fields) > 12:
        return None
    field = random_field(rng, shape)
    if rng.random() < 0.5 and ("default" in field.attributes or "autoSet" in field.attributes):
        field.attributes["required"] = True
    entity.fields.insert(rng.randint(1, len(entity.fields)), field)
    return f"add {entity.name}.{field.name}"


def drop_field(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity)
    if not field or len(entity.fields) < 3:
        return None
    shape.drop_field(entity, field.name)
    return f"drop {entity.name}.{field.name}"


def rename_field(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: not one.is_flat() and not one.former)
    if not field or any(view.sql and view.uses(entity.name, field.name) for view in shape.views.values()):
        return None
    old, new = field.name, shape.fresh("ren")
    for _, part in entity.uses(old):
        body = part if "fields" in part or "name" in part else next(iter(part.values()))
        for key, value in list(body.items()):
            if key in ("fields", "left", "right", "field", "when", "where", "expr"):
                body[key] = ([new if one == old else one for one in value] if isinstance(value, list)
                             else " ".join(new if one == old else one for one in value.split()))
    for view in shape.views.values():
        for column in view.columns:
            if view.base == entity.name and column.get("field") == old:
                column["field"] = new
            for origin in (column.get("origin") or {}).values():
                for key, value in origin.items():
                    if value == f"{entity.name}.{old}":
                        origin[key] = f"{entity.name}.{new}"
    field.name, field.former = new, old
    return f"rename {entity.name}.{old} to {new}"


def change_kind(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: not one.is_list() and one.kind not in ("object", "map", "bytes"))
    if not field or shape_reads(shape, entity, field.name):
        return None
    near = {"int": ["long", "decimal", "string", "double"], "long": ["int", "decimal", "string"], "date": ["timestamp", "string"],
            "enum": ["string"], "uuid": ["string"], "string": ["string", "uri", "int", "long"], "inet": ["string"],
            "boolean": ["string", "int"], "time": ["string"], "timestamp": ["date", "string"], "uri": ["string"],
            "decimal": ["string", "double", "long"], "float": ["double", "string"], "double": ["float", "decimal", "string"],
            "currency": ["int", "decimal", "string"]}[field.kind]
    kind = rng.choice(near) if rng.random() < 0.85 else rng.choice([one for one in KINDS if one not in ("object", "map", "bytes")])
    old = field.kind
    if not Field("x", kind).can_be_key() and entity.uses(field.name):
        return None
    keep = {key: field.attributes[key] for key in ("required", "description") if key in field.attributes}
    if kind in DEFAULTS and rng.random() < 0.4:
        keep["default"] = rng.choice(DEFAULTS[kind])
    changed = Field(field.name, kind, **keep)
    field.kind, field.attributes, field.validators, field.former = kind, changed.attributes, [], None
    return f"retype {entity.name}.{field.name} from {old} to {kind}"


def shape_reads(shape, entity, name):
    return any(view.uses(entity.name, name) for view in shape.views.values())


def change_size(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.kind in ("string", "decimal") and not one.is_list())
    if not field or "dbColumnType" in field.attributes:
        return None
    if field.kind == "decimal":
        field.attributes.update(precision=rng.choice([9, 12, 15]), scale=rng.choice([0, 2, 4]))
    elif rng.random() < 0.3:
        field.attributes.pop("maxLength", None)
    else:
        field.attributes["maxLength"] = rng.choice([40, 50, 60, 70, 80])
    return f"resize {entity.name}.{field.name}"


def toggle_required(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity)
    if not field:
        return None
    if field.attributes.pop("required", False):
        return f"{entity.name}.{field.name} may be absent"
    field.attributes["required"] = True
    return f"{entity.name}.{field.name} is required"


def change_default(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.kind in DEFAULTS and not one.is_list())
    if not field:
        return None
    if "default" in field.attributes and rng.random() < 0.4:
        del field.attributes["default"]
    else:
        field.attributes["default"] = rng.choice(DEFAULTS[field.kind])
    return f"default of {entity.name}.{field.name}"


def toggle_unique(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.can_be_key())
    if not field:
        return None
    if not field.attributes.pop("unique", False):
        field.attributes["unique"] = True
    return f"unique of {entity.name}.{field.name}"


def change_members(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.kind == "enum")
    if not field:
        return None
    others = rng.sample(["B", "C", "D", "E", "LONGER_ONE"], rng.randint(0, 4))
    members = rng.sample(["A", *others], len(others) + 1)
    if "intValueMap" in field.attributes:
        old = field.attributes["intValueMap"]
        field.attributes["intValueMap"] = {one: old.get(one, 10 + "ABCDEL".index(one[0])) for one in members}
    elif rng.random() < 0.1 and "default" not in field.attributes:
        field.attributes["intValueMap"] = {one: 10 + "ABCDEL".index(one[0]) for one in members}
    field.attributes["values"] = members
    return f"members of {entity.name}.{field.name}"


def change_index(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if (entity.indexes or entity.uniques) and rng.random() < 0.35:
        part = entity.indexes if entity.indexes and (rng.random() < 0.6 or not entity.uniques) else entity.uniques
        part.remove(rng.choice(part))
        return f"drop an index of {entity.name}"
    keys = [one.name for one in entity.fields if one.can_be_key()]
    if not keys:
        return None
    old = rng.choice(entity.indexes) if entity.indexes and rng.random() < 0.3 else None
    index = {"name": old["name"] if old else shape.fresh("ix"), "fields": rng.sample(keys, min(len(keys), rng.randint(1, 2)))}
    if rng.random() < 0.3:
        index["orders"] = ["desc"]
    numbers = [one.name for one in entity.fields if one.kind in ("int", "long", "currency") and not one.is_list()]
    if shape.dialect in ("postgres", "sqlite") and numbers and rng.random() < 0.3:
        index["where"] = rng.choice(["{} > 3", "{} IS NOT NULL"]).format(rng.choice(numbers))
    if shape.dialect == "postgres" and rng.random() < 0.2:
        index["include"] = [rng.choice([one.name for one in entity.fields if not one.is_flat()])]
        if index["include"][0] in index["fields"]:
            del index["include"]
    if old:
        entity.indexes.remove(old)
        entity.indexes.append(index)
    elif rng.random() < 0.35:
        entity.uniques.append(index)
    else:
        entity.indexes.append(index)
    return f"index {index['name']} of {entity.name}"


def change_reference(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if entity.references and rng.random() < 0.5:
        reference = rng.choice(entity.references)
        if rng.random() < 0.4:
            shape.views = {key: view for key, view in shape.views.items() if view.base != entity.name or view.sql}
            entity.references.remove(reference)
            return f"drop reference {reference['name']} of {entity.name}"
        if shape.dialect == "duckdb":
            return None
        reference["onDelete"] = rng.choice(["cascade", "restrict", "no-action"])
        reference["onUpdate"] = rng.choice(["cascade", "no-action"])
        return f"actions of {reference['name']} of {entity.name}"
    target = pick_entity(rng, shape)
    if len(target.key) != 1 or target.field(target.key[0]).kind not in ("long", "int", "uuid", "string"):
        return None
    key = target.field(target.key[0])
    field = Field(shape.fresh("ref"), key.kind, **({"maxLength": key.attributes["maxLength"]} if "maxLength" in key.attributes else {}))
    entity.fields.append(field)
    entity.references.append({"name": shape.fresh("to"), "fields": [field.name], "references": target.name, "onDelete": "no-action",
                              "onUpdate": "no-action"})
    return f"reference {entity.name}.{field.name} to {target.name}"


def change_validator(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if rng.random() < 0.35:
        if entity.checks and rng.random() < 0.6:
            entity.checks.remove(rng.choice(entity.checks))
            return f"drop a check of {entity.name}"
        numbers = [one.name for one in entity.fields if one.kind in ("int", "long") and not one.is_list()
                   and not (entity.generation == "increment" and one.name in entity.key)]  # the engine counts on its own
        plain = [one.name for one in entity.fields if not one.is_flat() and not one.is_list()]
        if rng.random() < 0.5 and len(numbers) > 1:
            left, right = rng.sample(numbers, 2)
            entity.checks.append({"validator.comparison": {"left": left, "op": "lte", "right": right}})
            return f"compare {entity.name}.{left} and {right}"
        entity.checks.append({"validator.atLeastOne": {"fields": rng.sample(plain, min(2, len(plain)))}})
        return f"at least one of {entity.name}"
    field = pick_field(rng, entity, lambda one: one.kind in TEXTS + NUMBERS and not one.is_list() and "dbColumnType" not in one.attributes)
    if not field:
        return None
    if field.validators and rng.random() < 0.5:
        field.validators = []
    elif field.kind in TEXTS:
        field.validators = [rng.choice([{"validator.length": {"min": 0, "max": rng.choice([90, 99])}},
                                        {"validator.regex": {"pattern": rng.choice(["^[^#]*$", "^[^%]*$"])}}])]
    else:
        field.validators = [{"validator.numeric": {"min": rng.choice([-10, -20]), "max": rng.choice([10000000000, 20000000000])}}]
    return f"validator of {entity.name}.{field.name}"


def change_identity(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if rng.random() < 0.5 and len(entity.key) == 1:
        kind = entity.field(entity.key[0]).kind
        usual = {"long": "increment", "int": "increment", "uuid": "uuid"}.get(kind)
        entity.generation = None if entity.generation else usual
        return f"generation of {entity.name}"
    if shape.referrers(entity.name) or any(view.base == entity.name for view in shape.views.values()):
        return None
    keys = [one.name for one in entity.fields if one.kind in ("int", "long", "uuid") and not one.is_list()
            and (one.attributes.get("required") or one.name in entity.key)]
    if not keys:
        return None
    entity.key = rng.sample(keys, min(len(keys), rng.randint(1, 2)))
    entity.generation = None
    return f"key of {entity.name} is {entity.key}"


def change_comment(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if rng.random() < 0.4:
        entity.description = rng.choice([None, "a table", "it's a table"])
        return f"comment of {entity.name}"
    field = rng.choice(entity.fields)
    if field.is_flat():
        return None
    field.attributes["description"] = rng.choice(["one", "two's", "three"])
    return f"comment of {entity.name}.{field.name}"


def change_storage(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.kind in ("object", "string") and "unique" not in one.attributes)
    if not field or shape_reads(shape, entity, field.name) or entity.uses(field.name) or field.validators:
        return None
    if field.kind == "object" and not field.is_list():
        field.attributes["storage"] = "jsonb" if field.is_flat() else "flattened"
    elif field.kind == "string" and shape.dialect in ("postgres", "sqlite") and "default" not in field.attributes and not field.is_list():
        if field.attributes.pop("dbColumnType", None) is None:
            field.attributes.pop("maxLength", None)
            field.attributes["dbColumnType"] = rng.choice(["uuid", "jsonb"])
    else:
        return None
    return f"storage of {entity.name}.{field.name}"


def toggle_list(rng, shape):
    entity = pick_entity(rng, shape)
    field = entity and pick_field(rng, entity, lambda one: one.kind in ("int", "long", "string", "date"))
    if not field or entity.uses(field.name) or shape_reads(shape, entity, field.name) or field.validators:
        return None
    for key in ("default", "unique", "autoSet", "dbColumnType"):
        field.attributes.pop(key, None)
    field.attributes["isArray"] = not field.is_list()
    return f"list {entity.name}.{field.name}: {field.attributes['isArray']}"


def change_subtypes(rng, shape):
    entity = pick_entity(rng, shape)
    if entity is None:
        return None
    if entity.discriminator is None:
        field = Field(shape.fresh("disc"), "enum", values=["A", "B", "C"], default="A")
        entity.fields.append(field)
        entity.discriminator = field.name
        entity.subtypes.append({"name": shape.fresh("Sub"), "value": "B", "fields": [random_field(rng, shape)]})
        return f"subtypes of {entity.name}"
    sub = rng.choice(entity.subtypes)
    choice = rng.random()
    if choice < 0.3 and len(sub["fields"]) > 1:
        sub["fields"].pop()
        return f"drop a field of {sub['name']}"
    if choice < 0.5 and len(entity.subtypes) < 2:
        entity.subtypes.append({"name": shape.fresh("Sub"), "value": "C", "fields": [random_field(rng, shape)]})
        return f"another subtype of {entity.name}"
    sub["fields"].append(random_field(rng, shape))
    return f"add a field to {sub['name']}"


def view_columns(rng, shape, view):
    """What could be appended to a view."""
    base = shape.entities[view.base]
    used = {column["name"] for column in view.columns}
    out = [{"name": one.name, "kind": one.kind, "field": one.name} for one in base.fields if not one.is_flat() and one.name not in used]
    for reference in base.references:
        target = shape.entities[reference["references"]]
        for one in target.fields:
            if one.kind not in ("enum", "object", "map", "decimal") and not one.is_list() and "dbColumnType" not in one.attributes:
                out.append({"name": shape.fresh("far"), "kind": one.kind, "origin": {"origin.passthrough": {
                    "from": f"{target.name}.{one.name}", "via": f"{base.name}.{reference['name']}"}}})
    return out


def change_view(rng, shape):
    choice = rng.random()
    if shape.views and choice < 0.25:
        del shape.views[rng.choice(list(shape.views))]
        return "drop a view"
    if shape.views and choice < 0.65:
        view = rng.choice(list(shape.views.values()))
        if view.sql:
            view.sql = select_of(rng, shape, shape.entities[view.base])
            return f"body of {view.name}"
        if choice < 0.4 and len(view.columns) > 1:
            view.columns.pop(rng.randrange(len(view.columns)))
            return f"remove a column of {view.name}"
        more = view_columns(rng, shape, view)
        if more:
            view.columns.insert(rng.choice([len(view.columns), len(view.columns), 0]), rng.choice(more))
            return f"add a column to {view.name}"
        return None
    entity = pick_entity(rng, shape)
    if entity is None or len(shape.views) > 2:
        return None
    view = View(shape.fresh("View"), entity.name)
    if choice > 0.9:
        view.sql = select_of(rng, shape, entity)
    else:
        more = view_columns(rng, shape, view)
        direct = [one for one in more if one.get("field")]
        view.columns = [rng.choice(direct)]
        rest = [one for one in more if one["name"] != view.columns[0]["name"]]
        view.columns += rng.sample(rest, min(len(rest), rng.randint(0, 2)))
        if shape.dialect == "postgres" and rng.random() < 0.25:
            view.kind = "materializedView"
    shape.views[view.name] = view
    return f"view {view.name} of {entity.name}"


def select_of(rng, shape, entity):
    mark = "`" if shape.dialect == "mysql" else '"'
    names = [column for one in entity.fields for column in one.columns()]
    chosen = rng.sample(names, min(len(names), rng.randint(1, 3)))
    return "SELECT " + ", ".join(mark + one + mark for one in chosen) + f" FROM {mark}{entity.table}{mark}"


EDITS = [(add_entity, 3), (drop_entity, 2), (rename_entity, 2), (add_field, 8), (drop_field, 5), (rename_field, 4), (change_kind, 6),
         (change_size, 4), (toggle_required, 6), (change_default, 6), (toggle_unique, 4), (change_members, 4), (change_index, 7),
         (change_reference, 6), (change_validator, 6), (change_identity, 3), (change_comment, 3), (change_storage, 3), (toggle_list, 2),
         (change_subtypes, 3), (change_view, 7)]


def edit(rng, shape):
    """One to three edits at once; what they did."""
    done = []
    while not done:
        for one in shape.entities.values():
            one.former = None
            for field in one.fields:
                field.former = None
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            said = rng.choices([one for one, _ in EDITS], [weight for _, weight in EDITS])[0](rng, shape)
            if said:
                done.append(said)
    return done
