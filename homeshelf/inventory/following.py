"""What follows an item: other slices say what becomes of theirs when it is renamed or removed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Write


@dataclass(frozen=True)
class ItemFollower:
    renaming: Callable[[Database, InventoryItem], Awaitable[Sequence[Write]]]
    """The writes that go with giving an item, which has its new name already, that name."""
    removed: Callable[[Database, str, str, str | None], Awaitable[None]]
    """After the item of a family is gone, by whom: done again where it was not finished."""


Following = Sequence[ItemFollower]


def _following(request: Request) -> Following:
    found: Following = request.app.state.following_items
    return found


FollowingItems = Annotated[Following, Depends(_following)]
