"""Send the letters of the outbox, with one worker for each shard of a channel. States of a letter:

    waiting        in the outbox, due now or later
    handed over    marked so in the moment before the message itself goes out
    gone           out of the outbox, once the channel has said that it took the message

What fails before the mark has sent nothing, and is tried again. A worker killed after the mark
leaves a letter that the channel almost surely took, so it is not sent again.
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
from homeshelf.outbox.channel import Channel, NoAnswer, NotNow, Refused, ServerAway, Taken
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.channels.mail import missing
from homeshelf.outbox.model import LONGEST_WAIT, Letter, Message, Pause
from homeshelf.table import Database, TableError, Unavailable
from homeshelf.web.services import Services

STOPS_WITHIN_SECONDS = 3.0
UNMARKED_AGAIN_SECONDS = 2.0

Writer = Callable[[Letter], Awaitable[Message | None]]
"""Writes the message of a letter; None if nobody needs it any more."""

log = structlog.get_logger()


@dataclass(frozen=True)
class LetterWriters:
    """The functions of a slice that write letters, by their kind."""

    by_kind: Mapping[str, Callable[[Services, Letter], Awaitable[Message | None]]]


async def keep_sending(
    db: Database, settings: Settings, writers: Mapping[str, Writer], stop: asyncio.Event
) -> None:
    if settings.smtp_url is not None and (unset := missing(settings)):
        log.warning("no_mail_is_sent", unset=unset)
    channels = channels_of(settings)
    every = EVERY_SECONDS * len(channels)  # so that an idle house reads no more for another
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
        """Send one letter at a time; at the end, wait for a message that is in transit."""
        queue = QueueWorker(
            self._db,
            store.queue_of(self._channel.name),
            self._attend_to,
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

    async def _attend_to(self, letter: Letter) -> None:
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
            await store.throw_away(self._db, letter)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
            # Its text may quote an address.
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

        async def last_moment() -> None:
            nonlocal kept
            self._is_handing_over, kept = True, letter.being_handed_over(clock.now())
            try:
                marked = await store.replace(self._db, letter, kept)
            except TableError:  # whether the mark was made is unknown, that nothing was sent is not
                await self._unmark(kept, letter)
                raise
            if not marked:
                raise Taken

        try:
            async with self._allowance.room_for(letter, self._channel.counts(letter, message.to)):
                await self._channel.send(
                    letter.letter_id, message.translated(), address, last_moment
                )
            await store.throw_away(self._db, kept)
            noted.info("letter_sent")
            self._pause.end()
        except Taken:
            pass
        except NoRoom as full:
            noted.info("letter_waits", until=clock.timestamp(full.until))
            await store.replace(self._db, letter, letter.waiting_until(full.until))
        except Superseded:
            noted.info("letter_not_needed")
            await store.throw_away(self._db, letter)
        except ServerAway as away:
            self._pause.begin(clock.now())
            noted.warning(f"{self._channel.name}_server_away", why=str(away))
            await self._unmark(kept, letter)
        except NotNow as later:
            noted.warning("letter_postponed", why=str(later))
            await self._unmark(kept, kept.postponed(clock.now()))
        except NoAnswer as silence:
            noted.warning("letter_in_doubt", why=str(silence))
            await store.throw_away(self._db, kept)
        except Refused as refused:
            noted.warning("letter_refused", why=str(refused))
            await store.throw_away(self._db, kept)
        finally:
            self._is_handing_over = False

    async def _unmark(self, kept: Letter, letter: Letter) -> None:
        """Retry until it is noted that the letter was not sent: no other process can know."""
        try:
            await store.put_back(self._db, kept, letter)
        except TableError:
            task = asyncio.create_task(self._keep_unmarking(kept, letter))
            self._unmarking.add(task)
            task.add_done_callback(self._unmarking.discard)

    async def _keep_unmarking(self, kept: Letter, letter: Letter) -> None:
        while True:
            await asyncio.sleep(UNMARKED_AGAIN_SECONDS)
            with suppress(TableError):
                await store.put_back(self._db, kept, letter)
                return


class NoRoom(Exception):
    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


class Superseded(Exception):
    """A newer letter of this kind was sent to the same person."""


class Allowance:
    """Limits what is sent, by counts in the table that all processes share. A letter is counted
    before it is sent and given back if it was not, so a killed process counts one too many at
    most."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._last_turns: dict[str, float] = {}
        self._asked_at = 0

    @asynccontextmanager
    async def room_for(self, letter: Letter, counts: Sequence[Count]) -> AsyncIterator[None]:
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
            raise NoRoom(await self._room_at(letter, counts)) from None
        try:
            yield
        except (ServerAway, NotNow, Taken):
            with suppress(TableError):  # then it stays counted: a letter matters more
                await taken.forgive()
            raise

    async def _is_superseded(self, letter: Letter, own: Count) -> bool:
        if letter.kind not in ASKED_FOR:
            return False
        counted = await self._db.get(own.key)
        written_at = int(datetime.fromisoformat(letter.written_at).timestamp())
        return counted is not None and bool(counted.recent(written_at - 1))

    async def _room_at(self, letter: Letter, counts: Sequence[Count]) -> datetime:
        now = clock.seconds()
        if now < self._asked_at:  # the clock was set back, and all turns are too late
            self._last_turns = {}
        self._asked_at = now
        found = await self._db.get_many([count.key for count in counts])
        at = now + 1.0
        for count, counted in zip(counts, found, strict=True):
            recent = counted.recent(now - count.rate.seconds) if counted else ()
            if len(recent) >= count.rate.times:
                free = recent[-count.rate.times] + count.rate.seconds
                alone = letter.kind in ASKED_FOR and count is counts[0]
                at = max(at, free if alone else self._turn(count, free, now))
        return datetime.fromtimestamp(min(at, now + LONGEST_WAIT.total_seconds()), UTC)

    def _turn(self, count: Count, free: int, now: int) -> float:
        """Return when there is room behind the letters that were postponed already."""
        rate = count.rate
        turn = max(free, self._last_turns.get(count.name, 0) + rate.seconds / rate.times)
        self._last_turns = {name: at for name, at in self._last_turns.items() if at > now}
        self._last_turns[count.name] = turn
        return turn


ASKED_FOR = frozenset({"verify", "reset"})
"""Kinds that people request, of which the last one is enough."""
