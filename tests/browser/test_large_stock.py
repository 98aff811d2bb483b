"""The stock page with a thousand items: paging and search."""

import asyncio
import re
from collections.abc import Sequence
from threading import Thread

import pytest
from playwright.async_api import Locator, Route

from homeshelf.config import SqliteAt
from homeshelf.inventory.model import new_item
from homeshelf.table import Record, open_database
from tests.browser.accessibility import find_axe_violations
from tests.browser.family_home import Home
from tests.browser.storage import wait_until_processed
from tests.browser.visitor import Visitor, Visitors, expect

PLACES = ("Attic", "Cellar", "Fridge", "Kitchen", "Pantry")


def create_items(home: Home, things: int) -> list[str]:
    """Create items "Thing 0000" and so on in several locations; return names in page order."""
    family_id, by = home.admin.ask("GET", "/family")["familyId"], home.admin.member_id
    places = [home.admin.ask("POST", "/locations", {"name": name}) for name in PLACES]
    items = [
        new_item(
            family_id,
            by,
            {
                "name": f"Thing {number:04}",
                "quantity": number % 7,
                "threshold": 0,
                "location_id": places[number * len(places) // things]["locationId"],
            },
        )
        for number in range(things)
    ]
    _put(home, items)
    return [item.name for item in items]


def _put(home: Home, records: Sequence[Record]) -> None:
    """Write records in a thread, because the caller may have an event loop."""

    async def put() -> None:
        db = open_database(SqliteAt(home.household.data / "homeshelf.db"))
        await db.batch([record.put() for record in records])
        await db.close()

    thread = Thread(target=lambda: asyncio.run(put()))
    thread.start()
    thread.join()


THINGS = 1000
FIRST = 100


@pytest.fixture
def item_names(home: Home) -> list[str]:
    return create_items(home, THINGS)


@pytest.fixture
async def phone(home: Home, item_names: list[str], visitors: Visitors) -> Visitor:
    assert item_names
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await expect(item_rows(phone)).to_have_count(FIRST)
    return phone


def item_rows(phone: Visitor) -> Locator:
    return phone.page.locator("#stock [data-name]")


def visible_rows(phone: Visitor) -> Locator:
    return phone.page.locator("[data-name]:not([hidden])")


async def type_search(phone: Visitor, text: str) -> None:
    await phone.write("Search", text)


async def test_search_finds_items_that_are_not_loaded(phone: Visitor, home: Home) -> None:
    await type_search(phone, "thing 0777")
    await expect(visible_rows(phone)).to_have_count(1)
    await expect(visible_rows(phone)).to_contain_text("Thing 0777")
    await expect(phone.page.get_by_role("link", name="Add “thing 0777”")).to_be_hidden()
    await phone.press("One more Thing 0777")
    await expect(phone.page.locator("form[data-waiting]")).to_have_count(0)
    found = home.admin.ask("GET", "/items?q=thing%200777")["items"]
    assert [item["quantity"] for item in found] == [777 % 7 + 1]


async def test_search_results_join_loaded_rows(phone: Visitor) -> None:
    await type_search(phone, "Thing 000")
    await expect(visible_rows(phone)).to_have_count(10)
    await type_search(phone, "77")
    every = [number for number in range(THINGS) if "77" in f"{number:04}"]
    await expect(visible_rows(phone)).to_have_count(len(every))
    shown = await visible_rows(phone).evaluate_all("rows => rows.map((row) => row.dataset.name)")
    assert sorted(shown) == [f"Thing {number:04}" for number in every]
    headings = phone.page.locator(".stock-group:not([hidden]) > h2:not(.visually-hidden)")
    await expect(headings).to_have_text(["Attic", "Cellar", "Fridge", "Kitchen", "Pantry"])
    ids = await phone.page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(ids) == len(set(ids))
    assert await find_axe_violations(phone.page) == []
    await type_search(phone, "")
    await expect(visible_rows(phone)).to_have_count(FIRST)


async def test_search_offers_to_add_only_unknown_names(phone: Visitor) -> None:
    offered = phone.page.get_by_role("link", name="Add “Saffron”")
    asked = asyncio.Event()

    async def delay_response(route: Route) -> None:
        await asked.wait()
        await route.continue_()

    await phone.page.route("**/stock?q=*", delay_response)
    await type_search(phone, "Saffron")
    await phone.sees("Searching …")
    await expect(offered).to_be_hidden()
    asked.set()
    await expect(offered).to_be_visible()
    await phone.sees_nothing_of("Searching …")


async def test_stale_search_response_is_dropped(phone: Visitor) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        if "0888" in route.request.url:
            held.append(route)
        else:
            await route.continue_()

    await phone.page.route("**/stock?q=*", hold)
    async with phone.page.expect_request("**/stock?q=*0888*"):
        await type_search(phone, "0888")
    await type_search(phone, "0999")
    await expect(visible_rows(phone)).to_contain_text("Thing 0999")
    async with phone.page.expect_response("**/stock?q=*0888*") as late:
        await held[0].continue_()
    await wait_until_processed(phone, await late.value)
    await expect(visible_rows(phone)).to_have_text([re.compile("Thing 0999")])


async def test_offline_search_does_not_claim_no_results(phone: Visitor) -> None:
    await phone.page.route("**/stock?q=*", lambda route: route.abort())
    await type_search(phone, "Thing 0050")
    await expect(visible_rows(phone)).to_have_count(1)
    await type_search(phone, "Thing 0950")
    await phone.sees("You’re offline, so some items may be missing.")
    await expect(phone.page.get_by_role("link", name="Add “Thing 0950”")).to_be_hidden()
    await phone.page.unroute("**/stock?q=*")
    await type_search(phone, "Thing 0951")
    await expect(visible_rows(phone)).to_contain_text("Thing 0951")
    await phone.sees_nothing_of("You’re offline, so some items may be")


async def test_more_rows_load_on_scroll_and_stay(
    phone: Visitor, home: Home, item_names: list[str]
) -> None:
    await item_rows(phone).last.scroll_into_view_if_needed()
    await expect(item_rows(phone)).to_have_count(2 * FIRST)
    await item_rows(phone).last.scroll_into_view_if_needed()
    await expect(item_rows(phone)).to_have_count(4 * FIRST)
    shown = await item_rows(phone).evaluate_all("rows => rows.map((row) => row.dataset.name)")
    assert shown == item_names[: 4 * FIRST]
    late = home.admin.ask("GET", "/items?q=Thing%200399")["items"][0]
    home.admin.ask("POST", f"/items/{late['itemId']}/adjust", {"delta": 90})
    count = phone.page.locator("form[aria-label='Thing 0399'] output")
    await expect(count).to_have_text(str(399 % 7 + 90))
    await expect(item_rows(phone)).to_have_count(4 * FIRST)


async def test_more_rows_load_until_a_tall_screen_is_full(phone: Visitor) -> None:
    await phone.page.set_viewport_size({"width": 360, "height": 20_000})
    await expect(item_rows(phone)).to_have_count(4 * FIRST)


async def test_shorter_response_removes_no_rows(phone: Visitor, home: Home) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await phone.page.route("**/stock", hold)
    async with phone.page.expect_request("**/stock"):
        home.item("Zwieback", 1, 0)
    await item_rows(phone).last.scroll_into_view_if_needed()
    await expect(item_rows(phone)).to_have_count(2 * FIRST)
    await phone.page.evaluate(_COUNTS_LOST)
    async with phone.page.expect_response("**/stock"):
        await held[0].continue_()
    async with phone.page.expect_response("**/stock?rows=200"):
        home.item("Yeast", 1, 0)
    assert await phone.page.evaluate("window.lost") == 0
    await expect(item_rows(phone)).to_have_count(2 * FIRST)


_COUNTS_LOST = """() => {
  window.lost = 0;
  const count = (changes) => changes.forEach(({ removedNodes }) => {
    window.lost += [...removedNodes].filter((node) => node.matches?.("[data-name]")).length;
  });
  new MutationObserver(count).observe(document.body, { subtree: true, childList: true });
}"""


async def test_more_is_a_link_without_scripts(
    home: Home, item_names: list[str], visitors: Visitors
) -> None:
    phone = await home.phone(visitors, script=False)
    await phone.go("/stock")
    await expect(item_rows(phone)).to_have_count(FIRST)
    await phone.press(f"{THINGS - FIRST} more")
    await expect(item_rows(phone)).to_have_count(2 * FIRST)
    await expect(phone.page.get_by_text(item_names[FIRST - 1])).to_be_in_viewport()
