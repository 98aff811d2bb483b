"""Changes survive a page that closes before the browser's database has stored them.

A transaction that does not end keeps the database busy here (`tests/browser/storage.py`).
"""

import pytest

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.list_page import add, expect_bought, listed_entries, tick, wait_until_all_sent
from tests.browser.share_page import SharedList
from tests.browser.share_page import checklist_row as row_of
from tests.browser.share_page import tick as tick_of
from tests.browser.stock_page import (
    TAKE,
    adjustments_of,
    count_output,
    expect_waiting,
    place_by_item,
    press_steppers,
    quantity_by_item,
    type_items,
)
from tests.browser.stock_page import taken_row as counted_up
from tests.browser.storage import (
    BLOCK_DATABASE,
    CHANGES,
    FAIL_DATABASE,
    JOURNAL_SIZE,
    pending_names,
    wait_until_equal,
)
from tests.browser.visitor import Visitor, expect
from tests.network import Line


@pytest.fixture
def rice(home: Home) -> str:
    return home.item("Rice", 5, 0)


async def press_while_cut(phone: Visitor, line: Line) -> None:
    await phone.go("/stock")
    line.becomes("cut")
    await press_steppers(phone, -1)
    await wait_until_equal(["Rice"], lambda: pending_names(phone))


async def open_while_busy(phone: Visitor, path: str) -> None:
    await phone.go(path)
    assert await pending_names(phone) == []  # creates the database
    await phone.page.evaluate(BLOCK_DATABASE)


async def close_page(phone: Visitor, path: str = "/family") -> None:
    """Close the page before anything was stored in the database."""
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.page.goto("/api/v1/me")  # a response without scripts
    assert await phone.page.evaluate(CHANGES) == []
    await phone.go(path)


async def test_stock_presses_survive_busy_database(
    phone: Visitor, home: Home, line: Line, rice: str
) -> None:
    await open_while_busy(phone, "/stock")
    await press_steppers(phone, -1, -1, 1, -1)
    await expect_waiting(phone)
    line.becomes("cut")
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/stock")
    await expect(count_output(phone)).to_have_text("3")
    await expect_waiting(phone)
    assert adjustments_of(home, rice) == []
    line.becomes("open")
    await wait_until_equal([-2], lambda: _adjustments(home, rice))
    await expect_waiting(phone, waits=False)
    assert await phone.page.evaluate(JOURNAL_SIZE) == 0


@pytest.fixture
def apples_and_bread(home: Home) -> None:
    for name in ("Apples", "Bread"):
        home.admin.ask("POST", "/shopping-list", {"name": name})


@pytest.mark.usefixtures("apples_and_bread")  # before the phone, which keeps the list at once
async def test_list_changes_survive_busy_database_in_order(phone: Visitor, home: Home) -> None:
    await open_while_busy(phone, "/list")
    for name in ("Apples", "Bread", "Bread"):
        await tick(phone, name)
    await add(phone, "Tea")
    await tick(phone, "Tea")
    await expect_bought(phone, "Tea", yes=True)
    await close_page(phone, "/list")
    await expect_bought(phone, "Tea", yes=True)
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["Apples purchased", "Bread", "Tea purchased"]


async def test_stocktaking_at_new_place_survives_busy_database(phone: Visitor, home: Home) -> None:
    await open_while_busy(phone, TAKE)
    await phone.page.evaluate(STANDING_CLOCK)
    await phone.open("More options")
    await phone.write("New place", "Cellar")
    await type_items(phone, "Wine 6", "Beer", "wine 2")
    await expect(counted_up(phone, "Wine").locator("small")).to_have_text("8 now")
    await phone.press("Undo Beer")
    await close_page(phone, TAKE)
    await wait_until_equal([], lambda: pending_names(phone))
    assert await quantity_by_item(home) == {"Wine": 8}
    assert place_by_item(home) == {"Wine": "Cellar"}


async def test_shared_list_ticks_survive_busy_database(
    phone: Visitor, household: DemoHousehold
) -> None:
    camping = SharedList(household, "Tent", "Rope")
    await open_while_busy(phone, camping.path)
    await tick_of(phone.page, "Tent").click()
    await expect(row_of(phone.page, "Tent")).to_contain_class("entry-pending")
    await close_page(phone)
    await wait_until_equal(["Tent"], lambda: _ticked_names(camping))


async def test_journal_entry_is_applied_once(
    phone: Visitor, home: Home, line: Line, rice: str
) -> None:
    """The page closes between storing a change and deleting its journal entry."""
    await open_while_busy(phone, "/stock")
    line.becomes("cut")
    await press_steppers(phone, -1)
    await expect_waiting(phone)
    found = await phone.page.evaluate(COPY)
    await phone.page.evaluate("isBusy = false")
    await wait_until_equal(["Rice"], lambda: pending_names(phone))
    await phone.page.evaluate(PUT_BACK, found)
    await phone.page.reload()
    await wait_until_equal(0, lambda: phone.page.evaluate(JOURNAL_SIZE))
    await expect(count_output(phone)).to_have_text("4")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjustments(home, rice))
    await expect_waiting(phone, waits=False)
    await phone.page.evaluate(PUT_BACK, found)
    await phone.page.reload()
    await wait_until_equal(0, lambda: phone.page.evaluate(JOURNAL_SIZE))
    await wait_until_equal([], lambda: pending_names(phone))
    assert adjustments_of(home, rice) == [-1]


async def test_failing_database_is_retried(
    phone: Visitor, home: Home, line: Line, rice: str
) -> None:
    await press_while_cut(phone, line)
    await phone.go("/offline")  # has no live updates and sends on its timer
    await phone.page.evaluate(FAIL_DATABASE)
    await wait_until_equal(True, lambda: phone.page.evaluate("failed > 0"))
    await phone.page.evaluate("isFailing = false")
    line.becomes("open")
    await wait_until_equal([-1], lambda: _adjustments(home, rice))


async def test_database_failure_at_page_load_delays_only_sending(
    phone: Visitor, home: Home, line: Line, rice: str
) -> None:
    await press_while_cut(phone, line)
    await phone.page.add_init_script(FAIL_DATABASE)
    await phone.go("/family")
    await wait_until_equal(True, lambda: phone.page.evaluate("failed > 0"))
    await phone.page.evaluate("isFailing = false")
    line.becomes("open")
    await phone.page.evaluate("dispatchEvent(new Event('online'))")
    await wait_until_equal([-1], lambda: _adjustments(home, rice))


async def _adjustments(home: Home, item_id: str) -> list[int]:
    return adjustments_of(home, item_id)


async def _ticked_names(handed: SharedList) -> list[str]:
    return handed.ticked


STANDING_CLOCK = "() => { const now = performance.now(); performance.now = () => now; }"
COPY = "({ ...localStorage })"
PUT_BACK = "(found) => { Object.assign(localStorage, found); }"
