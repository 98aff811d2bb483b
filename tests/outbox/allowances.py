"""An hour's mail: a home that may send little, and what there is room for."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from homeshelf.config import Settings
from homeshelf.config.values import Rate
from homeshelf.outbox.channels.mail import counts_for
from homeshelf.outbox.model import Letter, letter
from homeshelf.outbox.sending import Allowance, NoRoom
from homeshelf.table import Database
from tests.outbox.post_office import (
    PostOffice,
)
from tests.running import Person, RunningApp, running_app

HOUR, DAY = 3600, 24 * 3600
EIGHT = Rate(8, HOUR)
"""Two for new passwords, two for security, four for the rest; of that strangers have three, and
verifications and invitations two each."""


@asynccontextmanager
async def open_small_house(database: Database, office: PostOffice) -> AsyncIterator[RunningApp]:
    async with running_app(database, **office.settings, limit_mail=EIGHT) as running:
        yield running


async def asking(running: RunningApp, *names: str) -> list[Person]:
    """New people who ask for a link that verifies their address."""
    people = [await running.person(name) for name in names]
    for person in people:
        assert (await person.post("/me/verification")).status_code == 202
    return people


class MailAllowance:
    """What there is room for, by the shares of mail."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._allowance = Allowance(db)
        self._settings = settings

    def room_for(self, waiting: Letter, to: str) -> AbstractAsyncContextManager[None]:
        return self._allowance.room_for(waiting, counts_for(self._settings, waiting, to))


async def take(allowance: MailAllowance, kind: str, to: str, **about: Any) -> bool:
    """Whether there was room, which is used then."""
    try:
        async with allowance.room_for(letter(kind, **about), to):
            return True
    except NoRoom:
        return False
