"""What is answered, beside the contract that is published: every answer to a test is compared.

A status that the contract does not name for an operation, a field too many or too few, and a value
of another type are failures of the test that got them.
"""

import re
from functools import cache
from typing import Any

import httpx
import jsonschema_rs
from fastapi import FastAPI

from homeshelf.app import create_app
from homeshelf.config import read_settings

EVERYWHERE = {405, 421, 500}
"""What no operation names: a method that a path does not have, another host, a fault."""


def require_as_published(answer: httpx.Response) -> None:
    request = answer.request
    operation = _operation(request.method, request.url.path)
    if operation is None or answer.status_code in EVERYWHERE:
        return
    about = f"{request.method} {request.url.path}: {answer.status_code}"
    said = operation["responses"].get(str(answer.status_code))
    assert said is not None, f"{about} is not published"
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if not answer.content:
        assert kind in ("", "application/json") or kind in said.get("content", {}), about
        return
    assert kind in said.get("content", {}), f"{about} is {kind}"
    if kind.endswith("json"):
        _validator(operation["operationId"], answer.status_code, kind).validate(answer.json())


@cache
def app() -> FastAPI:
    return create_app(read_settings({}))


@cache
def document() -> dict[str, Any]:
    return app().openapi()


@cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    paths = sorted(document()["paths"].items(), key=lambda path: path[0].count("{"))
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), found) for path, found in paths]


@cache
def _operation(method: str, path: str) -> dict[str, Any] | None:
    for pattern, found in _patterns():
        if pattern.fullmatch(path) and method.lower() in found:
            operation: dict[str, Any] = found[method.lower()]
            return operation
    return None


@cache
def _validator(operation_id: str, status: int, kind: str) -> Any:
    operation = next(
        operation
        for found in document()["paths"].values()
        for operation in found.values()
        if operation["operationId"] == operation_id
    )
    schema = operation["responses"][str(status)]["content"][kind]["schema"]
    named = {name: document()["components"]["schemas"][name] for name in _names_in(schema)}
    return jsonschema_rs.validator_for(schema | {"components": {"schemas": named}})


def _names_in(schema: Any) -> set[str]:
    """Of what it refers to; a record refers to no other."""
    return set(re.findall(r"#/components/schemas/(\w+)", repr(schema)))
