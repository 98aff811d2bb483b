"""Users of a shared browser find their own changes and no data of others."""

from typing import Any

import pytest

from tests.browser.demo_household import Resident
from tests.browser.family_home import Home
from tests.browser.storage import (
    BLOCK_DATABASE,
    CHANGES,
    SENDS,
    SHORTEN_TIMEOUTS,
    cached_paths,
    open_phone,
    pending_names,
    queue_addition,
    run_with_queue,
    wait_until_equal,
)
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

ENTRANCE = "Your household’s shared memory"
PAGE_WITHOUT_SCRIPTS = "/api/v1/me"
LISTS = "(phone) => phone.refreshCache('list', async () => ({ entries: [] }))"


@pytest.fixture
def bob(home: Home) -> Resident:
    """Another admin of the family."""
    name = f"Bob{home.admin.name}"
    bob = home.household.people[name] = home.household.create_account(name)
    invited = home.admin.ask("POST", "/invitations", {"email": bob.email, "role": "admin"})
    bob.ask("POST", "/invitations/accept", {"token": invited["link"].rpartition("/")[2]})
    return bob


@pytest.fixture
async def tablet_of_bob(home: Home, bob: Resident, visitors: Visitors, line: Line) -> Visitor:
    """Bob's tablet with cached pages, a list, a setting and a pending change."""
    tablet = await open_phone(home, visitors, line, "/keys", who=bob)
    await tablet.page.get_by_label("Use shortcuts in this browser").uncheck()
    await tablet.go("/family")
    await run_with_queue(tablet.page, LISTS)
    await run_with_queue(tablet.page, WAITS_FOR_DECISION, "Bread")
    for part in ("changes", "things", "localStorage", "pages"):
        assert (await stored_data_of(tablet, bob))[part], part
    return tablet


async def test_change_of_one_user_outlives_visit_of_another(
    phone: Visitor, home: Home, bob: Resident, line: Line
) -> None:
    ann = home.admin
    line.becomes("cut")
    await queue_addition(phone, "Quinces")
    await run_with_queue(phone.page, ANONYMOUS)
    for session in ann.ask("GET", "/me/sessions")["items"]:
        if session["device"].startswith("Chrome"):
            ann.ask("DELETE", f"/me/sessions/{session['sessionId']}")
    line.becomes("open")
    await sign_in(phone, bob)
    for path in ("/", "/list", "/stock", "/settings"):
        await phone.go(path)
        await phone.page.evaluate(SENDS)
        await phone.sees_nothing_of("Quinces")
        assert await pending_names(phone) == []
    await sign_out(phone, bob)
    assert await queued_labels(phone) == ["Quinces", "Tap", "Tick"]
    assert home.admin.ask("GET", "/shopping-list")["items"] == []
    await sign_in(phone, ann)
    await wait_until_equal(["Tap", "Tick"], lambda: queued_labels(phone))
    (entry,) = home.admin.ask("GET", "/shopping-list")["items"]
    assert (entry["name"], entry["addedBy"]) == ("Quinces", ann.member_id)


async def test_sign_out_deletes_all_data_of_the_user(tablet_of_bob: Visitor, bob: Resident) -> None:
    tablet = tablet_of_bob
    other = Visitor(tablet.context, await tablet.context.new_page())
    await other.go("/list")
    await tablet.page.bring_to_front()
    await sign_out(tablet, bob, "Leave anyway")
    await wait_until_equal(NOTHING, lambda: stored_data_of(tablet, bob))
    await other.page.reload()
    await wait_until_equal(NOTHING, lambda: stored_data_of(tablet, bob))
    assert await tablet.page.evaluate("document.cookie") == ""


@pytest.mark.parametrize("way", ["without scripts", "outside of the browser"])
async def test_sign_out_without_scripts_deletes_the_same_data(
    tablet_of_bob: Visitor, bob: Resident, line: Line, way: str
) -> None:
    tablet = tablet_of_bob
    if way == "without scripts":
        await tablet.go(PAGE_WITHOUT_SCRIPTS)
        await tablet.page.evaluate(SUBMITS, "/sign-out")
        await tablet.reads_above_all(ENTRANCE)
    else:
        ours = {"Origin": line.url}
        await tablet.context.request.post("/sign-out", headers=ours, max_redirects=0)
        await tablet.page.close()  # its scripts would notice
        tablet.page = await tablet.context.new_page()
        await tablet.go("/")
    await wait_until_equal(NOTHING, lambda: stored_data_of(tablet, bob))


async def test_offline_sign_out_leaves_no_readable_data(
    tablet_of_bob: Visitor, bob: Resident, line: Line
) -> None:
    tablet = tablet_of_bob
    await tablet.page.evaluate(SHORTEN_TIMEOUTS)
    line.becomes("cut")
    await tablet.open(f"{bob.name}: family and settings")
    await tablet.press("Sign out")
    async with tablet.page.expect_event("requestfailed"):
        await tablet.press("Leave anyway")
    line.becomes("open")
    other = Visitor(tablet.context, await tablet.context.new_page())
    await other.go(PAGE_WITHOUT_SCRIPTS)
    assert await stored_data_of(other, bob) == NOTHING


async def test_data_in_busy_database_is_deleted_once_it_is_free(
    tablet_of_bob: Visitor, bob: Resident
) -> None:
    tablet = tablet_of_bob
    other = Visitor(tablet.context, await tablet.context.new_page())
    await other.page.goto(PAGE_WITHOUT_SCRIPTS)
    await other.page.evaluate(BLOCK_DATABASE)
    await tablet.page.bring_to_front()
    await tablet.page.evaluate(SHORTEN_TIMEOUTS)
    await sign_out(tablet, bob, "Leave anyway")
    await other.page.evaluate("isBusy = false")
    await wait_until_equal(NOTHING, lambda: stored_data_of(tablet, bob))


async def test_worker_forgets_pages_when_the_person_changes_without_scripts(
    tablet_of_bob: Visitor,
) -> None:
    tablet = tablet_of_bob
    await tablet.go(PAGE_WITHOUT_SCRIPTS)
    await tablet.page.evaluate(SUBMITS, "/sign-in")
    await tablet.reads_above_all("Welcome back")
    assert "/family" not in await cached_paths(tablet)


async def test_worker_forgets_pages_when_a_session_has_ended(tablet_of_bob: Visitor) -> None:
    tablet = tablet_of_bob
    await tablet.context.clear_cookies()
    await tablet.go("/settings")
    await tablet.reads_above_all("Welcome back")
    assert "/family" not in await cached_paths(tablet)


async def test_settings_of_an_earlier_version_still_count(phone: Visitor) -> None:
    await phone.page.evaluate("localStorage.setItem('homeshelf:keys-off', '1')")
    await phone.go("/keys")
    switch = phone.page.get_by_label("Use shortcuts in this browser")
    assert not await switch.is_checked()
    await switch.check()
    assert await phone.page.evaluate("({ ...localStorage })") == {}


async def sign_in(tablet: Visitor, person: Resident) -> None:
    await tablet.go("/sign-in")
    await tablet.write("E-mail", person.email)
    await tablet.write("Password", person.password)
    await tablet.press("Sign in")
    await tablet.reads_above_all(f"Hello {person.name}")


async def sign_out(tablet: Visitor, person: Resident, answer: str = "") -> None:
    await tablet.open(f"{person.name}: family and settings")
    await tablet.press("Sign out")
    if answer:
        await tablet.press(answer)
    await tablet.reads_above_all(ENTRANCE)


async def queued_labels(tablet: Visitor) -> list[str]:
    return sorted(change["label"] for change in await tablet.page.evaluate(CHANGES))


async def stored_data_of(tablet: Visitor, person: Resident) -> dict[str, list[str]]:
    """Return all stored data that contains the member's id, by kind of storage."""
    kept: dict[str, dict[str, Any]] = await tablet.page.evaluate(KEPT)
    names = (person.member_id, person.name)
    return {
        part: sorted(key for key, text in found.items() if any(each in text for each in names))
        for part, found in kept.items()
    }


NOTHING: dict[str, list[str]] = {
    "changes": [],
    "things": [],
    "localStorage": [],
    "sessionStorage": [],
    "pages": [],
}
WAITS_FOR_DECISION = """(phone, name) => phone.add({
  ...phone.draftAddition({ shoppingItemId: crypto.randomUUID(), name }),
  key: crypto.randomUUID(), sent: null, question: { code: "late" }, over: null,
})"""
ANONYMOUS = """(phone) => phone.add(...["Tick", "Tap"].map((label) => ({
  who: "", family: "", kind: label === "Tap" ? "tap" : "share.tick", about: label, label,
  method: "POST", path: `/api/v1/taps/${label}`, body: {}, seen: null,
  key: crypto.randomUUID(), sent: null, question: { code: "late" }, over: null,
})))"""
"""Changes that wait for a decision, so that they are not sent."""
SUBMITS = """(action) => {
  const form = Object.assign(document.createElement("form"), { method: "post", action });
  document.body.append(form);
  form.submit();
}"""
"""Script that submits a form without a submit event."""
KEPT = """async () => {
  const found = { changes: {}, things: {}, localStorage: {}, sessionStorage: {}, pages: {} };
  for (const name of ["localStorage", "sessionStorage"])
    for (const [key, text] of Object.entries(window[name])) found[name][key] = `${key} ${text}`;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const { pathname } = new URL(request.url);
      const page = await cache.match(request);
      if (!pathname.startsWith("/static/")) found.pages[pathname] = await page.text();
    }
  }
  const db = await new Promise((done) => {
    indexedDB.open("homeshelf").onsuccess = ({ target }) => done(target.result);
  });
  for (const name of ["changes", "things"]) {
    const all = await new Promise((done) => {
      const reading = db.transaction(name).objectStore(name).getAll();
      reading.onsuccess = () => done(reading.result);
    });
    for (const each of all) found[name][each.label ?? each.name] = JSON.stringify(each);
  }
  db.close();
  return found;
}"""
