"""FastAPI dependencies that require access to a shared list, by a token or the cookie."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from math import ceil
from typing import Annotated, Any, cast

from fastapi import Depends, Path, Request, Response

from homeshelf.access import bearer_of, member_id_of_caller
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
    NO_GRANT,
    TICK,
    VIEW,
    Access,
    Grant,
    Operation,
    is_allowed,
    require_access,
)
from homeshelf.shares.kind import kind_of
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import Shareable, normalize_short_id
from homeshelf.shares.saved_lists import is_maker
from homeshelf.signing import Signer
from homeshelf.table import Key
from homeshelf.web.idempotency import IdempotentRequest, idempotent_request
from homeshelf.web.json import decode
from homeshelf.web.limits import address_of
from homeshelf.web.pages import see_other
from homeshelf.web.request_context import context_of
from homeshelf.web.requests import SAFE, body_size, require_same_origin
from homeshelf.web.services import Services, services_of

TOKEN_SECONDS = 60 * 24 * 3600
MAX_IN_COOKIE = 20
COOKIE = "homeshelf-lists"
WRITE_BYTES = 200
"""The bytes added to each body's size, for the person's name in the cookie of a form."""


def token_of(signer: Signer, short_id: str, grant: Grant) -> str | None:
    if grant.role is None:
        return None
    return signer.token(
        "share", TOKEN_SECONDS, list=short_id, role=grant.role, version=grant.version
    )


def grant_from_token(signer: Signer, token: str, short_id: str) -> Grant:
    claims = signer.read("share", token)
    if claims is None or claims.get("list") != short_id:
        return NO_GRANT
    return Grant(claims["role"], claims["version"])


def grant_from_cookie(request: Request, short_id: str) -> Grant:
    """Return the grant of the cookie, which counts only if the request comes from our pages."""
    found = _unlocked_lists(request).get(short_id)
    if found is None:
        return NO_GRANT
    require_same_origin(request)
    return Grant(*found)


def redirect_with_cookie(request: Request, path: str, shared: Shareable, grant: Grant) -> Response:
    answer = see_other(path)
    if grant.role is None:
        return answer
    lists = {id_: each for id_, each in _unlocked_lists(request).items() if id_ != shared.short_id}
    lists[shared.short_id] = [grant.role, grant.version]
    newest = dict(list(lists.items())[-MAX_IN_COOKIE:])
    token = services_of(request).signer.token("share-cookie", TOKEN_SECONDS, lists=newest)
    answer.set_cookie(**cookie(request, COOKIE), value=token, max_age=TOKEN_SECONDS)
    return answer


def _unlocked_lists(request: Request) -> dict[str, Any]:
    token = request.cookies.get(cookie_name(request, COOKIE), "")
    claims = services_of(request).signer.read("share-cookie", token)
    return dict(claims["lists"]) if claims else {}


@dataclass(frozen=True)
class FoundList:
    shared: Shareable
    grant: Grant

    def require(self, operation: Operation) -> Access:
        return require_access(self.shared, self.grant, operation)


@dataclass(frozen=True)
class AccessibleList(FoundList):
    """A list with the caller's access; `request` handles an `Idempotency-Key`."""

    access: Access
    request: IdempotentRequest


async def find_list(request: Request, typed: Annotated[str, Path(alias="shortId")]) -> FoundList:
    """Return a list by its id; requests for unknown ids are limited."""
    services = services_of(request)
    short_id = normalize_short_id(typed)
    shared = await store.find_shareable(services.db, short_id) if short_id else None
    if shared is None:
        context_of(request.scope).is_uniform = True
        services.limits.unknown.take(address_of(request))
        raise NotFound
    return FoundList(shared, await _load_grant(request, services, shared))


async def _idempotent_request(request: Request, shared: Shareable) -> IdempotentRequest:
    return await idempotent_request(request, f"list {shared.bare_id}")


def count_stored_response(request: Request, idempotent: IdempotentRequest) -> IdempotentRequest:
    count = services_of(request).limits.of(ShareLimits).take_text
    return replace(idempotent, count_stored=partial(count, address_of(request)))


def require_list(
    operation: Operation, *, allows_replay: bool = False, entity: str | None = None
) -> Callable[..., Awaitable[AccessibleList]]:
    async def authorize(
        request: Request, typed: Annotated[str, Path(alias="shortId")]
    ) -> AccessibleList:
        found = await find_list(request, typed)
        if entity not in (None, kind_of(found.shared.entity).entity):
            raise NotFound
        try:
            granted = found.require(operation)
        except (Forbidden, Unauthenticated):
            if allows_replay and (replay := await _authorize_replay(request, found)):
                return replay
            raise
        writes, limits = request.method not in SAFE, services_of(request).limits.of(ShareLimits)
        if writes:
            limits.writes.take(address_of(request))
            limits.writes_to_list.take(found.shared.bare_id)
        idempotent = await _idempotent_request(request, found.shared)
        if writes and idempotent.stored is None:
            size = WRITE_BYTES + await body_size(request)
            limits.take_text(address_of(request), size)
        idempotent = count_stored_response(request, idempotent)
        return AccessibleList(found.shared, found.grant, granted, idempotent)

    return authorize


async def find_deletable_key(
    request: Request, typed: Annotated[str, Path(alias="shortId")]
) -> Key[Shareable]:
    """Return the key of a list that the caller may delete, even if it cannot be read."""
    try:
        shared = (await require_list(CLONE_OR_DELETE)(request, typed)).shared
    except UnreadableRecord as unreadable:
        services = services_of(request)
        shared = await store.placeholder_for(services.db, cast("Key[Shareable]", unreadable.key))
        require_access(shared, await _load_grant(request, services, shared), CLONE_OR_DELETE)
    return shared.own_key()


async def _authorize_replay(request: Request, found: FoundList) -> AccessibleList | None:
    """Allow a caller to repeat the change that locked them out: its response may have been lost."""
    with suppress(Invalid, IdempotencyMismatch):
        idempotent = await _idempotent_request(request, found.shared)
        if idempotent.stored is not None:
            stored, grant = decode(idempotent.stored.body), found.grant
            given = Grant(stored["role"], stored["passcode"])
            is_same_caller = stored["by"] == [grant.role, grant.version]
            if is_same_caller and given.valid_role(found.shared):
                access = require_access(found.shared, given, VIEW)
                return AccessibleList(found.shared, grant, access, idempotent)
    return None


AnyList = Annotated[FoundList, Depends(find_list)]
ViewableList = Annotated[AccessibleList, Depends(require_list(VIEW))]
TickableList = Annotated[AccessibleList, Depends(require_list(TICK))]
ChangeableList = Annotated[AccessibleList, Depends(require_list(MANAGE, allows_replay=True))]
DeletableListKey = Annotated[Key[Shareable], Depends(find_deletable_key)]
ClonableList = Annotated[AccessibleList, Depends(require_list(CLONE_OR_DELETE))]


async def _load_grant(request: Request, services: Services, shared: Shareable) -> Grant:
    if (token := bearer_of(request)) is None:
        grant = grant_from_cookie(request, shared.short_id)
    else:
        grant = grant_from_token(services.signer, token, shared.short_id)
    if not shared.is_expired() or shared.admin_passcode is not None:
        return grant  # the maker has a right of their own only to an expired list without passcode
    member_id = await member_id_of_caller(request)
    made = member_id is not None and await is_maker(services.db, member_id, shared.short_id)
    return Grant(grant.role, grant.version, made)


def listening_right(shared: Shareable, grant: Grant) -> Right:
    """Return the right to listen until the list expires, is deleted or changes its passcode."""

    def until(found: Sequence[Any]) -> float:
        now: Shareable | None = found[0]
        if now is None or not is_allowed(now, grant, TICK):
            return 0
        return ceil(datetime.fromisoformat(now.expires_at).timestamp())

    return Right([shared.own_key()], until, frozenset({(shared.entity, shared.short_id)}))
