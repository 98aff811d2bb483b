"""Compare two databases by kind of record."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from homeshelf import clock
from homeshelf.coordination.signing_keys import Secret
from homeshelf.moving.copy_sides import Side
from homeshelf.moving.record_kinds import KindIndex
from homeshelf.table import TABLES, Item, Table, key_in
from homeshelf.table.sqlite.copies import Progress

NEAR_EXPIRY_SECONDS = 24 * 3600
_MODULUS = 2**256
_encode = msgspec.json.Encoder(decimal_format="number", order="sorted").encode


@dataclass(frozen=True)
class Tally:
    """A count of records and an order-independent sum of their digests."""

    count: int = 0
    digests: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.count + other.count, (self.digests + other.digests) % _MODULUS)


@dataclass(frozen=True)
class Comparison:
    kind: str
    source: Tally
    target: Tally

    @property
    def is_same(self) -> bool:
        return self.source == self.target


class Tallies:
    """The tallies of a database by kind, and by second of expiry if that is near."""

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


async def compare(source: Side, target: Side, progress: Progress) -> list[Comparison]:
    """Compare by kind, with the signing key and without records that expire during it."""
    kinds, until = KindIndex(), clock.seconds() + NEAR_EXPIRY_SECONDS
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
        Comparison(kind, ours.get(kind, Tally()), theirs.get(kind, Tally()))
        for kind in sorted({*ours, *theirs})
    ]
