"""Read suggestions together with their people and items."""

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
class DetailedSuggestion:
    suggestion: Suggestion
    suggester_status: Literal["active", "removed"]
    item_status: Literal["active", "archived", "deleted"] | None
    """None for a new item."""
    already_on_list: bool
    picture: str | None
    reviewer: str | None
    created_item_status: Literal["active", "archived", "deleted"] | None
    is_on_list: bool
    """True if the existing or created item is on the list."""


async def with_details(db: Database, suggestions: Sequence[Suggestion]) -> list[DetailedSuggestion]:
    created = await created_item_ids(db, suggestions)
    item_ids = {it.suggestion_id: it.item_id or created.get(it.suggestion_id) for it in suggestions}
    keys: list[Key[Any]] = []
    for each in suggestions:
        people = filter(None, (each.suggested_by, each.reviewed_by))
        keys += [Member.key(family_id=each.family_id, member_id=member_id) for member_id in people]
        if item_id := item_ids[each.suggestion_id]:
            keys += [key_of(each.family_id, item_id), pending_key(each.family_id, item_id)]
    found = await db.get_existing(keys)
    members = {(it.family_id, it.member_id): it for it in found if isinstance(it, Member)}
    items = {it.item_id: it for it in found if isinstance(it, InventoryItem)}
    listed = {it.item_id for it in found if isinstance(it, PendingEntries)}
    detailed = []
    for each in suggestions:
        suggester = members.get((each.family_id, each.suggested_by))
        reviewer = members.get((each.family_id, each.reviewed_by or ""))
        item = items.get(item_ids[each.suggestion_id] or "")
        status = item.status if item else "deleted"
        is_on_list = item_ids[each.suggestion_id] in listed
        detailed.append(
            DetailedSuggestion(
                each.with_names(suggester.name if suggester else None, item.name if item else None),
                suggester_status="active" if suggester and suggester.is_active else "removed",
                item_status=None if each.type == "create_item" else status,
                already_on_list=is_on_list and each.type == "add_to_shopping",
                picture=item.picture if item else None,
                reviewer=reviewer.name if reviewer else None,
                created_item_status=status if each.suggestion_id in created else None,
                is_on_list=is_on_list,
            )
        )
    return detailed
