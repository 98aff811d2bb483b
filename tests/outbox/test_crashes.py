"""Test that each recipient gets one letter, even if the process crashes."""

from collections import Counter
from dataclasses import replace
from itertools import count

from homeshelf import clock
from homeshelf.accounts.model import Account
from homeshelf.app import SLICES
from homeshelf.coordination.todos import Todo
from homeshelf.families.model import Family, Member
from homeshelf.families.notifications import put_letters
from homeshelf.outbox.notifications import request_notification
from homeshelf.table import Database
from homeshelf.web.services import open_services
from tests.database_hooks import Hook, When, with_hook
from tests.outbox.post_office import PostOffice, outbox
from tests.queues import due_todos
from tests.records import make_record
from tests.running import SETTINGS

ADMINS = ("ada", "bob", "eve")


class Crash(Exception):
    pass


async def test_crash_while_letters_are_created_leads_to_one_letter_each(
    database: Database, closed_mail_server: PostOffice
) -> None:
    await _move_in(database)
    running = await open_services(
        replace(SETTINGS, **closed_mail_server.settings), database, SLICES
    )
    for last in count(1):
        await database.transact(request_notification("runs_low", "home", f"notice {last}"))
        (left,) = await _due_todos(database)
        try:
            await put_letters(running, with_hook(database, _crash_at_step(last)), left)
        except Crash:
            for again in await _due_todos(database):
                await put_letters(running, database, again)
            continue
        break
    assert last > 4
    letters = await outbox(database)
    told = Counter((each.about["memberId"], each.about["matter"]["id"]) for each in letters)
    assert told == Counter((who, f"notice {n}") for who in ADMINS for n in range(1, last + 1))
    assert await _due_todos(database) == []


async def _move_in(db: Database) -> None:
    people = [
        make_record(Account, member_id=name, email=f"{name}@home.local", email_verified=True)
        for name in ADMINS
    ]
    members = [
        make_record(Member, family_id="home", member_id=name, role="admin") for name in ADMINS
    ]
    family = make_record(Family, family_id="home")
    await db.batch([record.put() for record in (family, *people, *members)])


async def _due_todos(db: Database) -> list[Todo]:
    return await due_todos(db, clock.now())


def _crash_at_step(last: int) -> Hook:
    steps = count(1)

    async def crash_at_last_step(_moment: When, _operation: str) -> None:
        if next(steps) == last:
            raise Crash

    return crash_at_last_step
