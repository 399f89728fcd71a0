"""What the client raises."""
from __future__ import annotations

from typing import Any, List


class KedgeError(Exception):
    """kedge could not do what it was asked. `code` is stable; `document` is what it said, if JSON."""

    def __init__(self, code: str, message: str, exit_code: int, document: Any = None) -> None:
        super().__init__(f"[{code}] {message}" if code else message)
        self.code = code
        self.message = message
        self.exit_code = exit_code
        self.document = document


class SchemaDriftError(KedgeError):
    """A query failed because the database has drifted from the models it touches."""

    def __init__(self, body: dict, exit_code: int) -> None:
        self.models: List[str] = list(body.get("models", []))
        self.to_delete: List[dict] = list(body.get("to_delete", []))
        self.original: str = body.get("original", "")
        super().__init__("schema_drift",
                         f"Schema drift detected on models {self.models}: {len(self.to_delete)} pending delete(s)",
                         exit_code, body)
