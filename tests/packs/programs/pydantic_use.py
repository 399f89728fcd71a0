"""Uses the pydantic models that the python pack makes with `style: pydantic`."""
import datetime
import decimal
import json
import uuid

import pydantic

from gen.alpha.bed import Bed
from gen.alpha.enums import EveryRowEnumRequired
from gen.alpha.every_row import EveryRow
from gen.alpha.deep.ecma_words0 import EcmaWords0
from gen.beta.visit import Visit

wire = {
    "id": 1, "stringRequired": "x", "intRequired": 1, "longRequired": 2, "floatRequired": 1.5, "doubleRequired": 2.5,
    "decimalRequired": "10.125", "currencyRequired": 100, "booleanRequired": True, "dateRequired": "2026-05-03",
    "timeRequired": "10:00:00", "timestampRequired": "2026-05-03T10:00:00Z", "uriRequired": "https://example.org",
    "uuidRequired": "0e8f3a8e-6f0b-4c5e-9a51-1d2c3b4a5f60", "inetRequired": "::1", "bytesRequired": "x",
    "enumRequired": "south_east", "mapRequired": {"a": 1}, "objectRequired": {"text": "t"}, "limited": "l",
    "localRequired": "2026-05-03T10:00:00", "gradeAgain": "Void",
}
row = EveryRow.model_validate(wire)
assert row.enum_required is EveryRowEnumRequired.SOUTH_EAST and row.decimal_required == decimal.Decimal("10.125")
assert row.date_required == datetime.date(2026, 5, 3) and isinstance(row.uuid_required, uuid.UUID)
assert row.object_required.text == "t" and row.string_field is None
dumped = json.loads(row.model_dump_json(by_alias=True, exclude_none=True))
assert dumped["stringRequired"] == "x" and dumped["enumRequired"] == "south_east", dumped
again = EveryRow.model_validate(dumped)
assert again == row
for key, value in (("enumRequired", "WEST"), ("intRequired", "many"), ("objectRequired", {}), ("dateRequired", "soon")):
    try:
        EveryRow.model_validate({**wire, key: value})
        raise SystemExit(f"not so: {key} is refused")
    except pydantic.ValidationError as error:
        assert error.errors()[0]["loc"][0] == key, error
bed = Bed.model_validate({"parts": [{"name": "deep", "garden": {"beds": [{"name": "b"}], "note": {"number": 2}}}]})
assert bed.parts is not None and bed.parts[0].garden is not None and bed.parts[0].garden.beds[0].name == "b"
visit = Visit.model_validate({"id": 1, "note": {"number": 4}, "others": [{"text": "x"}]})
assert visit.note is not None and visit.note.number == 4 and visit.others is not None and visit.others[0].text == "x"
assert "class_" in EcmaWords0.model_fields
