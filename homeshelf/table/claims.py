"""What must be unique, and what must be known about a set.

Both are records in the helper table that change in the same transaction as what they speak of, so
that nobody checks first and writes later. Each kind of claim is a record of its own, with its own
keys, in the slice that needs it.
"""

from typing import TypeVar

from homeshelf.table.expressions import absent, attr
from homeshelf.table.operations import Delete, Put
from homeshelf.table.record import Record
from homeshelf.table.schema import HELPER

M = TypeVar("M", bound="Members")


class Claim(Record):
    """A place that one holder has: an e-mail, a store's name, the open notice of an item."""

    table = HELPER
    holder: str

    def take(self) -> Put:
        return self.put(absent)

    def release(self) -> Delete:
        return self.delete(attr("holder") == self.holder)


class Members(Record):
    """The set of ids that belong to something: an item's pending entries. Empty is not stored."""

    table = HELPER
    members: tuple[str, ...] = ()
    version: int = 0

    def adding(self: M, member: str) -> Put:
        members = (*(m for m in self.members if m != member), member)
        return self._with(members).put(self.unchanged if self.members else absent)

    def removing(self: M, *gone: str) -> Put | Delete:
        members = tuple(member for member in self.members if member not in gone)
        if members:
            return self._with(members).put(self.unchanged)
        return self.delete(self.unchanged if self.members else absent)

    def _with(self: M, members: tuple[str, ...]) -> M:
        return self.changed(members=members, version=self.version + 1)
