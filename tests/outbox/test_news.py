"""Test immediate notifications."""

import asyncio
from typing import Any

import pytest

from homeshelf.accounts import store as accounts
from homeshelf.config.values import Rate
from homeshelf.families import notifications as store
from homeshelf.families.notifications import write_daily, write_notification
from homeshelf.inventory.model import InventoryItem
from homeshelf.table import Database
from tests.api_client import Shown, add_item, adjust, get_notices, set_archived
from tests.databases import Opener
from tests.home import Home, new_home
from tests.moment import Moment
from tests.outbox.mail import (
    notification_mails,
    notified_mails,
    put_due_letters,
    set_preferences,
    subjects_by_person,
)
from tests.outbox.post_office import (
    HOME,
    LONGEST_PAUSE_SECONDS,
    PostOffice,
    outbox,
    send_without_success,
    wait_for_empty_outbox,
    wait_until_nothing_is_due,
)
from tests.running import Person, RunningApp, running_app
from tests.suggestions.wish_requests import approve, ask_for, propose, reject

HOUR = 3600


@pytest.fixture
async def bob(home: Home) -> Person:
    return await home.with_member("bob", "admin")


async def add_low_item(home: Home, name: str = "Rice") -> Shown:
    item = await add_item(home.admin, quantity=3, threshold=3)
    key = InventoryItem.key(family_id=home.family_id, item_id=item["itemId"])
    stored = await home.running.db.get(key)
    assert stored is not None
    await home.running.db.put(stored.changed(name=name))  # also one that the API refuses by now
    await adjust(home.admin, item, -1)
    return item | {"name": name}


async def test_admins_are_notified_of_low_stock(
    home: Home, bob: Person, kid: Person, office: PostOffice
) -> None:
    rice = await add_low_item(home)
    mails = await notified_mails(home.running, office)
    assert subjects_by_person(mails) == {
        "ada": ["Rice is running low"],
        "bob": ["Rice is running low"],
    }
    for mail in mails:
        assert "Rice is running low: 2 left. You wanted at least 3." in mail.text
        assert mail.link == f"{HOME}/stock/{rice['itemId']}"
    assert {kid.email, bob.email} & {mail.to[0] for mail in mails} == {bob.email}


async def test_admins_are_notified_of_wishes(
    home: Home, bob: Person, kid: Person, office: PostOffice
) -> None:
    rice = await add_item(home.admin, name="Rice")
    await ask_for(kid, rice, notes="We are out!")
    await propose(kid, "Candy")
    mails = await notified_mails(home.running, office)
    subjects = ["kid is asking for Candy", "kid is asking for Rice"]
    assert subjects_by_person(mails) == {"ada": subjects, "bob": subjects}
    (about_rice,) = [m for m in mails if "Rice" in m.text and m.to == [bob.email]]
    assert "“We are out!”" in about_rice.text
    assert about_rice.link == f"{HOME}/wishes"


async def test_child_is_notified_of_the_answer_and_its_text(
    home: Home, kid: Person, office: PostOffice
) -> None:
    await home.with_member("sibling", "suggester")
    await set_preferences(home.admin, mail="off")
    rice = await add_item(home.admin, name="Rice")
    await approve(home.admin, await ask_for(kid, rice))
    await approve(home.admin, await propose(kid, "Tea"))
    await reject(home.admin, await propose(kid, "Candy"), "We have enough sweets")
    mails = await notified_mails(home.running, office)
    assert subjects_by_person(mails) == {"kid": ["Not this time: Candy", "Yes! Rice", "Yes! Tea"]}
    texts = "\n".join(mail.text for mail in mails)
    assert "Yes! Rice is on the list now." in texts
    assert "Yes! Tea is in the stock now." in texts
    assert "Not this time: Candy." in texts
    assert "“We have enough sweets”" in texts


async def test_new_item_with_low_stock_is_notified(
    home: Home, kid: Person, office: PostOffice
) -> None:
    wish = await propose(kid, "Tea", proposedThreshold=2)
    await approve(home.admin, wish)
    assert subjects_by_person(await notified_mails(home.running, office)) == {
        "ada": ["Tea is running low"],
        "kid": ["Yes! Tea"],
    }


async def test_member_without_mail_gets_no_notification(
    home: Home, bob: Person, kid: Person, office: PostOffice
) -> None:
    for person in (bob, kid):
        await set_preferences(person, mail="off")
    await add_low_item(home)
    await reject(home.admin, await propose(kid, "Candy"))
    assert subjects_by_person(await notified_mails(home.running, office)) == {
        "ada": ["Rice is running low"]
    }


async def test_disabling_mail_drops_waiting_notifications(
    home: Home, bob: Person, closed_mail_server: PostOffice, moment: Moment
) -> None:
    async with send_without_success(moment):
        await add_low_item(home)
        await put_due_letters(home.running)
    await set_preferences(bob, mail="off")
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    mails = await notified_mails(home.running, closed_mail_server)
    assert subjects_by_person(mails) == {"ada": ["Rice is running low"]}


async def test_unverified_address_gets_no_notification(home: Home, office: PostOffice) -> None:
    eve, kid = [await home.running.person(name) for name in ("eve", "kid")]
    await home.let_in(eve, "admin")
    await home.let_in(kid, "suggester")
    for person in (eve, home.admin):
        await set_preferences(person, mail="daily")
    await add_low_item(home)
    await reject(home.admin, await propose(kid, "Candy"))
    await put_due_letters(home.running)
    await wait_until_nothing_is_due(home.running.db)  # their invitations have gone
    assert {each.about["memberId"] for each in await outbox(home.running.db)} == {
        home.admin.member_id
    }
    assert notification_mails(office) == []


async def test_waiting_letter_to_an_unverified_address_is_not_sent(
    home: Home, closed_mail_server: PostOffice
) -> None:
    running = home.running.services
    await add_low_item(home)
    await put_due_letters(home.running)
    await set_preferences(home.admin, mail="daily")
    await add_low_item(home, "Tea")
    await put_due_letters(home.running)
    now, daily = await outbox(running.db)
    assert await write_notification(running, now)
    assert await write_daily(running, daily)
    account = await accounts.get_account(running.db, home.admin.member_id)
    assert account is not None
    await running.db.put(account.changed(email_verified=False))
    assert await write_notification(running, now) is None
    assert await write_daily(running, daily) is None
    assert closed_mail_server.mails == []


async def test_settled_cause_is_not_notified(
    home: Home, kid: Person, closed_mail_server: PostOffice, moment: Moment
) -> None:
    async with send_without_success(moment):
        filled, seen, archived, low = [
            await add_low_item(home, name) for name in ("Rice", "Peas", "Corn", "Tea")
        ]
        wish = await propose(kid, "Candy")
        await put_due_letters(home.running)
    await adjust(home.admin, filled, 5)
    (notice,) = await get_notices(home.admin, seen)
    path = f"/notifications/{notice['notificationId']}/acknowledge"
    assert (await home.admin.post(path)).status_code == 200
    await set_archived(home.admin, archived, "archive")
    await reject(home.admin, wish)
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    assert subjects_by_person(await notified_mails(home.running, closed_mail_server)) == {
        "ada": ["Tea is running low"],
        "kid": ["Not this time: Candy"],
    }
    assert low["name"] == "Tea"


async def test_second_low_stock_is_a_new_notification(home: Home, office: PostOffice) -> None:
    rice = await add_low_item(home)
    assert len(await notified_mails(home.running, office)) == 1
    await adjust(home.admin, rice, -1)
    assert len(await notified_mails(home.running, office)) == 1
    await adjust(home.admin, rice, 5)
    await adjust(home.admin, rice, -5)
    assert len(await notified_mails(home.running, office)) == 2


async def test_former_member_and_former_admin_get_no_notification(
    home: Home, bob: Person, kid: Person, closed_mail_server: PostOffice, moment: Moment
) -> None:
    await reject(home.admin, await propose(kid, "Candy"))
    eve = await home.with_member("eve", "admin")
    async with send_without_success(moment):
        await add_low_item(home)
        await put_due_letters(home.running)
    await home.remove_member(kid)
    await home.remove_member(bob)
    role = {"role": "suggester", "version": 1}
    assert (await home.admin.patch(f"/members/{eve.member_id}", role)).status_code == 200
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    mails = await notified_mails(home.running, closed_mail_server)
    assert subjects_by_person(mails) == {"ada": ["Rice is running low"]}


async def test_deleted_account_gets_no_notification(
    home: Home, bob: Person, closed_mail_server: PostOffice, moment: Moment
) -> None:
    async with send_without_success(moment):
        await add_low_item(home)
        await put_due_letters(home.running)
    assert (await bob.delete("/me", {"password": bob.password})).status_code == 204
    await closed_mail_server.open_in_thread()
    moment.pass_by(LONGEST_PAUSE_SECONDS)
    assert subjects_by_person(await notified_mails(home.running, closed_mail_server)) == {
        "ada": ["Rice is running low"]
    }


async def test_refused_request_causes_no_notification(
    home: Home, kid: Person, closed_mail_server: PostOffice
) -> None:
    rice = await add_item(home.admin, name="Rice")
    wish = await ask_for(kid, rice)
    await set_archived(home.admin, rice, "archive")
    assert (await approve(home.admin, wish)).status_code == 422
    assert (await approve(home.admin, wish | {"version": 2})).status_code == 409
    await put_due_letters(home.running)
    kinds = [
        letter.about["matter"]["kind"] for letter in await _waiting_notifications(home.running.db)
    ]
    assert kinds == ["wish"]
    assert closed_mail_server.mails == []


async def test_repeated_request_causes_one_notification(
    home: Home, kid: Person, office: PostOffice
) -> None:
    rice = await add_item(home.admin, name="Rice")
    body = {"type": "add_to_shopping", "itemId": rice["itemId"]}
    for _ in range(2):
        assert (await kid.post("/suggestions", body, key="k")).status_code == 201
    assert len(await notified_mails(home.running, office)) == 1


async def test_one_of_many_workers_creates_the_letters(
    home: Home, bob: Person, open_another: Opener, closed_mail_server: PostOffice
) -> None:
    async with running_app(open_another(), **closed_mail_server.settings) as other:
        for number in range(4):
            await add_low_item(home, f"Rice {number}")
        await asyncio.gather(*(put_due_letters(running) for running in (home.running, other) * 3))
        await closed_mail_server.open_in_thread()
        mails = await notified_mails(home.running, closed_mail_server)
    expected = [f"Rice {number} is running low" for number in range(4)]
    assert subjects_by_person(mails) == {"ada": expected, "bob": expected}
    assert bob.name == "bob"


async def test_each_of_many_admins_is_notified_once(
    home: Home, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_LETTERS", 4)
    names = [f"admin{number}" for number in range(6)]
    for name in names:
        await home.with_member(name, "admin")
    await add_low_item(home)
    mails = await notified_mails(home.running, office)
    assert subjects_by_person(mails) == {name: ["Rice is running low"] for name in ("ada", *names)}


async def test_server_outage_of_an_hour_loses_no_notification(
    home: Home, kid: Person, closed_mail_server: PostOffice, moment: Moment
) -> None:
    await add_low_item(home)
    await propose(kid, "Candy")
    await put_due_letters(home.running)
    for _ in range(12):
        moment.pass_by(HOUR / 12)
        await asyncio.sleep(0.05)
    await closed_mail_server.open_in_thread()
    await wait_for_empty_outbox(home.running.db, moment)
    assert subjects_by_person(await notified_mails(home.running, closed_mail_server)) == {
        "ada": ["Rice is running low", "kid is asking for Candy"]
    }


async def test_notifications_over_the_limit_are_sent_in_the_morning(
    database: Database, office: PostOffice, moment: Moment
) -> None:
    async with running_app(database, **office.settings, limit_news=Rate(2, HOUR)) as running:
        home = await new_home(running, "Lovelace", "ada")
        for number in range(5):
            await add_low_item(home, f"Rice {number}")
            moment.pass_by(1)
        assert len(await notified_mails(running, office)) == 2
        moment.pass_by(24 * HOUR)
        *_, daily = await notified_mails(running, office)
        assert len(notification_mails(office)) == 3
        subjects = [str(mail.message["subject"]) for mail in notification_mails(office)]
        *at_once, rest = [subject.partition(" is running low")[0] for subject in subjects]
        assert subjects[-1] == f"{rest} is running low, and 2 more"
        told_later = {line.partition(" is running low")[0] for line in daily.text.splitlines()}
        rice = {f"Rice {number}" for number in range(5)}
        assert (rice & told_later) | set(at_once) == rice
        assert not told_later & set(at_once)


async def test_no_letters_wait_without_a_mail_server(database: Database) -> None:
    async with running_app(database) as running:
        home = await new_home(running, "Lovelace", "ada")
        await add_low_item(home)
        await put_due_letters(running)
        assert await outbox(database) == []


async def test_names_in_notifications_are_complete(running: RunningApp, office: PostOffice) -> None:
    home = await new_home(running, "Lovelace", "ada")
    name = "Rübenkraut für Zoë " * 5
    await add_low_item(home, name)
    await add_low_item(home, "Rice\r\nBcc: eve")
    mails = await notified_mails(running, office)
    subjects = {str(mail.message["subject"]) for mail in mails}
    assert subjects == {f"{name.strip()} is running low", "Rice Bcc: eve is running low"}
    assert {mail.to[0] for mail in mails} == {"ada@home.local"}


async def _waiting_notifications(db: Database) -> list[Any]:
    return [letter for letter in await outbox(db) if letter.kind == "news"]
