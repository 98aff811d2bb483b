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
from homeshelf.shares.access import MANAGE, SEE, Access, Held, access_to, held_by_maker, may
from homeshelf.shares.kind import ShareableKind
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.making import (
    Caller,
    caller_of,
    change_list,
    clone_list,
    held_after,
    make_list,
    require_maker,
)
from homeshelf.shares.model import Shareable, short_id_of
from homeshelf.shares.opening import (
    TOKEN_SECONDS,
    AnyList,
    Changing,
    Deletable,
    Owning,
    Seen,
    Ticking,
    find_list,
    held_in_token,
    right_of,
    token_of,
    with_stored_counted,
)
from homeshelf.shares.showing import NewOfAnyKind, router_about_list, shape_of, shown_list
from homeshelf.shares.unlocking import unlock
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
    answers,
    extended,
    page_of,
    refuses,
)
from homeshelf.web.paging import PageAsked
from homeshelf.web.requests import api_router
from homeshelf.web.services import Db, Services, TheServices, services_of

router = api_router()
list_router = router_about_list()

MINE = {"shortId": str, "name": str | None, "entity": str, "expiresAt": str}

NOBODY = "anybody who makes lists"
"""The owner of the idempotency keys of anonymous callers: UUIDs that no other caller guesses."""
MOST_KEPT = 90_000
"""The most bytes of a list in a stored response; a longer one is read again."""


def _kept_for_maker(found: store.OpenList) -> dict[str, Any]:
    """Return what is stored of a response: without its token, but with what the token gave."""
    answer, held = shown_list(found, "admin"), held_by_maker(found.shared)
    return {
        "list": answer if len(encode(answer)) <= MOST_KEPT else None,
        "shortId": found.shared.short_id,
        "role": held.role,
        "passcode": held.version,
    }


async def with_new_token(services: Services, kept: dict[str, Any], _made: object) -> dict[str, Any]:
    """Return the response that was stored, with a new token."""
    answer: dict[str, Any] | None = kept["list"]
    held = Held(kept["role"], kept["passcode"])
    if answer is None:
        shared = or_not_found(await store.shareable(services.db, kept["shortId"]))
        access_to(shared, held, SEE)  # it may say more by now than what was answered
        answer = shown_list(await store.opened(services.db, shared), "admin")
    return _with_token(services.signer, answer, held)


async def list_now(request: Request, kept: dict[str, Any]) -> dict[str, Any]:
    """Return the list as it is when a change is sent again, with a token for what it gave.

    What the caller holds counts first, then what the change gave: it may have shut them out.
    """
    found = await find_list(request, kept["shortId"])
    given = Held(kept["role"], kept["passcode"])
    held = found.held if may(found.shared, found.held, MANAGE) else given
    access = access_to(found.shared, held, SEE)
    services = services_of(request)
    answer = shown_list(await store.opened(services.db, found.shared), access)
    return _with_token(services.signer, answer, given)


def _with_token(signer: Signer, answer: dict[str, Any], held: Held) -> dict[str, Any]:
    token = token_of(signer, answer["shortId"], held)
    return answer | ({"token": token} if token else {})


async def _maker(request: Request, services: TheServices) -> tuple[Caller, IdempotentRequest]:
    """Check who makes a list before the body is read."""
    caller = await caller_of(request)
    require_maker(services, caller)
    key = request.headers.get("idempotency-key")
    if key is not None and not is_id(key):
        raise Invalid([("Idempotency-Key", _("For a new list this must be a UUID."))])
    asked = await idempotent_request(request, caller.member_id or NOBODY)
    return caller, with_stored_counted(request, asked)


@body_limits(BodyLimits(nobody=1_500_000))
async def make(
    maker: Annotated[tuple[Caller, IdempotentRequest], Depends(_maker)],
    services: TheServices,
    body: NewOfAnyKind,
) -> Response:
    caller, asked = maker
    return await asked.respond(
        services.db,
        lambda unit: make_list(replace(services, db=unit), caller, body.content, body.passcodes),
        _kept_for_maker,
        201,
        add_secret=partial(with_new_token, services),
    )


@list_router.post(
    "/shareables/{shortId}/unlock",
    responses=answers({"access": Access, "token": Maybe(str), "expiresIn": Maybe(int)}),
)
async def unlocked(
    request: Request, at: AnyList, services: TheServices, body: bodies.Unlock
) -> Response:
    held = await unlock(services, address_of(request), at.shared, at.held, body.passcode)
    access = access_to(at.shared, held, SEE)
    token = token_of(services.signer, at.shared.short_id, held)
    return Json(
        {"access": access} | ({"token": token, "expiresIn": TOKEN_SECONDS} if token else {})
    )


async def seen(at: Seen, db: Db) -> Response:
    return Json(shown_list(await store.opened(db, at.shared), at.access))


async def change(
    request: Request, at: Changing, services: TheServices, body: bodies.ListChangeBody
) -> Response:
    def kept(found: store.OpenList) -> dict[str, object]:
        """Store who made the change and what it gave; a replay reads the list itself again."""
        held = held_after(found.shared, at.held)
        return {
            "shortId": found.shared.short_id,
            "role": held.role,
            "passcode": held.version,
            "by": [at.held.role, at.held.version],
        }

    async def carry_out(unit: Database) -> store.OpenList:
        own, address = replace(services, db=unit), address_of(request)
        try:
            return await change_list(own, address, at.shared, body.wanted, body.passcodes)
        except VersionConflict:
            now = await store.opened(unit, await store.current(unit, at.shared.own_key()))
            raise VersionConflict(shown_list(now, at.access)) from None

    async def add_token(kept: dict[str, Any], changed: store.OpenList | None) -> dict[str, Any]:
        if changed is None:
            return await list_now(request, kept)
        held = held_after(changed.shared, at.held)
        return _with_token(services.signer, shown_list(changed, "admin"), held)

    return await at.request.respond(services.db, carry_out, kept, add_secret=add_token)


@list_router.delete("/shareables/{shortId}", status_code=204)
async def delete(key: Deletable, db: Db) -> None:
    await store.remove(db, key)


async def clone(
    request: Request, at: Owning, services: TheServices, body: bodies.CloneBody | None = None
) -> Response:
    asked = body or bodies.CloneBody()

    async def carry_out(unit: Database) -> store.OpenList:
        own, caller = replace(services, db=unit), await caller_of(request)
        return await clone_list(
            own, caller, at.shared, asked.passcodes, asked.name, asked.expires_in_days
        )

    return await at.request.respond(
        services.db, carry_out, _kept_for_maker, 201, add_secret=partial(with_new_token, services)
    )


@list_router.get("/shareables/{shortId}/events", responses=DOCUMENTED)
async def events(
    request: Request,
    at: Ticking,
    services: TheServices,
    last_event_id: Annotated[str | None, Header()] = None,
    since: Annotated[str | None, Query()] = None,
    visible: Annotated[bool, Query()] = True,
) -> Response:
    """Stream the changes of one list, as `/events` does for a family."""
    hub = services.of(Hub)
    place = services.limits.of(ShareLimits).streams.hold(address_of(request))
    right = right_of(at.shared, at.held)
    return EventStream(
        place, hub.listening(at.shared.bare_id, right, last_event_id, since, visible=visible)
    )


@router.get("/me/shareables", responses=answers(page_of(MINE)))
async def mine(person: Person, asked: PageAsked, db: Db) -> Response:
    found, mark = await saved_lists.my_lists(
        db, person.member_id, asked.limit, asked.start(person.caller)
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
    return Json(asked.envelope(person.caller, items, mark))


@router.put("/me/shareables/{shortId}", status_code=204, responses=refuses(410))
async def keep_list(
    request: Request,
    person: Person,
    services: TheServices,
    typed: Annotated[str, Path(alias="shortId")],
    body: bodies.Keep | None = None,
) -> None:
    """Save a list, with its token if it asks for one; a browser has that in its cookie."""
    found = await find_list(request, typed)
    held, token = found.held, body.token if body else None
    if token is not None:
        held = held_in_token(services.signer, token, found.shared.short_id)
    await saved_lists.keep(services.db, person.member_id, found.shared, held)


@router.delete("/me/shareables/{shortId}", status_code=204)
async def drop_list(person: Person, db: Db, typed: Annotated[str, Path(alias="shortId")]) -> None:
    await saved_lists.drop(db, person.member_id, or_not_found(short_id_of(typed)))


def routers_of(kinds: Sequence[ShareableKind]) -> tuple[APIRouter, APIRouter]:
    """Return the routes whose responses have the children of a list, which are of these kinds."""
    shape = shape_of(kinds)
    whole = answers(extended(Shareable, access=Access, **shape))
    made = extended(Shareable, access=Access, **shape, token=Maybe(str))
    new, one = api_router(), router_about_list()
    new.post(
        "/shareables",
        status_code=201,
        responses=answers(made, 401, 403, status=201),
        openapi_extra=SIGNED_IN_OR_NOT,
    )(make)
    path = "/shareables/{shortId}"
    one.get(path, responses=whole)(seen)
    one.patch(path, responses=answers(made))(change)
    one.post(f"{path}/clone", status_code=201, responses=answers(made, status=201))(clone)
    return new, one
