"""Test the letter about a sign-in with a new device."""

import asyncio
from typing import Any

import httpx
import pytest

from homeshelf.accounts import new_session
from homeshelf.accounts.model import Account
from homeshelf.accounts.new_session import Device
from homeshelf.accounts.store import set_preferences
from homeshelf.signing import digest
from homeshelf.table import Database
from tests.home import Home, add_child, new_home, token_in, tried
from tests.moment import Moment
from tests.outbox.post_office import HOME, PostOffice, wait_until_outbox_is_empty
from tests.pages import see, send
from tests.running import PASSWORD, Person, RunningApp, Visitor

FIREFOX = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
ELSEWHERE = "2001:db8::7"
DAY = 24 * 3600
SUBJECT = "A new device signed in"


@pytest.fixture
async def ada(running: RunningApp) -> Person:
    return await running.person("ada", verified=True)


async def sign_in_with_browser(
    visitor: Visitor, who: Person, agent: str = FIREFOX
) -> httpx.Response:
    visitor.client.headers["User-Agent"] = agent
    answer = await send(visitor, "/sign-in", email=who.email, password=PASSWORD)
    assert answer.status_code == 303, answer.text
    return answer


async def sign_in_with_program(
    visitor: Visitor, who: Person, agent: str = "curl/8.5.0"
) -> dict[str, Any]:
    asked, said = {"email": who.email, "password": PASSWORD}, {"User-Agent": agent}
    answer = await visitor.post("/tokens", asked, headers=said)
    assert answer.status_code == 200, answer.text
    pair: dict[str, Any] = answer.json()
    return pair


async def count_mails(running: RunningApp, office: PostOffice) -> int:
    await wait_until_outbox_is_empty(running.db)
    return len(office.mails)


async def test_new_browser_is_reported_once(
    running: RunningApp, ada: Person, office: PostOffice
) -> None:
    phone, other = running.visitor(ELSEWHERE), running.visitor()
    for _ in range(3):
        await sign_in_with_browser(phone, ada)
        await send(phone, "/sign-out")
    mail = await office.mail()
    assert mail.to == [ada.email]
    assert mail.message["subject"] == SUBJECT
    assert f"Firefox on Android, from {ELSEWHERE}." in " ".join(mail.text.split())
    assert mail.link == f"{HOME}/settings#devices"
    assert await count_mails(running, office) == 1
    await sign_in_with_browser(other, ada)
    assert await count_mails(running, office) == 2, "another one with the same name is another one"


async def test_device_cookie_is_unique_and_survives_sign_out(
    running: RunningApp, ada: Person
) -> None:
    phone = running.visitor()
    set_there = (await sign_in_with_browser(phone, ada)).headers.get_list("set-cookie")
    (cookie,) = (each for each in set_there if each.startswith("homeshelf-device="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert f"Max-Age={400 * DAY}" in cookie
    mark = phone.client.cookies["homeshelf-device"]
    await send(phone, "/sign-out")
    await sign_in_with_browser(phone, ada)
    assert phone.client.cookies["homeshelf-device"] == mark
    (kept,) = await running.db.all(Device.where(member_id=ada.member_id))
    assert mark not in str(kept.item()), "only a digest is kept"


async def test_shared_browser_is_new_for_each_person(
    running: RunningApp, ada: Person, office: PostOffice
) -> None:
    bob, tablet = await running.person("bob", verified=True), running.visitor()
    for who in (ada, bob, ada, bob):
        await sign_in_with_browser(tablet, who)
        await send(tablet, "/sign-out")
    await wait_until_outbox_is_empty(running.db)
    assert sorted(mail.to[0] for mail in office.mails) == [ada.email, bob.email]


async def test_program_is_recognised_by_user_agent_and_address(
    running: RunningApp, ada: Person, office: PostOffice
) -> None:
    here, there = running.visitor(), running.visitor(ELSEWHERE)
    pair = await sign_in_with_program(here, ada)
    assert await count_mails(running, office) == 1
    await sign_in_with_program(here, ada, "curl/9.0.1")
    await here.post("/tokens/refresh", {"refreshToken": pair["refreshToken"]})
    assert await count_mails(running, office) == 1
    await sign_in_with_program(there, ada)
    await sign_in_with_program(here, ada, "wget/1.2")
    assert await count_mails(running, office) == 3
    await sign_in_with_program(running.visitor("2001:db8::8"), ada)
    assert await count_mails(running, office) == 3, "the same household"


async def test_first_device_is_not_reported(running: RunningApp, office: PostOffice) -> None:
    new = {"email": "eve@home.local", "password": PASSWORD, "name": "Eve"}
    phone = running.visitor()
    await send(phone, "/sign-up", **new)
    bob = {"email": "bob@home.local", "password": PASSWORD, "name": "Bob"}
    await running.visitor().post("/accounts", bob)
    known = {"email": bob["email"], "password": PASSWORD}
    assert (await running.visitor().post("/tokens", known)).status_code == 200
    await wait_until_outbox_is_empty(running.db)
    assert SUBJECT not in [mail.message["subject"] for mail in office.mails]


async def test_unverified_address_gets_no_letter(running: RunningApp, office: PostOffice) -> None:
    eve = await running.person("eve")
    await sign_in_with_browser(running.visitor(), eve)
    assert await count_mails(running, office) == 0


async def test_sign_in_link_of_a_child_is_not_reported(
    running: RunningApp, office: PostOffice
) -> None:
    home: Home = await new_home(running, "Lovelace", "ada")
    assert (await tried(running, token_in(await add_child(home)))).status_code == 200
    assert await count_mails(running, office) == 0


async def test_letter_uses_the_recipients_language_and_time_zone(
    database: Database, running: RunningApp, ada: Person, office: PostOffice, moment: Moment
) -> None:
    chosen = {"language": "de", "time_zone": "Asia/Tokyo"}
    await set_preferences(database, Account.key(member_id=ada.member_id), chosen)
    moment.move("2026-01-15T16:05:00Z")
    await sign_in_with_browser(running.visitor(), ada)
    mail = await office.mail()
    assert mail.message["subject"] == "Ein neues Gerät hat sich angemeldet"
    words = " ".join(mail.text.split())
    assert "Am 16. Januar 2026 um 01:05" in words
    assert "Firefox auf Android" in words


async def test_unknown_time_zone_falls_back_to_utc(
    database: Database, running: RunningApp, ada: Person, office: PostOffice, moment: Moment
) -> None:
    await set_preferences(
        database, Account.key(member_id=ada.member_id), {"time_zone": "Atlantis/Poseidonis"}
    )
    moment.move("2026-01-15T16:05:00Z")
    await sign_in_with_browser(running.visitor(), ada)
    mail = await office.mail()
    assert mail.message["subject"] == SUBJECT
    assert "at 16:05, someone signed in" in " ".join(mail.text.split())


async def test_user_agent_in_the_letter_is_no_link(
    running: RunningApp, ada: Person, office: PostOffice
) -> None:
    await sign_in_with_program(running.visitor(), ada, "https://evil.example/")
    mail = await office.mail()
    assert "https://evil.example" not in mail.text
    assert "https://evil.example" not in mail.html


async def test_forged_device_cookie_is_ignored(running: RunningApp, ada: Person) -> None:
    phone = running.visitor()
    phone.client.cookies.set("homeshelf-device", "x", domain="home.test")
    await sign_in_with_browser(phone, ada)
    marks = [each.value for each in phone.client.cookies.jar if each.name == "homeshelf-device"]
    assert any(len(mark or "") == 32 for mark in marks)


async def test_a_device_is_known_for_400_days_after_the_last_time(
    running: RunningApp, ada: Person, moment: Moment
) -> None:
    phone = running.visitor()
    await sign_in_with_program(phone, ada)
    moment.pass_by(399 * DAY)
    await sign_in_with_program(phone, ada)
    moment.pass_by(399 * DAY)
    (known,) = await running.db.all(Device.where(member_id=ada.member_id))
    await sign_in_with_program(phone, ada)
    (again,) = await running.db.all(Device.where(member_id=ada.member_id))
    assert again.seen > known.seen


async def test_oldest_of_too_many_devices_is_forgotten(
    running: RunningApp, ada: Person, monkeypatch: pytest.MonkeyPatch, moment: Moment
) -> None:
    monkeypatch.setattr(new_session, "MAX_DEVICES", 2)
    visitor = running.visitor()
    for name in ("one", "two", "three"):
        await sign_in_with_program(visitor, ada, name)
        moment.pass_by(60)
    found = await running.db.all(Device.where(member_id=ada.member_id))
    expected = {digest(f"{name} at 203.0.113.7") for name in ("two", "three")}
    assert {each.device_digest for each in found} == expected


async def test_deleted_account_leaves_no_devices(running: RunningApp, ada: Person) -> None:
    await sign_in_with_program(running.visitor(), ada)
    await ada.delete("/me", {"password": PASSWORD})
    assert await running.db.all(Device.where(member_id=ada.member_id)) == []


async def test_concurrent_sign_ins_all_succeed(running: RunningApp, ada: Person) -> None:
    visitors = [running.visitor(f"198.51.100.{number}") for number in range(6)]
    pairs = await asyncio.gather(*(sign_in_with_program(each, ada) for each in visitors))
    assert len({pair["accessToken"] for pair in pairs}) == 6
    assert len(await running.db.all(Device.where(member_id=ada.member_id))) == 6


async def test_letter_links_to_the_page_of_sessions(ada: Person) -> None:
    assert 'id="devices"' in await see(ada, "/settings")
