"""Shared lists in the table: as they are asked for, changed and deleted.

What makes them is in `making.py`, what puts them in order in `ordering.py`; who kept them in
`keeping.py`. None of those decide who may: `access.py` does.

Each change counts up the list's version, so that of two who come at once both are seen: no item
is added past the last one that there is room for, or to a list that was deleted meanwhile.
Ticking alone does not touch the list.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination import changing
from homeshelf.coordination.changes import announced, note_change
from homeshelf.coordination.changing import (
    Outcome,
    added,
    as_seen,
    carry_out,
    delete_if_unreadable,
    existing,
    removed,
    replaced,
    requested,
)
from homeshelf.coordination.todos import FINISHED_SOON, Todo, finish_soon, todo
from homeshelf.errors import TooMany, UnreadableRecord, or_not_found
from homeshelf.sentences import _
from homeshelf.shares.model import (
    GAP,
    MOST_ITEMS,
    ChecklistItem,
    NewItem,
    Shareable,
    in_order,
    short_id_of,
)
from homeshelf.table import (
    ConditionFailed,
    Database,
    Delete,
    Key,
    Query,
    Set,
    Unreadable,
    Write,
    attr,
    exists,
)

RENEW = "share_renewed"
REMOVED = "share_removed"
UNFINISHED = "share_unfinished"

DECIDING = ("viewPasscode", "adminPasscode", "expiresAt")
"""The attributes that decide who may do what with a list."""

still_hidden = attr("hidden") == True  # noqa: E712  # a condition


@dataclass(frozen=True)
class OpenList:
    shared: Shareable
    items: tuple[ChecklistItem, ...]


@dataclass(frozen=True)
class ListChange:
    """What is to be changed: `fields` by their names here, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None
    """From now on."""


@dataclass(frozen=True)
class Tick:
    checked: bool | None
    """None leaves it as it is."""
    by: str | None = None
    """What the person typed as their name."""
    says_who: bool = True
    """Whether `by` was said at all."""

    def of(self, item: ChecklistItem) -> ChecklistItem:
        checked = bool(item.checked) if self.checked is None else self.checked
        if not checked:
            return item.unticked()
        if item.checked and not self.says_who:
            return item
        return item.ticked(self.by or None)


async def shareable(db: Database, short_id: str) -> Shareable | None:
    """One that is still being made is not there yet, and one that was purged never was."""
    return _there(await requested(db, Shareable.key(short_id=short_id)))


def _there(found: Shareable | None) -> Shareable | None:
    try:
        return None if found is None or found.hidden or found.is_purged() else found
    except (ValueError, TypeError):  # it does not say when it expires
        raise UnreadableRecord(found and found.own_key()) from None


async def stand_in(db: Database, key: Key[Shareable]) -> Shareable:
    """Return what decides who may delete a list that cannot be read.

    Where that is unknown it counts as expired without an admin passcode: only its maker may.
    """
    short_id = short_id_of(Shareable.read_key(key)["shortId"])
    known = {"shortId": short_id, "name": "", "entity": "checklist"}
    try:
        item = await db.engine.get(key) or {}
        found = Shareable.model_validate(
            {name: item[name] for name in DECIDING if name in item} | known
        )
        found.is_expired()
    except (Unreadable, ValueError, TypeError):
        return Shareable.model_validate(known | {"expiresAt": clock.timestamp()})
    return found


def items_of(short_id: str) -> Query[ChecklistItem]:
    return ChecklistItem.where(short_id=short_id)


async def opened(db: Database, shared: Shareable) -> OpenList:
    return OpenList(shared, in_order(await db.all(items_of(shared.short_id).up_to_date())))


async def current(db: Database, key: Key[Shareable]) -> Shareable:
    """The list as it is now, or NotFound."""
    return or_not_found(_there(await requested(db, key)))


async def current_item(db: Database, short_id: str, item_id: str) -> ChecklistItem:
    return await existing(db, ChecklistItem.key(short_id=short_id, checklist_item_id=item_id))


async def change(db: Database, key: Key[Shareable], wanted: ListChange) -> OpenList:
    left: list[Todo] = []

    async def decide() -> "Outcome[OpenList]":
        old = await as_seen(db, key, wanted.version, find=current)
        new = old.changed(**wanted.fields)
        if wanted.days is not None:
            new = new.living(wanted.days, clock.now())
        if new == old:
            return await opened(db, old), ()
        renewal = todo(RENEW, {"shortId": new.short_id}, clock.now() + FINISHED_SOON)
        left[:] = [renewal] if new.ttl != old.ttl else []
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
    renewed = Set("ttl", shared.ttl)
    for item in await db.all(items_of(shared.short_id).up_to_date()):
        if item.ttl != shared.ttl:
            with suppress(ConditionFailed):  # it was removed meanwhile
                await db.write(ChecklistItem.update(item.own_key(), renewed, when=exists))


async def add_item(db: Database, key: Key[Shareable], item: NewItem) -> ChecklistItem:
    async def decide() -> "Outcome[ChecklistItem]":
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

    async def decide() -> "Outcome[ChecklistItem]":
        old = await current(db, key)
        item = await current_item(db, old.short_id, item_id)
        edited = rule(item)
        if edited == item:
            return item, ()
        return edited, (*replaced(old, old.revised()), *replaced(item, edited))

    return await carry_out(db, key, decide)


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def decide() -> "Outcome[None]":
        old = await current(db, key)
        gone = removed(await current_item(db, old.short_id, item_id))
        return None, (*replaced(old, old.revised()), *gone)

    async def leftovers() -> list[Write]:
        old = await current(db, key)
        told = note_change(old.bare_id, ChecklistItem.entity_type, item_id, None)
        return [*replaced(old, old.revised()), told]

    short_id = Shareable.read_key(key)["shortId"]
    item_key = ChecklistItem.key(short_id=short_id, checklist_item_id=item_id)
    async with delete_if_unreadable(db, item_key, leftovers):
        await carry_out(db, key, decide)


async def tick(db: Database, shared: Shareable, item_id: str, wanted: Tick) -> ChecklistItem:
    """The list itself is not touched: two hundred may tick at once."""
    key = ChecklistItem.key(short_id=shared.short_id, checklist_item_id=item_id)
    return await changing.change(db, key, changing.by_itself(wanted.of))


async def remove(db: Database, key: Key[Shareable]) -> None:
    async def decide() -> "Outcome[Todo]":
        shared = await current(db, key)
        left = todo(REMOVED, {"shortId": shared.short_id}, clock.now() + FINISHED_SOON)
        return left, (*removed(shared), left.put())

    async def leftovers() -> list[Write]:
        shared = await stand_in(db, key)
        left = todo(REMOVED, {"shortId": shared.short_id})
        return [*announced(shared, gone=True), left.put()]

    async with delete_if_unreadable(db, key, leftovers):
        await finish_soon(db, await carry_out(db, key, decide), finish)


async def finish(db: Database, left: Todo) -> None:
    """No list ever gets this id again: whatever stands under it belongs to the one that is gone."""
    await db.clear(items_of(left.about["shortId"]))


async def clear_unfinished(db: Database, left: Todo) -> None:
    """The one who was making it never came to the end, and was told so."""
    key = Shareable.key(short_id=left.about["shortId"])
    shared = await db.get(key)
    if shared is not None and not shared.hidden:
        return
    if shared is not None:
        await db.write(Delete(key, still_hidden))
    await finish(db, left)


def new_item(shared: Shareable, item: NewItem, order: int) -> ChecklistItem:
    return ChecklistItem(
        short_id=shared.short_id,
        checklist_item_id=clock.new_id(),
        order=order,
        name=item.name,
        note=item.note or None,
        ttl=shared.ttl,
    )
