"""What the house has to tell, told without waiting, and what arrived."""

from functools import partial
from typing import Any

from homeshelf.families import messages
from homeshelf.outbox.news import TELL
from tests.outbox.post_office import Arrived, PostOffice, nothing_is_due
from tests.running import Person, RunningApp
from tests.todos import do_what_is_due


async def spread(running: RunningApp) -> None:
    """Everything that is to be told is in the outbox."""
    handler = partial(messages.spread, running.app.state.services)
    while await do_what_is_due(running.db, {TELL: handler}):
        pass


async def told(running: RunningApp, office: PostOffice) -> list[Arrived]:
    """The news that has arrived, once nothing is left to be sent now."""
    await spread(running)
    await nothing_is_due(running.db)
    return news(office)


def news(office: PostOffice) -> list[Arrived]:
    """Not what is mailed about accounts and invitations."""
    return [mail for mail in office.mails if "List-Unsubscribe" in mail.message]


async def prefer(person: Person, **preferences: Any) -> None:
    answer = await person.patch("/me/preferences", preferences)
    assert answer.status_code == 200, answer.text


def by_person(mails: list[Arrived]) -> dict[str, list[str]]:
    """The subjects that each person got."""
    found: dict[str, list[str]] = {}
    for mail in mails:
        (to,) = mail.to
        found.setdefault(to.partition("@")[0], []).append(str(mail.message["subject"]))
    return {name: sorted(subjects) for name, subjects in found.items()}
