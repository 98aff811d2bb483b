"""Test that the outbox sends its letters, also those of earlier versions."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from structlog.testing import capture_logs

from homeshelf import clock
from homeshelf.accounts.messages import verification_letter, write_verification
from homeshelf.coordination.work_queue import SHARDS
from homeshelf.outbox.model import Letter, Message, letter
from homeshelf.outbox.sending import Writer, send_letters
from homeshelf.outbox.store import OUTBOX
from homeshelf.table import HELPER, BadRequest, Query
from homeshelf.table.expressions import Item
from homeshelf.table.operations import Put
from homeshelf.web.services import open_services
from tests.databases import Opener
from tests.home import Home
from tests.moment import Moment
from tests.outbox.post_office import (
    PostOffice,
    outbox,
    wait_until_nothing_is_due,
    wait_until_outbox_is_empty,
)
from tests.running import SETTINGS, RunningApp


async def test_unreadable_letters_do_not_block_others(home: Home, office: PostOffice) -> None:
    damaged: list[Item] = [
        {"PK": f"OUTBOX#{shard}", "SK": f"DUE#2024-01-01T00:00:00.000Z#{number}", "ttl": 9 * 10**9}
        for shard in SHARDS
        for number in range(30)
    ]
    await home.running.db.batch([Put(HELPER, item) for item in damaged])
    for number in range(3):
        await home.invite(f"person{number}@home.local")
        assert (await office.mail(number + 1)).to == [f"person{number}@home.local"]


@pytest.mark.parametrize("error", [BadRequest, KeyError, asyncio.CancelledError])
async def test_failing_letter_does_not_block_others(
    running: RunningApp,
    open_another: Opener,
    office: PostOffice,
    moment: Moment,
    error: type[BaseException],
) -> None:
    async def fail(_letter: Letter) -> Message | None:
        raise error("no words")

    ada = await running.person("ada")
    db, stop = open_another(), asyncio.Event()
    own = await open_services(replace(SETTINGS, **office.settings), db)
    await db.batch([letter("odd").put() for _ in range(40)])
    moment.pass_by(1)
    writers: dict[str, Writer] = {"odd": fail, "verify": partial(write_verification, own)}
    sending = send_letters(db, own.settings, writers, stop)
    working = asyncio.create_task(sending)
    await db.put(verification_letter(ada.account))
    assert (await office.mail()).to == ["ada@home.local"]
    if issubclass(error, Exception):
        async with asyncio.timeout(10):
            while not all(each.attempts for each in await outbox(db)):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    stop.set()
    await working


async def test_unavailable_server_is_not_retried_during_its_pause(
    home: Home,
    closed_mail_server: PostOffice,  # noqa: ARG001  # is where the house sends its mail
    moment: Moment,
) -> None:
    async def wait_for_failures(times: int) -> None:
        async with asyncio.timeout(20):
            while [each["event"] for each in logs].count("mail_server_away") < times:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    with capture_logs() as logs:
        for number in range(3):
            await home.invite(f"person{number}@home.local")
            await wait_for_failures(1)
            await asyncio.sleep(0.1)
        assert [each["event"] for each in logs].count("mail_server_away") == 1
        moment.pass_by(1)
        await wait_for_failures(2)
    assert [each["event"] for each in logs].count("mail_server_away") == 2


async def test_letters_of_the_former_outbox_are_sent_once(
    running: RunningApp, open_another: Opener, office: PostOffice, moment: Moment
) -> None:
    people = [await running.person(name) for name in ("ada", "grace", "eve")]
    theirs = open_another()
    now, soon, later = (verification_letter(person.account) for person in people)
    at, day = "2024-11-01T12:30:00.000Z", "2024-11-02T12:00:00.000Z"
    soon = soon.changed(due_at=at, not_before=at)
    later = later.changed(due_at=day, not_before=day)
    await theirs.batch([_former_letter(each) for each in (now, soon, later)])
    assert (await office.mail()).to == ["ada@home.local"]
    moment.pass_by(1800)
    assert (await office.mail(2)).to == ["grace@home.local"]
    await wait_until_nothing_is_due(theirs)
    assert await outbox(theirs) == [later], "and what is due later waits in its shard"
    assert await theirs.all(_all_former_letters()) == []


async def test_letter_marked_by_an_older_process_is_not_sent_again(
    running: RunningApp, open_another: Opener, office: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    theirs = open_another()
    handed = verification_letter(ada.account).with_handover_mark(moment.at)
    await theirs.write(_former_letter(handed))
    await asyncio.sleep(0.1)
    moment.pass_by(timedelta(minutes=16).total_seconds())
    await wait_until_outbox_is_empty(theirs)
    assert office.mails == []


def _former_letter(waiting: Letter, **changes: Any) -> Put:
    return Put(HELPER, {**waiting.item(), "PK": OUTBOX.former, **changes})


def _all_former_letters() -> Query[Any]:
    return Query(HELPER, OUTBOX.former, dict, consistent=True)


async def test_letter_with_an_invalid_date_blocks_no_other_after_a_clock_change(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    ada = await running.person("ada")
    ahead = verification_letter(ada.account).changed(due_at=clock.timestamp(moment.at + HOURS))
    others = (letter("daily", due=moment.at + HOURS / 2) for _ in range(1000))
    broken = next(each for each in others if each.shard == ahead.shard)
    broken = broken.changed(about={"day": 7}, not_before=None)  # it comes first in the shard
    await running.db.batch([broken.put(), ahead.put()])
    moment.pass_by(-3600)
    assert (await office.mail()).to == [ada.email]


HOURS = timedelta(hours=1)
LEFT: dict[str, tuple[Callable[[Letter, datetime], Letter], bool]] = {
    # how a process left the letter whose clock was ahead, and whether it is due now
    "new": (lambda left, ahead: left.changed(due_at=clock.timestamp(ahead)), True),
    "failed": (lambda left, ahead: left.postponed(ahead), True),
    "without room": (lambda left, ahead: left.postponed_until(ahead + 6 * HOURS), True),
    "without room and failed": (
        lambda left, ahead: left.postponed_until(ahead).postponed(ahead + 2 * HOURS),
        True,
    ),
    "waiting for room": (lambda left, ahead: left.postponed_until(ahead + 5 * HOURS), False),
    "being handed over": (lambda left, ahead: left.with_handover_mark(ahead), False),
    "dated": (lambda _, ahead: letter("daily", due=ahead), False),
}


@pytest.mark.parametrize("way", LEFT)
def test_letter_due_too_far_in_the_future_is_due_now(moment: Moment, way: str) -> None:
    leave, is_due_now = LEFT[way]
    left = leave(letter("news"), moment.at + HOURS)
    found = left.with_corrected_due_date(moment.at)
    assert found == (left.changed(due_at=clock.timestamp()) if is_due_now else left)
    assert (found is left) is not is_due_now
