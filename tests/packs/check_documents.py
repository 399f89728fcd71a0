"""The API documents of the rich metadata: OpenAPI against the 3.1 schema, every JSON Schema against its metaschema and,
with values of the wire, for what it says.   check_documents.py FOLDER"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

folder = pathlib.Path(sys.argv[1])
api = json.loads((folder / "api/openapi.json").read_text(encoding="utf-8"))
assert api["openapi"].startswith("3.1."), api["openapi"]
validate(api, cls=OpenAPIV31SpecValidator)

files = sorted((folder / "schemas").rglob("*.schema.json"))
assert len(files) > 60, files
schemas = {}
for path in files:
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", path
    Draft202012Validator.check_schema(schema)
    schemas[path.relative_to(folder / "schemas").as_posix()] = schema

every = {
    "stringRequired": "x", "intRequired": 1, "longRequired": 2, "floatRequired": 1.5, "doubleRequired": 2.5,
    "decimalRequired": "10.125", "currencyRequired": 100, "booleanRequired": True, "dateRequired": "2026-05-03",
    "timeRequired": "10:00:00", "timestampRequired": "2026-05-03T10:00:00Z", "uriRequired": "https://example.org",
    "uuidRequired": "0e8f3a8e-6f0b-4c5e-9a51-1d2c3b4a5f60", "inetRequired": "::1", "bytesRequired": "AQ==",
    "enumRequired": "south_east", "mapRequired": {"a": "b"}, "objectRequired": {"text": "t"}, "limited": "seven77",
    "localRequired": "2026-05-03T10:00:00",
}
every.update({f"{key[:-8]}ListRequired": [value] for key, value in list(every.items())
              if key.endswith("Required") and key != "localRequired"})
wrong = {
    "stringRequired": 1, "intRequired": 1.5, "longRequired": "x", "decimalRequired": "10.1255", "booleanRequired": 1,
    "enumRequired": "WEST", "enumListRequired": ["WEST"], "objectRequired": {"text": None}, "objectListRequired": [{}],
    "limited": "eight888", "localRequired": "2026-05-03T10:00:00Z", "stringListRequired": "x", "mapRequired": [],
}


def check(name, validator):
    problems = [error.message for error in validator.iter_errors(every)]
    assert not problems, (name, problems)
    assert validator.is_valid({**every, "stringField": None, "enumField": None, "objectField": None}), name
    for key, value in wrong.items():
        assert not validator.is_valid({**every, key: value}), (name, key)
    for key in every:
        assert not validator.is_valid({k: v for k, v in every.items() if k != key}), (name, key, "is required")


check("json-schema", Draft202012Validator(schemas["alpha/Every.schema.json"], format_checker=FormatChecker()))
inner = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": api["components"],
         "$ref": "#/components/schemas/Every"}
check("openapi", Draft202012Validator(inner))

answer = Draft202012Validator(schemas["alpha/Ask.response.schema.json"])
assert answer.is_valid({"beds": [{"parts": [{"name": "deep"}]}], "note": {"number": 1}})
assert not answer.is_valid({"beds": [{"parts": [{"name": 5}]}], "note": {"number": 1}})
assert not answer.is_valid({"beds": [], "note": {"text": "of the other package"}})
assert "alpha/Call.response.schema.json" in schemas

components = api["components"]["schemas"]
assert components["AlphaNote"] != components["BetaNote"] and "Note" not in components
assert "id" not in components["EveryRowCreate"]["properties"], "made by the database"
assert {"id"} & set(components["EveryRowPatch"]["properties"]) == set(), "a key is never set"
assert set(components["SettingsPatch"]["properties"]) == {"level", "place", "seat"}, components["SettingsPatch"]
assert not components["EveryRowPatch"].get("required"), "a patch needs nothing"
paths = api["paths"]
assert set(paths["/every_rows"]) == {"get", "post"} and set(paths["/every_rows/{id}"]) >= {"get", "patch", "put", "delete"}
assert set(paths["/vehicle_views"]) == {"get"} and set(paths["/vehicle_views/{id}"]) - {"parameters"} == {"get"}, "a projection is read-only"
print("documents hold")
