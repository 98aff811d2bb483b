"""The published contract: for each operation of the JSON API what it answers and what it refuses.

    @router.get("/items")
    @answers(page_of(InventoryItem))
    async def items(...)

It is put together when somebody asks for it, and costs nothing before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from types import UnionType
from typing import Any, get_type_hints

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from homeshelf.table import Record
from homeshelf.web.marks import Handler, marked
from homeshelf.web.requests import SAFE

Schema = dict[str, Any]
Shape = Any
"""What is answered: a record as clients see it, a type, an object by its fields (`Maybe` one that
may be absent), a list of one shape, a page."""

REF = "#/components/schemas/"
PARAMETERS = "#/components/parameters/"
MAYBE = "homeshelf-maybe"
PROBLEM = {"application/problem+json": {"schema": {"$ref": f"{REF}Problem"}}}
Security = list[dict[str, list[str]]]
SIGNED_IN: Security = [{"token": []}, {"cookie": []}]
SIGNED_IN_OR_NOT: Security = [{}, *SIGNED_IN]
UNLOCKED_OR_NOT: Security = [{}, {"listToken": []}, {"listCookie": []}]
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "From `POST /tokens`."},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "homeshelf",
        "description": "Of a browser that is signed in; `__Host-homeshelf` over HTTPS.",
    },
    "listToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "Of a locked list, from `POST /shareables/{shortId}/unlock`.",
    },
    "listCookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "homeshelf-lists",
        "description": "Of a browser that unlocked it; `__Host-homeshelf-lists` over HTTPS.",
    },
}
MEMBER: Schema = {
    "name": "Homeshelf-Member",
    "in": "header",
    "schema": {"type": "string", "format": "uuid"},
    "description": "Whose request it is: 401 where somebody else is signed in.",
}
LANGUAGE: Schema = {
    "name": "Accept-Language",
    "in": "header",
    "schema": {"type": "string"},
    "description": "Of `detail` and messages, where it is one of ours; English otherwise.",
}
PROBLEM_SCHEMA: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for people."},
        "code": {"type": "string", "description": "For programs; it never changes."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
        "current": {"description": "The record that stands in the way, as it is now."},
        "existing": {"description": "What is there already."},
        "references": {"description": "How many of what refer to it."},
        "entity": {"type": "string", "description": "What it is that asks for a passcode."},
    },
}


@dataclass(frozen=True)
class PageOf:
    shape: Shape
    name: str = "items"


@dataclass(frozen=True)
class Maybe:
    """A field that is not always there."""

    shape: Shape


@dataclass(frozen=True)
class Extended:
    """A record with more than its own attributes, or with others in their place."""

    record: type[Record]
    added: Mapping[str, Any]


@dataclass(frozen=True)
class _Answers:
    shape: Shape | None = None
    refuses: frozenset[int] = frozenset()
    also: Mapping[int, Shape] = field(default_factory=dict)
    kinds: Sequence[str] = ()
    security: Security | None = None


page_of = PageOf


def extended(record: type[Record], **added: Any) -> Extended:
    return Extended(record, added)


def answers(
    shape: Shape = None,
    *refuses: int,
    also: Mapping[int, Shape] | None = None,
    kinds: Sequence[str] = (),
    security: Security | None = None,
) -> Callable[[Handler], Handler]:
    """`refuses` names statuses beyond those that follow from who may ask and how; `also` the
    answers of other statuses; `kinds` what a file may be that is answered; `security` what may
    be shown where nobody need sign in."""
    return marked(answers=_Answers(shape, frozenset(refuses), also or {}, kinds, security))


def document(app: FastAPI) -> Schema:
    """Return the published contract, made when it is first asked for."""
    if app.openapi_schema is None:
        app.openapi_schema = _document(app)
    return app.openapi_schema


def _document(app: FastAPI) -> Schema:
    said = get_openapi(title=app.title, version=app.version, routes=app.routes)
    schemas = said["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = PROBLEM_SCHEMA
    said["components"]["securitySchemes"] = SECURITY
    said["components"]["parameters"] = {"Member": MEMBER, "Language": LANGUAGE}
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                _complete(said["paths"][route.path_format][method.lower()], route, method, schemas)
    return said


def _complete(operation: Schema, route: APIRoute, method: str, schemas: Schema) -> None:
    known: _Answers = getattr(route.endpoint, "answers", _Answers())
    responses: Schema = operation["responses"]
    responses.pop("422", None)  # the framework's own, which nobody is sent
    for status, shape in ({route.status_code or 200: known.shape} | dict(known.also)).items():
        said = responses.setdefault(str(status), {"description": HTTPStatus(status).phrase})
        if shape is not None:
            said["content"] = {"application/json": {"schema": _schema(shape, schemas)}}
        elif known.kinds:
            said["content"] = {kind: {"schema": _file(kind)} for kind in known.kinds}
        elif not said.get("content", {}).get("text/event-stream"):
            said.pop("content", None)
    who = who_asks(route.dependant)
    refused = _refused(operation, who, method) | known.refuses
    if security := SIGNED_IN if who else known.security:
        operation["security"] = security
    named = ["Member", "Language"] if who else ["Language"]
    operation.setdefault("parameters", []).extend({"$ref": f"{PARAMETERS}{name}"} for name in named)
    responses |= {
        str(status): {"description": HTTPStatus(status).phrase, "content": PROBLEM}
        for status in sorted(refused)
    }


def _refused(operation: Schema, who: str | None, method: str) -> set[int]:
    """What follows from who may ask and how: everything but a rule of the operation's own."""
    found = {503}
    changes = method not in SAFE
    if changes or operation.get("parameters"):
        found.add(400)
    if changes:
        found |= {404, 409, 413, 429}
    if who is not None:
        found |= {401, 403}
    if who in ("member", "role"):
        found |= {400, 404, 409}
    if any(each["in"] == "path" for each in operation.get("parameters", ())):
        found |= {404, 422}
    return found


def _schema(shape: Shape, schemas: Schema) -> Schema:
    match shape:
        case PageOf(inner, name):
            items = {"type": "array", "items": _schema(inner, schemas)}
            token = {"type": "string", "description": "Of the next page, where there is one."}
            properties = {name: items, "nextToken": token}
            return {"type": "object", "required": [name], "properties": properties}
        case Extended(record, added):
            own = _record(record)
            more = {name: _schema(each, schemas) for name, each in added.items()}
            return _object(own["properties"] | more)
        case Mapping():
            return _object({name: _schema(each, schemas) for name, each in shape.items()})
        case Maybe(inner):
            return _schema(inner, schemas) | {MAYBE: True}
        case [inner]:
            return {"type": "array", "items": _schema(inner, schemas)}
        case type() if issubclass(shape, Record):
            if shape.__name__ not in schemas:
                schemas[shape.__name__] = _record(shape)
            return {"$ref": REF + shape.__name__}
    if isinstance(shape, UnionType) and any(_is_record(each) for each in shape.__args__):
        return {"anyOf": [_schema(each, schemas) for each in shape.__args__]}
    return _typed(shape)


def _record(record: type[Record]) -> Schema:
    """As `shown` shows it."""
    hints = get_type_hints(record, include_extras=True)
    properties = {alias: _typed(hints[name]) for name, alias in record.shown.items()}
    for alias, name in record.worked_out.items():
        properties[alias] = _typed(get_type_hints(getattr(record, name).fget)["return"])
    return _object(properties)


def _object(properties: Schema) -> Schema:
    required = [name for name, each in properties.items() if not each.pop(MAYBE, False)]
    return {
        "type": "object",
        "required": sorted(required),
        "properties": properties,
        "additionalProperties": False,
    }


def _typed(kind: Any) -> Schema:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    made = adapter.json_schema(mode="serialization", schema_generator=_ExactNumbers)
    assert "$defs" not in made, kind  # noqa: S101  # what records hold is plain
    return made


def _file(kind: str) -> Schema:
    return {"type": "object" if kind == "application/json" else "string"}


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


class _ExactNumbers(GenerateJsonSchema):
    """Decimals are sent as numbers."""

    def decimal_schema(self, _schema: core_schema.DecimalSchema) -> Schema:
        return {"type": "number"}


def admits(who: str) -> Callable[[Handler], Handler]:
    """For a dependency that lets nobody else by: a person, a member, somebody in a role."""
    return marked(admits=who)


def who_asks(dependant: Dependant | None) -> str | None:
    """For whom a handler is, or None for anybody."""
    if dependant is None:
        return None
    own: str | None = getattr(dependant.call, "admits", None)
    return own or next(filter(None, map(who_asks, dependant.dependencies)), None)
