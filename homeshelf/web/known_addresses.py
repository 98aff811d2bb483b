"""Addresses from which somebody got in before.

Where guesses are counted over all addresses, these are exempt: strangers who use up the count do
not keep those out who have always come from home.
"""

from dataclasses import dataclass

from homeshelf import clock
from homeshelf.signing import digest
from homeshelf.table import HELPER, Database, Key, Keys, Query, Record, Write

KEPT_SECONDS = 90 * 24 * 3600
NOTED_AGAIN_SECONDS = 7 * 24 * 3600
"""Somebody who comes in every day costs a write a week."""
MOST = 50


class KnownAddress(Record):
    """An address that got in before. What it got into and the address itself are digests."""

    table = HELPER
    keys = Keys(PK="KNOWN#{kind}#{about}", SK="ADDRESS#{address}")

    kind: str
    about: str
    address: str
    seen: int
    """When somebody last got in from there, in Unix seconds, give or take a week."""
    ttl: int


@dataclass(frozen=True)
class Arrival:
    """Somebody at an address, and what they want to get into: `about` is one of its kind."""

    kind: str
    about: str
    address: str

    @property
    def key(self) -> Key[KnownAddress]:
        return self._seen_now().own_key()

    def first(self) -> Write:
        """For what is new, so that nobody got in from anywhere yet."""
        return self._seen_now().put()

    async def noted(self, db: Database, known: KnownAddress | None) -> list[Write]:
        """They got in. Past so many addresses, those that were not seen for longest go."""
        new = self._seen_now()
        if known is not None:
            return [new.put()] if new.seen - known.seen >= NOTED_AGAIN_SECONDS else []
        found = await db.all(known_addresses(new.kind, new.about).page(2 * MOST))
        others = sorted((each for each in found if each.address != new.address), key=_when)
        return [new.put(), *(each.delete() for each in others[: -(MOST - 1)])]

    def _seen_now(self) -> KnownAddress:
        now = clock.seconds()
        about, address = digest(self.about), digest(self.address)
        return KnownAddress(
            kind=self.kind, about=about, address=address, seen=now, ttl=now + KEPT_SECONDS
        )


def known_addresses(kind: str, about: str) -> Query[KnownAddress]:
    """From where somebody got in before."""
    return KnownAddress.where(kind=kind, about=about).up_to_date()


def _when(known: KnownAddress) -> int:
    return known.seen
