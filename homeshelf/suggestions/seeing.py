"""Suggestions with the current state of the people and items around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from homeshelf.families.model import Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
from homeshelf.shopping.model import PendingEntries
from homeshelf.shopping.store import pending_key
from homeshelf.suggestions.model import Suggestion
from homeshelf.suggestions.store import created_item_ids
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class Seen:
    suggestion: Suggestion
    suggester_status: Literal["active", "removed"]
    item_status: Literal["active", "archived", "deleted"] | None
    """None for a new thing."""
    already_on_list: bool
    picture: str | None
    """The emoji that was chosen for the item."""
    reviewer: str | None
    made_status: Literal["active", "archived", "deleted"] | None
    """The status of the item that an approval created."""
    is_on_list: bool
    """Whether the item, or the one that the approval created, is on the list."""


async def seen(db: Database, suggestions: Sequence[Suggestion]) -> list[Seen]:
    created = await created_item_ids(db, suggestions)
    item_ids = {it.suggestion_id: it.item_id or created.get(it.suggestion_id) for it in suggestions}
    found = await db.get_existing(
        key for each in suggestions for key in _around(each, item_ids[each.suggestion_id])
    )
    members = {(it.family_id, it.member_id): it for it in found if isinstance(it, Member)}
    items = {it.item_id: it for it in found if isinstance(it, InventoryItem)}
    on_list = {it.item_id for it in found if isinstance(it, PendingEntries)}
    return [
        _seen(
            each,
            members.get((each.family_id, each.suggested_by)),
            items.get(item_ids[each.suggestion_id] or ""),
            members.get((each.family_id, each.reviewed_by or "")),
            on_list=item_ids[each.suggestion_id] in on_list,
            has_created_item=each.suggestion_id in created,
        )
        for each in suggestions
    ]


def _around(suggestion: Suggestion, item_id: str | None) -> list[Key[Any]]:
    family_id = suggestion.family_id
    people = filter(None, (suggestion.suggested_by, suggestion.reviewed_by))
    members = [Member.key(family_id=family_id, member_id=each) for each in people]
    if item_id is None:
        return [*members]
    return [*members, key_of(family_id, item_id), pending_key(family_id, item_id)]


def _seen(
    suggestion: Suggestion,
    suggester: Member | None,
    item: InventoryItem | None,
    reviewer: Member | None,
    *,
    on_list: bool,
    has_created_item: bool,
) -> Seen:
    status = item.status if item else "deleted"
    return Seen(
        suggestion.with_names(suggester.name if suggester else None, item.name if item else None),
        suggester_status="active" if suggester and suggester.is_active else "removed",
        item_status=None if suggestion.type == "create_item" else status,
        already_on_list=on_list and suggestion.type == "add_to_shopping",
        picture=item.picture if item else None,
        reviewer=reviewer.name if reviewer else None,
        made_status=status if has_created_item else None,
        is_on_list=on_list,
    )
