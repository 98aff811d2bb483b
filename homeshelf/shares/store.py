"""Reads and changes of shared lists; `access.py` decides who may.

Each change raises the list's version, so that changes at once see each other, and none is made to
a list that was deleted meanwhile.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import announced
from homeshelf.coordination.todos import FINISHED_SOON, Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    find,
    require_version,
    transaction,
)
from homeshelf.errors import UnreadableRecord, or_not_found
from homeshelf.shares.kind import all_kinds, kind_of
from homeshelf.shares.model import ChildRecord, Shareable, short_id_of
from homeshelf.table import (
    ConditionFailed,
    Database,
    Delete,
    Key,
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
    items: tuple[Any, ...]
    """Its child records, in the order of its kind."""


@dataclass(frozen=True)
class ListChange:
    """The change of a list: `fields` by their Python names, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None
    """How long the list lives from now on."""


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
    known = {"shortId": short_id, "name": "", "entity": kind_of().entity}
    try:
        item = await db.engine.get(key) or {}
        found = Shareable.model_validate(
            {name: item[name] for name in DECIDING if name in item} | known
        )
        found.is_expired()
    except (Unreadable, ValueError, TypeError):
        return Shareable.model_validate(known | {"expiresAt": clock.timestamp()})
    return found


async def children_of(db: Database, shared: Shareable) -> list[ChildRecord]:
    found: list[ChildRecord] = []
    for children in kind_of(shared.entity).records.values():
        found += await db.all(children(shared.short_id).up_to_date())
    return found


async def opened(db: Database, shared: Shareable) -> OpenList:
    return OpenList(shared, kind_of(shared.entity).in_order(await children_of(db, shared)))


async def current(db: Database, key: Key[Shareable]) -> Shareable:
    """The list as it is now, or NotFound."""
    return or_not_found(_visible(await find(db, key)))


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
    for item in await children_of(db, shared):
        if item.ttl != shared.ttl:
            with suppress(ConditionFailed):  # it was removed meanwhile
                await db.write(item.update(item.own_key(), renewed, when=exists))


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
    """Delete the children of a removed list: no other list ever gets its id."""
    for kind in all_kinds():
        for children in kind.records.values():
            await db.clear(children(left.about["shortId"]))


async def clear_unfinished(db: Database, left: Todo) -> None:
    """Delete a list whose maker was told that it could not be finished."""
    key = Shareable.key(short_id=left.about["shortId"])
    shared = await db.get(key)
    if shared is not None and not shared.hidden:
        return
    if shared is not None:
        await db.write(Delete(key, still_hidden))
    await finish(db, left)
