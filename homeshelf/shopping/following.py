"""What becomes of an item's entries when it is removed, and what its page says of them."""

from collections.abc import Mapping
from typing import Any

from homeshelf.access import InFamily
from homeshelf.inventory.following import ItemFollower
from homeshelf.shopping.orphans import unlink
from homeshelf.shopping.store import naming
from homeshelf.shopping.waiting import on_list
from homeshelf.table import Database


class EntriesFollowItem(ItemFollower):
    async def removed(self, db: Database, family_id: str, item_id: str, _by: str | None) -> None:
        await unlink(db, family_id, item_id)

    async def counted(self, db: Database, family_id: str, item_id: str) -> Mapping[str, int]:
        return {"entries": await db.count(naming(family_id, item_id))}

    async def shown(self, db: Database, member: InFamily, item_id: str) -> Mapping[str, Any]:
        return {"listed": bool(await on_list(db, member.family_id, [item_id]))}
