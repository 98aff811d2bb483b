"""Compare two databases by kind of record."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret
from homeshelf.moving.ends import End
from homeshelf.moving.kinds import Kinds
from homeshelf.table import TABLES, Item, Table, key_in
from homeshelf.table.sqlite.copies import Progress

NEAR_SECONDS = 24 * 3600
"""Records that expire this soon are counted apart: comparing may take as long."""
_MODULUS = 2**256
_encode = msgspec.json.Encoder(decimal_format="number", order="sorted").encode


@dataclass(frozen=True)
class Tally:
    """A count of records and the sum of their digests, which no order changes."""

    count: int = 0
    digests: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.count + other.count, (self.digests + other.digests) % _MODULUS)


@dataclass(frozen=True)
class Compared:
    kind: str
    source: Tally
    target: Tally

    @property
    def is_same(self) -> bool:
        return self.source == self.target


class Tallies:
    """The tallies of a database by kind, and by second of expiry for what expires soon."""

    def __init__(self, until: int) -> None:
        self._until = until
        self._tallies: dict[tuple[str, int], Tally] = {}

    def add(self, kind: str, table: Table, item: Item) -> None:
        expires = item.get(table.ttl) if table.ttl else None
        near = expires if isinstance(expires, int) and expires <= self._until else 0
        one = Tally(1, int.from_bytes(hashlib.sha256(_encode(item)).digest()))
        self._tallies[kind, near] = self._tallies.get((kind, near), Tally()) + one

    def alive_at(self, now: int) -> Mapping[str, Tally]:
        alive: dict[str, Tally] = {}
        for (kind, expires), tally in self._tallies.items():
            if not 0 < expires <= now:
                alive[kind] = alive.get(kind, Tally()) + tally
        return alive


async def compare(source: End, target: End, progress: Progress) -> list[Compared]:
    """Compare by kind, the signing key included, without what expires meanwhile."""
    kinds, until = Kinds(), clock.seconds() + NEAR_SECONDS
    sizes = [await each.db.engine.size() for each in (source, target)]
    seen, both = 0, []
    for end in (source, target):
        tallies = Tallies(until)
        if key := await end.signing_key():
            tallies.add(Secret.__name__, Secret.table, {"secret": key})
        for table in TABLES:
            async for page in end.pages(table):
                for item in page.items:
                    kind = kinds.at(key_in(table, item))
                    name = kind.__name__ if kind else "something else"
                    tallies.add(name, table, item)
                seen += len(page.items)
                progress(seen, max(sum(sizes), seen))
        both.append(tallies)
    now = clock.seconds()
    ours, theirs = (tallies.alive_at(now) for tallies in both)
    return [
        Compared(kind, ours.get(kind, Tally()), theirs.get(kind, Tally()))
        for kind in sorted({*ours, *theirs})
    ]
