"""The hooks by which other slices react to changes of an item, and add to the page of the stock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homeshelf.access import InFamily
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database, Write


@dataclass(frozen=True)
class StockTool:
    """An entry in the menu of the stock."""

    path: str
    word: str
    icon: str


class ItemObserver:
    async def writes_on_rename(self, _db: Database, _item: InventoryItem) -> Sequence[Write]:
        """Return writes for records that copy the name of an item, which is already renamed."""
        return ()

    async def on_removed(
        self, _db: Database, _family_id: str, _item_id: str, _by: str | None
    ) -> None:
        """Clean up after a deleted item; repeated until it succeeds."""

    async def has_records(self, _db: Database, _family_id: str, _item_id: str) -> bool:
        """Check whether records remain under the id of a deleted item."""
        return False

    async def count_references(
        self, _db: Database, _family_id: str, _item_id: str
    ) -> Mapping[str, int]:
        return {}

    async def page_variables(
        self, _db: Database, _member: InFamily, _item_id: str
    ) -> Mapping[str, Any]:
        return {}
