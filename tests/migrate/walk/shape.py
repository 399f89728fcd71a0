"""A random declaration that can be edited: entities, keys, indexes, checks, references, subtypes, projections; as metadata and as rows."""
import copy

VALUE = {"object.value": {"name": "Dims", "children": [{"field.int": {"name": "wide", "required": True}},
                                                       {"field.enum": {"name": "unit", "values": ["MM", "CM"]}}]}}

KINDS = ["string", "int", "long", "float", "double", "decimal", "boolean", "date", "time", "timestamp", "currency", "uuid", "enum", "uri",
         "inet", "map", "bytes", "object"]
TEXTS = ("string", "uri")
NUMBERS = ("int", "long", "decimal", "currency", "double", "float")
NOT_KEYS = ("map", "bytes", "object", "boolean", "enum", "float", "double")


class Field:
    def __init__(self, name, kind, **attributes):
        self.name, self.kind, self.attributes = name, kind, attributes
        self.validators, self.former = [], None
        if kind == "enum":
            attributes.setdefault("values", ["A", "B", "C"])
        elif kind == "decimal":
            attributes.setdefault("precision", 9)
            attributes.setdefault("scale", 2)
        elif kind == "map":
            attributes.setdefault("valueType", "string")
        elif kind == "object":
            attributes.setdefault("objectRef", "Dims")

    def node(self):
        body = {"name": self.name, **self.attributes}
        if self.former:
            body["formerName"] = self.former
        if self.validators:
            body["children"] = copy.deepcopy(self.validators)
        return {"field." + self.kind: body}

    def is_list(self):
        return bool(self.attributes.get("isArray"))

    def is_flat(self):
        return self.kind == "object" and self.attributes.get("storage") == "flattened"

    def columns(self):
        return [self.name + "_wide", self.name + "_unit"] if self.is_flat() else [self.name]

    def can_be_key(self):
        return self.kind not in NOT_KEYS and not self.is_list()

    def values(self, number, dialect):
        """The values of its columns in row `number`: never NULL, different for each number, within every bound the walk declares."""
        if self.is_flat():
            return [number, "MM"]
        if self.is_list() and self.kind not in ("object", "map"):
            plain = Field(self.name, self.kind, **{k: v for k, v in self.attributes.items() if k != "isArray"})
            one = plain.values(number, dialect)[0]
            if dialect in ("sqlite", "mysql"):
                import json
                return [json.dumps([one])]
            return [[one]]
        kind = self.kind
        if kind in ("int", "long", "currency", "float", "double", "decimal"):
            return [number]
        if kind == "boolean":
            return [bool(number % 2)]
        if kind == "date":
            return [f"2027-{1 + number // 28 % 12:02d}-{1 + number % 28:02d}"]
        if kind == "time":
            return [f"{number // 60 % 24:02d}:{number % 60:02d}:00"]
        if kind == "timestamp":
            return [f"2027-{1 + number // 28 % 12:02d}-{1 + number % 28:02d} 10:00:00"]
        if kind == "uuid" or self.attributes.get("dbColumnType") == "uuid":
            return [f"00000000-0000-4000-8000-{number:012d}"]
        if kind == "enum":
            return [self.attributes["intValueMap"]["A"] if "intValueMap" in self.attributes else "A"]
        if kind == "inet":
            return [f"10.0.{number // 250}.{number % 250}"]
        if kind == "map" or kind == "object" or self.attributes.get("dbColumnType") == "jsonb":
            return ["[]" if self.is_list() else '{"a": "%d"}' % number]
        if kind == "bytes":
            return [("bytes", number)]
        return [str(number)]


class Entity:
    def __init__(self, name):
        self.name, self.table, self.former, self.description = name, name.lower() + "s", None, None
        self.fields, self.key, self.generation = [], ["id"], None
        self.uniques, self.indexes, self.references, self.checks = [], [], [], []
        self.discriminator, self.subtypes = None, []

    def field(self, name):
        return next((one for one in self.fields if one.name == name), None)

    def columns(self):
        own = [column for one in self.fields for column in one.columns()]
        return own + [column for sub in self.subtypes for one in sub["fields"] for column in one.columns()]

    def uses(self, name):
        """Parts of this entity that name a field: lists of dictionaries and the one entry."""
        found = []
        for part in (self.uniques, self.indexes):
            found += [(part, one) for one in part if name in one["fields"] or name in one.get("where", "").split()
                      or name in one.get("expr", "").split()]
        found += [(self.references, one) for one in self.references if name in one["fields"]]
        found += [(self.checks, one) for one in self.checks if name in next(iter(one.values())).values()
                  or name in next(iter(one.values())).get("fields", [])]
        return found

    def nodes(self):
        children = [{"source.rdb": {"table": self.table}}]
        children += [one.node() for one in self.fields]
        children.append({"identity.primary": {"fields": self.key if len(self.key) > 1 else self.key[0],
                                              **({"generation": self.generation} if self.generation else {})}})
        children += [{"identity.secondary": one} for one in self.uniques] + [{"index.lookup": one} for one in self.indexes]
        for one in self.references:
            children.append({"identity.reference": one})
        children += self.checks
        body = {"name": self.name, "children": copy.deepcopy(children)}
        if self.former:
            body["formerName"] = self.former
        if self.description:
            body["description"] = self.description
        if self.discriminator:
            body["discriminator"] = self.discriminator
        out = [{"object.entity": body}]
        for sub in self.subtypes:
            out.append({"object.entity": {"name": sub["name"], "extends": self.name, "discriminatorValue": sub["value"],
                                          "children": [one.node() for one in sub["fields"]]}})
        return out


class View:
    def __init__(self, name, base):
        self.name, self.base, self.kind, self.sql = name, base, "view", None
        self.columns = []  # (name, field kind, attributes, origin or None, base field or None)

    def node(self):
        source = {"kind": self.kind, ("materializedView" if self.kind == "materializedView" else "view"): "v_" + self.name.lower()}
        if self.sql:
            source["sql"] = self.sql
            return {"object.projection": {"name": self.name, "children": [{"source.rdb": source}]}}
        children = [{"source.rdb": source}]
        for one in self.columns:
            body = {"name": one["name"]}
            if one.get("origin"):
                body["children"] = [copy.deepcopy(one["origin"])]
            if one.get("field"):
                body["extends"] = self.base + "." + one["field"]
            children.append({"field." + one["kind"]: body})
        return {"object.projection": {"name": self.name, "children": children}}

    def uses(self, entity, name=None):
        if self.base == entity and name is None:
            return True
        for one in self.columns:
            if self.base == entity and one.get("field") == name and name is not None:
                return True
            for origin in (one.get("origin") or {}).values():
                text = " ".join(str(value) for value in origin.values())
                if (entity + "." + name if name else entity + ".") in text + " ":
                    return True
        return bool(self.sql) and (name is None or f'"{name}"' in self.sql or f"`{name}`" in self.sql) and self.base == entity


class Shape:
    def __init__(self, dialect):
        self.dialect, self.entities, self.views, self.counter = dialect, {}, {}, 0

    def copy(self):
        return copy.deepcopy(self)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def documents(self):
        children = [copy.deepcopy(VALUE)]
        for one in self.entities.values():
            children += one.nodes()
        children += [one.node() for one in self.views.values()]
        return {"package": "t", "children": children}

    def referrers(self, name):
        return [(one, reference) for one in self.entities.values() for reference in one.references
                if reference["references"].split(".")[0] == name]

    def drop_field(self, entity, name):
        for part, one in entity.uses(name):
            if one in part:
                part.remove(one)
        entity.fields = [one for one in entity.fields if one.name != name]
        self.drop_views(entity.name, name)

    def drop_views(self, entity, name=None):
        self.views = {key: view for key, view in self.views.items() if not view.uses(entity, name)}


def literal(value, dialect):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value)) if dialect in ("sqlite", "mysql") else str(value).upper()
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, tuple):
        text = f"{value[1]:04x}"
        return {"postgres": f"'\\x{text}'", "duckdb": f"'\\x{text[:2]}\\x{text[2:]}'::BLOB"}.get(dialect, f"X'{text}'")
    if isinstance(value, list):
        if dialect == "duckdb":
            return "[" + ", ".join(literal(one, dialect) for one in value) + "]"
        return "'{" + ",".join(str(one) for one in value) + "}'"
    return "'" + value.replace("'", "''") + "'"


def quote(name, dialect):
    return f"`{name}`" if dialect == "mysql" else f'"{name}"'
