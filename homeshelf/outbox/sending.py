"""Send the letters of the outbox, with one worker for each shard of a channel.

A letter is marked as handed over just before its content is sent, and deleted once the channel has
taken it. A failure before the mark is retried. A letter whose worker was killed after the mark is
not sent again, as the channel most likely took it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog

from homeshelf import clock
from homeshelf.background import end
from homeshelf.config import Settings
from homeshelf.coordination.attempts import Attempt, Count
from homeshelf.coordination.queue_worker import EVERY_SECONDS, QueueWorker
from homeshelf.errors import RateLimited
from homeshelf.outbox import store
from homeshelf.outbox.channel import (
    Channel,
    NoResponse,
    Refused,
    ServerUnavailable,
    Taken,
    TemporaryFailure,
)
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.channels.mail import missing_settings
from homeshelf.outbox.model import MAX_WAIT, Letter, Message, Pause
from homeshelf.table import Database, TableError, Unavailable
from homeshelf.web.services import Services

STOPS_WITHIN_SECONDS = 3.0
UNMARKED_AGAIN_SECONDS = 2.0

Writer = Callable[[Letter], Awaitable[Message | None]]
"""A function that writes the message of a letter; None if it is not needed any more."""

log = structlog.get_logger()


@dataclass(frozen=True)
class LetterWriters:
    by_kind: Mapping[str, Callable[[Services, Letter], Awaitable[Message | None]]]


async def send_letters(
    db: Database, settings: Settings, writers: Mapping[str, Writer], stop: asyncio.Event
) -> None:
    if settings.smtp_url is not None and (unset := missing_settings(settings)):
        log.warning("no_mail_is_sent", unset=unset)
    channels = channels_of(settings)
    every = EVERY_SECONDS * len(channels)  # so that more channels cause no more reads while idle
    await asyncio.gather(*(Worker(db, each, writers).work(every, stop) for each in channels))


class Worker:
    def __init__(self, db: Database, channel: Channel[Any], writers: Mapping[str, Writer]) -> None:
        self._db = db
        self._channel = channel
        self._writers = writers
        self._pause = Pause()
        self._allowance = Allowance(db)
        self._unmarking: set[asyncio.Task[None]] = set()
        self._is_handing_over = False

    async def work(self, every: float, stop: asyncio.Event) -> None:
        """Send one letter at a time; at the end, wait for the message in transit."""
        queue = QueueWorker(
            self._db,
            store.queue_of(self._channel.name),
            self._process_letter,
            every=every,
            at_once=1,
            may_begin=lambda: not self._pause.lasts(clock.now()),
        )
        working = asyncio.create_task(queue.work(stop))
        await stop.wait()
        if self._is_handing_over:
            await asyncio.wait([working], timeout=STOPS_WITHIN_SECONDS)
        working.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await working
        finally:
            await end(*self._unmarking)

    async def _process_letter(self, letter: Letter) -> None:
        noted = log.bind(letter=letter.letter_id, kind=letter.kind, channel=self._channel.name)
        try:
            if letter.handed_over:
                noted.warning("letter_in_doubt", why="its sender ended before noting so")
            elif (message := await self._writers[letter.kind](letter)) is None:
                noted.info("letter_not_needed")
            elif (address := await self._channel.find_address(self._db, message.to)) is None:
                noted.warning("letter_refused", why="nobody can be reached there.")
            else:
                await self._send(letter, message, address, noted)
                return
            await store.delete_letter(self._db, letter)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
            # The text may quote an address.
            noted.error("letter_failed", error=type(error).__name__)
            await store.replace(self._db, letter, letter.postponed(clock.now()))

    async def _send(
        self,
        letter: Letter,
        message: Message,
        address: Any,
        noted: structlog.typing.FilteringBoundLogger,
    ) -> None:
        kept = letter

        async def before_handover() -> None:
            nonlocal kept
            self._is_handing_over, kept = True, letter.with_handover_mark(clock.now())
            try:
                marked = await store.replace(self._db, letter, kept)
            except TableError:  # nothing was sent, but the mark may have been stored
                await self._unmark(kept, letter)
                raise
            if not marked:
                raise Taken

        try:
            async with self._allowance.reserve(letter, self._channel.counts(letter, message.to)):
                await self._channel.send(
                    letter.letter_id, message.translated(), address, before_handover
                )
            await store.delete_letter(self._db, kept)
            noted.info("letter_sent")
            self._pause.end()
        except Taken:
            pass
        except LimitReached as full:
            noted.info("letter_waits", until=clock.timestamp(full.until))
            await store.replace(self._db, letter, letter.postponed_until(full.until))
        except Superseded:
            noted.info("letter_not_needed")
            await store.delete_letter(self._db, letter)
        except ServerUnavailable as away:
            self._pause.begin(clock.now())
            noted.warning(f"{self._channel.name}_server_away", why=str(away))
            await self._unmark(kept, letter)
        except TemporaryFailure as later:
            noted.warning("letter_postponed", why=str(later))
            await self._unmark(kept, kept.postponed(clock.now()))
        except NoResponse as silence:
            noted.warning("letter_in_doubt", why=str(silence))
            await store.delete_letter(self._db, kept)
        except Refused as refused:
            noted.warning("letter_refused", why=str(refused))
            await store.delete_letter(self._db, kept)
        finally:
            self._is_handing_over = False

    async def _unmark(self, kept: Letter, letter: Letter) -> None:
        """Remove the handover mark, retrying in the background."""
        try:
            await store.remove_handover_mark(self._db, kept, letter)
        except TableError:
            task = asyncio.create_task(self._keep_unmarking(kept, letter))
            self._unmarking.add(task)
            task.add_done_callback(self._unmarking.discard)

    async def _keep_unmarking(self, kept: Letter, letter: Letter) -> None:
        while True:
            await asyncio.sleep(UNMARKED_AGAIN_SECONDS)
            with suppress(TableError):
                await store.remove_handover_mark(self._db, kept, letter)
                return


class LimitReached(Exception):
    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


class Superseded(Exception):
    """The error of a letter after which a newer one of its kind was sent."""


class Allowance:
    """The limits on sent letters, counted in the table for all processes."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._last_turns: dict[str, float] = {}
        self._asked_at = 0

    @asynccontextmanager
    async def reserve(self, letter: Letter, counts: Sequence[Count]) -> AsyncIterator[None]:
        if not counts:
            yield
            return
        has_waited = letter.due_at > letter.written_at
        if has_waited and await self._is_superseded(letter, counts[0]):
            raise Superseded
        try:
            taken = await Attempt(self._db, counts).begin()
        except RateLimited:
            if await self._is_superseded(letter, counts[0]):
                raise Superseded from None
            raise LimitReached(await self._next_free_time(letter, counts)) from None
        try:
            yield
        except (ServerUnavailable, TemporaryFailure, Taken):
            with suppress(TableError):  # a wrong count matters less than a letter
                await taken.mark_success()
            raise

    async def _is_superseded(self, letter: Letter, own: Count) -> bool:
        if letter.kind not in REQUESTED_KINDS:
            return False
        counted = await self._db.get(own.key)
        written_at = int(datetime.fromisoformat(letter.written_at).timestamp())
        return counted is not None and bool(counted.recent(written_at - 1))

    async def _next_free_time(self, letter: Letter, counts: Sequence[Count]) -> datetime:
        now = clock.seconds()
        if now < self._asked_at:  # the clock was set back
            self._last_turns = {}
        self._asked_at = now
        found = await self._db.get_many([count.key for count in counts])
        at = now + 1.0
        for count, counted in zip(counts, found, strict=True):
            recent = counted.recent(now - count.rate.seconds) if counted else ()
            if len(recent) >= count.rate.times:
                free = recent[-count.rate.times] + count.rate.seconds
                alone = letter.kind in REQUESTED_KINDS and count is counts[0]
                at = max(at, free if alone else self._next_turn(count, free, now))
        return datetime.fromtimestamp(min(at, now + MAX_WAIT.total_seconds()), UTC)

    def _next_turn(self, count: Count, free: int, now: int) -> float:
        """Return the time of the next free place behind the postponed letters."""
        rate = count.rate
        turn = max(free, self._last_turns.get(count.name, 0) + rate.seconds / rate.times)
        self._last_turns = {name: at for name, at in self._last_turns.items() if at > now}
        self._last_turns[count.name] = turn
        return turn


REQUESTED_KINDS = frozenset({"verify", "reset"})
"""The kinds that people request, of which only the last letter matters."""
