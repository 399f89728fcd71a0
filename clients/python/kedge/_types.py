"""The shapes of kedge's JSON."""
from __future__ import annotations

from typing import Any, Dict, List, TypedDict, Union


class DeleteReason(TypedDict):
    target: str
    code: str
    reason: str


class RemoveSpec(TypedDict):
    columns: List[str]
    measures: List[str]
    aggregations: List[str]
    joins: List[str]


class EditModelDelete(TypedDict):
    tool: str
    model_name: str
    data_source: str
    remove: RemoveSpec
    remove_filters: List[str]
    reasons: List[DeleteReason]


class WholeModelDelete(TypedDict):
    tool: str
    model_name: str
    data_source: str
    reasons: List[DeleteReason]


DeleteEntry = Union[EditModelDelete, WholeModelDelete]


class DriftError(TypedDict):
    tool: str
    model_name: str
    data_source: str
    code: str
    error: str


class ApplyDriftResult(TypedDict):
    applied: List[Dict[str, str]]
    errors: List[DriftError]
    residual: List[DeleteEntry]


class AdditionEntry(TypedDict):
    model_name: str
    data_source: str
    created: bool
    new_columns: List[str]
    new_joins: List[str]


class IngestResult(TypedDict):
    additions: List[AdditionEntry]
    to_delete: List[DeleteEntry]
    errors: List[Dict[str, str]]


class QueryResult(TypedDict, total=False):
    data: List[Dict[str, Any]]
    columns: List[str]
    row_count: int
    sql: str
    attributes: Dict[str, Any]


class Finding(TypedDict, total=False):
    code: str
    message: str
    severity: str
    hint: str
    file: str
    line: int
    column: int
    guard: str
    subject: Dict[str, str]
    notes: List[Dict[str, Any]]


class CheckResult(TypedDict, total=False):
    guards: List[Dict[str, Any]]
    findings: List[Finding]
    errors: List[Finding]
    exit_code: int
