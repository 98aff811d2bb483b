"""Sends what is in the outbox, one worker at a time for each shard of a channel.

A letter goes through three states, and only one worker can take it from one to the next:

    waiting        in the outbox, due now or later
    handed over    marked so in the moment before the message itself goes out
    gone           out of the outbox, once the channel has said that it took the message

Whatever fails before the mark has sent nothing, and the letter is tried again. A worker that is
killed after it leaves a letter of which only the channel knows more. That has the whole message or
was about to get it, so it almost surely took it: the letter is not sent again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import structlog

from homeshelf import clock
from homeshelf.config import Settings
from homeshelf.coordination.queue_worker import EVERY_SECONDS, QueueWorker
from homeshelf.outbox import store
from homeshelf.outbox.allowance import Allowance, NoRoom, Superseded
from homeshelf.outbox.channel import Channel, NoAnswer, NotNow, Refused, ServerAway, Taken
from homeshelf.outbox.channels import channels_of
from homeshelf.outbox.channels.mail import missing
from homeshelf.outbox.model import Letter, Message, Pause
from homeshelf.table import Database, TableError, Unavailable

STOPS_WITHIN_SECONDS = 3.0

Writer = Callable[[Letter], Awaitable[Message | None]]
"""What a letter of its kind says now; None where it is of no use to anybody any more."""

log = structlog.get_logger()


async def keep_sending(
    db: Database, settings: Settings, writers: Mapping[str, Writer], stop: asyncio.Event
) -> None:
    if settings.smtp_url is not None and (unset := missing(settings)):
        log.warning("no_mail_is_sent", unset=unset)
    channels = channels_of(settings)
    every = EVERY_SECONDS * len(channels)  # so that an idle house reads no more for another
    await asyncio.gather(
        *(_keep_sending(Worker(db, each, writers), every, stop) for each in channels)
    )


async def _keep_sending(worker: "Worker", every: float, stop: asyncio.Event) -> None:
    """What is being handed over when it is told to stop is waited for."""
    working = asyncio.create_task(worker.work(every, stop))
    await stop.wait()
    if worker.is_handing_over:
        await asyncio.wait([working], timeout=STOPS_WITHIN_SECONDS)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


class Worker:
    def __init__(self, db: Database, channel: Channel, writers: Mapping[str, Writer]) -> None:
        self._db = db
        self._channel = channel
        self._writers = writers
        self._pause = Pause()
        self._allowance = Allowance(db)
        self.is_handing_over = False
        """Whether the channel may just be getting something: now is no moment to give up."""

    async def work(self, every: float, stop: asyncio.Event) -> None:
        """One letter at a time: other processes see to other shards."""
        worker = QueueWorker(
            self._db,
            store.queue_of(self._channel.name),
            self._attend_to,
            every=every,
            at_once=1,
            may_begin=lambda: not self._pause.lasts(clock.now()),
        )
        await worker.work(stop)

    async def _attend_to(self, letter: Letter) -> None:
        noted = log.bind(letter=letter.letter_id, kind=letter.kind, channel=self._channel.name)
        try:
            if letter.handed_over:
                noted.warning("letter_in_doubt", why="its sender ended before noting so")
                await store.throw_away(self._db, letter)
            elif (message := await self._writers[letter.kind](letter)) is None:
                noted.info("letter_not_needed")
                await store.throw_away(self._db, letter)
            elif self._channel.reaches(message.to):
                await self._send(letter, message, noted)
            else:
                noted.warning("letter_refused", why="nobody can be reached there.")
                await store.throw_away(self._db, letter)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
            noted.error("letter_failed", error=repr(error))
            await store.postpone(self._db, letter)

    async def _send(
        self, letter: Letter, message: Message, noted: structlog.typing.FilteringBoundLogger
    ) -> None:
        kept = letter

        async def last_moment() -> None:
            nonlocal kept
            self.is_handing_over, kept = True, letter.being_handed_over(clock.now())
            try:
                marked = await store.replace(self._db, letter, kept)
            except TableError:  # whether the mark was made is unknown, that nothing was sent is not
                with suppress(TableError):
                    await store.put_back(self._db, kept, letter)
                raise
            if not marked:
                raise Taken

        try:
            counts = self._channel.counts(letter, message.to)
            async with self._allowance.room_for(letter, counts):
                await self._channel.send(letter.letter_id, message, last_moment)
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
            await store.put_back(self._db, kept, letter)
        except NotNow as later:
            noted.warning("letter_postponed", why=str(later))
            await store.postpone(self._db, kept)
        except NoAnswer as silence:
            noted.warning("letter_in_doubt", why=str(silence))
            await store.throw_away(self._db, kept)
        except Refused as refused:
            noted.warning("letter_refused", why=str(refused))
            await store.throw_away(self._db, kept)
        finally:
            self.is_handing_over = False
