"""Claims on values that must be unique, and sets whose members must be known.

Both change in the same transaction as the records they describe, so no caller checks first and
writes later. Each slice defines its own types of claims.
"""

from collections.abc import Sequence
from typing import TypeVar

from homeshelf.table import HELPER, Database, Delete, Put, Query, Record, absent, attr

C = TypeVar("C", bound="Claim")


class Claim(Record):
    """A unique value with one holder: an e-mail, a store's name, the open notice of an item."""

    table = HELPER
    holder: str

    def take(self) -> Put:
        return self.put(absent)

    def release(self) -> Delete:
        return self.delete(attr("holder") == self.holder)


async def release_writes(db: Database, *claims: Claim) -> Sequence[Delete]:
    """Return the writes that release the claims that are still held; foreign data may have
    duplicates."""
    held = await db.get_many([claim.own_key() for claim in claims]) if claims else []
    pairs = zip(claims, held, strict=True)
    return [claim.release() for claim, found in pairs if found and found.holder == claim.holder]


async def release_writes_of(db: Database, claims: Query[C], holder: str) -> Sequence[Delete]:
    held = await db.all(claims.up_to_date().only(attr("holder") == holder))
    return [claim.release() for claim in held]


class Members(Record):
    """A set of ids. The set itself is the lock, because a version would start at 1 again."""

    table = HELPER
    lock = "members"
    members: tuple[str, ...] = ()

    def adding(self, member: str) -> Put:
        others = (other for other in self.members if other != member)
        return self.changed(members=(*others, member)).replacing(self)

    def removing(self, *gone: str) -> Put | Delete:
        members = tuple(member for member in self.members if member not in gone)
        if members:
            return self.changed(members=members).replacing(self)
        return self.delete(self.unchanged)
