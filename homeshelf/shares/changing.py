"""Changing a list: its name, its passcodes, how long it lives, and which items it has.

    change(db, key, changes, also)                  the list's own attributes, under its version
    add_item(db, key, item, also)                   one more at the end
    edit_item(db, key, item_id, rule, also)         its name and note
    remove_item(db, key, item_id)

Each counts up the list's version, so that of two who come at once both are seen: neither is an item
added past the last one that there is room for, nor to a list that was deleted meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.coordination.todos import FINISHED_SOON, Todo, finish_soon, todo
from homeshelf.errors import TooMany, VersionConflict
from homeshelf.shares.creating import new_item
from homeshelf.shares.model import GAP, MOST_ITEMS, ChecklistItem, NewItem, Shareable
from homeshelf.shares.store import (
    OpenList,
    current,
    current_item,
    items_of,
    list_changed,
    opened,
    told_item,
)
from homeshelf.table import ConditionFailed, Database, Key, Remove, Set, Write, exists
from homeshelf.table.expressions import UpdateAction

RENEW = "share_renewed"


@dataclass(frozen=True)
class ListChange:
    """What is to be changed: `fields` by their names here, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None
    """From now on."""


async def change(
    db: Database, key: Key[Shareable], wanted: ListChange, also: Also = nothing_else
) -> OpenList:
    """`also` is given the list as it becomes."""

    async def attempt() -> tuple[OpenList, Todo | None]:
        old = await current(db, key)
        if old.version != wanted.version:
            raise VersionConflict(old)
        new = old.changed(**wanted.fields)
        if wanted.days is not None:
            new = new.living(wanted.days, clock.now())
        if new == old:
            unchanged = await opened(db, old)
            await db.transact(*also(unchanged))
            return unchanged, None
        new = new.revised()
        left = _renewal(new) if new.ttl != old.ttl else None
        made = await opened(db, new)
        writes: list[Write] = [new.replacing(old), list_changed(new), *also(made)]
        await db.transact(*writes, *([left.put()] if left else ()))
        return made, left

    made, left = await db.settle(key, attempt)
    if left is not None:
        await finish_soon(db, left, renew_items)
    return made


async def renew_items(db: Database, left: Todo) -> None:
    """Items are kept as long as their list; each by itself, as they are ticked meanwhile."""
    shared = await db.get(Shareable.key(short_id=left.about["shortId"]))
    if shared is None or shared.ttl is None:
        return
    for item in await db.all(items_of(shared.short_id).up_to_date()):
        if item.ttl != shared.ttl:
            await _renew(db, item, shared.ttl)


async def add_item(
    db: Database, key: Key[Shareable], item: NewItem, also: Also = nothing_else
) -> ChecklistItem:
    async def attempt() -> ChecklistItem:
        old = await current(db, key)
        items = (await opened(db, old)).items
        if len(items) >= MOST_ITEMS:
            raise TooMany(f"A list has at most {MOST_ITEMS} items.")
        added = new_item(old, item, items[-1].order + GAP if items else 0)
        new = old.revised()
        news = list_changed(new), told_item(new, added.checklist_item_id)
        await db.transact(new.replacing(old), added.put(), *news, *also(added))
        return added

    return await db.settle(key, attempt)


async def edit_item(
    db: Database,
    key: Key[Shareable],
    item_id: str,
    rule: Callable[[ChecklistItem], ChecklistItem],
    also: Also = nothing_else,
) -> ChecklistItem:
    """By a rule, which may tick it, too: then both are seen, or neither."""

    async def attempt() -> ChecklistItem:
        old = await current(db, key)
        item = await current_item(db, old.short_id, item_id)
        edited = rule(item)
        if edited == item:
            await db.transact(*also(item))
            return item
        new = old.revised()
        news = list_changed(new), told_item(new, item_id)
        write = item_update(item, edited)
        await db.transact(new.replacing(old), write, *news, *also(edited))
        return edited

    return await db.settle(key, attempt)


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def attempt() -> None:
        old = await current(db, key)
        item = await current_item(db, old.short_id, item_id)
        new = old.revised()
        news = list_changed(new), told_item(new, item_id, gone=True)
        await db.transact(new.replacing(old), item.delete(exists), *news)

    await db.settle(key, attempt)


def item_update(old: ChecklistItem, new: ChecklistItem) -> Write:
    """Only what changed, as others change other things meanwhile; it never makes an item."""
    names = ChecklistItem.names()
    changes: list[UpdateAction] = []
    for name, alias in names.items():
        value = getattr(new, name)
        if value != getattr(old, name):
            changes.append(Remove(alias) if value is None else Set(alias, value))
    return ChecklistItem.update(old.own_key(), *changes, when=exists)


def _renewal(shared: Shareable) -> Todo:
    return todo(RENEW, {"shortId": shared.short_id}, clock.now() + FINISHED_SOON)


async def _renew(db: Database, item: ChecklistItem, ttl: int) -> None:
    try:
        await db.write(ChecklistItem.update(item.own_key(), Set("ttl", ttl), when=exists))
    except ConditionFailed:  # it was removed meanwhile
        return
