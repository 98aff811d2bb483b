"""Shared lists of all kinds as the API takes, shows and documents them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from homeshelf.shares.access import Access
from homeshelf.shares.bodies import NewShareable
from homeshelf.shares.credentials import UNLOCKED_OR_NOT
from homeshelf.shares.kind import ShareableKind, all_kinds, kind_of
from homeshelf.shares.store import OpenList
from homeshelf.web.json import shown
from homeshelf.web.openapi import Maybe, refuses
from homeshelf.web.requests import ApiRoute, api_router


class _ListRoute(ApiRoute):
    """A route about one list, whose passcodes decide about access."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"openapi_extra": UNLOCKED_OR_NOT})


def router_about_list() -> APIRouter:
    return api_router(_ListRoute, refuses(401, 403, 410, 429))


def shown_list(found: OpenList, access: Access) -> dict[str, Any]:
    children = kind_of(found.shared.entity).show(found.items)
    return shown(found.shared, access=access, **children)


def shape_of(kinds: Sequence[ShareableKind]) -> dict[str, Any]:
    """Return the children as the API documents them, which differ if there are several kinds."""
    shapes = {name: shape for kind in kinds for name, shape in kind.shape.items()}
    return shapes if len(kinds) == 1 else {name: Maybe(shapes[name]) for name in shapes}


class _BodyOfKind:
    """Checks a new list by the body of the kind that its `entity` names."""

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


NewOfAnyKind = Annotated[NewShareable, _BodyOfKind()]
