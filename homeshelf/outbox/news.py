"""Tell people what happens at home, at once or in the morning."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.coordination.todos import todo
from homeshelf.table import HELPER, Database, Keys, Query, Record, Write

TELL = "tell"
MORNING = time(7)
AHEAD = timedelta(minutes=1)
"""Matters this close to the daily mail wait for the next one, which is not being sent yet."""
KEPT = timedelta(days=9)  # longer than the daily mail is tried


@dataclass(frozen=True)
class Matter:
    """Something to tell people, by its id: its text is found when it is sent."""

    kind: str
    family_id: str
    id: str
    at: str

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> "Matter":
        return cls(about["kind"], about["familyId"], about["id"], about["at"])

    @property
    def about(self) -> dict[str, str]:
        return {"kind": self.kind, "familyId": self.family_id, "id": self.id, "at": self.at}


@dataclass(frozen=True)
class Passage:
    title: str
    lines: tuple[str, ...]
    path: str
    link_text: str


@dataclass(frozen=True)
class Topic:
    """What is said about a kind of matter, and to whom."""

    passages: Callable[[Database, Sequence[Matter]], Awaitable[Sequence[Passage | None]]]
    """Return what to say about each matter; None for one that is settled."""
    concerned: Callable[[Database, Matter], Awaitable[Sequence[str]]] | None = None
    """Return the members to tell; by default all admins of the family."""


@dataclass(frozen=True)
class Topics:
    """What a slice tells people about, by the kind of matter."""

    by_kind: Mapping[str, Topic]


def to_tell(kind: str, family_id: str, id_: str) -> Write:
    """Return the write of a to-do that tells people, for the transaction of its cause."""
    return todo(TELL, Matter(kind, family_id, id_, clock.timestamp()).about).put()


class News(Record):
    table = HELPER
    keys = Keys(PK="NEWS#{memberId}", SK="DAY#{day}#{at}#{kind}#{id}")

    member_id: str
    day: str
    at: str
    kind: str
    family_id: str
    id: str
    ttl: int

    @property
    def matter(self) -> Matter:
        return Matter(self.kind, self.family_id, self.id, self.at)


def news_of(member_id: str, day: str) -> Query[News]:
    """Matters for a person's mail of a day, oldest first."""
    return News.where(member_id=member_id, day=day).up_to_date()


def next_morning(now: datetime, time_zone: str) -> datetime:
    zone = clock.zone_of(time_zone)
    here = (now + AHEAD).astimezone(zone)
    day = here.date() if here.time() < MORNING else here.date() + timedelta(days=1)
    return datetime.combine(day, MORNING, zone).astimezone(UTC)
