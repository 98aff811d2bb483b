"""The stock on a bad connection: presses are stored and sent once."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.browser.demo_household import Resident
from tests.browser.family_home import Home
from tests.browser.stock_page import adjustments_of, count_output, expect_waiting, press_steppers
from tests.browser.storage import (
    CHANGES,
    FAIL_DATABASE,
    SENDS,
    open_phone,
    pending_names,
    run_with_queue,
    wait_until_equal,
)
from tests.browser.visitor import Visitor, Visitors, expect
from tests.cases import case
from tests.network import Line


@pytest.fixture
def rice(home: Home) -> str:
    return home.item("Rice", 5, 0)


@pytest.fixture
def item_ids(home: Home, rice: str) -> dict[str, str]:
    """Rice and two other items, created before the phone opens the page."""
    return {"Rice": rice, **{name: home.item(name, 5, 0) for name in ("Oats", "Corn")}}


@pytest.fixture
async def phone(home: Home, visitors: Visitors, line: Line, rice: str) -> AsyncIterator[Visitor]:
    assert rice
    phone = await open_phone(home, visitors, line, "/stock")
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


async def reopen_page(phone: Visitor, path: str = "/stock") -> None:
    """Close the tab and open another page."""
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go(path)


async def test_offline_presses_outlive_page_and_are_sent_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("cut")
    await press_steppers(phone, -1, -1, 1, -1)
    await expect(count_output(phone)).to_have_text("3")
    await expect_waiting(phone)
    await reopen_page(phone)
    await expect(count_output(phone)).to_have_text("3")
    await expect_waiting(phone)
    await press_steppers(phone, -1)
    await expect(count_output(phone)).to_have_text("2")
    await phone.page.close()
    assert adjustments_of(home, rice) == []
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.go("/stock")
    await expect(count_output(phone)).to_have_text("2")
    await expect_waiting(phone, waits=False)
    assert adjustments_of(home, rice) == [-3]


async def test_press_is_kept_if_page_closes_at_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("cut")
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    await reopen_page(phone, "/family")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjustments(home, rice))


async def test_change_that_cannot_be_stored_is_reported_and_undone(
    phone: Visitor, home: Home, rice: str
) -> None:
    assert await pending_names(phone) == []  # creates the database
    await phone.page.evaluate(FAIL_DATABASE)
    await press_steppers(phone, -1)
    await phone.sees("That didn’t work. Try again.")
    await phone.page.evaluate("isFailing = false")
    await phone.page.evaluate("document.dispatchEvent(new Event('homeshelf:queue'))")
    await expect(count_output(phone)).to_have_text("5")
    await expect_waiting(phone, waits=False)
    assert adjustments_of(home, rice) == []


async def test_press_with_lost_response_counts_once(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    before: list[int] = []
    for path, there in (("/stock", 5), (f"/stock/{rice}", 4)):
        with case(path):
            if before:
                await phone.go(path)
            await expect(count_output(phone)).to_have_text(str(there))
            await press_steppers(phone, 1)
            await expect_waiting(phone, waits=False)
            line.becomes("deaf")
            await press_steppers(phone, -1)
            await wait_until_equal([*before, 1, -1], partial(_adjustments, home, rice))
            await expect_waiting(phone)
            await press_steppers(phone, -1)
            await expect(count_output(phone)).to_have_text(str(there - 1))
            line.becomes("open")
            await expect_waiting(phone, waits=False)
            await expect(count_output(phone)).to_have_text(str(there - 1))
            before += [1, -1, -1]
            assert adjustments_of(home, rice) == before


async def test_unstable_connection_loses_and_duplicates_no_press(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    line.becomes("hang")
    await press_steppers(phone, -1)
    await expect(count_output(phone)).to_have_text("4")
    await expect_waiting(phone)
    async with line.flapping(0.7):
        for _ in range(4):
            await press_steppers(phone, 1)
            await phone.page.wait_for_timeout(600)
    await expect_waiting(phone, waits=False)
    await expect(count_output(phone)).to_have_text("8")
    assert sum(adjustments_of(home, rice)) == 3


async def test_live_update_does_not_revert_pending_press(
    visitors: Visitors, home: Home, rice: str
) -> None:
    milk = home.item("Milk", 2, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await expect(count_output(phone, "Milk")).to_have_text("2")
    await phone.page.route("**/adjust", lambda route: route.abort())
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    for item_id in (rice, milk):
        home.admin.ask("POST", f"/items/{item_id}/adjust", {"delta": 4})
    await expect(count_output(phone, "Milk")).to_have_text("6")
    await expect(count_output(phone)).to_have_text("4")
    await expect_waiting(phone)
    await phone.page.unroute("**/adjust")
    await expect_waiting(phone, waits=False)
    await expect(count_output(phone)).to_have_text("8")
    assert adjustments_of(home, rice) == [4, -1]


async def test_older_page_shows_count_of_last_response(
    phone: Visitor, home: Home, rice: str, line: Line
) -> None:
    """A cached page has the counts of the time it was cached."""
    line.becomes("cut")
    await press_steppers(phone, -1)
    await reopen_page(phone, "/family")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjustments(home, rice))
    await wait_until_equal([], lambda: _waiting_labels(phone))
    line.becomes("cut")
    await phone.go("/stock")
    await expect(count_output(phone)).to_have_text("4")
    await expect_waiting(phone, waits=False)


async def test_lost_press_is_reported(
    item_ids: dict[str, str], phone: Visitor, home: Home, line: Line
) -> None:
    for happens, name, says in (
        ("archived", "Rice", "Rice is archived, so the change wasn’t saved."),
        ("deleted", "Oats", "Oats is no longer in your stock, so the change wasn’t saved."),
        ("demoted", "Corn", "Corn wasn’t changed: only adults can change counts."),
    ):
        with case(happens):
            line.becomes("cut")
            await press_steppers(phone, -1, name=name)
            await expect_waiting(phone, name)
            if happens == "demoted":
                demote_admin(home)
            else:
                home.admin.ask("POST", f"/items/{item_ids[name]}/archive")
            if happens == "deleted":
                version = home.admin.ask("GET", f"/items/{item_ids[name]}")["version"]
                home.admin.ask("DELETE", f"/items/{item_ids[name]}?version={version}")
            line.becomes("open")
            await phone.sees(says)
            await expect_waiting(phone, name, waits=False)
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
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    await phone.page.close()
    home.admin.ask("POST", f"/items/{rice}/archive")
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await phone.go("/list")
    lost = "async (phone) => (await phone.listLost()).map(({ label }) => label)"
    await wait_until_equal(["Rice"], lambda: run_with_queue(phone.page, lost))
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
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    await phone.page.close()
    line.becomes("open")
    await sign_in(phone, other, line)
    await expect(phone.page.locator(".row-count")).to_have_text("5")
    await phone.page.evaluate(SENDS)
    assert adjustments_of(home, rice) == []
    await phone.page.close()
    await sign_in(phone, home.admin, line)
    await wait_until_equal([-1], lambda: _adjustments(home, rice))


async def test_change_sent_a_day_ago_asks_the_user(phone: Visitor, home: Home, rice: str) -> None:
    counts: list[int]
    for choice, counts in (("Leave as is", []), ("Send again", [-2])):
        with case(choice):
            assert await _waiting_labels(phone) == []
            await phone.page.evaluate(SENT_LONG_AGO, [rice, home.admin.member_id, _family_id(home)])
            await phone.page.reload()
            await phone.sees(
                "2 less Rice: we sent this a day ago and got no answer. Send it again?"
            )
            await expect(count_output(phone)).to_have_text("5")
            assert adjustments_of(home, rice) == []
            await phone.press(choice)
            await expect(phone.found(choice)).to_be_hidden()
            await wait_until_equal([], lambda: _waiting_labels(phone))
            await wait_until_equal(counts, partial(_adjustments, home, rice))


def demote_admin(home: Home) -> None:
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


async def _adjustments(home: Home, item_id: str) -> list[int]:
    return adjustments_of(home, item_id)


async def _waiting_labels(phone: Visitor) -> list[str]:
    found: list[str] = await run_with_queue(
        phone.page, "async (phone) => (await phone.listWaiting()).map(({ label }) => label)"
    )
    return found


def _family_id(home: Home) -> str:
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
