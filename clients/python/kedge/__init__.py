"""A thin typed client over the kedge program: sync (Engine) and async (AsyncEngine)."""
from ._engine import AsyncEngine, Engine
from ._errors import KedgeError, SchemaDriftError
from ._program import program_path
from ._types import (AdditionEntry, ApplyDriftResult, CheckResult, DeleteEntry, DeleteReason, DriftError,
                     EditModelDelete, Finding, IngestResult, QueryResult, RemoveSpec, WholeModelDelete)

__version__ = "0.1.0"
__all__ = ["AdditionEntry", "ApplyDriftResult", "AsyncEngine", "CheckResult", "DeleteEntry", "DeleteReason",
           "DriftError", "EditModelDelete", "Engine", "Finding", "IngestResult", "KedgeError", "QueryResult",
           "RemoveSpec", "SchemaDriftError", "WholeModelDelete", "program_path"]
