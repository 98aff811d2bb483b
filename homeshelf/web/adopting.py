"""What a slice needs beside records that another program wrote, found out by looking at them.

Nothing that is there is taken for granted, so the same function finds what is still missing where
adopting was stopped, and nothing where it is done.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from homeshelf.coordination.claims import Claim
from homeshelf.table import BadRequest, Database, Key, Record, Write
from homeshelf.table.limits import checked_item

R = TypeVar("R", bound=Record)
C = TypeVar("C", bound=Claim)

Made = tuple[str, Write]
"""What is made, in the plural, and the write for it, under a condition."""


@dataclass(frozen=True)
class Found:
    """All records of a family, or some of those of another table."""

    records: Mapping[type[Record], Sequence[Any]]
    at: str
    """When adopting began."""
    issuer: str | None = None
    """The identity provider whose `sub` is the memberId of each member."""
    planned: dict[Key[Any], Record] = field(default_factory=dict)
    """What is to be made for records that were found before: where nothing is written yet, the
    table does not say so."""

    def of(self, kind: type[R]) -> Sequence[R]:
        return self.records.get(kind, ())


@dataclass(frozen=True)
class Adoption:
    needs: Sequence[Sequence[Made]] = ()
    """Each is one transaction."""
    remarks: Sequence[str] = ()
    """What the person at the command line should know, as sentences."""


Adopts = Callable[[Database, Found], Awaitable[Adoption]]


async def taking(
    db: Database, what: str, claims: Iterable[C], taken: Callable[[C], str] | None = None
) -> Adoption:
    """The claims that nobody holds yet. Of several for the same the first holds it; `taken` is the
    sentence about one that another holds."""
    wanted = [claim for claim in claims if is_fit(claim)]
    first: dict[Key[C], C] = {}
    for claim in wanted:
        first.setdefault(claim.own_key(), claim)
    there = await db.get_many(list(first))
    held = {key: found or claim for (key, claim), found in zip(first.items(), there, strict=True)}
    needs = [
        [(what, claim.take())]
        for claim, found in zip(first.values(), there, strict=True)
        if found is None
    ]
    others = [each for each in wanted if held[each.own_key()].holder != each.holder]
    return Adoption(needs, [taken(each) for each in others] if taken else ())


def is_fit(record: Record) -> bool:
    """Whether it can be stored: another program may have written a name that no key can hold."""
    try:
        checked_item(record.table, record.item())
    except BadRequest:
        return False
    return True
