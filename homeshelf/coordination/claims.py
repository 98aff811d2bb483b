"""What must be unique, and what must be known about a set.

Both are records in the helper table that change in the same transaction as what they speak of, so
that nobody checks first and writes later. Each kind of claim is a record of its own, with its own
keys, in the slice that needs it.
"""

from collections.abc import Sequence
from typing import TypeVar

from homeshelf.table import HELPER, Database, Delete, Put, Query, Record, absent, attr

C = TypeVar("C", bound="Claim")


class Claim(Record):
    """A place that one holder has: an e-mail, a store's name, the open notice of an item."""

    table = HELPER
    holder: str

    def take(self) -> Put:
        return self.put(absent)

    def release(self) -> Delete:
        return self.delete(attr("holder") == self.holder)


async def released(db: Database, *claims: Claim) -> Sequence[Delete]:
    """What frees those that are held by who says so. In tables that another program filled two may
    have had the same, of whom one holds the claim."""
    held = await db.get_many([claim.own_key() for claim in claims]) if claims else []
    pairs = zip(claims, held, strict=True)
    return [claim.release() for claim, found in pairs if found and found.holder == claim.holder]


async def released_by(db: Database, claims: Query[C], holder: str) -> Sequence[Delete]:
    """Return the writes that release those of the claims that a holder has."""
    held = await db.all(claims.up_to_date().only(attr("holder") == holder))
    return [claim.release() for claim in held]


class Members(Record):
    """The set of ids that belong to something: an item's pending entries. Empty is not stored.

    What it lists is its lock. A version would start anew with a set that was emptied and begun
    again, and so hold for somebody who read the old one.
    """

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
