"""Store suggestions and decisions; an approval and its effects are one transaction."""

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
from homeshelf.inventory.item_observer import ItemObserver
from homeshelf.inventory.model import InventoryItem, new_item, require_active
from homeshelf.outbox.notifications import request_notification
from homeshelf.places import store as places
from homeshelf.sentences import _
from homeshelf.shopping.entry_creation import add_entry, add_forced_entry, build_entry
from homeshelf.shopping.model import ShoppingListItem
from homeshelf.suggestions.model import UNKNOWN_ITEM, CreatedItem, Status, Suggestion
from homeshelf.table import Database, Key, Query, attr
from homeshelf.web.services import Services

STATUSES: tuple[Status, ...] = ("pending", "approved", "rejected")
A_YEAR = timedelta(days=365)


async def list_created_item(
    services: Services, unit: Database, family_id: str, by: str, item_id: str
) -> ShoppingListItem:
    """Add a created item to the list, which counts as a write of the caller."""
    services.limits.writes.take(by)
    return await add_entry(unit, family_id, by, {"item_id": item_id})


@dataclass(frozen=True)
class ApprovalResult:
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
    family_id: str, status: Status, newest_suggestions: str | None = None, oldest: str | None = None
) -> Query[Suggestion]:
    """List suggestions by status, newest first, between two optional timestamps."""
    return Suggestion.between(
        "created_at", oldest, newest_suggestions, "GSI2", family_id=family_id, status=status
    ).newest_first()


async def newest_suggestions(
    db: Database,
    family_id: str,
    statuses: Sequence[Status],
    limit: int,
    after: Sequence[str] | None,
) -> tuple[list[Suggestion], Mark | None]:
    queries = [partial(with_status, family_id, status) for status in statuses]
    return await newest_first(db, queries, _sort_mark, limit, after)


async def suggestions_by_member(
    db: Database, family_id: str, suggester_id: str, limit: int, since: str
) -> list[Suggestion]:
    """Return a child's suggestions: some of each status, and a year's decisions after `since`."""
    a_year_ago = clock.timestamp(clock.now() - A_YEAR)
    found: dict[Mark, Suggestion] = {}
    for status in STATUSES:  # a concurrent decision shows up twice, and the later status wins
        own = partial(_by_member, suggester_id, family_id, status)
        some, more = await newest_first(db, [own], _sort_mark, limit)
        if more:  # the oldest wish may have the newest decision
            some += await db.all(own(None, a_year_ago).only(attr("reviewedAt") > since))
        found |= {_sort_mark(each): each for each in some}
    return [found[mark] for mark in sorted(found, reverse=True)]


async def recent_answers(
    db: Database, family_id: str, suggester_id: str, since: str
) -> list[Suggestion]:
    """Return a child's suggestions of a year that were decided after `since`, latest first."""
    a_year_ago = clock.timestamp(clock.now() - A_YEAR)
    found = [
        suggestion
        for status in STATUSES
        if status != "pending"
        for suggestion in await db.all(
            _by_member(suggester_id, family_id, status, None, a_year_ago).only(
                attr("reviewedAt") > since
            )
        )
    ]
    return sorted(found, key=lambda each: each.reviewed_at or "", reverse=True)


def _by_member(
    suggester_id: str, family_id: str, status: Status, newest: str | None, oldest: str | None = None
) -> Query[Suggestion]:
    return with_status(family_id, status, newest, oldest).only(attr("suggestedBy") == suggester_id)


async def add_suggestion(db: Database, suggester: Member, wish: Mapping[str, Any]) -> Suggestion:
    """Add a wish, with the current names of the child and the item."""
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
    return await _add_suggestion(db, new)


@transaction
async def _add_suggestion(tx: Transaction, new: Suggestion) -> Suggestion:
    if new.item_id is not None:
        found = await inventory.get_item(tx.db, new.family_id, new.item_id)
        item = require_active(found, NotFound(_("There’s no such item.")))
        tx.write(item.check((attr("status") == "active") & (attr("name") == item.name)))
        new = new.changed(item_name_snapshot=item.name)
    tx.add(new)
    tx.write(request_notification("wish", new.family_id, new.suggestion_id))
    return new


@transaction
async def reject(
    tx: Transaction, key: Key[Suggestion], version: int, by: str, notes: str | None = None
) -> Suggestion:
    old = await _get_pending(tx, key, version)
    rejected = old.as_rejected(by, clock.after(old.updated_at), notes)
    tx.replace(old, rejected)
    tx.write(request_notification("answer", rejected.family_id, rejected.suggestion_id))
    return rejected


@transaction
async def approve(tx: Transaction, key: Key[Suggestion], version: int, by: str) -> ApprovalResult:
    old = await _get_pending(tx, key, version)
    approved = old.as_approved(by, clock.after(old.updated_at))
    tx.replace(old, approved)
    tx.write(request_notification("answer", approved.family_id, approved.suggestion_id))
    if approved.type == "create_item":
        return ApprovalResult(approved, await _create_item(tx, approved, by))
    entry = await _build_entry(tx.db, approved, by)
    await add_forced_entry(tx, entry)
    return ApprovalResult(approved, entry)


async def _get_pending(tx: Transaction, key: Key[Suggestion], version: int) -> Suggestion:
    """Return the pending suggestion; an earlier decision is reported before a wrong version."""
    suggestion = await _fill_in_names(tx.db, await tx.get(key))
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
        family_id=suggestion.family_id, suggestion_id=suggestion.suggestion_id, item_id=item.item_id
    )
    tx.write(link.put())
    await inventory.add_item(tx, item)
    return item


async def _build_entry(db: Database, suggestion: Suggestion, by: str) -> ShoppingListItem:
    family_id, item_id = suggestion.family_id, suggestion.item_id
    found = await inventory.get_item(db, family_id, item_id) if item_id else None
    item = require_active(found, ItemUnavailable(_("This item no longer exists.")))
    entry = build_entry(
        family_id, by, {"item_id": item_id, "quantity": 1, "notes": suggestion.notes}, item
    )
    shop = await places.get_store(db, family_id, entry.store_id) if entry.store_id else None
    return entry if shop and shop.closed_at is None else entry.changed(store_id=None)


async def _fill_in_names(db: Database, found: Suggestion) -> Suggestion:
    if not found.has_missing_names:
        return found.with_names(None, None)
    member = await db.get(Member.key(family_id=found.family_id, member_id=found.suggested_by))
    item = await inventory.get_item(db, found.family_id, found.item_id) if found.item_id else None
    return found.with_names(member.name if member else None, item.name if item else None)


def _sort_mark(suggestion: Suggestion) -> Mark:
    return suggestion.created_at, suggestion.suggestion_id


class SuggestionItemObserver(ItemObserver):
    async def count_references(
        self, db: Database, family_id: str, item_id: str
    ) -> Mapping[str, int]:
        waiting = with_status(family_id, "pending").only(attr("itemId") == item_id)
        return {"wishes": await db.count(waiting)}
