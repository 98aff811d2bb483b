"""Making a list: it is claimed first, and not there for anybody until its items are.

create(db, content, passcodes, maker)       a new list with its items
clone_of(source)                            what a clone of a list is made of
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from homeshelf import clock
from homeshelf.coordination.todos import Todo, todo
from homeshelf.sentences import _
from homeshelf.shares.access import held_by_maker
from homeshelf.shares.model import (
    BUCKETS,
    GAP,
    ChecklistItem,
    KeptList,
    ListContent,
    NewItem,
    Passcodes,
    PoolSlot,
    Shareable,
)
from homeshelf.shares.pool import FreeId, find_free
from homeshelf.shares.removing import UNFINISHED
from homeshelf.shares.store import OpenList
from homeshelf.table import Database, Remove, Unavailable, Write, absent, attr
from homeshelf.table.expressions import Item

UNFINISHED_AFTER = timedelta(seconds=60)
"""Longer than anybody takes to write the items of a list."""

still_hidden = attr("hidden") == True  # noqa: E712  # a condition


async def create(
    db: Database, content: ListContent, passcodes: Passcodes, maker: str | None = None
) -> OpenList:
    """A new list with its items; `maker` is the memberId of who is signed in."""
    buckets = [secrets.randbelow(BUCKETS)]

    def at_the_end(made: OpenList) -> list[Write]:
        return [*db.besides(made), *_noted(made.shared, maker)]

    async def attempt() -> tuple[OpenList, Todo | None]:
        free = await find_free(db, buckets[-1])
        buckets.append(secrets.randbelow(BUCKETS))  # for the next time, whatever is in this one
        made = _made(free, content, passcodes)
        left = _unfinished(made) if made.items else None
        hidden = made.shared.changed(hidden=True if left else None)
        last = [left.put()] if left else at_the_end(made)
        await db.transact(*free.writes, hidden.put(absent), *last)
        return made, left

    made, left = await db.settle(PoolSlot.key(bucket=buckets[0], slot=0), attempt)
    if left is not None:
        await db.batch([item.put() for item in made.items])
        await _show(db, made, left, at_the_end(made))
    return made


def clone_of(source: OpenList, name: str | None = None, days: int | None = None) -> ListContent:
    """The same again, with nothing ticked."""
    shared = source.shared
    content = ListContent(
        name=name or shared.name,
        note=shared.note,
        items=tuple(NewItem(item.name, item.note) for item in source.items),
    )
    return content if days is None else replace(content, days=days)


def new_item(shared: Shareable, item: NewItem, order: int) -> ChecklistItem:
    return ChecklistItem(
        short_id=shared.short_id,
        checklist_item_id=clock.new_id(),
        order=order,
        name=item.name,
        note=item.note or None,
        ttl=shared.ttl,
    )


async def _show(db: Database, made: OpenList, left: Todo, rest: Sequence[Write]) -> None:
    async def refuse(_cleared: Item | None) -> None:
        """It took so long that somebody has cleared it away."""
        raise Unavailable(_("the list was not finished in time"))

    shown = Shareable.update(made.shared.own_key(), Remove("hidden"), when=still_hidden)
    await db.transact(*rest, shown.refusing(refuse), left.delete())


def _made(free: FreeId, content: ListContent, passcodes: Passcodes) -> OpenList:
    now = clock.now()
    shared = Shareable(
        entity=content.entity,
        short_id=free.short_id,
        name=content.name,
        note=content.note or None,
        view_passcode=passcodes.view,
        admin_passcode=passcodes.admin,
        expires_at=clock.timestamp(now),
    ).living(content.days, now)
    items = (new_item(shared, item, at * GAP) for at, item in enumerate(content.items))
    return OpenList(shared, tuple(items))


def _unfinished(made: OpenList) -> Todo:
    about = {"shortId": made.shared.short_id}
    return todo(UNFINISHED, about, clock.now() + UNFINISHED_AFTER)


def _noted(shared: Shareable, maker: str | None) -> list[Write]:
    if maker is None:
        return []
    held = held_by_maker(shared)
    kept = KeptList(member_id=maker, short_id=shared.short_id, made=True)
    return [kept.changed(role=held.role, passcode=held.version).put()]
