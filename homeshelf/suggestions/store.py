"""Suggestions and decisions. An approval and all it brings about are one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from homeshelf import clock
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.coordination.transaction import Transaction, require_version, transaction
from homeshelf.errors import AlreadyReviewed, ItemUnavailable, NotFound
from homeshelf.families.model import Member
from homeshelf.inventory import store as inventory
from homeshelf.inventory.following import ItemFollower
from homeshelf.inventory.model import InventoryItem, in_use, new_item
from homeshelf.outbox.notifications import request_notification
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shopping.adding import add, add_to_list, new_entry
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import UNKNOWN_ITEM, CreatedItem, Status, Suggestion
from homeshelf.table import Database, Key, Query, attr
from homeshelf.web.services import Services

STATUSES: tuple[Status, ...] = ("pending", "approved", "rejected")
"""In the order in which a suggestion goes through them."""
A_YEAR = timedelta(days=365)


async def list_created(
    services: Services, unit: Database, family_id: str, by: str, item_id: str
) -> ShoppingListItem:
    """Put the item that an approval made on the list, as one more write of the caller."""
    services.limits.writes.take(by)
    return await add(unit, family_id, by, {"item_id": item_id})


@dataclass(frozen=True)
class Approved:
    suggestion: Suggestion
    created: ShoppingListItem | InventoryItem


def key_of(family_id: str, suggestion_id: str) -> Key[Suggestion]:
    return Suggestion.key(family_id=family_id, suggestion_id=suggestion_id)


async def suggestion(db: Database, family_id: str, suggestion_id: str) -> Suggestion | None:
    """Get suggestion by ID."""
    return await db.get(key_of(family_id, suggestion_id))


async def created_item_ids(db: Database, suggestions: Sequence[Suggestion]) -> dict[str, str]:
    ids = {it.suggestion_id: it.made_item_id for it in suggestions if it.made_item_id}
    links = await db.get_existing(
        CreatedItem.key(family_id=it.family_id, suggestion_id=it.suggestion_id)
        for it in suggestions
        if it.type == "create_item" and it.status == "approved" and it.suggestion_id not in ids
    )
    return ids | {it.suggestion_id: it.item_id for it in links}


def suggestions_of(family_id: str) -> Query[Suggestion]:
    """List suggestions by family."""
    return Suggestion.where(family_id=family_id)


def with_status(
    family_id: str, status: Status, newest: str | None = None, oldest: str | None = None
) -> Query[Suggestion]:
    """List suggestions by status, newest first, between two timestamps if they are given."""
    return Suggestion.between(
        "created_at", oldest, newest, "GSI2", family_id=family_id, status=status
    ).newest_first()


async def newest(
    db: Database,
    family_id: str,
    statuses: Sequence[Status],
    limit: int,
    after: Sequence[str] | None,
) -> tuple[list[Suggestion], Mark | None]:
    queries = [partial(with_status, family_id, status) for status in statuses]
    return await newest_first(db, queries, _mark, limit, after)


async def asked_by(
    db: Database, family_id: str, suggester_id: str, limit: int, since: str
) -> list[Suggestion]:
    """Return a child's own, newest first: so many of each status, and of a year all that were
    decided since."""
    a_year_ago = clock.timestamp(clock.now() - A_YEAR)
    found: dict[Mark, Suggestion] = {}
    for status in STATUSES:  # one that is decided meanwhile is found twice, and is decided
        own = partial(_own, suggester_id, family_id, status)
        some, more = await newest_first(db, [own], _mark, limit)
        if more:  # the oldest may be decided last
            some += await db.all(own(None, a_year_ago).only(attr("reviewedAt") > since))
        found |= {_mark(each): each for each in some}
    return [found[mark] for mark in sorted(found, reverse=True)]


def _own(
    suggester_id: str, family_id: str, status: Status, newest: str | None, oldest: str | None = None
) -> Query[Suggestion]:
    return with_status(family_id, status, newest, oldest).only(attr("suggestedBy") == suggester_id)


async def suggest(db: Database, suggester: Member, wish: Mapping[str, Any]) -> Suggestion:
    """Add a wish with the names of today: who asks, and what the item is called."""
    at = clock.timestamp()
    new = Suggestion(
        suggestion_id=clock.new_id(),
        family_id=suggester.family_id,
        suggested_by=suggester.member_id,
        suggested_by_name=suggester.name,
        created_at=at,
        updated_at=at,
        **wish,
    )
    return await _add(db, new)


@transaction
async def _add(tx: Transaction, new: Suggestion) -> Suggestion:
    if new.item_id is not None:
        found = await inventory.item(tx.db, new.family_id, new.item_id)
        item = in_use(found, NotFound(_("There is no such item.")))
        tx.write(item.check((attr("status") == "active") & (attr("name") == item.name)))
        new = new.changed(item_name_snapshot=item.name)
    tx.add(new)
    tx.write(request_notification("wish", new.family_id, new.suggestion_id))
    return new


@transaction
async def reject(
    tx: Transaction, key: Key[Suggestion], version: int, by: str, notes: str | None = None
) -> Suggestion:
    old = await _pending(tx, key, version)
    rejected = old.rejected(by, clock.after(old.updated_at), notes)
    tx.replace(old, rejected)
    tx.write(request_notification("answer", rejected.family_id, rejected.suggestion_id))
    return rejected


@transaction
async def approve(tx: Transaction, key: Key[Suggestion], version: int, by: str) -> Approved:
    """Approve a suggestion and create what it asks for; where that fails, nothing has changed."""
    old = await _pending(tx, key, version)
    approved = old.approved(by, clock.after(old.updated_at))
    tx.replace(old, approved)
    tx.write(request_notification("answer", approved.family_id, approved.suggestion_id))
    if approved.type == "create_item":
        return Approved(approved, await _create_item(tx, approved, by))
    entry = await _new_entry(tx.db, approved, by)
    await add_to_list(tx, entry)
    return Approved(approved, entry)


async def _pending(tx: Transaction, key: Key[Suggestion], version: int) -> Suggestion:
    """Return the suggestion with its names; that it is decided already is the first error."""
    suggestion = await _complete(tx.db, await tx.get(key))
    if not suggestion.is_pending:
        raise AlreadyReviewed(suggestion)
    require_version(suggestion, version)
    return suggestion


async def _create_item(tx: Transaction, suggestion: Suggestion, by: str) -> InventoryItem:
    proposed = {
        "name": suggestion.proposed_item_name or UNKNOWN_ITEM,
        "quantity": suggestion.proposed_quantity or 0,
        "threshold": suggestion.proposed_threshold or 0,
    }
    item = new_item(suggestion.family_id, by, proposed)
    link = CreatedItem(
        family_id=suggestion.family_id,
        suggestion_id=suggestion.suggestion_id,
        item_id=item.item_id,
    )
    tx.write(link.put())
    await inventory.add_item(tx, item)
    return item


async def _new_entry(db: Database, suggestion: Suggestion, by: str) -> ShoppingListItem:
    """Make the entry, at the item's usual store if that is still there."""
    family_id, item_id = suggestion.family_id, suggestion.item_id
    found = await inventory.item(db, family_id, item_id) if item_id else None
    item = in_use(found, ItemUnavailable(_("This item is gone.")))
    entry = new_entry(
        family_id, by, {"item_id": item_id, "quantity": 1, "notes": suggestion.notes}, item
    )
    shop = await places.get_store(db, family_id, entry.store_id) if entry.store_id else None
    return entry if shop and shop.closed_at is None else entry.changed(store_id=None)


async def _complete(db: Database, found: Suggestion) -> Suggestion:
    """Fill in names that an old record lacks; the decision stores them."""
    if not found.lacks_names:
        return found.with_names(None, None)
    member = await db.get(Member.key(family_id=found.family_id, member_id=found.suggested_by))
    item = await inventory.item(db, found.family_id, found.item_id) if found.item_id else None
    return found.with_names(member.name if member else None, item.name if item else None)


def _mark(suggestion: Suggestion) -> Mark:
    return suggestion.created_at, suggestion.suggestion_id


class SuggestionsFollowItem(ItemFollower):
    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        """Count the pending wishes for an item."""
        waiting = with_status(family_id, "pending").only(attr("itemId") == item_id)
        return {"wishes": await db.count(waiting)}
