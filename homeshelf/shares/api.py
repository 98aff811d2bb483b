"""The JSON routes of shared lists."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from homeshelf.access import Person
from homeshelf.errors import Invalid, VersionConflict, or_not_found
from homeshelf.live.hub import Hub
from homeshelf.live.listener import DOCUMENTED, EventStream
from homeshelf.sentences import _
from homeshelf.shares import bodies, saved_lists, store
from homeshelf.shares.access import (
    MANAGE,
    VIEW,
    Access,
    Grant,
    is_allowed,
    maker_grant,
    require_access,
)
from homeshelf.shares.dependencies import (
    TOKEN_SECONDS,
    AnyList,
    ChangeableList,
    ClonableList,
    DeletableListKey,
    TickableList,
    ViewableList,
    count_stored_response,
    find_list,
    grant_from_token,
    listening_right,
    token_of,
)
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.list_creation import (
    Caller,
    caller_of,
    change_list,
    clone_list,
    grant_after_change,
    make_list,
    require_maker,
)
from homeshelf.shares.list_schema import NewListBody, children_schema, list_api_router, render_list
from homeshelf.shares.model import Shareable, normalize_short_id
from homeshelf.shares.passcodes import unlock
from homeshelf.signing import Signer
from homeshelf.table import Database
from homeshelf.web.body_limits import BodyLimits, body_limits
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.ids import is_id
from homeshelf.web.json import Json, encode
from homeshelf.web.limits import address_of
from homeshelf.web.openapi import (
    SIGNED_IN_OR_NOT,
    Maybe,
    error_responses,
    extended,
    operation_responses,
    page_of,
)
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, Services, TheServices, services_of

router = api_router()
list_router = list_api_router()

LIST_SUMMARY = {"shortId": str, "name": str | None, "entity": str, "expiresAt": str}

ANONYMOUS_OWNER = "anybody who makes lists"
"""The owner of the idempotency keys of anonymous callers: UUIDs that no other caller guesses."""
MAX_STORED_BYTES = 90_000
"""A longer list is not stored with a response, but read again."""


def _stored_response(found: store.ListWithItems) -> dict[str, Any]:
    """Return the response without its token, and the grant that the token is made of."""
    answer, grant = render_list(found, "admin"), maker_grant(found.shared)
    return {
        "list": answer if len(encode(answer)) <= MAX_STORED_BYTES else None,
        "shortId": found.shared.short_id,
        "role": grant.role,
        "passcode": grant.version,
    }


async def _render_stored_response(
    services: Services, stored: dict[str, Any], _created: object
) -> dict[str, Any]:
    answer: dict[str, Any] | None = stored["list"]
    grant = Grant(stored["role"], stored["passcode"])
    if answer is None:
        shared = or_not_found(await store.find_shareable(services.db, stored["shortId"]))
        require_access(shared, grant, VIEW)  # the list may have changed since
        answer = render_list(await store.load_list(services.db, shared), "admin")
    return _with_token(services.signer, answer, grant)


async def _render_current_list(request: Request, stored: dict[str, Any]) -> dict[str, Any]:
    """Return the current list to a caller who repeats a change, with the token it gave."""
    found = await find_list(request, stored["shortId"])
    given = Grant(stored["role"], stored["passcode"])
    grant = found.grant if is_allowed(found.shared, found.grant, MANAGE) else given
    access = require_access(found.shared, grant, VIEW)
    services = services_of(request)
    answer = render_list(await store.load_list(services.db, found.shared), access)
    return _with_token(services.signer, answer, given)


def _with_token(signer: Signer, answer: dict[str, Any], grant: Grant) -> dict[str, Any]:
    token = token_of(signer, answer["shortId"], grant)
    return answer | ({"token": token} if token else {})


async def _authorize_maker(
    request: Request, services: TheServices
) -> tuple[Caller, IdempotentRequest]:
    caller = await caller_of(request)
    require_maker(services, caller)
    key = request.headers.get("idempotency-key")
    if key is not None and not is_id(key):
        raise Invalid([("Idempotency-Key", _("For a new list, this must be a UUID."))])
    idempotent = await idempotent_request(request, caller.member_id or ANONYMOUS_OWNER)
    return caller, count_stored_response(request, idempotent)


@body_limits(BodyLimits(nobody=1_500_000))
async def create_list(
    maker: Annotated[tuple[Caller, IdempotentRequest], Depends(_authorize_maker)],
    services: TheServices,
    body: NewListBody,
) -> Response:
    caller, idempotent = maker
    return await idempotent.respond(
        services.db,
        lambda unit: make_list(replace(services, db=unit), caller, body.content, body.passcodes),
        _stored_response,
        201,
        add_secret=partial(_render_stored_response, services),
    )


@list_router.post(
    "/shareables/{shortId}/unlock",
    responses=operation_responses({"access": Access, "token": Maybe(str), "expiresIn": Maybe(int)}),
)
async def unlock_list(
    request: Request, target: AnyList, services: TheServices, body: bodies.Unlock
) -> Response:
    shared = target.shared
    grant = await unlock(services, address_of(request), shared, target.grant, body.passcode)
    access = require_access(shared, grant, VIEW)
    token = token_of(services.signer, shared.short_id, grant)
    return Json(
        {"access": access} | ({"token": token, "expiresIn": TOKEN_SECONDS} if token else {})
    )


async def show_list(target: ViewableList, db: Db) -> Response:
    return Json(render_list(await store.load_list(db, target.shared), target.access))


async def edit_list(
    request: Request, target: ChangeableList, services: TheServices, body: bodies.ListChangeBody
) -> Response:
    def stored(found: store.ListWithItems) -> dict[str, object]:
        """Store the caller's grant before and after; a replay reads the list itself again."""
        grant = grant_after_change(found.shared, target.grant)
        return {
            "shortId": found.shared.short_id,
            "role": grant.role,
            "passcode": grant.version,
            "by": [target.grant.role, target.grant.version],
        }

    async def change(unit: Database) -> store.ListWithItems:
        own, address = replace(services, db=unit), address_of(request)
        try:
            return await change_list(own, address, target.shared, body.change, body.passcodes)
        except VersionConflict:
            now = await store.load_list(unit, await store.get_list(unit, target.shared.own_key()))
            raise VersionConflict(render_list(now, target.access)) from None

    async def add_token(
        response: dict[str, Any], changed: store.ListWithItems | None
    ) -> dict[str, Any]:
        if changed is None:
            return await _render_current_list(request, response)
        grant = grant_after_change(changed.shared, target.grant)
        return _with_token(services.signer, render_list(changed, "admin"), grant)

    return await target.request.respond(services.db, change, stored, add_secret=add_token)


@list_router.delete("/shareables/{shortId}", status_code=204)
async def delete_list(key: DeletableListKey, db: Db) -> None:
    await store.delete_list(db, key)


async def copy_list(
    request: Request,
    target: ClonableList,
    services: TheServices,
    body: bodies.CloneBody | None = None,
) -> Response:
    wanted = body or bodies.CloneBody()

    async def clone(unit: Database) -> store.ListWithItems:
        own, caller = replace(services, db=unit), await caller_of(request)
        return await clone_list(
            own, caller, target.shared, wanted.passcodes, wanted.name, wanted.expires_in_days
        )

    return await target.request.respond(
        services.db,
        clone,
        _stored_response,
        201,
        add_secret=partial(_render_stored_response, services),
    )


@list_router.get("/shareables/{shortId}/events", responses=DOCUMENTED)
async def events(
    request: Request,
    target: TickableList,
    services: TheServices,
    last_event_id: Annotated[str | None, Header()] = None,
    since: Annotated[str | None, Query()] = None,
    visible: Annotated[bool, Query()] = True,
) -> Response:
    hub = services.of(Hub)
    place = services.limits.of(ShareLimits).streams.hold(address_of(request))
    right = listening_right(target.shared, target.grant)
    return EventStream(
        place, hub.listening(target.shared.bare_id, right, last_event_id, since, visible=visible)
    )


@router.get("/me/shareables", responses=operation_responses(page_of(LIST_SUMMARY)))
async def list_my_lists(person: Person, paging: PageAsked, db: Db) -> Response:
    found, mark = await saved_lists.my_lists(
        db, person.member_id, paging.limit, paging.start(person.caller)
    )
    items = [
        {
            "shortId": mine.shared.short_id,
            "name": mine.name,
            "entity": mine.shared.entity,
            "expiresAt": mine.shared.expires_at,
        }
        for mine in found
    ]
    return Json(paging.envelope(person.caller, items, mark))


@router.put("/me/shareables/{shortId}", status_code=204, responses=error_responses(410))
async def save_list(
    request: Request,
    person: Person,
    services: TheServices,
    typed: Annotated[str, Path(alias="shortId")],
    body: bodies.Keep | None = None,
) -> None:
    """Save a list with the token in the body; pages use the token in their cookie."""
    found = await find_list(request, typed)
    grant, token = found.grant, body.token if body else None
    if token is not None:
        grant = grant_from_token(services.signer, token, found.shared.short_id)
    await saved_lists.save_list(services.db, person.member_id, found.shared, grant)


@router.delete("/me/shareables/{shortId}", status_code=204)
async def remove_saved_list(
    person: Person, db: Db, typed: Annotated[str, Path(alias="shortId")]
) -> None:
    await saved_lists.remove_list(db, person.member_id, or_not_found(normalize_short_id(typed)))


def routers_of(kinds: Sequence[ShareableKind]) -> tuple[APIRouter, APIRouter]:
    shape = children_schema(kinds)
    whole = operation_responses(extended(Shareable, access=Access, **shape))
    made = extended(Shareable, access=Access, **shape, token=Maybe(str))
    new, one = api_router(), list_api_router()
    new.post(
        "/shareables",
        status_code=201,
        responses=operation_responses(made, 401, 403, status=201),
        openapi_extra=SIGNED_IN_OR_NOT,
    )(create_list)
    path = "/shareables/{shortId}"
    one.get(path, responses=whole)(show_list)
    one.patch(path, responses=operation_responses(made))(edit_list)
    one.post(f"{path}/clone", status_code=201, responses=operation_responses(made, status=201))(
        copy_list
    )
    return new, one
