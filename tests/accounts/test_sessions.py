import asyncio
import re
from html import unescape

import pytest
from fastapi import Request

from homeshelf import clock
from homeshelf.accounts import store
from homeshelf.accounts.browsers import device_of
from homeshelf.accounts.model import Session
from homeshelf.accounts.tokens import web_token
from homeshelf.table import Database
from tests.costs import count_operations
from tests.databases import Opener
from tests.moment import Moment
from tests.running import PASSWORD, SETTINGS, Person, RunningApp, problem_of, running_app, under


async def sign_in(running: RunningApp, person: Person, user_agent: str) -> str:
    visitor = running.visitor()
    answer = await visitor.post(
        "/tokens",
        {"email": person.email, "password": PASSWORD},
        headers={"User-Agent": user_agent},
    )
    token: str = answer.json()["accessToken"]
    return token


async def test_session_list_shows_every_device(running: RunningApp) -> None:
    ada, _ = await running.person("ada"), await running.person("eve")
    ada.bear(await sign_in(running, ada, "curl/8.5.0"))
    phone, first = (await ada.get("/me/sessions")).json()["items"]
    assert (phone["device"], phone["current"]) == ("curl/8.5.0", True)
    assert (first["device"], first["current"]) == ("a test", False)
    assert first["sessionId"] == ada.session_id
    assert set(first) == {"sessionId", "device", "createdAt", "lastUsedAt", "current"}


async def test_session_can_be_ended_from_another_session(running: RunningApp) -> None:
    ada, phone = await running.person("ada"), running.visitor()
    phone.bear(await sign_in(running, ada, "curl/8.5.0"))
    assert (await phone.get("/me")).status_code == 200
    lost = (await ada.get("/me/sessions")).json()["items"][0]
    path = f"/me/sessions/{lost['sessionId']}"
    assert (await ada.delete(path)).status_code == 204
    assert problem_of(await phone.get("/me")) == (401, "unauthenticated")
    assert problem_of(await ada.delete(path)) == (404, "not_found")


async def test_session_of_another_person_returns_404(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for session_id in (ada.session_id, clock.new_id(), "nonsense", "%00", "a" * 3000):
        answer = await eve.delete(f"/me/sessions/{session_id}")
        assert problem_of(answer) == (404, "not_found")
    assert (await ada.get("/me")).status_code == 200


async def test_session_list_is_paged(running: RunningApp) -> None:
    ada = await running.person("ada")
    made = [(await running.session_of(ada.member_id)).session_id for _ in range(5)]
    seen: list[str] = []
    asked: dict[str, str] = {"limit": "2"}
    while True:
        page = (await ada.get("/me/sessions", params=asked)).json()
        seen += [session["sessionId"] for session in page["items"]]
        if "nextToken" not in page:
            break
        asked["nextToken"] = page["nextToken"]
    assert sorted(seen) == sorted([*made, ada.session_id])


async def start_session(running: RunningApp, person: Person, device: str, most: int = 5) -> Session:
    account = await store.get_account(running.db, person.member_id)
    assert account is not None
    return await store.start_session(under(running.db, limit_sessions=most), account, device)


async def list_devices(running: RunningApp, person: Person) -> list[str]:
    found = await running.db.all(Session.where(member_id=person.member_id))
    return [session.device for session in found]


async def test_session_over_limit_ends_the_least_recently_used(
    running: RunningApp, moment: Moment
) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    for number in range(4):
        moment.pass_by(60)
        await start_session(running, ada, f"device {number}")
    assert await list_devices(running, ada) == [
        "a test",
        *(f"device {number}" for number in range(4)),
    ]
    moment.pass_by(24 * 3600)
    browser = running.visitor()
    token = web_token(running.signer, await session_of(running, ada), None)
    browser.client.cookies.set("homeshelf", token)
    assert (await browser.get("/me")).status_code == 200
    await start_session(running, ada, "device 4")
    await start_session(running, ada, "device 5")
    assert await list_devices(running, ada) == [
        "a test",
        *(f"device {number}" for number in range(2, 6)),
    ]
    assert await list_devices(running, eve) == ["a test"]


async def test_starting_a_session_takes_one_query_and_one_write(open_another: Opener) -> None:
    async with running_app(open_another()) as running:
        ada, beside = await running.person("ada"), open_another()
        with count_operations(beside) as spent:
            await store.start_session(under(beside, limit_sessions=1), ada.account, "a phone")
        assert spent == {"query": 1, "transact": 1}
        assert await list_devices(running, ada) == ["a phone"]


async def test_concurrent_sign_ins_keep_the_session_limit(open_another: Opener) -> None:
    async with running_app(open_another()) as one, running_app(open_another()) as other:
        ada = await one.person("ada")
        await asyncio.gather(
            *(start_session(running, ada, "at once") for _ in range(10) for running in (one, other))
        )
        assert len(await list_devices(one, ada)) <= 6
        last = await start_session(one, ada, "last")
        assert len(await list_devices(one, ada)) == 5
        assert await session_of(one, ada, last.session_id) == last


async def test_sign_in_ends_surplus_sessions_in_batches(running: RunningApp) -> None:
    ada = await running.person("ada")
    account = await store.get_account(running.db, ada.member_id)
    assert account is not None
    old = await session_of(running, ada)
    many = [old.changed(session_id=clock.ordered_id(), device="old") for _ in range(150)]
    await running.db.batch([session.put() for session in many])
    left = []
    for _ in range(5):
        await store.start_session(under(running.db, limit_sessions=5), account, "new")
        left.append(len(await list_devices(running, ada)))
    assert left == [112, 73, 34, 5, 5]
    assert await list_devices(running, ada) == ["new"] * 5


async def test_sessions_of_old_password_are_deleted_first(running: RunningApp) -> None:
    ada = await running.person("ada")
    for _ in range(2):
        await start_session(running, ada, "dead")
    change = {"password": "a new password", "currentPassword": PASSWORD}
    assert (await ada.patch("/me", change)).status_code == 200
    for _ in range(4):
        await start_session(running, ada, "new")
    assert await list_devices(running, ada) == ["a test", *["new"] * 4]
    assert (await ada.get("/me")).status_code == 200


async def test_sign_in_during_password_change_ends_no_newer_session(
    running: RunningApp,
) -> None:
    ada = await running.person("ada")
    change = {"password": "a new password", "currentPassword": PASSWORD}
    await start_session(running, ada, "old")
    assert (await ada.patch("/me", change)).status_code == 200
    for _ in range(2):
        await store.start_session(under(running.db, limit_sessions=2), ada.account, "late")
    await store.start_session(under(running.db, limit_sessions=1), ada.account, "later")
    assert (await ada.get("/me")).status_code == 200
    assert await list_devices(running, ada) == ["a test", "later"]


async def test_session_limit_is_one_hundred_by_default_and_applies_to_sign_ins(
    database: Database,
) -> None:
    assert SETTINGS.limit_sessions == 100
    async with running_app(database, limit_sessions=2) as running:
        ada = await running.person("ada")
        for _ in range(3):
            await sign_in(running, ada, "curl/8.5.0")
        assert await list_devices(running, ada) == ["curl/8.5.0"] * 2
        ours = {"Origin": "http://home.test"}
        form = {"email": ada.email, "password": PASSWORD}
        browser = running.visitor().client
        answer = await browser.post("/sign-in", data=form, headers=ours | {"User-Agent": "a/1"})
        assert answer.status_code == 303
        assert await list_devices(running, ada) == ["curl/8.5.0", "a/1"]


async def test_settings_page_lists_devices_in_pages(running: RunningApp) -> None:
    ada, eve = await running.person("ada"), await running.person("eve")
    account = await store.get_account(running.db, ada.member_id)
    assert account is not None
    for number in range(24):
        await store.start_session(
            under(running.db, limit_sessions=100), account, f"phone-{number:02}"
        )
    path, pages = "/settings", []
    while path:
        answer = await ada.client.get(path)
        assert answer.status_code == 200
        pages.append(re.findall(r"Sign out (phone-\d+)", answer.text))
        assert ("This device" in answer.text) is (len(pages) == 1)
        more = re.search(r'href="(/settings\?devices=[^"]+)#devices"', answer.text)
        path = unescape(more[1]) if more else ""
        if len(pages) == 1:
            assert (await eve.client.get(path)).status_code == 400
            assert (await ada.client.get(f"{path}x")).status_code == 400
    newest_first = [f"phone-{number:02}" for number in reversed(range(24))]
    assert pages == [newest_first[:10], newest_first[10:20], newest_first[20:]]


async def session_of(running: RunningApp, person: Person, session_id: str | None = None) -> Session:
    key = Session.key(member_id=person.member_id, session_id=session_id or person.session_id)
    found = await running.db.get(key)
    assert found is not None
    return found


WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1"
ANDROID = f"Mozilla/5.0 (Linux; Android 15; Pixel 9) {WEBKIT} Mobile Safari/537.36"
LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
WINDOWS = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Safari/537.36 Edg/131.0.0.0"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (IPHONE, "Safari on iPhone"),
        (ANDROID, "Chrome on Android"),
        (LINUX, "Firefox on Linux"),
        (WINDOWS, "Edge on Windows"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "Unknown device"),
        ("x" * 1000, "x" * 60),
    ],
)
def test_device_name_from_user_agent(user_agent: str, device: str) -> None:
    headers = [(b"user-agent", user_agent.encode())] if user_agent else []
    assert device_of(Request({"type": "http", "headers": headers})) == device
