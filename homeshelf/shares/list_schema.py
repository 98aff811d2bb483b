"""The JSON of shared lists of all kinds: routes, bodies, responses and their schema."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from homeshelf.shares.access import Access
from homeshelf.shares.bodies import NewShareable
from homeshelf.shares.kind import ShareableKind, all_kinds, kind_of
from homeshelf.shares.store import ListWithItems
from homeshelf.web.json import shown
from homeshelf.web.openapi import Maybe, error_responses
from homeshelf.web.requests import ApiRoute, api_router

CREDENTIALS: dict[str, dict[str, Any]] = {
    "listToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "For a list with a passcode. From `POST /shareables/{shortId}/unlock`.",
    },
    "listCookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": "homeshelf-lists",
        "description": "Set when a browser unlocks a list. `__Host-homeshelf-lists` over HTTPS.",
    },
}
UNLOCKED_OR_NOT: dict[str, Any] = {"security": [{}, *({name: []} for name in CREDENTIALS)]}
"""The `openapi_extra` of operations that anonymous callers may use too."""


class _ListApiRoute(ApiRoute):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"openapi_extra": UNLOCKED_OR_NOT})


def list_api_router() -> APIRouter:
    return api_router(_ListApiRoute, error_responses(401, 403, 410, 429))


def render_list(found: ListWithItems, access: Access) -> dict[str, Any]:
    children = kind_of(found.shared.entity).render_children(found.items)
    return shown(found.shared, access=access, **children)


def children_schema(kinds: Sequence[ShareableKind]) -> dict[str, Any]:
    """Return the schema of the children; with several kinds, each attribute is optional."""
    shapes = {name: shape for kind in kinds for name, shape in kind.children_schema.items()}
    return shapes if len(kinds) == 1 else {name: Maybe(shapes[name]) for name in shapes}


class _BodyByEntity:
    """Validates a new list with the body class of its `entity`."""

    def __get_pydantic_core_schema__(
        self, _source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def check(data: Any, _inner: object, info: ValidationInfo) -> NewShareable:
            entity = data.get("entity") if isinstance(data, Mapping) else None
            body = kind_of(entity if isinstance(entity, str) else "").body
            return body.model_validate(data, context=info.context)

        bodies = [handler.generate_schema(kind.body) for kind in all_kinds()]
        documented = bodies[0] if len(bodies) == 1 else core_schema.union_schema([*bodies])
        return core_schema.with_info_wrap_validator_function(check, documented)


NewListBody = Annotated[NewShareable, _BodyByEntity()]
