"""How many wait for an answer that ask for an item."""

from collections.abc import Mapping

from homeshelf.inventory.following import ItemFollower
from homeshelf.suggestions.store import with_status
from homeshelf.table import Database, attr


class SuggestionsFollowItem(ItemFollower):
    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        waiting = with_status(family_id, "pending").only(attr("itemId") == item_id)
        return {"wishes": await db.count(waiting)}
