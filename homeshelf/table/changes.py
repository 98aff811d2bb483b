"""What changed lately, for those who listen.

Every transaction also puts one small record that says which record changed, never what is in it.
Records rather than a counter, because a counter in every transaction would make a family's
writes collide on DynamoDB.
"""

from homeshelf import clock
from homeshelf.table.database import Database
from homeshelf.table.operations import PutInOrder
from homeshelf.table.record import Keys, Record
from homeshelf.table.schema import HELPER

KEPT_SECONDS = 3600


class Change(Record):
    table = HELPER
    keys = Keys(PK="CHANGES#{scope}", SK="CHANGE#{changeId}")

    scope: str
    """The family, or the shared list, whose listeners are told."""
    change_id: str
    type: str
    id: str
    version: int | None
    ttl: int


def note_change(scope: str, type_: str, id_: str, version: int | None) -> PutInOrder:
    """The write that tells listeners; `version` is None when the record was deleted."""
    change = Change(
        scope=scope,
        change_id=clock.ordered_id(),
        type=type_,
        id=id_,
        version=version,
        ttl=clock.seconds() + KEPT_SECONDS,
    )
    return PutInOrder(change.table, change.item(), attribute="changeId")


async def changes_since(db: Database, scope: str, change_id: str | None) -> list[Change]:
    """The changes from this one on, oldest first, itself included; all that are kept for None."""
    query = Change.between("change_id", change_id, None, scope=scope)
    return list(await db.all(query.up_to_date()))
