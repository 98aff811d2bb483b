"""Change records, from which listeners learn what changed.

Each change has its own record, because a shared counter would make writes conflict on DynamoDB.
"""

from collections.abc import Iterable
from datetime import datetime

from homeshelf import clock
from homeshelf.table import HELPER, Database, Keys, PutInOrder, Record, Sparse

KEPT_SECONDS = 3600
AHEAD_SECONDS = 120
"""A time longer than ids may run ahead of a clock that was set back."""
SESSION_ENDED = "Session"
FOR_ADMINS = frozenset({"Invitation", "NFCUrl"})
"""The types that only admins may see, because even the id of a tag is a secret."""

ChangeId = tuple[str, str]


class Change(Record):
    table = HELPER
    keys = Keys(PK="CHANGES#{scope}", SK="CHANGE#{changeId}")

    scope: str
    change_id: str
    type: str
    id: str
    version: int | None
    others: Sparse[tuple[str, ...]] = None
    """Records of the same type that changed in the same transaction."""
    ttl: int

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.id, *(self.others or ()))

    @property
    def is_for_admins(self) -> bool:
        return self.type in FOR_ADMINS

    @property
    def is_announced(self) -> bool:
        """Return whether listeners see it; an ended session only makes streams check access."""
        return self.type != SESSION_ENDED


def change_write(scope: str, type_: str, id_: str, version: int | None, *others: str) -> PutInOrder:
    """Return the write of a change record; deleted records have no version."""
    change = Change(
        scope=scope,
        change_id=clock.new_token(),  # a placeholder until it is written
        type=type_,
        id=id_,
        version=version,
        others=others or None,
        ttl=clock.seconds() + KEPT_SECONDS,
    )
    return PutInOrder(change.table, change.item(), attribute="changeId", kept=KEPT_SECONDS)


def change_writes(record: Record, *others: Record, gone: bool = False) -> list[PutInOrder]:
    """Return the change record for records of one type; unversioned ones always have version 1."""
    if record.notify is None:
        return []
    scope, id_ = record.notify
    version = None if gone else getattr(record, "version", 1)
    ids = (getattr(other, id_) for other in others)
    type_ = getattr(record, "entity_type")  # noqa: B009  # every record with listeners has one
    return [change_write(getattr(record, scope), type_, getattr(record, id_), version, *ids)]


def session_end_writes(member_id: str, scopes: Iterable[str]) -> list[PutInOrder]:
    """Return the writes that make a person's streams check their access."""
    return [change_write(scope, SESSION_ENDED, member_id, None) for scope in scopes]


async def changes_since(
    db: Database,
    scope: str,
    change_id: str | None,
    *,
    consistent: bool = True,
    limit: int | None = None,
) -> list[Change]:
    """Return the changes from this one on, including it, oldest first; all of them for None."""
    query = Change.between("change_id", change_id, None, scope=scope)
    if limit is not None:
        query = query.page(limit)
    return list(await db.all(query.up_to_date() if consistent else query))


async def recent_changes(db: Database, since: datetime) -> list[ChangeId]:
    first = int(since.timestamp()) + KEPT_SECONDS
    last = clock.seconds() + KEPT_SECONDS + AHEAD_SECONDS
    start, key = "CHANGES#", "CHANGE#"
    found = await db.engine.keys_expiring(HELPER, start, first, last)
    return [(str(pk).removeprefix(start), str(sk).removeprefix(key)) for pk, sk in found]
