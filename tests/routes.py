"""Every route of the application, who may use it, something to send to it, and what is published.

All of it is read from the routes themselves: one that is added later is there without being named.
Every answer to a test is compared with the contract that is published: a status that it does not
name for an operation, a field too many or too few, and a value of another type are failures.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args
from urllib.parse import urlencode

import httpx
import jsonschema_rs
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import RouteContext, iter_route_contexts
from pydantic import TypeAdapter

from homeshelf import access, clock
from homeshelf.app import create_app
from homeshelf.config import read_settings
from homeshelf.shares.pool import new_short_id
from homeshelf.web.body import Body

Access = Literal["person", "member", "admin", "suggester"]
Ids = Mapping[str, str]

_FIELD = re.compile(r"\{(\w+)(?::\w+)?\}")
_SHAPES: dict[str, Callable[[], str]] = {
    "urlId": lambda: clock.new_id().replace("-", "")[:22],
    "shortId": new_short_id,
}
_OWN = ("shoppingItemId",)


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    access: Access | None
    schema: Mapping[str, Any] | None
    asks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def is_page(self) -> bool:
        return not self.path.startswith("/api/")

    @property
    def names(self) -> list[str]:
        return _FIELD.findall(self.path)

    def address(self, ids: Ids) -> str:
        return _FIELD.sub(lambda found: ids.get(found[1]) or some_id(found[1]), self.path)

    def question(self, ids: Ids) -> str:
        return urlencode({name: ids[name] for name in self.asks if name in ids})

    def body(self, ids: Ids) -> Any:
        return None if self.schema is None else _sample(self.schema, self.schema, "", ids)


def every_route(app: FastAPI) -> list[Route]:
    return [
        Route(method, route.path or "", _access(route), _schema(route), _asks(route))
        for route in iter_route_contexts(app.routes)
        for method in sorted((route.methods or {"GET"}) - {"HEAD", "OPTIONS"})
    ]


def every_form(ids: Ids) -> Iterator[dict[str, str]]:
    forms = (
        {name: str(value) for name, value in _sample(schema, schema, "", ids).items()}
        for schema in _schemas()
    )
    yield from {frozenset(form.items()): form for form in forms}.values()


def some_id(name: str) -> str:
    return _SHAPES.get(name, clock.new_id)()


@cache
def _schemas() -> tuple[Mapping[str, Any], ...]:
    return tuple(model.model_json_schema() for model in _models(Body))


def _models(parent: type[Body]) -> Iterator[type[Body]]:
    for model in parent.__subclasses__():
        yield model
        yield from _models(model)


def _access(route: RouteContext) -> Access | None:
    dependant: Dependant | None = getattr(route, "dependant", None)
    used = set(_calls(dependant)) if dependant else set()
    if roles := [call.role for call in used if isinstance(call, access.InRole)]:
        return "admin" if "admin" in roles else "suggester"
    found = [name for name, depends in _DEPENDS.items() if depends in used]
    return found[0] if found else None


def _asks(route: RouteContext) -> tuple[str, ...]:
    dependant: Dependant | None = getattr(route, "dependant", None)
    return tuple(_asked(dependant)) if dependant else ()


def _asked(dependant: Dependant) -> Iterator[str]:
    yield from (asked.alias for asked in dependant.query_params)
    for needed in dependant.dependencies:
        yield from _asked(needed)


def _calls(dependant: Dependant) -> Iterator[Any]:
    for needed in dependant.dependencies:
        yield needed.call
        yield from _calls(needed)


_DEPENDS: dict[Access, Any] = {
    "member": get_args(access.Member)[1].dependency,
    "person": get_args(access.Person)[1].dependency,
}


def _schema(route: RouteContext) -> Mapping[str, Any] | None:
    body = getattr(route, "body_field", None)
    return None if body is None else _schema_of(body.field_info.annotation)


@cache
def _schema_of(annotation: Any) -> Mapping[str, Any]:
    return TypeAdapter(annotation).json_schema()


def _sample(schema: Mapping[str, Any], whole: Mapping[str, Any], name: str, ids: Ids) -> Any:
    match schema:
        case {"$ref": str(where)}:
            return _sample(whole["$defs"][where.rpartition("/")[2]], whole, name, ids)
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]}:
            return _sample(first, whole, name, ids)
        case {"type": "object"}:
            needed = schema.get("required", ())
            return {
                field: _sample(of, whole, field, ids)
                for field, of in schema.get("properties", {}).items()
                if field in needed or (field in ids and field not in _OWN)
            }
        case {"type": "string"}:
            return _text(schema, name, ids)
        case {"type": "array", "items": of, "minItems": least}:
            return [_sample(of, whole, name, ids) for _ in range(least)]
        case {"type": "array"}:
            return []
        case {"type": "boolean"}:
            return False
        case {"type": "integer" | "number"}:
            return max(schema.get("minimum", 1), 1)
    return None


def _text(schema: Mapping[str, Any], name: str, ids: Ids) -> str:
    if name in ids:
        return ids[name]
    if name == "email":
        return f"{clock.new_id()}@home.local"
    if name.endswith("Id"):
        return some_id(name)
    return "x" * int(schema.get("minLength", 1))


EVERYWHERE = {405, 421, 500}
"""The responses that no operation documents."""


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


def forget_document() -> None:
    """Clear the caches of the OpenAPI document, for a test that changes the application."""
    for each in (app, document, _patterns, _operation, _validator):
        each.cache_clear()


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
    return set(re.findall(r"#/components/schemas/(\w+)", repr(schema)))
