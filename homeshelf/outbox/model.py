"""The letters that wait to be sent, and the messages they become."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from homeshelf import clock
from homeshelf.coordination.work_queue import QueuedRecord, shard_of
from homeshelf.languages import ENGLISH, Language
from homeshelf.sentences import translate
from homeshelf.table import Keys, Sparse

MAIL = "mail"
KEPT = timedelta(days=7)  # a later letter is useless
MAX_PAUSE = timedelta(hours=1)
MAX_WAIT = timedelta(hours=6)
"""The time until a waiting letter is checked again, as letters ahead of it may be void."""
IN_DOUBT_AFTER = timedelta(minutes=15)


class Letter(QueuedRecord):
    """A message that waits for its channel. It has only ids, so no secret waits in the table."""

    keys = Keys(PK="OUTBOX#{shard}", SK="DUE#{dueAt}#{letterId}")

    letter_id: str
    kind: str
    about: dict[str, Any]
    written_at: str
    attempts: int = 0
    handed_over: bool = False
    """True if a sender has begun to send the letter."""
    waits_for_room: Sparse[bool] = None
    channel: Sparse[str] = None  # None is mail
    ttl: int

    @property
    def shard(self) -> str:
        """The shard, of the letter's own channel, so that channels do not wait for each other."""
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
        """The date; daily letters of an earlier version have only a day."""
        return self.not_before or self.about.get("day")

    @property
    def longest_pause(self) -> timedelta:
        # The next pause is at least as long as the current one.
        return MAX_WAIT if self.waits_for_room else self._next_pause

    @property
    def _next_pause(self) -> timedelta:
        return min(timedelta(minutes=2 ** min(self.attempts, 10)), MAX_PAUSE)

    def with_corrected_due_date(self, now: datetime) -> "Letter":
        """Return the letter due now, or unchanged while it is being handed over."""
        return self if self.handed_over else super().with_corrected_due_date(now)

    def by(self, channel: str) -> "Letter":
        return self.changed(channel=None if channel == MAIL else channel)

    def postponed_until(self, at: datetime) -> "Letter":
        """Postpone without counting a failed attempt."""
        return self.changed(due_at=clock.timestamp(at), waits_for_room=True)

    def with_handover_mark(self, now: datetime) -> "Letter":
        """Return the letter marked as handed over, due again when the sender must have died."""
        return self.changed(due_at=clock.timestamp(now + IN_DOUBT_AFTER), handed_over=True)


class Pause:
    """The growing pause of a channel that fails."""

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
        """Return whether the pause is running; a change of the clock cannot prolong it."""
        return self._until is not None and timedelta() < self._until - now <= self.LONGEST


@dataclass(frozen=True)
class Recipient:
    name: str = ""
    email: str = field(default="", repr=False)
    member_id: str | None = None
    language: Language = ENGLISH


@dataclass(frozen=True)
class Message:
    """A message for any channel: one link with sentences around it."""

    to: Recipient
    title: str
    before: tuple[str, ...]
    link: str = field(repr=False)
    link_text: str
    after: tuple[str, ...]
    stop_link: str | None = field(default=None, repr=False)

    def translated(self) -> "Message":
        def translate_text(text: str) -> str:
            return translate(text, self.to.language)

        return replace(
            self,
            title=translate_text(self.title),
            before=tuple(map(translate_text, self.before)),
            link_text=translate_text(self.link_text),
            after=tuple(map(translate_text, self.after)),
        )


def letter(
    kind: str, *, due: datetime | None = None, letter_id: str | None = None, **about: Any
) -> Letter:
    """Return a letter for mail, due now or on a date; the same `letter_id` is stored only once."""
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
