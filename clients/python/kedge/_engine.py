"""Engine and AsyncEngine. Every call runs the program once with --format json."""
from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
from typing import Any, Iterable, List, Mapping, Optional, Tuple, Union, cast

from ._errors import KedgeError, SchemaDriftError
from ._program import program_path
from ._types import ApplyDriftResult, CheckResult, DeleteEntry, IngestResult, QueryResult

Query = Union[str, Mapping[str, Any]]
Request = Tuple[List[str], Tuple[int, ...]]  # arguments, exit codes that carry a result


def _failure(stdout: str, stderr: str, exit_code: int) -> KedgeError:
    document: Any = None
    try:
        document = json.loads(stdout) if stdout.strip() else None
    except ValueError:
        pass
    if isinstance(document, dict):
        if document.get("error") == "schema_drift":
            return SchemaDriftError(document, exit_code)
        if "error" in document:
            return KedgeError(str(document["error"]), str(document.get("message", "")), exit_code, document)
        errors = document.get("errors")
        if isinstance(errors, list) and errors:
            return KedgeError(str(errors[0].get("code", "")), str(errors[0].get("message", "")), exit_code, document)
    for line in stderr.splitlines():
        try:
            said = json.loads(line)
            return KedgeError(str(said["code"]), str(said["message"]), exit_code, document)
        except (ValueError, KeyError, TypeError):
            continue
    return KedgeError("", stderr.strip() or f"kedge ended with {exit_code}", exit_code, document)


def _result(stdout: str, stderr: str, exit_code: int, good: Tuple[int, ...]) -> Any:
    if exit_code not in good:
        raise _failure(stdout, stderr, exit_code)
    try:
        document = json.loads(stdout)
    except ValueError:
        raise KedgeError("", f"kedge gave no JSON document: {stdout.strip()[:200]}", exit_code) from None
    if exit_code == 2 and "guards" not in document:  # not the report of a check that could not look everywhere
        raise _failure(stdout, stderr, exit_code)
    return document


def _not_started(program: str, error: Exception) -> KedgeError:
    return KedgeError("", f"cannot run {program}: {getattr(error, 'strerror', None) or error}", 127)


def _json(value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise KedgeError("", f"cannot be written as JSON: {error}", 2) from error


def _listed(flag: str, names: Iterable[str]) -> List[str]:
    """No names: no flag. An empty name stays one, so that it never means everything."""
    words = list(names)
    if not all(isinstance(word, str) for word in words):
        raise KedgeError("", f"{flag}: names are texts", 2)
    return [f"{flag}={','.join(words)}"] if words else []


def _validate(data_source: Optional[str], deep: bool) -> Request:
    arguments = ["validate-models"]
    if data_source is not None:
        arguments.append(f"--datasource={data_source}")
    if deep:
        arguments.append("--deep")
    return arguments, (0,)


def _ingest(data_source: str, schema_name: Optional[str], include_tables: Iterable[str],
            exclude_tables: Iterable[str]) -> Request:
    arguments = ["ingest", f"--datasource={data_source}"]
    if schema_name is not None:
        arguments.append(f"--schema={schema_name}")
    return [*arguments, *_listed("--include-tables", include_tables), *_listed("--exclude-tables", exclude_tables)], (0, 1)


def _query(query: Query, variables: Optional[Mapping[str, Any]], data_source: Optional[str], dry_run: bool) -> Request:
    arguments = ["query"]
    for name, value in (variables or {}).items():
        arguments.append(f"--variables={name}={value if isinstance(value, str) else _json(value)}")
    if data_source is not None:
        arguments.append(f"--data-source={data_source}")
    if dry_run:
        arguments.append("--dry-run")
    return [*arguments, "--", query if isinstance(query, str) else _json(query)], (0,)


def _check(only: Iterable[str], skip: Iterable[str]) -> Request:
    return ["check", *_listed("--only", only), *_listed("--skip", skip)], (0, 1, 2)


def _apply(path: str) -> Request:
    return ["validate-models", "--force-clean", "--yes", "--from", path], (0, 1)


def _entries_file(entries: Iterable[DeleteEntry]) -> str:
    text = _json(list(entries))
    descriptor, path = tempfile.mkstemp(prefix="kedge-", suffix=".json")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class _Base:
    def __init__(self, project: Union[str, "os.PathLike[str]"] = ".", *, program: Optional[str] = None,
                 env: Optional[Mapping[str, str]] = None) -> None:
        self.project = os.fspath(project)
        self.program = program or program_path()
        self.env = {**os.environ, **env} if env is not None else None

    def _command(self, arguments: List[str]) -> List[str]:
        words = 2 if arguments[0] in ("migrate", "models", "schema", "contract") else 1
        return [self.program, *arguments[:words], "-C", self.project, "--format", "json", *arguments[words:]]


class Engine(_Base):
    """Runs kedge on one project folder."""

    def _run(self, request: Request) -> Any:
        arguments, good = request
        try:
            done = subprocess.run(self._command(arguments), capture_output=True, text=True, encoding="utf-8",
                                  stdin=subprocess.DEVNULL, env=self.env, check=False)
        except (OSError, ValueError) as error:  # ValueError: a NUL or half a character in a word
            raise _not_started(self.program, error) from error
        return _result(done.stdout, done.stderr, done.returncode, good)

    def validate_models(self, data_source: Optional[str] = None, *, deep: bool = False) -> List[DeleteEntry]:
        """The minimal list of deletes that makes the models valid again; empty without drift."""
        return cast(List[DeleteEntry], self._run(_validate(data_source, deep)))

    def apply_drift_deletes(self, entries: Iterable[DeleteEntry]) -> ApplyDriftResult:
        """Makes the edits that validate_models gave, then validates again."""
        path = _entries_file(entries)
        try:
            return cast(ApplyDriftResult, self._run(_apply(path)))
        finally:
            os.unlink(path)

    def ingest(self, data_source: str, *, schema_name: Optional[str] = None, include_tables: Iterable[str] = (),
               exclude_tables: Iterable[str] = ()) -> IngestResult:
        """Adds what the live database has and the models lack; changes nothing that exists."""
        return cast(IngestResult, self._run(_ingest(data_source, schema_name, include_tables, exclude_tables)))

    def query(self, query: Query, *, variables: Optional[Mapping[str, Any]] = None, data_source: Optional[str] = None,
              dry_run: bool = False) -> QueryResult:
        """Runs a query object or a query-backed model. Raises SchemaDriftError when drift broke it."""
        return cast(QueryResult, self._run(_query(query, variables, data_source, dry_run)))

    def check(self, *, only: Iterable[str] = (), skip: Iterable[str] = ()) -> CheckResult:
        """Every guard of the project in one run. What could not be checked is in `errors`, and exit_code is 2."""
        return cast(CheckResult, self._run(_check(only, skip)))


class AsyncEngine(_Base):
    """The same as Engine, as coroutines."""

    async def _run(self, request: Request) -> Any:
        arguments, good = request
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command(arguments), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, env=self.env)
        except (OSError, ValueError) as error:  # ValueError: a NUL or half a character in a word
            raise _not_started(self.program, error) from error
        try:
            stdout, stderr = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        return _result(stdout.decode("utf-8"), stderr.decode("utf-8"), process.returncode or 0, good)

    async def validate_models(self, data_source: Optional[str] = None, *, deep: bool = False) -> List[DeleteEntry]:
        return cast(List[DeleteEntry], await self._run(_validate(data_source, deep)))

    async def apply_drift_deletes(self, entries: Iterable[DeleteEntry]) -> ApplyDriftResult:
        path = _entries_file(entries)
        try:
            return cast(ApplyDriftResult, await self._run(_apply(path)))
        finally:
            os.unlink(path)

    async def ingest(self, data_source: str, *, schema_name: Optional[str] = None, include_tables: Iterable[str] = (),
                     exclude_tables: Iterable[str] = ()) -> IngestResult:
        return cast(IngestResult, await self._run(_ingest(data_source, schema_name, include_tables, exclude_tables)))

    async def query(self, query: Query, *, variables: Optional[Mapping[str, Any]] = None,
                    data_source: Optional[str] = None, dry_run: bool = False) -> QueryResult:
        return cast(QueryResult, await self._run(_query(query, variables, data_source, dry_run)))

    async def check(self, *, only: Iterable[str] = (), skip: Iterable[str] = ()) -> CheckResult:
        return cast(CheckResult, await self._run(_check(only, skip)))
