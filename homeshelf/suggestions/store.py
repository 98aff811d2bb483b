"""What is asked for, by whom, and what is decided. See `approving.py` for what a yes does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, added, carry_out, change, existing
from homeshelf.coordination.merging import Mark, newest_first
from homeshelf.errors import AlreadyReviewed, ItemUnavailable, NotFound
from homeshelf.families.model import Member
from homeshelf.inventory import store as inventory
from homeshelf.outbox.news import to_tell
from homeshelf.sentences import _
from homeshelf.suggestions.model import Status, Suggestion
from homeshelf.table import Check, Condition, Database, Key, Query, Write, attr

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


async def suggest(db: Database, suggester: Member, wish: Mapping[str, Any]) -> Suggestion:
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

    async def decide() -> Outcome[Suggestion]:
        named, checks = await _naming_its_item(db, new)
        mail = to_tell("wish", named.family_id, named.suggestion_id)
        return named, (*added(named), *checks, mail)

    return await carry_out(db, new.own_key(), decide)


async def reject(
    db: Database, key: Key[Suggestion], version: int, by: str, notes: str | None = None
) -> Suggestion:
    async def rejected(old: Suggestion) -> Outcome[Suggestion]:
        new = old.rejected(by, clock.after(old.updated_at), notes)
        return new, [mailed(new)]

    return await change(db, key, rejected, version, find=waiting)


async def waiting(db: Database, key: Key[Suggestion]) -> Suggestion:
    """The suggestion, with its names; that it is decided already comes before all."""
    suggestion = await _complete(db, await existing(db, key))
    if not suggestion.is_pending:
        raise AlreadyReviewed(suggestion)
    return suggestion


def mailed(decided: Suggestion) -> Write:
    """Who asked hears of the decision by mail too."""
    return to_tell("answer", decided.family_id, decided.suggestion_id)


async def _naming_its_item(db: Database, new: Suggestion) -> tuple[Suggestion, Sequence[Check]]:
    """The suggestion with the item's name, and that the item is in use and called so."""
    if new.item_id is None:
        return new, ()
    item = await inventory.item(db, new.family_id, new.item_id)
    if item is None:
        raise NotFound(_("There is no such item."))
    if item.status != "active":
        raise ItemUnavailable(_("This item is archived."))
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
