"""Make, clone and change lists for the API and the pages, with the limits and the passcodes.

Whether the caller may do so, `access.py` has decided before.
"""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from fastapi import Request

from homeshelf import clock
from homeshelf.access import member_asking
from homeshelf.coordination.todos import Todo, todo
from homeshelf.errors import Unauthenticated, VersionConflict
from homeshelf.shares import store
from homeshelf.shares.access import MANAGE, NOTHING, Held, held_by_maker, may
from homeshelf.shares.kind import kind_of
from homeshelf.shares.limits import ShareLimits
from homeshelf.shares.model import (
    BUCKETS,
    DAYS,
    KeptList,
    ListContent,
    NewChild,
    Passcodes,
    PoolSlot,
    Role,
    Shareable,
)
from homeshelf.shares.pool import FreeId, find_free
from homeshelf.shares.unlocking import hashed_for, hashed_for_new
from homeshelf.table import (
    ConditionFailed,
    Database,
    Item,
    Remove,
    TransactionCancelled,
    Unavailable,
    Write,
    absent,
)
from homeshelf.table.database import ExtraWrites
from homeshelf.web.limits import address_of
from homeshelf.web.services import Services

RECORD_BYTES = 100
"""The bytes of an item beside its texts."""
UNFINISHED_AFTER = timedelta(seconds=60)
"""Longer than it takes to write the items of a list."""


@dataclass(frozen=True)
class Caller:
    address: str
    member_id: str | None = None
    """None unless the caller is signed in."""


async def caller_of(request: Request) -> Caller:
    return Caller(address_of(request), await member_asking(request))


def require_maker(services: Services, caller: Caller) -> None:
    """Require a signed-in caller if the setting reserves new lists for members."""
    if services.settings.shares == "members" and caller.member_id is None:
        raise Unauthenticated


async def make_list(
    services: Services, caller: Caller, content: ListContent, given: Passcodes
) -> store.OpenList:
    require_maker(services, caller)
    return await _make(services, caller, content, given)


async def clone_list(
    services: Services,
    caller: Caller,
    shared: Shareable,
    given: Passcodes,
    name: str | None,
    days: int | None,
) -> store.OpenList:
    """Cloning a list needs no account, even where making a new one does."""
    source = await store.opened(services.db, shared)
    return await _make(services, caller, clone_of(source, name, days), given)


async def change_list(
    services: Services,
    address: str | None,
    shared: Shareable,
    wanted: store.ListChange,
    given: Mapping[Role, str | None],
) -> store.OpenList:
    """Change a list; `given` are passcodes as they were typed, and None removes one."""
    if given:
        if shared.version != wanted.version:
            raise VersionConflict(shared)  # known before anything is hashed
        hashes = await hashed_for(services, address, shared, given)
        passcodes = {f"{role}_passcode": made for role, made in hashes.items()}
        wanted = replace(wanted, fields=wanted.fields | passcodes)
    return await store.change(services.db, shared.own_key(), wanted)


def held_after(shared: Shareable, held: Held) -> Held:
    """Return what a caller gets whom the passcodes that they have just set would shut out."""
    return NOTHING if may(shared, held, MANAGE) else held_by_maker(shared)


async def create(
    db: Database, content: ListContent, passcodes: Passcodes, maker: str | None = None
) -> store.OpenList:
    """Make a list with its items; `maker` is the memberId of a maker who is signed in.

    A list with items is hidden until all of them are written. The answer is rendered, and counted
    by the limits, before the first write; it is stored when the list can be seen.
    """
    made, left, extra = await _put_list(db, content, passcodes, maker, db.take_extra_writes())
    if left is not None:
        await db.batch([item.put() for item in made.items])
        shown = Shareable.update(made.shared.own_key(), Remove("hidden"), when=store.still_hidden)
        await db.transact(*extra, shown.refusing(_late), left.delete())
    return made


async def _put_list(
    db: Database,
    content: ListContent,
    passcodes: Passcodes,
    maker: str | None,
    extra_writes: ExtraWrites,
) -> tuple[store.OpenList, Todo | None, list[Write]]:
    """Put a list under a free id, with the to-do and the writes that wait for its children."""
    bucket = secrets.randbelow(BUCKETS)
    async with db.turn(PoolSlot.key(bucket=bucket, slot=0)) as turn:
        while True:
            free = await find_free(db, bucket)
            made = _made(free, content, passcodes)
            left = None
            if made.items:
                about = {"shortId": free.short_id}
                left = todo(store.UNFINISHED, about, clock.now() + UNFINISHED_AFTER)
            hidden = made.shared.changed(hidden=True if left else None)
            extra = [*extra_writes(made), *_saved(made.shared, maker)]
            new = hidden.put(absent).refusing(partial(_in_use, db, free))
            try:
                await db.transact(*free.writes, new, *([left.put()] if left else extra))
            except TransactionCancelled:
                await turn.pause()
                bucket = secrets.randbelow(BUCKETS)
            else:
                return made, left, extra


def clone_of(
    source: store.OpenList, name: str | None = None, days: int | None = None
) -> ListContent:
    """Return the content of a copy, with nothing ticked."""
    return ListContent(
        name=name or source.shared.name,
        note=source.shared.note,
        items=kind_of(source.shared.entity).copied(source.items),
        entity=source.shared.entity,
        days=DAYS if days is None else days,
    )


async def _make(
    services: Services, caller: Caller, content: ListContent, given: Passcodes
) -> store.OpenList:
    limits = services.limits.of(ShareLimits)
    limits.lists.take(caller.address)
    limits.take_text(caller.address, _bytes(content))
    passcodes = await hashed_for_new(services, caller.address, given)
    return await create(services.db, content, passcodes, caller.member_id)


def _bytes(content: ListContent) -> int:
    parts: list[ListContent | NewChild] = [content, *content.items]
    texts = (text for part in parts for text in (part.name, part.note))
    return sum(len(text.encode()) for text in texts if text) + RECORD_BYTES * len(content.items)


async def _in_use(db: Database, free: FreeId, there: Item | None) -> None:
    """Delete a row of the pool whose id a list of another program already has."""
    if there is not None and free.row is not None:
        with suppress(ConditionFailed):
            await db.write(free.row)


async def _late(_cleared: Item | None) -> None:
    """Refuse to show a list whose making took so long that it has been cleared away."""
    raise Unavailable("the list was not finished in time")


def _made(free: FreeId, content: ListContent, passcodes: Passcodes) -> store.OpenList:
    now, kind = clock.now(), kind_of(content.entity)
    shared = Shareable(
        entity=content.entity or kind.entity,
        short_id=free.short_id,
        name=content.name,
        note=content.note or None,
        view_passcode=passcodes.view,
        admin_passcode=passcodes.admin,
        expires_at=clock.timestamp(now),
    ).living(content.days, now)
    return store.OpenList(shared, tuple(kind.new_children(shared, content.items)))


def _saved(shared: Shareable, maker: str | None) -> list[Write]:
    if maker is None:
        return []
    saved = KeptList(
        member_id=maker,
        short_id=shared.short_id,
        made=True,
        role=shared.own_role,
        passcode=held_by_maker(shared).version,
    )
    return [saved.put()]
