from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.config.mailboxes import Mailbox, MailServer
from homeshelf.coordination.shards import shard_of
from homeshelf.table import HELPER, Keys, Record

KEPT = timedelta(days=7)
"""What could not be sent for a week is of no use to anybody."""
LONGEST_PAUSE = timedelta(hours=1)
IN_DOUBT_AFTER = timedelta(minutes=15)
"""Longer than any server is waited for."""


class Letter(Record):
    """A mail that waits to be sent, by when it is due.

    It says what it is about by ids alone. Whom it goes to, its words and its link are worked out
    when it is sent: so it never says what no longer holds, and no secret waits in the table.
    """

    table = HELPER
    keys = Keys(PK="OUTBOX#{shard}", SK="DUE#{dueAt}#{letterId}")

    letter_id: str
    kind: str
    about: dict[str, Any]
    due_at: str
    written_at: str
    attempts: int = 0
    handed_over: bool = False
    """A mail server was given it, and nobody has noted yet what came of it."""
    ttl: int

    @property
    def shard(self) -> str:
        return shard_of(self.letter_id)

    def postponed(self, now: datetime) -> "Letter":
        """Due again after a pause that doubles with each attempt."""
        pause = min(timedelta(minutes=2 ** min(self.attempts, 10)), LONGEST_PAUSE)
        return self.changed(
            due_at=clock.timestamp(now + pause), attempts=self.attempts + 1, handed_over=False
        )

    @property
    def has_waited(self) -> bool:
        """Whether it was put off, for want of room or of a server."""
        return self.due_at > self.written_at

    def waiting_until(self, at: datetime) -> "Letter":
        """Due again when there is room for it, which is no failed attempt."""
        return self.changed(due_at=clock.timestamp(at))

    def being_handed_over(self, now: datetime) -> "Letter":
        """Nobody else's business until it can only have been forgotten."""
        return self.changed(due_at=clock.timestamp(now + IN_DOUBT_AFTER), handed_over=True)


@dataclass(frozen=True)
class Office:
    """Where mail is sent from."""

    server: MailServer
    sender: Mailbox
    home: str
    """The address that links begin with."""


class Pause:
    """How long a mail server that is away is left alone: longer each time, but never for long."""

    LONGEST = timedelta(minutes=2)

    def __init__(self) -> None:
        self._times = 0
        self._until: datetime | None = None

    def begin(self, now: datetime) -> None:
        self._until = now + min(timedelta(seconds=2 ** min(self._times, 10)), self.LONGEST)
        self._times += 1

    def end(self) -> None:
        self._times, self._until = 0, None

    def lasts(self, now: datetime) -> bool:
        return self._until is not None and now < self._until


@dataclass(frozen=True)
class Words:
    """What a letter says, and to whom: one link, with plain sentences around it."""

    to: str
    subject: str
    before: tuple[str, ...]
    link: str = field(repr=False)
    link_word: str
    after: tuple[str, ...]
    name: str = ""
    unsubscribe: str | None = field(default=None, repr=False)
    """The address that ends mail of this sort, in letters that nobody asked for one by one."""


def letter(
    kind: str, *, due: datetime | None = None, letter_id: str | None = None, **about: Any
) -> Letter:
    """Due at once, unless it is to wait. One with an id of its own is there once, not twice."""
    now = clock.now()
    due = due or now
    return Letter(
        letter_id=letter_id or clock.new_id(),
        kind=kind,
        about=about,
        due_at=clock.timestamp(due),
        written_at=clock.timestamp(now),
        ttl=int((due + KEPT).timestamp()),
    )
