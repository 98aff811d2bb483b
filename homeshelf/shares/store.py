"""Read and change shared lists; every change raises the version, so concurrent ones conflict."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import change_writes
from homeshelf.coordination.todos import FINISH_DELAY, Todo, todo
from homeshelf.coordination.transaction import (
    Transaction,
    delete_if_unreadable,
    find,
    require_version,
    transaction,
)
from homeshelf.errors import UnreadableRecord, or_not_found
from homeshelf.shares.kind import all_kinds, kind_of
from homeshelf.shares.model import ChildRecord, Shareable, normalize_short_id
from homeshelf.table import ConditionFailed, Database, Delete, Key, Set, Unreadable, attr, exists

RENEWAL_KIND = "share_renewed"
REMOVAL_KIND = "share_removed"
UNFINISHED_KIND = "share_unfinished"

ACCESS_ATTRIBUTES = ("viewPasscode", "adminPasscode", "expiresAt")

is_hidden = attr("hidden") == True  # noqa: E712  # a condition


@dataclass(frozen=True)
class ListWithItems:
    shared: Shareable
    items: tuple[Any, ...]


@dataclass(frozen=True)
class ListChange:
    """A change of a list: `fields` by their Python names, passcodes as hashes."""

    version: int
    fields: dict[str, Any] = field(default_factory=dict, repr=False)
    days: int | None = None


async def find_shareable(db: Database, short_id: str) -> Shareable | None:
    """A list by its short id, unless it is hidden or purged."""
    return _if_visible(await find(db, Shareable.key(short_id=short_id)))


def _if_visible(found: Shareable | None) -> Shareable | None:
    try:
        return None if found is None or found.hidden or found.is_purged() else found
    except (ValueError, TypeError):  # the record has no valid expiry date
        raise UnreadableRecord(found and found.own_key()) from None


async def placeholder_for(db: Database, key: Key[Shareable]) -> Shareable:
    """Return a placeholder for an unreadable list that its maker may delete."""
    short_id = normalize_short_id(Shareable.read_key(key)["shortId"])
    required = {"shortId": short_id, "name": "", "entity": kind_of().entity}
    try:
        item = await db.engine.get(key) or {}
        stored = {name: item[name] for name in ACCESS_ATTRIBUTES if name in item}
        shared = Shareable.model_validate(stored | required)
        shared.is_expired()
    except (Unreadable, ValueError, TypeError):
        return Shareable.model_validate(required | {"expiresAt": clock.timestamp()})
    return shared


async def children_of(db: Database, shared: Shareable) -> list[ChildRecord]:
    found: list[ChildRecord] = []
    for children in kind_of(shared.entity).records.values():
        found += await db.all(children(shared.short_id).up_to_date())
    return found


async def load_list(db: Database, shared: Shareable) -> ListWithItems:
    return ListWithItems(
        shared, kind_of(shared.entity).sort_children(await children_of(db, shared))
    )


async def get_list(db: Database, key: Key[Shareable]) -> Shareable:
    return or_not_found(_if_visible(await find(db, key)))


@transaction
async def update_list(tx: Transaction, key: Key[Shareable], wanted: ListChange) -> ListWithItems:
    old = await get_list(tx.db, key)
    require_version(old, wanted.version)
    edited = old.changed(**wanted.fields)
    if wanted.days is not None:
        edited = edited.with_lifetime(wanted.days, clock.now())
    if edited == old:
        return await load_list(tx.db, old)
    if edited.ttl != old.ttl:
        renewal = todo(RENEWAL_KIND, {"shortId": old.short_id}, clock.now() + FINISH_DELAY)
        tx.finish_soon(renewal, renew_items)
    edited = edited.with_next_version()
    tx.replace(old, edited)
    return await load_list(tx.db, edited)


async def renew_items(db: Database, left: Todo) -> None:
    """Give the items the lifetime of their list, one by one, as others may tick them now."""
    shared = await db.get(Shareable.key(short_id=left.about["shortId"]))
    if shared is None or shared.ttl is None:
        return
    renewed = Set("ttl", shared.ttl)
    for item in await children_of(db, shared):
        if item.ttl != shared.ttl:
            with suppress(ConditionFailed):  # another request has removed the item
                await db.write(item.update(item.own_key(), renewed, when=exists))


async def delete_list(db: Database, key: Key[Shareable]) -> None:
    async def write_removal(tx: Transaction) -> None:
        shared = await placeholder_for(db, key)
        tx.write(*change_writes(shared, gone=True))
        tx.write(todo(REMOVAL_KIND, {"shortId": shared.short_id}).put())

    async with delete_if_unreadable(db, key, write_removal):
        await _delete_list(db, key)


@transaction
async def _delete_list(tx: Transaction, key: Key[Shareable]) -> None:
    shared = await get_list(tx.db, key)
    left = todo(REMOVAL_KIND, {"shortId": shared.short_id}, clock.now() + FINISH_DELAY)
    tx.remove(shared)
    tx.finish_soon(left, delete_children)


async def delete_children(db: Database, left: Todo) -> None:
    for kind in all_kinds():
        for children in kind.records.values():
            await db.clear(children(left.about["shortId"]))


async def delete_unfinished(db: Database, left: Todo) -> None:
    """Delete a list that is still hidden because writing its items failed."""
    key = Shareable.key(short_id=left.about["shortId"])
    shared = await db.get(key)
    if shared is not None and not shared.hidden:
        return
    if shared is not None:
        await db.write(Delete(key, is_hidden))
    await delete_children(db, left)
