from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.coordination.work_queue import QueuedRecord, shard_of
from homeshelf.languages import ENGLISH, Language
from homeshelf.sentences import said
from homeshelf.table import Keys, Sparse

MAIL = "mail"
KEPT = timedelta(days=7)  # then a letter is of no use
LONGEST_PAUSE = timedelta(hours=1)
LONGEST_WAIT = timedelta(hours=6)
"""Letters ahead of it may have become void, so a waiting letter is looked at again by then."""
IN_DOUBT_AFTER = timedelta(minutes=15)


class Letter(QueuedRecord):
    """A message that waits to be sent by one channel. It stores only ids: the recipient, words and
    link are found when it is sent, so it is never outdated and no secret waits in the table."""

    keys = Keys(PK="OUTBOX#{shard}", SK="DUE#{dueAt}#{letterId}")

    letter_id: str
    kind: str
    about: dict[str, Any]
    written_at: str
    attempts: int = 0
    handed_over: bool = False
    """Whether the channel got the message, with a result not yet noted."""
    waits_for_room: Sparse[bool] = None
    """Whether a limit on mail postponed it."""
    channel: Sparse[str] = None  # mail
    ttl: int

    @property
    def shard(self) -> str:
        """Each channel has its own shards, so that none waits for another."""
        shard = shard_of(self.letter_id)
        return f"{self.channel}-{shard}" if self.channel else shard

    def postponed(self, now: datetime) -> "Letter":
        return self.changed(
            due_at=clock.timestamp(now + self._next_pause),
            attempts=self.attempts + 1,
            handed_over=False,
            waits_for_room=None,
        )

    @property
    def date(self) -> str | None:
        """The date, which daily letters of an earlier version have only as their day."""
        return self.not_before or self.about.get("day")

    @property
    def longest_pause(self) -> timedelta:
        # The next pause is no shorter than the one that lasts now.
        return LONGEST_WAIT if self.waits_for_room else self._next_pause

    @property
    def _next_pause(self) -> timedelta:
        return min(timedelta(minutes=2 ** min(self.attempts, 10)), LONGEST_PAUSE)

    def brought_forward(self, now: datetime) -> "Letter":
        """Leave one that is being handed over where its sender looks for it."""
        return self if self.handed_over else super().brought_forward(now)

    def by(self, channel: str) -> "Letter":
        return self.changed(channel=None if channel == MAIL else channel)

    def waiting_until(self, at: datetime) -> "Letter":
        """Postpone without counting a failed attempt."""
        return self.changed(due_at=clock.timestamp(at), waits_for_room=True)

    def being_handed_over(self, now: datetime) -> "Letter":
        """Mark as handed over, due again when the sender must have died."""
        return self.changed(due_at=clock.timestamp(now + IN_DOUBT_AFTER), handed_over=True)


class Pause:
    """How long a failing channel is left alone: longer each time, up to a limit."""

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
        """Return whether the pause lasts; setting the clock makes none longer."""
        return self._until is not None and timedelta() < self._until - now <= self.LONGEST


@dataclass(frozen=True)
class Recipient:
    name: str = ""
    email: str = field(default="", repr=False)
    """Empty if the person has none, or none that was verified."""
    member_id: str | None = None
    """None for a person who is only invited."""
    language: Language = ENGLISH


@dataclass(frozen=True)
class Message:
    """A notification for any channel: one link, with plain sentences around it."""

    to: Recipient
    title: str
    before: tuple[str, ...]
    link: str = field(repr=False)
    link_text: str
    after: tuple[str, ...]
    stop_link: str | None = field(default=None, repr=False)

    def translated(self) -> "Message":
        def spoken(text: str) -> str:
            return said(text, self.to.language)

        return replace(
            self,
            title=spoken(self.title),
            before=tuple(map(spoken, self.before)),
            link_text=spoken(self.link_text),
            after=tuple(map(spoken, self.after)),
        )


def letter(
    kind: str, *, due: datetime | None = None, letter_id: str | None = None, **about: Any
) -> Letter:
    """Create a letter for mail, due now or on a date. The same `letter_id` is stored only once."""
    now = clock.now()
    not_before = clock.timestamp(due) if due else None
    due = due or now
    return Letter(
        letter_id=letter_id or clock.new_id(),
        kind=kind,
        about=about,
        due_at=clock.timestamp(due),
        not_before=not_before,
        written_at=clock.timestamp(now),
        ttl=int((due + KEPT).timestamp()),
    )
