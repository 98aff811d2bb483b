"""Hooks by which other slices follow the changes of an item."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.access import InFamily
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Write
from homeshelf.web.services import Services


class ItemFollower:
    async def renaming(self, _db: Database, _item: InventoryItem) -> Sequence[Write]:
        """Return the writes of other records that have the item's name; it has the new one
        already."""
        return ()

    async def removed(self, _db: Database, _family_id: str, _item_id: str, _by: str | None) -> None:
        """Clean up after an item that somebody removed; repeated until it succeeds."""

    async def remembers(self, _db: Database, _family_id: str, _item_id: str) -> bool:
        """Whether records stay under the id of a deleted item."""
        return False

    async def counted(self, _db: Database, _family_id: str, _item_id: str) -> Mapping[str, int]:
        return {}

    async def shown(self, _db: Database, _member: InFamily, _item_id: str) -> Mapping[str, Any]:
        """Return template variables for the item's page."""
        return {}


Following = Sequence[ItemFollower]


def following_of(services: Services) -> Following:
    return services.all(ItemFollower)
