"""What is asked for, by whom, and what is decided. See `approving.py` for what a yes does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changes import note_change
from homeshelf.coordination.idempotency import Also, nothing_else
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.errors import AlreadyReviewed, ItemUnavailable, NotFound, VersionConflict
from homeshelf.families.model import Member
from homeshelf.inventory import store as inventory
from homeshelf.outbox.news import to_tell
from homeshelf.suggestions.model import Status, Suggestion
from homeshelf.table import Check, Condition, Database, Key, Query, Write, absent, attr

STATUSES: tuple[Status, ...] = ("pending", "approved", "rejected")
"""In the order in which a suggestion goes through them."""


def key_of(family_id: str, suggestion_id: str) -> Key[Suggestion]:
    return Suggestion.key(family_id=family_id, suggestion_id=suggestion_id)


async def suggestion(db: Database, family_id: str, suggestion_id: str) -> Suggestion | None:
    """Get suggestion by ID."""
    return await db.get(key_of(family_id, suggestion_id))


def suggestions_of(family_id: str) -> Query[Suggestion]:
    """List suggestions by family."""
    return Suggestion.where(family_id=family_id)


def with_status(family_id: str, status: Status) -> Query[Suggestion]:
    """List suggestions by status, ordered by date, newest first; those pending among them."""
    return Suggestion.where("GSI2", family_id=family_id, status=status).newest_first()


async def newest(
    db: Database, family_id: str, statuses: Sequence[Status], limit: int, after: Mark | None
) -> tuple[list[Suggestion], Mark | None]:
    """Newest first over several statuses, one query each."""
    queries = [_with_status_until(family_id, status) for status in statuses]
    return await newest_first(db, queries, _mark, limit, after)


async def asked_by(db: Database, family_id: str, suggester_id: str, limit: int) -> list[Suggestion]:
    """Somebody's own, newest first, however many others have asked since."""
    own = attr("suggestedBy") == suggester_id
    queries = [_with_status_until(family_id, status, own) for status in STATUSES]
    found, _ = await newest_first(db, queries, _mark, limit)
    return found


async def suggest(
    db: Database, suggester: Member, wish: Mapping[str, Any], also: Also = nothing_else
) -> Suggestion:
    """A new wish, with the names of its day: who asks, and what the item is called."""
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

    async def attempt() -> Suggestion:
        named, checks = await _naming_its_item(db, new)
        mail = to_tell("wish", named.family_id, named.suggestion_id)
        await db.transact(named.put(absent), *checks, suggestion_changed(named), mail, *also(named))
        return named

    return await db.settle(new.own_key(), attempt)


async def reject(
    db: Database,
    key: Key[Suggestion],
    version: int,
    by: str,
    notes: str | None = None,
    also: Also = nothing_else,
) -> Suggestion:
    async def attempt() -> Suggestion:
        old = await waiting(db, key, version)
        new = old.rejected(by, clock.after(old.updated_at), notes)
        await db.transact(*decided(old, new), *also(new))
        return new

    return await db.settle(key, attempt)


async def waiting(db: Database, key: Key[Suggestion], version: int) -> Suggestion:
    """The suggestion as whoever decides saw it; that it is decided already comes before all."""
    found = await db.get(key)
    if found is None:
        raise NotFound
    found = await _complete(db, found)
    if not found.is_pending:
        raise AlreadyReviewed(found)
    if found.version != version:
        raise VersionConflict(found)
    return found


def decided(old: Suggestion, new: Suggestion) -> Sequence[Write]:
    """The decision, and that everybody hears of it: who asked by mail too."""
    mail = to_tell("answer", new.family_id, new.suggestion_id)
    return new.reviewing(old), suggestion_changed(new), mail


def suggestion_changed(suggestion: Suggestion) -> Write:
    return note_change(
        suggestion.family_id,
        suggestion.entity_type,
        suggestion.suggestion_id,
        suggestion.version,
    )


async def _naming_its_item(db: Database, new: Suggestion) -> tuple[Suggestion, Sequence[Check]]:
    """The suggestion with the item's name, and that the item is in use and called so."""
    if new.item_id is None:
        return new, ()
    item = await inventory.item(db, new.family_id, new.item_id)
    if item is None:
        raise NotFound("There is no such item.")
    if item.status != "active":
        raise ItemUnavailable("This item is archived.")
    same = (attr("status") == "active") & (attr("name") == item.name)
    return new.changed(item_name_snapshot=item.name), [item.check(same)]


async def _complete(db: Database, found: Suggestion) -> Suggestion:
    """With names, where it is from before there were any; they are kept with the decision."""
    if not found.lacks_names:
        return found
    member = await db.get(Member.key(family_id=found.family_id, member_id=found.suggested_by))
    item = await inventory.item(db, found.family_id, found.item_id) if found.item_id else None
    return found.with_names(member.name if member else None, item.name if item else None)


def _with_status_until(
    family_id: str, status: Status, only: Condition | None = None
) -> Callable[[str | None], Query[Suggestion]]:
    def query(newest: str | None) -> Query[Suggestion]:
        known = {"family_id": family_id, "status": status}
        found = Suggestion.between("created_at", None, newest, "GSI2", **known)
        return found if only is None else found.only(only)

    return query


def _mark(suggestion: Suggestion) -> Mark:
    return suggestion.created_at, suggestion.suggestion_id
