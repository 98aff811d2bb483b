"""Test the daily mail."""

from datetime import timedelta

import pytest

from homeshelf import clock
from homeshelf.outbox.model import letter
from tests.api_client import Shown, add_item, adjust, mark_entry
from tests.home import Home, new_home
from tests.moment import HOUR, Moment
from tests.outbox.mail import (
    notification_mails,
    notified_mails,
    put_due_letters,
    set_preferences,
    subjects_by_person,
)
from tests.outbox.post_office import (
    HOME,
    PostOffice,
    outbox,
    send_without_success,
    wait_for_empty_outbox,
    wait_until_nothing_is_due,
)
from tests.running import Person, RunningApp
from tests.suggestions.wish_requests import ask_for, get_created, propose, reject

STOCKHOLM = "Europe/Stockholm"
MORNINGS = [
    # what it is like, when something comes up, when the mail is due: 7 o'clock over there
    ("winter", "2025-01-10T20:00:00Z", STOCKHOLM, "2025-01-11T06:00:00Z"),
    ("summer time", "2025-07-10T20:00:00Z", STOCKHOLM, "2025-07-11T05:00:00Z"),
    ("the night when it begins", "2025-03-29T20:00:00Z", STOCKHOLM, "2025-03-30T05:00:00Z"),
    ("the night when it ends", "2025-10-25T20:00:00Z", STOCKHOLM, "2025-10-26T06:00:00Z"),
    ("that night itself", "2025-03-30T00:30:00Z", STOCKHOLM, "2025-03-30T05:00:00Z"),
    ("far in the east", "2025-01-10T20:00:00Z", "Pacific/Auckland", "2025-01-11T18:00:00Z"),
    ("far in the west", "2025-01-10T20:00:00Z", "Pacific/Honolulu", "2025-01-11T17:00:00Z"),
    ("half an hour off", "2025-01-10T20:00:00Z", "Asia/Kolkata", "2025-01-11T01:30:00Z"),
    ("just after seven", "2025-01-11T06:00:00Z", STOCKHOLM, "2025-01-12T06:00:00Z"),
    ("just before seven", "2025-01-11T05:58:00Z", STOCKHOLM, "2025-01-11T06:00:00Z"),
    ("too shortly before", "2025-01-11T05:59:30Z", STOCKHOLM, "2025-01-12T06:00:00Z"),
]  # fmt: skip


@pytest.fixture
async def home_with_daily_mail(running: RunningApp, moment: Moment) -> Home:
    assert moment.at.hour == 12
    home = await new_home(running, "Lovelace", "ada")
    await set_preferences(home.admin, mail="daily", timeZone=STOCKHOLM)
    return home


async def add_low_item(home: Home, name: str) -> Shown:
    return await add_item(home.admin, name=name, quantity=1, threshold=2)


async def test_daily_mail_is_sent_at_seven_local_time(
    running: RunningApp, office: PostOffice, moment: Moment
) -> None:
    for number, (_, comes_up, zone, due) in enumerate(MORNINGS):
        moment.move(comes_up)
        home = await new_home(running, "Lovelace", f"ada{number}")
        await set_preferences(home.admin, mail="daily", timeZone=zone)
        await add_low_item(home, "Rice")
        await put_due_letters(running)
        moment.move(due)
        moment.pass_by(-1)
        assert len(await notified_mails(running, office)) == number
        moment.move(due)
        assert len(await notified_mails(running, office)) == number + 1


async def test_daily_mail_contains_all_current_notifications(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    kid = await home_with_daily_mail.with_member("kid", "suggester")
    rice = await add_low_item(home_with_daily_mail, "Rice")
    moment.pass_by(1)
    wish = await propose(kid, "Candy", notes="Please!")
    moment.pass_by(1)
    await add_low_item(home_with_daily_mail, "Peas")
    await reject(home_with_daily_mail.admin, await propose(kid, "Gum"))
    await set_preferences(kid, mail="off")
    await put_due_letters(home_with_daily_mail.running)
    await adjust(home_with_daily_mail.admin, rice, 5)
    moment.move("2024-11-02T06:00:00Z")
    (mail,) = await notified_mails(home_with_daily_mail.running, office)
    assert mail.to == ["ada@home.local"]
    assert mail.message["subject"] == "kid is asking for Candy, and 1 more"
    said = ["kid is asking for Candy.", "“Please!”", "Peas is running low: 1 left"]
    assert [line for line in said if line in mail.text] == said
    assert "Rice" not in mail.text
    assert "Gum" not in mail.text
    assert mail.link == f"{HOME}/"
    assert wish["status"] == "pending"


async def test_daily_mail_shows_the_state_when_it_is_sent(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    rice = await add_low_item(home_with_daily_mail, "Rice")
    await put_due_letters(home_with_daily_mail.running)
    await adjust(home_with_daily_mail.admin, rice, -1)
    change = {"name": "Basmati", "threshold": 7, "version": 2}
    assert (
        await home_with_daily_mail.admin.patch(f"/items/{rice['itemId']}", change)
    ).status_code == 200
    moment.move("2024-11-02T06:00:00Z")
    (mail,) = await notified_mails(home_with_daily_mail.running, office)
    assert mail.message["subject"] == "Basmati is running low"
    assert "Basmati is all gone. You wanted at least 7." in mail.text


async def test_single_notification_is_sent_with_its_own_subject(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    rice = await add_low_item(home_with_daily_mail, "Rice")
    await put_due_letters(home_with_daily_mail.running)
    moment.move("2024-11-02T06:00:00Z")
    (mail,) = await notified_mails(home_with_daily_mail.running, office)
    assert mail.message["subject"] == "Rice is running low"
    assert mail.link == f"{HOME}/stock/{rice['itemId']}"


async def test_no_daily_mail_if_everything_is_settled(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    kid = await home_with_daily_mail.with_member("kid", "suggester")
    await set_preferences(kid, mail="off")
    rice, wish = await add_low_item(home_with_daily_mail, "Rice"), await propose(kid, "Candy")
    await put_due_letters(home_with_daily_mail.running)
    await adjust(home_with_daily_mail.admin, rice, 5)
    await reject(home_with_daily_mail.admin, wish)
    moment.move("2024-11-02T06:00:00Z")
    assert await notified_mails(home_with_daily_mail.running, office) == []


async def test_notification_is_not_repeated_the_next_day(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    await add_low_item(home_with_daily_mail, "Rice")
    await put_due_letters(home_with_daily_mail.running)
    moment.move("2024-11-02T06:00:00Z")
    assert len(await notified_mails(home_with_daily_mail.running, office)) == 1
    _renew_token(home_with_daily_mail)
    await add_low_item(home_with_daily_mail, "Peas")
    await put_due_letters(home_with_daily_mail.running)
    for day in ("03", "04", "05"):
        moment.move(f"2024-11-{day}T06:00:00Z")
        await notified_mails(home_with_daily_mail.running, office)
    assert subjects_by_person(notification_mails(office)) == {
        "ada": ["Peas is running low", "Rice is running low"]
    }


async def test_answer_is_in_the_daily_mail_if_preferred(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    await set_preferences(home_with_daily_mail.admin, mail="off")
    kid = await home_with_daily_mail.with_member("kid", "suggester")
    await set_preferences(kid, mail="daily", timeZone=STOCKHOLM)
    for name in ("Candy", "Gum"):
        await reject(home_with_daily_mail.admin, await propose(kid, name), "No sweets")
        moment.pass_by(1)
    assert await notified_mails(home_with_daily_mail.running, office) == []
    moment.move("2024-11-02T06:00:00Z")
    assert subjects_by_person(await notified_mails(home_with_daily_mail.running, office)) == {
        "kid": ["Not this time: Candy, and 1 more"]
    }


async def test_answer_shows_the_state_in_the_morning(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    await set_preferences(home_with_daily_mail.admin, mail="off")
    kid = await home_with_daily_mail.with_member("kid", "suggester")
    await set_preferences(kid, mail="daily", timeZone=STOCKHOLM)
    entries = []
    for name in ("Rice", "Peas"):
        item = await add_item(home_with_daily_mail.admin, name=name)
        entries.append(await get_created(home_with_daily_mail.admin, await ask_for(kid, item)))
        moment.pass_by(1)
    await mark_entry(home_with_daily_mail.admin, entries[1], "purchased")
    await put_due_letters(home_with_daily_mail.running)
    moment.move("2024-11-02T06:00:00Z")
    (mail,) = await notified_mails(home_with_daily_mail.running, office)
    assert "Yes! Rice is on the list now." in mail.text
    assert "Yes! Peas." in mail.text
    assert "Peas is on the list" not in mail.text


async def test_outage_at_seven_delays_one_daily_mail(
    home_with_daily_mail: Home, closed_mail_server: PostOffice, moment: Moment
) -> None:
    await add_low_item(home_with_daily_mail, "Rice")
    peas = await add_low_item(home_with_daily_mail, "Peas")
    await put_due_letters(home_with_daily_mail.running)
    moment.move("2024-11-02T06:00:00Z")
    for _ in range(12):
        async with send_without_success(moment):
            moment.pass_by(300)
    _renew_token(home_with_daily_mail)
    await adjust(home_with_daily_mail.admin, peas, 5)
    await closed_mail_server.open_in_thread()
    await wait_for_empty_outbox(home_with_daily_mail.running.db, moment)
    mails = await notified_mails(home_with_daily_mail.running, closed_mail_server)
    assert subjects_by_person(mails) == {"ada": ["Rice is running low"]}


@pytest.mark.parametrize("says_so", [True, False], ids=["dated", "from an earlier version"])
async def test_daily_mail_keeps_its_date_when_the_clock_is_set_back(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment, says_so: bool
) -> None:
    db = home_with_daily_mail.running.db
    await add_low_item(home_with_daily_mail, "Rice")
    await put_due_letters(home_with_daily_mail.running)
    (kept,) = await outbox(db)
    assert kept.not_before == kept.due_at == "2024-11-02T06:00:00.000Z"
    kept = kept if says_so else kept.changed(not_before=None)
    undated = letter("reset", memberId=home_with_daily_mail.admin.member_id, era=1)
    later = clock.timestamp(clock.now() + timedelta(seconds=HOUR))
    await db.batch([kept.put(), undated.changed(due_at=later).put()])
    moment.pass_by(-HOUR)
    await office.mail()
    await wait_until_nothing_is_due(db)
    assert await outbox(db) == [kept]
    moment.move(kept.due_at)
    assert subjects_by_person(await notified_mails(home_with_daily_mail.running, office)) == {
        "ada": ["Rice is running low"]
    }


async def test_former_member_gets_no_daily_mail(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    bob, eve = [await home_with_daily_mail.with_member(name, "admin") for name in ("bob", "eve")]
    for person in (bob, eve):
        await set_preferences(person, mail="daily", timeZone=STOCKHOLM)
    await add_low_item(home_with_daily_mail, "Rice")
    await put_due_letters(home_with_daily_mail.running)
    await home_with_daily_mail.remove_member(bob)
    await set_preferences(eve, mail="off")
    moment.move("2024-11-02T06:00:00Z")
    assert subjects_by_person(await notified_mails(home_with_daily_mail.running, office)) == {
        "ada": ["Rice is running low"]
    }


async def test_each_line_names_its_family_if_there_are_two(
    home_with_daily_mail: Home, office: PostOffice, moment: Moment
) -> None:
    other = await new_home(home_with_daily_mail.running, "Byron", "george")
    await set_preferences(other.admin, mail="off")
    await other.let_in(home_with_daily_mail.admin, "admin")
    kid = await other.with_member("kid", "suggester")
    await propose(kid, "Candy")
    moment.pass_by(1)
    chosen = {"Homeshelf-Family": home_with_daily_mail.family_id}
    rice = {"name": "Rice", "threshold": 2}
    assert (
        await home_with_daily_mail.admin.post("/items", rice, headers=chosen)
    ).status_code == 201
    await put_due_letters(home_with_daily_mail.running)
    moment.move("2024-11-02T06:00:00Z")
    (mail,) = await notified_mails(home_with_daily_mail.running, office)
    assert "Byron: kid is asking for Candy." in mail.text
    assert "Lovelace: Rice is all gone" in mail.text


def _renew_token(home: Home) -> None:
    admin: Person = home.admin
    admin.bear(home.running.access_token(admin.member_id, admin.session_id))
