"""What of a slice goes with a family or a person into a file, and how it comes in elsewhere.

A slice names every kind of record that it has: as a belonging, or as left out, with the reason.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from homeshelf.table import Database, Query, Record

Owner = Literal["family", "person"]
R = TypeVar("R", bound=Record)

MADE_ANEW = "It is made anew from what comes in."
UNDER_WAY = "It is work under way, which is done within seconds."


@dataclass(frozen=True)
class Belonging:
    kind: type[Record]
    owner: Owner
    find: Callable[[Database, str], Awaitable[Sequence[Record]]]
    """By the id of the owner."""
    without: Mapping[str, Any] = field(default_factory=dict)
    """The fields that stay out of the file, with what they are when it comes in."""
    no_times: tuple[str, ...] = ()
    """The fields that are called like a moment (`..._at`) and are none."""


@dataclass(frozen=True)
class Arrival:
    """What a file brings: nobody here has anything of it yet."""

    owner: Owner
    owner_id: str
    records: Mapping[type[Record], Sequence[Any]]
    salt: str
    """The same for the same file while it comes in, and known to nobody."""
    at: str
    """When it began to."""

    def of(self, kind: type[R]) -> Sequence[R]:
        return self.records.get(kind, ())


MovesIn = Callable[[Database, Arrival], Awaitable[Sequence[Record]]]


def of_family(kind: type[Record], **without: Any) -> Belonging:
    return Belonging(kind, "family", partial(_found, kind, "family_id"), without)


def of_person(kind: type[Record], field_: str, **without: Any) -> Belonging:
    return Belonging(kind, "person", partial(_found, kind, field_), without)


async def _found(kind: type[R], field_: str, db: Database, owner_id: str) -> Sequence[R]:
    """All of them, or none: one that cannot be read is not left out in silence."""
    query: Query[R] = kind.where(**{field_: owner_id})
    return await db.all(query.up_to_date(), skip=False)
