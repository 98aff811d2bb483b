"""The OpenAPI document: the responses and errors of each operation of the JSON API.

    @router.get("/things", responses=answers(page_of(Thing)))
    async def items(...)

Parts that all operations share are added when a client asks for the document.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import UnionType
from typing import Any, get_args, get_type_hints

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from homeshelf.table import Record
from homeshelf.web.requests import SAFE

Schema = dict[str, Any]
Responses = dict[int | str, Schema]
Shape = Any
"""A record, a type, an object by its fields (`Maybe` for one that may be absent), a list of one
shape, or a page."""

REF = "#/components/schemas/"
PARAMETERS = "#/components/parameters/"
MAYBE = "homeshelf-maybe"
PROBLEM = {"application/problem+json": {"schema": {"$ref": f"{REF}Problem"}}}
SIGNED_IN: list[Schema] = [{"token": []}, {"cookie": []}]
SIGNED_IN_OR_NOT: Schema = {"security": [{}, *SIGNED_IN]}
"""The `openapi_extra` of operations that also serve anonymous callers."""
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "From `POST /tokens`."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "homeshelf",
        "description": "The session of a signed-in browser. `__Host-homeshelf` over HTTPS.",
    },
}
MEMBER: Schema = {
    "name": "Homeshelf-Member",
    "in": "header",
    "schema": {"type": "string", "format": "uuid"},
    "description": "The expected member. If someone else is signed in, the response is 401.",
}
LANGUAGE: Schema = {
    "name": "Accept-Language",
    "in": "header",
    "schema": {"type": "string"},
    "description": "The language of `detail` and of messages. English if it is not supported.",
}
PROBLEM_SCHEMA: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for users."},
        "code": {"type": "string", "description": "For programs; it never changes."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
        "current": {"description": "The current state of the record."},
        "existing": {"description": "The existing record."},
        "references": {"description": "The number of records of each kind that refer to this one."},
        "entity": {"type": "string", "description": "The kind of list that requires a passcode."},
    },
}


@dataclass(frozen=True)
class PageOf:
    shape: Shape
    name: str = "items"


@dataclass(frozen=True)
class Maybe:
    shape: Shape


@dataclass(frozen=True)
class Extended:
    """A record with further fields, or with other types for its own."""

    record: type[Record]
    added: Mapping[str, Any]


RequiredCaller = Callable[[Dependant], str | None]
"""A function that returns the caller that a handler requires: person, member or None."""

page_of = PageOf
_published: set[type[Record]] = set()
"""The records that occur in responses."""


def extended(record: type[Record], **added: Any) -> Extended:
    return Extended(record, added)


def operation_responses(
    shape: Shape = None, *refused: int, status: int = 200, kinds: Sequence[str] = ()
) -> Responses:
    """Return the `responses` of an operation: JSON, or a file of these kinds.

    `refused` are the error statuses that do not follow from the caller and the method.
    """
    content: Schema = {
        kind: {"schema": {"type": "object" if kind == "application/json" else "string"}}
        for kind in kinds
    }
    if shape is not None:
        content["application/json"] = {"schema": _schema(shape)}
    return {str(status): {"content": content} if content else {}} | error_responses(*refused)


def error_responses(*statuses: int) -> Responses:
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": PROBLEM}
        for status in statuses
    }


def document(app: FastAPI, required_caller: RequiredCaller, credentials: Schema) -> Schema:
    """Return the OpenAPI document, created on first use.

    `credentials` are the security schemes of slices.
    """
    if app.openapi_schema is None:
        app.openapi_schema = _document(app, required_caller)
        app.openapi_schema["components"]["securitySchemes"] = SECURITY | credentials
    return app.openapi_schema


def _document(app: FastAPI, required_caller: RequiredCaller) -> Schema:
    made = get_openapi(title=app.title, version=app.version, routes=app.routes)
    schemas = made["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas |= {record.__name__: _schema_of_record(record) for record in _published}
    schemas["Problem"] = PROBLEM_SCHEMA
    made["components"]["parameters"] = {"Member": MEMBER, "Language": LANGUAGE}
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                operation = made["paths"][route.path_format][method.lower()]
                operation.update(tags=[route.path_format.split("/")[3]])  # /api/v1/TAG
                _add_common_parts(operation, route, method, required_caller)
    return made


def _add_common_parts(
    operation: Schema, route: APIRoute, method: str, required_caller: RequiredCaller
) -> None:
    """Add the parameters and errors that follow from the caller and the method."""
    responses: Responses = operation["responses"]
    if "422" not in route.responses:
        responses.pop("422", None)  # FastAPI's own, which is never sent
    who = required_caller(route.dependant)
    responses |= error_responses(*_error_statuses(operation, who, method))
    if who:
        operation["security"] = SIGNED_IN
    named = ["Member", "Language"] if who else ["Language"]
    operation.setdefault("parameters", []).extend({"$ref": f"{PARAMETERS}{name}"} for name in named)


def _error_statuses(operation: Schema, who: str | None, method: str) -> set[int]:
    found = {503}
    changes = method not in SAFE
    if changes or operation.get("parameters"):
        found.add(400)
    if changes:
        found |= {404, 409, 413, 429}
    if who is not None:
        found |= {401, 403}
    if who == "member":
        found |= {400, 404, 409}
    if any(each["in"] == "path" for each in operation.get("parameters", ())):
        found |= {404, 422}
    return found


def _schema(shape: Shape) -> Schema:
    match shape:
        case PageOf(inner, name):
            items = {"type": "array", "items": _schema(inner)}
            token = {
                "type": "string",
                "description": "Requests the next page. Absent on the last one.",
            }
            properties = {name: items, "nextToken": token}
            return {"type": "object", "required": [name], "properties": properties}
        case Extended(record, added):
            own = _schema_of_record(record)
            more = {name: _schema(each) for name, each in added.items()}
            return _schema_of_object(own["properties"] | more)
        case Mapping():
            return _schema_of_object({name: _schema(each) for name, each in shape.items()})
        case Maybe(inner):
            return _schema(inner) | {MAYBE: True}
        case [inner]:
            return {"type": "array", "items": _schema(inner)}
        case type() if issubclass(shape, Record):
            _published.add(shape)
            return {"$ref": REF + shape.__name__}
    kinds = [each for each in get_args(shape) if isinstance(each, type)]
    if isinstance(shape, UnionType) and any(issubclass(each, Record) for each in kinds):
        return {"anyOf": [_schema(each) for each in shape.__args__]}
    return _schema_of_type(shape)


def _schema_of_record(record: type[Record]) -> Schema:
    hints = get_type_hints(record, include_extras=True)
    properties = {alias: _schema_of_type(hints[name]) for name, alias in record.shown.items()}
    for alias, name in record.computed.items():
        properties[alias] = _schema_of_type(get_type_hints(getattr(record, name).fget)["return"])
    return _schema_of_object(properties)


def _schema_of_object(properties: Schema) -> Schema:
    required = [name for name, each in properties.items() if not each.pop(MAYBE, False)]
    return {
        "type": "object",
        "required": sorted(required),
        "properties": properties,
        "additionalProperties": False,
    }


def _schema_of_type(kind: Any) -> Schema:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    made = adapter.json_schema(mode="serialization", schema_generator=_ExactNumbers)
    assert "$defs" not in made, kind  # noqa: S101  # what records hold is plain
    return made


class _ExactNumbers(GenerateJsonSchema):
    """A schema generator for decimals that are sent as numbers."""

    def decimal_schema(self, _schema: core_schema.DecimalSchema) -> Schema:
        return {"type": "number"}
