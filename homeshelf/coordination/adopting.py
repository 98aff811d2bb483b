"""Plans for the records that a slice needs beside a table that another program wrote.

Slices derive them from what is stored, so adopting can be interrupted and repeated.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from homeshelf.coordination.claims import Claim
from homeshelf.table import BadRequest, Database, Key, Record, Write
from homeshelf.table.limits import check_item

R = TypeVar("R", bound=Record)
C = TypeVar("C", bound=Claim)

Made = tuple[str, Write]
"""The plural name of the new records, and a conditional write."""


@dataclass(frozen=True)
class Found:
    records: Mapping[type[Record], Sequence[Any]]
    at: str
    issuer: str | None = None
    """The identity provider whose `sub` is the memberId of each member."""
    planned: dict[Key[Any], Record] = field(default_factory=dict)
    """The records that earlier calls planned, which the table may not have yet."""

    def of(self, kind: type[R]) -> Sequence[R]:
        return self.records.get(kind, ())


@dataclass(frozen=True)
class Adoption:
    needs: Sequence[Sequence[Made]] = ()
    remarks: Sequence[str] = ()


Adopts = Callable[[Database, Found], Awaitable[Adoption]]


async def plan_claims(
    db: Database, what: str, claims: Iterable[C], taken: Callable[[C], str] | None = None
) -> Adoption:
    """Plan the claims that have no holder, each for the first record that wants it.

    `taken` returns the remark about a claim that another record holds.
    """
    wanted = [claim for claim in claims if is_storable(claim)]
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


def is_storable(record: Record) -> bool:
    """Check whether a record can be stored: names from other programs may be too long for a key."""
    try:
        check_item(record.table, record.item())
    except BadRequest:
        return False
    return True
