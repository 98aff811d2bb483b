"""Deleting a list, and clearing away what was never finished.

remove(db, key)     the list goes first, and its items follow, whatever happens half-way
"""

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, carry_out, removed
from homeshelf.coordination.todos import FINISHED_SOON, Todo, finish_soon, todo
from homeshelf.shares.model import Shareable
from homeshelf.shares.store import current, items_of
from homeshelf.table import Database, Key, attr
from homeshelf.table.operations import Delete

REMOVED = "share_removed"
UNFINISHED = "share_unfinished"


async def remove(db: Database, key: Key[Shareable]) -> None:
    async def decide() -> Outcome[Todo]:
        shared = await current(db, key)
        left = todo(REMOVED, {"shortId": shared.short_id}, clock.now() + FINISHED_SOON)
        return left, (*removed(shared), left.put())

    await finish_soon(db, await carry_out(db, key, decide), finish)


async def finish(db: Database, left: Todo) -> None:
    """No list ever gets this id again: whatever stands under it belongs to the one that is gone."""
    await db.clear(items_of(left.about["shortId"]))


async def clear_unfinished(db: Database, left: Todo) -> None:
    """The one who was making it never came to the end, and was told so."""
    key = Shareable.key(short_id=left.about["shortId"])
    shared = await db.get(key)
    if shared is not None and not shared.hidden:
        return
    if shared is not None:
        await db.write(Delete(key, attr("hidden") == True))  # noqa: E712  # a condition
    await finish(db, left)
