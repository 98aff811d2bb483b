"""Suggestions as people see them: with what has become of who asked and of what they asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from homeshelf.families.model import Member
from homeshelf.inventory.model import InventoryItem
from homeshelf.inventory.store import key_of
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
    keys = list(dict.fromkeys(key for each in suggestions for key in _around(each)))
    found = dict(zip(keys, await db.get_many(keys, skip=True), strict=True))
    return [_seen(each, found) for each in suggestions]


def _around(suggestion: Suggestion) -> list[Key[Any]]:
    keys: list[Key[Any]] = [_suggester(suggestion)]
    if suggestion.item_id is not None:
        where = (suggestion.family_id, suggestion.item_id)
        keys += [key_of(*where), key_of_waiting(*where)]
    return keys


def _seen(suggestion: Suggestion, found: Mapping[Key[Any], Any]) -> Seen:
    suggester: Member | None = found[_suggester(suggestion)]
    item: InventoryItem | None = None
    on_list = False
    if suggestion.item_id is not None:
        where = (suggestion.family_id, suggestion.item_id)
        item, on_list = found[key_of(*where)], found[key_of_waiting(*where)] is not None
    return Seen(
        suggestion.with_names(suggester.name if suggester else None, item.name if item else None),
        "active" if suggester is not None and suggester.is_active else "removed",
        None if suggestion.type == "create_item" else item.status if item else "deleted",
        on_list,
        item.picture if item else None,
    )


def _suggester(suggestion: Suggestion) -> Key[Member]:
    return Member.key(family_id=suggestion.family_id, member_id=suggestion.suggested_by)
