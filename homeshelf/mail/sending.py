"""Sends what is in the outbox, one worker at a time for each of its shards.

A letter goes through three states, and only one worker can take it from one to the next:

    waiting        in the outbox, due now or later
    handed over    marked so in the moment before the mail itself goes out
    gone           out of the outbox, once the server has said that it took the mail

Whatever fails before the mark has sent nothing, and the letter is tried again. A worker that is
killed after it leaves a letter of which only the server knows more. That has the whole mail or was
about to get it, so it almost surely took it: the letter is not sent again. The Message-ID is the
letter's own, so that even a server that hangs up without an answer shows nobody two mails.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import structlog

from homeshelf import clock
from homeshelf.coordination.queue_worker import EVERY_SECONDS, QueueWorker
from homeshelf.mail import store
from homeshelf.mail.allowance import Allowance, NoRoom, Superseded
from homeshelf.mail.delivery import Delivery
from homeshelf.mail.message import NoSuchAddress, mail_of
from homeshelf.mail.model import Letter, Office, Pause, Words
from homeshelf.mail.server import NoAnswer, NotNow, Refused, ServerAway, connected, introduced_as
from homeshelf.table import Unavailable
from homeshelf.web.services import Services

STOPS_WITHIN_SECONDS = 3.0

Writer = Callable[[Services, Letter], Awaitable[Words | None]]
"""What a letter of its kind says now; None where it is of no use to anybody any more."""

log = structlog.get_logger()


async def keep_sending(
    services: Services, writers: Mapping[str, Writer], stop: asyncio.Event
) -> None:
    """Send what is due until told to stop; a mail that is on its way then is waited for."""
    office = store.office_of(services.settings)
    if office is None:
        if services.settings.smtp_url is not None:
            log.warning("no_mail_is_sent", unset=store.missing(services.settings))
        return
    worker = Worker(services, office, writers)
    working = asyncio.create_task(worker.work(stop))
    await stop.wait()
    if worker.is_handing_over:
        await asyncio.wait([working], timeout=STOPS_WITHIN_SECONDS)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


class Worker:
    def __init__(self, services: Services, office: Office, writers: Mapping[str, Writer]) -> None:
        self._services = services
        self._office = office
        self._writers = writers
        self._pause = Pause()
        self._allowance = Allowance(services.db, services.settings)
        self._delivery: Delivery | None = None

    @property
    def is_handing_over(self) -> bool:
        return self._delivery is not None and self._delivery.is_marked

    async def work(self, stop: asyncio.Event) -> None:
        """One letter at a time: other processes see to other shards."""
        worker = QueueWorker(
            self._services.db,
            store.OUTBOX,
            self._attend_to,
            every=EVERY_SECONDS,
            at_once=1,
            may_begin=lambda: not self._pause.lasts(clock.now()),
        )
        await worker.work(stop)

    async def _attend_to(self, letter: Letter) -> None:
        noted = log.bind(letter=letter.letter_id, kind=letter.kind)
        try:
            if letter.handed_over:
                noted.warning("letter_in_doubt", why="whoever sent it ended before noting so")
                await store.throw_away(self._services.db, letter)
            elif words := await self._writers[letter.kind](self._services, letter):
                await self._send(letter, words, noted)
            else:
                noted.info("letter_not_needed")
                await store.throw_away(self._services.db, letter)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001  # one that fails must not hold up the others
            noted.error("letter_failed", error=repr(error))
            await store.postpone(self._services.db, letter)

    async def _send(
        self, letter: Letter, words: Words, noted: structlog.typing.FilteringBoundLogger
    ) -> None:
        office = self._office
        delivery = self._delivery = Delivery(self._services.db, letter)
        try:
            mail = mail_of(letter, words, office)
            async with (
                self._allowance.room_for(letter, words.to) as taken,
                connected(office.server, introduced_as(office.home)) as client,
            ):
                if await delivery.deliver(client, mail):
                    noted.info("letter_sent")
                    self._pause.end()
                else:
                    await taken.forgive()
        except NoRoom as full:
            noted.info("letter_waits", until=clock.timestamp(full.until))
            await store.replace(self._services.db, letter, letter.waiting_until(full.until))
        except Superseded:
            noted.info("letter_not_needed")
            await delivery.throw_away()
        except ServerAway as away:
            self._pause.begin(clock.now())
            noted.warning("mail_server_away", why=str(away))
            await delivery.put_back()
        except NotNow as later:
            noted.warning("letter_postponed", why=str(later))
            await delivery.postpone()
        except NoAnswer as silence:
            noted.warning("letter_in_doubt", why=str(silence))
            await delivery.throw_away()
        except (Refused, NoSuchAddress) as refused:
            noted.warning("letter_refused", why=str(refused))
            await delivery.throw_away()
        finally:
            self._delivery = None
