"""Reads and changes of shared lists; `access.py` decides who may.

Each change but ticking raises the list's version, so that changes at once see each other: no item
is added beyond the most that a list may have, or to a list that was deleted meanwhile.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import announced, note_change
from homeshelf.coordination.todos import FINISHED_SOON, Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    existing,
    find,
    require_version,
    transaction,
)
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
    attr,
    exists,
)

RENEW = "share_renewed"
REMOVED = "share_removed"
UNFINISHED = "share_unfinished"

DECIDING = ("viewPasscode", "adminPasscode", "expiresAt")
"""Attributes that decide who may do what with a list."""

still_hidden = attr("hidden") == True  # noqa: E712  # a condition


@dataclass(frozen=True)
class OpenList:
    shared: Shareable
    items: tuple[ChecklistItem, ...]


@dataclass(frozen=True)
class ListChange:
    """The change of a list: `fields` by their Python names, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None
    """How long the list lives from now on."""


@dataclass(frozen=True)
class Tick:
    checked: bool | None
    """None leaves it as it is."""
    by: str | None = None
    """The name that the person typed."""
    says_who: bool = True
    """Whether the request has a `by`."""

    def of(self, item: ChecklistItem) -> ChecklistItem:
        checked = bool(item.checked) if self.checked is None else self.checked
        if not checked:
            return item.unticked()
        if item.checked and not self.says_who:
            return item
        return item.ticked(self.by or None)


async def shareable(db: Database, short_id: str) -> Shareable | None:
    """A list by its short id, unless it is still being made or was purged."""
    return _visible(await find(db, Shareable.key(short_id=short_id)))


def _visible(found: Shareable | None) -> Shareable | None:
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
    return or_not_found(_visible(await find(db, key)))


async def current_item(db: Database, short_id: str, item_id: str) -> ChecklistItem:
    return await existing(db, ChecklistItem.key(short_id=short_id, checklist_item_id=item_id))


@transaction
async def change(tx: Transaction, key: Key[Shareable], wanted: ListChange) -> OpenList:
    old = await current(tx.db, key)
    require_version(old, wanted.version)
    edited = old.changed(**wanted.fields)
    if wanted.days is not None:
        edited = edited.living(wanted.days, clock.now())
    if edited == old:
        return await opened(tx.db, old)
    if edited.ttl != old.ttl:
        renewal = todo(RENEW, {"shortId": old.short_id}, clock.now() + FINISHED_SOON)
        tx.finish_soon(renewal, renew_items)
    edited = edited.revised()
    tx.replace(old, edited)
    return await opened(tx.db, edited)


async def renew_items(db: Database, left: Todo) -> None:
    """Keep items as long as their list; each is a write of its own, as it may be ticked now."""
    shared = await db.get(Shareable.key(short_id=left.about["shortId"]))
    if shared is None or shared.ttl is None:
        return
    renewed = Set("ttl", shared.ttl)
    for item in await db.all(items_of(shared.short_id).up_to_date()):
        if item.ttl != shared.ttl:
            with suppress(ConditionFailed):  # it was removed meanwhile
                await db.write(ChecklistItem.update(item.own_key(), renewed, when=exists))


@transaction
async def add_item(tx: Transaction, key: Key[Shareable], item: NewItem) -> ChecklistItem:
    shared = await current(tx.db, key)
    items = (await opened(tx.db, shared)).items
    if len(items) >= MOST_ITEMS:
        raise TooMany(_("A list has at most {most_items} items.", most_items=MOST_ITEMS))
    new = new_item(shared, item, items[-1].order + GAP if items else 0)
    tx.replace(shared, shared.revised())
    tx.add(new)
    return new


@transaction
async def edit_item(
    tx: Transaction,
    key: Key[Shareable],
    item_id: str,
    rule: Callable[[ChecklistItem], ChecklistItem],
) -> ChecklistItem:
    """Change an item by a rule, which may tick it too: both changes are made, or neither."""
    shared = await current(tx.db, key)
    item = await current_item(tx.db, shared.short_id, item_id)
    edited = rule(item)
    if edited == item:
        return item
    tx.replace(shared, shared.revised())
    tx.replace(item, edited)
    return edited


async def remove_item(db: Database, key: Key[Shareable], item_id: str) -> None:
    async def leftovers(tx: Transaction) -> None:
        shared = await current(db, key)
        tx.replace(shared, shared.revised())
        tx.write(note_change(shared.bare_id, ChecklistItem.entity_type, item_id, None))

    short_id = Shareable.read_key(key)["shortId"]
    item_key = ChecklistItem.key(short_id=short_id, checklist_item_id=item_id)
    async with delete_if_unreadable(db, item_key, leftovers):
        await _remove_item(db, key, item_id)


@transaction
async def _remove_item(tx: Transaction, key: Key[Shareable], item_id: str) -> None:
    shared = await current(tx.db, key)
    item = await current_item(tx.db, shared.short_id, item_id)
    tx.replace(shared, shared.revised())
    tx.remove(item)


async def tick(db: Database, shared: Shareable, item_id: str, wanted: Tick) -> ChecklistItem:
    """Tick an item without changing its list, so that two hundred people can tick at once."""
    key = ChecklistItem.key(short_id=shared.short_id, checklist_item_id=item_id)
    return await _tick(db, key, wanted)


@transaction
async def _tick(tx: Transaction, key: Key[ChecklistItem], wanted: Tick) -> ChecklistItem:
    item = await tx.get(key)
    ticked = wanted.of(item)
    tx.replace(item, ticked)
    return ticked


async def remove(db: Database, key: Key[Shareable]) -> None:
    async def leftovers(tx: Transaction) -> None:
        shared = await stand_in(db, key)
        tx.write(*announced(shared, gone=True))
        tx.write(todo(REMOVED, {"shortId": shared.short_id}).put())

    async with delete_if_unreadable(db, key, leftovers):
        await _remove(db, key)


@transaction
async def _remove(tx: Transaction, key: Key[Shareable]) -> None:
    shared = await current(tx.db, key)
    left = todo(REMOVED, {"shortId": shared.short_id}, clock.now() + FINISHED_SOON)
    tx.remove(shared)
    tx.finish_soon(left, finish)


async def finish(db: Database, left: Todo) -> None:
    """Delete the items of a removed list: no other list ever gets its id."""
    await db.clear(items_of(left.about["shortId"]))


async def clear_unfinished(db: Database, left: Todo) -> None:
    """Delete a list whose maker was told that it could not be finished."""
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
