"""Notifications of events at home, sent at once or in the morning."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.coordination.todos import todo
from homeshelf.table import HELPER, Database, Keys, Query, Record, Write

NOTIFY = "tell"
MORNING = time(7)
AHEAD = timedelta(minutes=1)
"""The time before the daily mail in which notifications wait for the next one."""
KEPT = timedelta(days=9)  # longer than the daily mail is retried


@dataclass(frozen=True)
class Cause:
    kind: str
    family_id: str
    id: str
    at: str

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> "Cause":
        return cls(about["kind"], about["familyId"], about["id"], about["at"])

    @property
    def about(self) -> dict[str, str]:
        return {"kind": self.kind, "familyId": self.family_id, "id": self.id, "at": self.at}


@dataclass(frozen=True)
class NotificationText:
    title: str
    lines: tuple[str, ...]
    path: str
    link_text: str


@dataclass(frozen=True)
class NotificationKind:
    texts: Callable[[Database, Sequence[Cause]], Awaitable[Sequence[NotificationText | None]]]
    """Return the text for each cause, or None if it is settled."""
    recipients: Callable[[Database, Cause], Awaitable[Sequence[str]]] | None = None
    """Return the members to notify; by default all admins of the family."""


@dataclass(frozen=True)
class NotificationKinds:
    by_kind: Mapping[str, NotificationKind]


def request_notification(kind: str, family_id: str, id_: str) -> Write:
    """Return the write of a to-do that sends a notification, for the transaction of its cause."""
    return todo(NOTIFY, Cause(kind, family_id, id_, clock.timestamp()).about).put()


class DailyNotification(Record):
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
    def cause(self) -> Cause:
        return Cause(self.kind, self.family_id, self.id, self.at)


def daily_notifications(member_id: str, day: str) -> Query[DailyNotification]:
    return DailyNotification.where(member_id=member_id, day=day).up_to_date()


def next_morning(now: datetime, time_zone: str) -> datetime:
    zone = clock.zone_of(time_zone)
    here = (now + AHEAD).astimezone(zone)
    day = here.date() if here.time() < MORNING else here.date() + timedelta(days=1)
    return datetime.combine(day, MORNING, zone).astimezone(UTC)
