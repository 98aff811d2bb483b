"""Helpers for tests of mail: notifications, limits, and the links that mail programs make."""

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

from homeshelf.config import Settings
from homeshelf.config.values import Rate
from homeshelf.families import notifications
from homeshelf.outbox.channels.mail import counts_for
from homeshelf.outbox.model import Letter, letter
from homeshelf.outbox.notifications import NOTIFY
from homeshelf.outbox.sending import Allowance, LimitReached
from homeshelf.table import Database
from tests.outbox.post_office import PostOffice, ReceivedMail, wait_until_nothing_is_due
from tests.queues import do_what_is_due
from tests.running import Person, RunningApp, running_app


async def put_due_letters(running: RunningApp) -> None:
    handler = partial(notifications.put_letters, running.services)
    while await do_what_is_due(running.db, {NOTIFY: handler}):
        pass


async def notified_mails(running: RunningApp, office: PostOffice) -> list[ReceivedMail]:
    await put_due_letters(running)
    await wait_until_nothing_is_due(running.db)
    return notification_mails(office)


def notification_mails(office: PostOffice) -> list[ReceivedMail]:
    return [mail for mail in office.mails if "List-Unsubscribe" in mail.message]


async def set_preferences(person: Person, **preferences: Any) -> None:
    answer = await person.patch("/me/preferences", preferences)
    assert answer.status_code == 200, answer.text


def subjects_by_person(mails: list[ReceivedMail]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for mail in mails:
        (to,) = mail.to
        found.setdefault(to.partition("@")[0], []).append(str(mail.message["subject"]))
    return {name: sorted(subjects) for name, subjects in found.items()}


HOUR, DAY = 3600, 24 * 3600
EIGHT_AN_HOUR = Rate(8, HOUR)
"""A limit of eight mails an hour: two resets, two for security, four others, three by strangers."""


@asynccontextmanager
async def app_with_small_limit(database: Database, office: PostOffice) -> AsyncIterator[RunningApp]:
    async with running_app(database, **office.settings, limit_mail=EIGHT_AN_HOUR) as running:
        yield running


async def people_with_requested_links(running: RunningApp, *names: str) -> list[Person]:
    people = [await running.person(name) for name in names]
    for person in people:
        assert (await person.post("/me/verification")).status_code == 202
    return people


class MailAllowance:
    def __init__(self, db: Database, settings: Settings) -> None:
        self._allowance = Allowance(db)
        self._settings = settings

    def reserve(self, waiting: Letter, to: str) -> AbstractAsyncContextManager[None]:
        return self._allowance.reserve(waiting, counts_for(self._settings, waiting, to))


async def take(allowance: MailAllowance, kind: str, to: str, **about: Any) -> bool:
    try:
        async with allowance.reserve(letter(kind, **about), to):
            return True
    except LimitReached:
        return False


LOOKS_LINKED = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+"
    r"|\b(?:mailto|tel|file|skype|bitcoin|magnet):\S+"
    r"|//[^\s/]+"
    r"|\\\\[^\s\\]+"
    r"|[\w.+-]+@[\w-]+"
    r"|[\w-]+(?:[.\u2024\u3002\uff0e\uff61][\w-]+)*[.\u2024\u3002\uff0e\uff61](?!\d)\w[\w-]+",
    re.IGNORECASE,
)
