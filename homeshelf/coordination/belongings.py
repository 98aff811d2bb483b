"""The records that move with a family or a person, into an export file and out of one.

A slice lists every type of record that it has, as a belonging or as left out, with the reason.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from homeshelf.table import Database, Query, Record

Owner = Literal["family", "person"]
R = TypeVar("R", bound=Record)

RECREATED = "It is made anew from what comes in."
UNDER_WAY = "It is work under way, which is done within seconds."


@dataclass(frozen=True)
class Belonging:
    kind: type[Record]
    owner: Owner
    find: Callable[[Database, str], Awaitable[Sequence[Record]]]
    without: Mapping[str, Any] = field(default_factory=dict)
    """The fields that are not exported, with their values after an import."""
    no_times: tuple[str, ...] = ()
    """The fields whose names end like a time (`..._at`) although they are none."""


@dataclass(frozen=True)
class Arrival:
    owner: Owner
    owner_id: str
    records: Mapping[type[Record], Sequence[Any]]
    salt: str
    """A secret that stays the same during the import of one file."""
    at: str

    def of(self, kind: type[R]) -> Sequence[R]:
        return self.records.get(kind, ())


MovesIn = Callable[[Database, Arrival], Awaitable[Sequence[Record]]]


def of_family(kind: type[Record], **without: Any) -> Belonging:
    return Belonging(kind, "family", partial(_found, kind, "family_id"), without)


def of_person(kind: type[Record], field_: str, **without: Any) -> Belonging:
    return Belonging(kind, "person", partial(_found, kind, field_), without)


async def _found(kind: type[R], field_: str, db: Database, owner_id: str) -> Sequence[R]:
    """Return all records of an owner; raise if one cannot be read."""
    query: Query[R] = kind.where(**{field_: owner_id})
    return await db.all(query.up_to_date(), skip=False)
