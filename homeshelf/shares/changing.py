"""Changing a list: its name, its passcodes, how long it lives, and which items it has.

    change(db, key, changes)                the list's own attributes, under its version
    add_item(db, key, item)                 one more at the end
    edit_item(db, key, item_id, rule)       its name and note
    remove_item(db, key, item_id)

Each counts up the list's version, so that of two who come at once both are seen: no item is
added past the last one that there is room for, or to a list that was deleted meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, added, as_seen, carry_out, removed, replaced
from homeshelf.coordination.todos import FINISHED_SOON, Todo, finish_soon, todo
from homeshelf.errors import TooMany
from homeshelf.sentences import _
from homeshelf.shares.creating import new_item
from homeshelf.shares.model import GAP, MOST_ITEMS, ChecklistItem, NewItem, Shareable
from homeshelf.shares.store import OpenList, current, current_item, items_of, opened
from homeshelf.table import ConditionFailed, Database, Key, Set, exists

RENEW = "share_renewed"


@dataclass(frozen=True)
class ListChange:
    """What is to be changed: `fields` by their names here, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None
    """From now on."""


async def change(db: Database, key: Key[Shareable], wanted: ListChange) -> OpenList:
    left: list[Todo] = []

    async def decide() -> Outcome[OpenList]:
        old = await as_seen(db, key, wanted.version, find=current)
        new = old.changed(**wanted.fields)
        if wanted.days is not None:
            new = new.living(wanted.days, clock.now())
        left[:] = [_renewal(new)] if new.ttl != old.ttl else []
        if new == old:
            return await opened(db, old), ()
        new = new.revised()
        return await opened(db, new), (*replaced(old, new), *(each.put() for each in left))

    made = await carry_out(db, key, decide)
    for each in left:
        await finish_soon(db, each, renew_items)
    return made


async def renew_items(db: Database, left: Todo) -> None:
    """Items are kept as long as their list; each by itself, as they are ticked meanwhile."""
    shared = await db.get(Shareable.key(short_id=left.about["shortId"]))
    if shared is None or shared.ttl is None:
        return
    for item in await db.all(items_of(shared.short_id).up_to_date()):
        if item.ttl != shared.ttl:
            await _renew(db, item, shared.ttl)


async def add_item(db: Database, key: Key[Shareable], item: NewItem) -> ChecklistItem:
    async def decide() -> Outcome[ChecklistItem]:
        old = await current(db, key)
        items = (await opened(db, old)).items
        if len(items) >= MOST_ITEMS:
            raise TooMany(_("A list has at most {most_items} items.", most_items=MOST_ITEMS))
        new = new_item(old, item, items[-1].order + GAP if items else 0)
        return new, (*replaced(old, old.revised()), *added(new))

    return await carry_out(db, key, decide)


async def edit_item(
    db: Database,
    key: Key[Shareable],
    item_id: str,
    rule: Callable[[ChecklistItem], ChecklistItem],
) -> ChecklistItem:
    """By a rule, which may tick it, too: then both are seen, or neither."""

    async def decide() -> Outcome[ChecklistItem]:
        old = await current(db, key)
        item = await current_item(db, old.short_id, item_id)
        edited = rule(item)
        if edited == item:
            return item, ()
        return edited, (*replaced(old, old.revised()), *replaced(item, edited))

    return await carry_out(db, key, decide)


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def decide() -> Outcome[None]:
        old = await current(db, key)
        item = await current_item(db, old.short_id, item_id)
        return None, (*replaced(old, old.revised()), *removed(item))

    await carry_out(db, key, decide)


def _renewal(shared: Shareable) -> Todo:
    return todo(RENEW, {"shortId": shared.short_id}, clock.now() + FINISHED_SOON)


async def _renew(db: Database, item: ChecklistItem, ttl: int) -> None:
    try:
        await db.write(ChecklistItem.update(item.own_key(), Set("ttl", ttl), when=exists))
    except ConditionFailed:  # it was removed meanwhile
        return
