"""What a caller may do with a shared list, as a type in the signature of a handler.

async def seen(at: Seen, ...)               the caller may see the list
async def add(at: Managing, ...)            the caller may change it, and so on
at.shared, at.held, at.access               the list, what the caller holds of it and may do
at.require(MANAGE)                          one more operation, which the body asks for
at.request                                  for `Idempotency-Key`

A token names the list, the role and that passcode's version, so that a changed passcode ends it.
The cookie holds the same for the lists that were unlocked last. Writes count for the limits.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from math import ceil
from typing import Annotated, Any, cast

from fastapi import Depends, Path, Request, Response

from homeshelf.access import bearer_of, member_asking
from homeshelf.accounts.browsers import cookie, cookie_name
from homeshelf.errors import (
    Forbidden,
    IdempotencyMismatch,
    Invalid,
    NotFound,
    Unauthenticated,
    UnreadableRecord,
)
from homeshelf.live.listener import Right
from homeshelf.shares import store
from homeshelf.shares.access import (
    CLONE_OR_DELETE,
    MANAGE,
    NOTHING,
    SEE,
    TICK,
    Access,
    Held,
    Operation,
    access_to,
    may,
)
from homeshelf.shares.kind import kind_of
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import Shareable, short_id_of
from homeshelf.shares.saved_lists import is_maker
from homeshelf.signing import Signer
from homeshelf.table import Key
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.json import decode
from homeshelf.web.limits import address_of
from homeshelf.web.pages import see_other
from homeshelf.web.request_context import context_of
from homeshelf.web.requests import SAFE, require_same_origin, sent_bytes
from homeshelf.web.services import Services, services_of

TOKEN_SECONDS = 60 * 24 * 3600
MOST_IN_COOKIE = 20
COOKIE = "homeshelf-lists"
WRITE_BYTES = 200
"""Counted for each write beside its body: a form sends the ticking person's name as a cookie."""


def token_of(signer: Signer, short_id: str, held: Held) -> str | None:
    if held.role is None:
        return None
    return signer.token("share", TOKEN_SECONDS, list=short_id, role=held.role, version=held.version)


def held_in_token(signer: Signer, token: str, short_id: str) -> Held:
    """Return what a token gives; a token of another list gives nothing."""
    says = signer.read("share", token)
    if says is None or says.get("list") != short_id:
        return NOTHING
    return Held(says["role"], says["version"])


def held_in_cookie(request: Request, short_id: str) -> Held:
    """Return what the cookie gives, which counts only if the request comes from our pages."""
    found = _lists(request).get(short_id)
    if found is None:
        return NOTHING
    require_same_origin(request)
    return Held(*found)


def let_in(request: Request, path: str, shared: Shareable, held: Held) -> Response:
    """Redirect to a page of the list, with a cookie that opens the lists unlocked last."""
    answer = see_other(path)
    if held.role is None:
        return answer
    lists = {id_: each for id_, each in _lists(request).items() if id_ != shared.short_id}
    lists[shared.short_id] = [held.role, held.version]
    newest = dict(list(lists.items())[-MOST_IN_COOKIE:])
    token = services_of(request).signer.token("share-cookie", TOKEN_SECONDS, lists=newest)
    answer.set_cookie(**cookie(request, COOKIE), value=token, max_age=TOKEN_SECONDS)
    return answer


def _lists(request: Request) -> dict[str, Any]:
    says = services_of(request).signer.read(
        "share-cookie", request.cookies.get(cookie_name(request, COOKIE), "")
    )
    return dict(says["lists"]) if says else {}


@dataclass(frozen=True)
class Found:
    shared: Shareable
    held: Held

    def require(self, operation: Operation) -> Access:
        return access_to(self.shared, self.held, operation)


@dataclass(frozen=True)
class AtList(Found):
    access: Access
    request: IdempotentRequest


async def find_list(request: Request, typed: Annotated[str, Path(alias="shortId")]) -> Found:
    """Find a list by its id; asking for many that do not exist is limited."""
    services = services_of(request)
    short_id = short_id_of(typed)
    shared = await store.shareable(services.db, short_id) if short_id else None
    if shared is None:
        context_of(request.scope).is_uniform = True
        services.limits.unknown.take(address_of(request))
        raise NotFound
    return Found(shared, await _held(request, services, shared))


async def _idempotent_request(request: Request, shared: Shareable) -> IdempotentRequest:
    """Return the request, whose idempotency key belongs to the list."""
    return await idempotent_request(request, f"list {shared.bare_id}")


def with_stored_counted(request: Request, asked: IdempotentRequest) -> IdempotentRequest:
    """Count the response for the limits too, if it is stored for an idempotency key."""
    count = services_of(request).limits.of(ShareLimits).take_text
    return replace(asked, count_stored=partial(count, address_of(request)))


def at_list(
    operation: Operation, *, may_shut_out: bool = False, entity: str | None = None
) -> Callable[..., Awaitable[AtList]]:
    """Make a dependency that requires a list, of a kind if it names one, and the operation."""

    async def admitted(request: Request, typed: Annotated[str, Path(alias="shortId")]) -> AtList:
        found = await find_list(request, typed)
        if entity not in (None, kind_of(found.shared.entity).entity):
            raise NotFound
        try:
            granted = found.require(operation)
        except (Forbidden, Unauthenticated):
            if may_shut_out and (again := await _let_in_again(request, found)):
                return again
            raise
        writes, limits = request.method not in SAFE, services_of(request).limits.of(ShareLimits)
        if writes:
            limits.writes.take(address_of(request))
            limits.writes_to_list.take(found.shared.bare_id)
        asked = await _idempotent_request(request, found.shared)
        if writes and asked.stored is None:  # the whole body, which is never smaller than its text
            size = WRITE_BYTES + await sent_bytes(request)
            limits.take_text(address_of(request), size)
        return AtList(found.shared, found.held, granted, with_stored_counted(request, asked))

    return admitted


async def deletable(
    request: Request, typed: Annotated[str, Path(alias="shortId")]
) -> Key[Shareable]:
    """Return the key of a list that the caller may delete, whether it can be read or not."""
    try:
        shared = (await at_list(CLONE_OR_DELETE)(request, typed)).shared
    except UnreadableRecord as unreadable:
        services = services_of(request)
        shared = await store.stand_in(services.db, cast("Key[Shareable]", unreadable.key))
        access_to(shared, await _held(request, services, shared), CLONE_OR_DELETE)
    return shared.own_key()


async def _let_in_again(request: Request, found: Found) -> AtList | None:
    """Let a caller in who sends the very change again that shut them out.

    They get its response with the token that was theirs: they may never have received it.
    """
    with suppress(Invalid, IdempotencyMismatch):
        asked = await _idempotent_request(request, found.shared)
        if asked.stored is not None:
            kept, held = decode(asked.stored.body), found.held
            given = Held(kept["role"], kept["passcode"])  # which lets in who made the change
            is_theirs = kept["by"] == [held.role, held.version]
            if is_theirs and given.role_of(found.shared):
                return AtList(found.shared, held, access_to(found.shared, given, SEE), asked)
    return None


AnyList = Annotated[Found, Depends(find_list)]
"""No access is required, as for unlocking."""
Seen = Annotated[AtList, Depends(at_list(SEE))]
Ticking = Annotated[AtList, Depends(at_list(TICK))]
Managing = Annotated[AtList, Depends(at_list(MANAGE))]
Changing = Annotated[AtList, Depends(at_list(MANAGE, may_shut_out=True))]
"""Changing the list itself, its passcodes included."""
Deletable = Annotated[Key[Shareable], Depends(deletable)]
Owning = Annotated[AtList, Depends(at_list(CLONE_OR_DELETE))]


async def _held(request: Request, services: Services, shared: Shareable) -> Held:
    if (token := bearer_of(request)) is None:
        held = held_in_cookie(request, shared.short_id)
    else:
        held = held_in_token(services.signer, token, shared.short_id)
    if not shared.is_expired() or shared.admin_passcode is not None:
        return held  # who made it matters for no other list
    member_id = await member_asking(request)
    made = member_id is not None and await is_maker(services.db, member_id, shared.short_id)
    return Held(held.role, held.version, made)


def right_of(shared: Shareable, held: Held) -> Right:
    """Return the right to listen until the list expires, is deleted or has another passcode."""

    def until(found: Sequence[Any]) -> float:
        now: Shareable | None = found[0]
        if now is None or not may(now, held, TICK):
            return 0
        return ceil(datetime.fromisoformat(now.expires_at).timestamp())

    return Right([shared.own_key()], until, frozenset({(shared.entity, shared.short_id)}))
