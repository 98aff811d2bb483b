"""The stock on a bad connection: presses are stored and sent once."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.browser.demo_household import Resident
from tests.browser.family_home import Home
from tests.browser.stock_page import adjusted, counted, presses, waits
from tests.browser.storage import (
    CHANGES,
    FAIL_DATABASE,
    SENDS,
    open_phone,
    pending_names,
    wait_until_equal,
    within,
)
from tests.browser.visitor import Visitor, Visitors, expect
from tests.cases import case
from tests.network import Line


@pytest.fixture
def rice(home: Home) -> str:
    return home.item("Rice", 5, 0)


@pytest.fixture
def things(home: Home, rice: str) -> dict[str, str]:
    """Rice and two other items, created before the phone opens the page."""
    return {"Rice": rice, **{name: home.item(name, 5, 0) for name in ("Oats", "Corn")}}


@pytest.fixture
async def phone(home: Home, visitors: Visitors, line: Line, rice: str) -> AsyncIterator[Visitor]:
    assert rice
    phone = await open_phone(home, visitors, line, "/stock")
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def opens_again(phone: Visitor, path: str = "/stock") -> None:
    """Close the tab and open another page."""
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go(path)


async def test_offline_presses_outlive_page_and_are_sent_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("cut")
    await presses(phone, -1, -1, 1, -1)
    await expect(counted(phone)).to_have_text("3")
    await waits(phone)
    await opens_again(phone)
    await expect(counted(phone)).to_have_text("3")
    await waits(phone)
    await presses(phone, -1)
    await expect(counted(phone)).to_have_text("2")
    await phone.page.close()
    assert adjusted(home, rice) == []
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.go("/stock")
    await expect(counted(phone)).to_have_text("2")
    await waits(phone, waits=False)
    assert adjusted(home, rice) == [-3]


async def test_press_is_kept_if_page_closes_at_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("cut")
    await presses(phone, -1)
    await waits(phone)
    await opens_again(phone, "/family")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjusted(home, rice))


async def test_change_that_cannot_be_stored_is_reported_and_undone(
    phone: Visitor, home: Home, rice: str
) -> None:
    assert await pending_names(phone) == []  # creates the database
    await phone.page.evaluate(FAIL_DATABASE)
    await presses(phone, -1)
    await phone.sees("That didn’t work. Try again.")
    await phone.page.evaluate("isFailing = false")
    await phone.page.evaluate("document.dispatchEvent(new Event('homeshelf:queue'))")
    await expect(counted(phone)).to_have_text("5")
    await waits(phone, waits=False)
    assert adjusted(home, rice) == []


async def test_press_with_lost_response_counts_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    before: list[int] = []
    for path, there in (("/stock", 5), (f"/stock/{rice}", 4)):
        with case(path):
            if before:
                await phone.go(path)
            await expect(counted(phone)).to_have_text(str(there))
            await presses(phone, 1)
            await waits(phone, waits=False)
            line.becomes("deaf")
            await presses(phone, -1)
            await wait_until_equal([*before, 1, -1], partial(_adjusted, home, rice))
            await waits(phone)
            await presses(phone, -1)
            await expect(counted(phone)).to_have_text(str(there - 1))
            line.becomes("open")
            await waits(phone, waits=False)
            await expect(counted(phone)).to_have_text(str(there - 1))
            before += [1, -1, -1]
            assert adjusted(home, rice) == before


async def test_unstable_connection_loses_and_duplicates_no_press(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("hang")
    await presses(phone, -1)
    await expect(counted(phone)).to_have_text("4")
    await waits(phone)
    async with line.flapping(0.7):
        for _ in range(4):
            await presses(phone, 1)
            await phone.page.wait_for_timeout(600)
    await waits(phone, waits=False)
    await expect(counted(phone)).to_have_text("8")
    assert sum(adjusted(home, rice)) == 3


async def test_live_update_does_not_revert_pending_press(
    visitors: Visitors, home: Home, rice: str
) -> None:
    milk = home.item("Milk", 2, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await expect(counted(phone, "Milk")).to_have_text("2")
    await phone.page.route("**/adjust", lambda route: route.abort())
    await presses(phone, -1)
    await waits(phone)
    for item_id in (rice, milk):
        home.admin.ask("POST", f"/items/{item_id}/adjust", {"delta": 4})
    await expect(counted(phone, "Milk")).to_have_text("6")
    await expect(counted(phone)).to_have_text("4")
    await waits(phone)
    await phone.page.unroute("**/adjust")
    await waits(phone, waits=False)
    await expect(counted(phone)).to_have_text("8")
    assert adjusted(home, rice) == [4, -1]


async def test_older_page_shows_count_of_last_response(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    """A cached page has the counts of the time it was cached."""
    line.becomes("cut")
    await presses(phone, -1)
    await opens_again(phone, "/family")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjusted(home, rice))
    await wait_until_equal([], lambda: _waiting(phone))
    line.becomes("cut")
    await phone.go("/stock")
    await expect(counted(phone)).to_have_text("4")
    await waits(phone, waits=False)


async def test_lost_press_is_reported(
    things: dict[str, str], phone: Visitor, home: Home, line: Line
) -> None:
    for happens, name, says in (
        ("archived", "Rice", "Rice is archived, so the change wasn’t saved."),
        ("deleted", "Oats", "Oats is no longer in your stock, so the change wasn’t saved."),
        ("demoted", "Corn", "Corn wasn’t changed: only adults can change counts."),
    ):
        with case(happens):
            line.becomes("cut")
            await presses(phone, -1, name=name)
            await waits(phone, name)
            if happens == "demoted":
                demote(home)
            else:
                home.admin.ask("POST", f"/items/{things[name]}/archive")
            if happens == "deleted":
                version = home.admin.ask("GET", f"/items/{things[name]}")["version"]
                home.admin.ask("DELETE", f"/items/{things[name]}?version={version}")
            line.becomes("open")
            await phone.sees(says)
            await waits(phone, name, waits=False)
            await wait_until_equal(
                [], lambda: phone.page.evaluate(CHANGES)
            )  # nothing is left to report
            await phone.page.reload()
            await phone.sees("Stock")
            await phone.sees_nothing_of(says)


async def test_lost_press_is_reported_in_its_family(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("cut")
    await presses(phone, -1)
    await waits(phone)
    await phone.page.close()
    home.admin.ask("POST", f"/items/{rice}/archive")
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    lost = "async (phone) => (await phone.listLost()).map(({ label }) => label)"
    await wait_until_equal(["Rice"], lambda: within(phone.page, lost))
    await phone.page.reload()
    await expect(phone.page.locator("shopping-list")).to_be_visible()
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()
    await phone.go("/stock")
    await phone.sees("Rice is archived, so the change wasn’t saved.")


async def test_pending_press_is_not_sent_for_another_user(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    other = home.child("Kid" + home.admin.name)
    line.becomes("cut")
    await presses(phone, -1)
    await waits(phone)
    await phone.page.close()
    line.becomes("open")
    await sign_in(phone, other, line)
    await expect(phone.page.locator(".row-count")).to_have_text("5")
    await phone.page.evaluate(SENDS)
    assert adjusted(home, rice) == []
    await phone.page.close()
    await sign_in(phone, home.admin, line)
    await wait_until_equal([-1], lambda: _adjusted(home, rice))


async def test_change_sent_a_day_ago_asks_the_user(phone: Visitor, home: Home, rice: str) -> None:
    counts: list[int]
    for choice, counts in (("Leave as is", []), ("Send again", [-2])):
        with case(choice):
            assert await _waiting(phone) == []
            await phone.page.evaluate(SENT_LONG_AGO, [rice, home.admin.member_id, _family(home)])
            await phone.page.reload()
            await phone.sees(
                "2 less Rice: we sent this a day ago and got no answer. Send it again?"
            )
            await expect(counted(phone)).to_have_text("5")
            assert adjusted(home, rice) == []
            await phone.press(choice)
            await expect(phone.found(choice)).to_be_hidden()
            await wait_until_equal([], lambda: _waiting(phone))
            await wait_until_equal(counts, partial(_adjusted, home, rice))


def demote(home: Home) -> None:
    """Make the admin a child, by another admin."""
    other = home.child("Co" + home.admin.name)
    people = home.admin.ask("GET", "/members")["items"]
    versions = {each["memberId"]: each["version"] for each in people}
    for who, by, role in ((other, home.admin, "admin"), (home.admin, other, "suggester")):
        body = {"role": role, "version": versions[who.member_id]}
        by.ask("PATCH", f"/members/{who.member_id}", body)


async def sign_in(phone: Visitor, who: Resident, line: Line) -> None:
    await phone.context.clear_cookies()
    phone.page = await phone.context.new_page()
    await who.sign_in_to(phone.context, line.url)
    await phone.go("/stock")


async def _adjusted(home: Home, item_id: str) -> list[int]:
    return adjusted(home, item_id)


async def _waiting(phone: Visitor) -> list[str]:
    found: list[str] = await within(
        phone.page, "async (phone) => (await phone.listWaiting()).map(({ label }) => label)"
    )
    return found


def _family(home: Home) -> str:
    family_id: str = home.admin.ask("GET", "/family")["familyId"]
    return family_id


SENT_LONG_AGO = """([about, who, family]) => new Promise((done) => {
  indexedDB.open("homeshelf").onsuccess = ({ target }) => {
    const writing = target.result.transaction("changes", "readwrite");
    writing.objectStore("changes").put({
      kind: "item.adjust", about, who, family, label: "Rice", method: "POST", key: "k".repeat(32),
      path: `/api/v1/items/${about}/adjust`, body: { delta: -2 }, seen: null, question: null,
      over: null, sent: "2020-01-01T00:00:00.000Z",
    });
    writing.oncomplete = done;
  };
})"""
