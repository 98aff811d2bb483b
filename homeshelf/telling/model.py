from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Literal

from homeshelf import clock
from homeshelf.coordination.todos import todo
from homeshelf.table import HELPER, Keys, Record, Write

Kind = Literal["runs_low", "wish", "answer"]

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

    kind: Kind
    family_id: str
    id: str
    at: str

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> "Matter":
        return cls(about["kind"], about["familyId"], about["id"], about["at"])

    @property
    def about(self) -> dict[str, str]:
        return {"kind": self.kind, "familyId": self.family_id, "id": self.id, "at": self.at}


def to_tell(kind: Kind, family_id: str, id_: str) -> Write:
    """Part of the transaction that brings the matter about; who is to know is found afterwards."""
    return todo(TELL, Matter(kind, family_id, id_, clock.timestamp()).about).put()


class News(Record):
    """A matter that waits for somebody's daily mail."""

    table = HELPER
    keys = Keys(PK="NEWS#{memberId}", SK="DAY#{day}#{at}#{kind}#{id}")

    member_id: str
    day: str
    at: str
    kind: Kind
    family_id: str
    id: str
    ttl: int

    @property
    def matter(self) -> Matter:
        return Matter(self.kind, self.family_id, self.id, self.at)


def next_morning(now: datetime, time_zone: str) -> datetime:
    """When the next daily mail goes out to somebody who lives there."""
    zone = clock.zone_of(time_zone)
    here = (now + AHEAD).astimezone(zone)
    day = here.date() if here.time() < MORNING else here.date() + timedelta(days=1)
    return datetime.combine(day, MORNING, zone).astimezone(UTC)
