"""What happens at home and is told to those whom it concerns, at once or in the morning."""

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
"""What comes so shortly before the daily mail waits for the next, so that none misses one that is
being sent."""
KEPT = timedelta(days=9)
"""Longer than the daily mail is tried."""


@dataclass(frozen=True)
class Matter:
    """What people are told about, by its id alone: what to say is looked up when it is said."""

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
    """A kind of matter: what is said about it, and to whom."""

    passages: Callable[[Database, Sequence[Matter]], Awaitable[Sequence[Passage | None]]]
    """About each, as it is now; None where it is settled."""
    concerned: Callable[[Database, Matter], Awaitable[Sequence[str]]] | None = None
    """The members whom it is for; None where that is every admin of the family."""


Topics = Mapping[str, Topic]


def to_tell(kind: str, family_id: str, id_: str) -> Write:
    """Part of the transaction that brings the matter about; who is to know is found afterwards."""
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
    """What waits for somebody's mail of that day, oldest first."""
    return News.where(member_id=member_id, day=day).up_to_date()


def next_morning(now: datetime, time_zone: str) -> datetime:
    zone = clock.zone_of(time_zone)
    here = (now + AHEAD).astimezone(zone)
    day = here.date() if here.time() < MORNING else here.date() + timedelta(days=1)
    return datetime.combine(day, MORNING, zone).astimezone(UTC)
