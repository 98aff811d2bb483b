"""What follows an item: other slices say what becomes of theirs, and what they show beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeshelf.access import InFamily
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Write
from homeshelf.web.services import Services


class ItemFollower:
    async def renaming(self, _db: Database, _item: InventoryItem) -> Sequence[Write]:
        """The writes that go with giving an item, which has its new name already, that name."""
        return ()

    async def removed(self, _db: Database, _family_id: str, _item_id: str, _by: str | None) -> None:
        """After the item of a family is gone, by whom: done again where it was not finished."""

    async def remembers(self, _db: Database, _family_id: str, _item_id: str) -> bool:
        """Whether something of an item stays under its id, also when the item is gone."""
        return False

    async def counted(self, _db: Database, _family_id: str, _item_id: str) -> Mapping[str, int]:
        """How much of what a removal changes."""
        return {}

    async def shown(self, _db: Database, _member: InFamily, _item_id: str) -> Mapping[str, Any]:
        """What stands on the item's page, by the name that its template has for it."""
        return {}


Following = Sequence[ItemFollower]


def following_of(services: Services) -> Following:
    return [each.follows_item for each in services.slices if each.follows_item]
