"""Suggestions as people see them: with what has become of who asked and of what they asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from homeshelf.families.model import Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
from homeshelf.shopping.model import PendingEntries
from homeshelf.shopping.waiting import key_of_waiting
from homeshelf.suggestions.model import Suggestion
from homeshelf.table import Database, Key


@dataclass(frozen=True)
class Seen:
    suggestion: Suggestion
    suggester_status: Literal["active", "removed"]
    item_status: Literal["active", "archived", "deleted"] | None
    """None where something new is asked for."""
    already_on_list: bool
    picture: str | None
    """The one that was chosen for the item."""


async def seen(db: Database, suggestions: Sequence[Suggestion]) -> list[Seen]:
    """Each with what is around it, read at once for all of them."""
    found = await db.those(key for each in suggestions for key in _around(each))
    members = {(it.family_id, it.member_id): it for it in found if isinstance(it, Member)}
    items = {it.item_id: it for it in found if isinstance(it, InventoryItem)}
    on_list = {it.item_id for it in found if isinstance(it, PendingEntries)}
    return [
        _seen(
            each,
            members.get((each.family_id, each.suggested_by)),
            items.get(each.item_id or ""),
            on_list=each.item_id in on_list,
        )
        for each in suggestions
    ]


def _around(suggestion: Suggestion) -> list[Key[Any]]:
    family_id, item_id = suggestion.family_id, suggestion.item_id
    suggester = Member.key(family_id=family_id, member_id=suggestion.suggested_by)
    if item_id is None:
        return [suggester]
    return [suggester, key_of(family_id, item_id), key_of_waiting(family_id, item_id)]


def _seen(
    suggestion: Suggestion, suggester: Member | None, item: InventoryItem | None, *, on_list: bool
) -> Seen:
    return Seen(
        suggestion.with_names(suggester.name if suggester else None, item.name if item else None),
        "active" if suggester is not None and suggester.is_active else "removed",
        None if suggestion.type == "create_item" else item.status if item else "deleted",
        on_list,
        item.picture if item else None,
    )
