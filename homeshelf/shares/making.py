"""Making, cloning and changing a list as somebody asks for it: with the limits and the passcodes.

    require_maker(services, caller)                         whether they may make one
    make_list(services, caller, content, given)             a new list
    clone_list(services, caller, shared, wanted)            the same again, under another id
    change_list(services, shared, wanted, given)            its attributes and passcodes
    held_after(shared, held)                                what who would be shut out by it gets

The API and the pages both come this way; whether the caller may, they have asked `access.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from homeshelf.errors import Unauthenticated
from homeshelf.shares import changing, creating, store
from homeshelf.shares.access import CHANGE, NOTHING, Held, held_by_maker, may
from homeshelf.shares.changing import ListChange
from homeshelf.shares.creating import clone_of
from homeshelf.shares.model import ListContent, Role, Shareable
from homeshelf.shares.store import OpenList
from homeshelf.shares.unlocking import Given, hashed_for, hashed_for_new
from homeshelf.web.services import Services

RECORD_BYTES = 100
"""What an item takes beside its texts."""


@dataclass(frozen=True)
class Caller:
    """Who makes a list, and from where."""

    address: str
    member_id: str | None = None
    """Of who is signed in."""


@dataclass(frozen=True)
class Clone:
    """What is different in a clone."""

    given: Given
    name: str | None = None
    days: int | None = None


def require_maker(services: Services, caller: Caller) -> None:
    """Whether anybody may make a new list, or only who is signed in, is a setting."""
    if services.settings.shares == "members" and caller.member_id is None:
        raise Unauthenticated


async def make_list(
    services: Services, caller: Caller, content: ListContent, given: Given
) -> OpenList:
    require_maker(services, caller)
    return await _make(services, caller, content, given)


async def clone_list(
    services: Services, caller: Caller, shared: Shareable, wanted: Clone
) -> OpenList:
    """Cloning a list needs no account, even where making a new one does."""
    content = clone_of(await store.opened(services.db, shared), wanted.name, wanted.days)
    return await _make(services, caller, content, wanted.given)


async def change_list(
    services: Services,
    shared: Shareable,
    wanted: ListChange,
    given: Mapping[Role, str | None],
) -> OpenList:
    """`given` are passcodes as they were typed; None takes one away."""
    if given:
        hashes = await hashed_for(services, shared, given)
        passcodes = {f"{role}_passcode": made for role, made in hashes.items()}
        wanted = replace(wanted, fields=wanted.fields | passcodes)
    return await changing.change(services.db, shared.own_key(), wanted)


def held_after(shared: Shareable, held: Held) -> Held:
    """What somebody gets who has just set the passcodes, and would be shut out by them."""
    return NOTHING if may(shared, held, CHANGE) else held_by_maker(shared)


async def _make(services: Services, caller: Caller, content: ListContent, given: Given) -> OpenList:
    size = _bytes(content)
    limits = services.limits
    limits.shares.take(caller.address)
    limits.shares_size.take(caller.address, size)
    limits.shares_size_house.take("house", size)
    passcodes = await hashed_for_new(services, given)
    return await creating.create(services.db, content, passcodes, caller.member_id)


def _bytes(content: ListContent) -> int:
    texts = [content.name, content.note]
    for item in content.items:
        texts += [item.name, item.note]
    return sum(len(text.encode()) for text in texts if text) + RECORD_BYTES * len(content.items)
