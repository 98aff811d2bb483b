"""Late responses and undo of several changes at once."""

import asyncio
from contextlib import suppress

from playwright.async_api import Error, Route

from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row, listed_entries
from tests.browser.stock_page import count_output, expect_waiting, press_steppers
from tests.browser.storage import wait_until_equal, wait_until_processed
from tests.browser.tag_page import TaggedItem, expect_count
from tests.browser.visitor import Visitors, expect


class HeldResponse:
    """The first response to a request, held until the test releases it."""

    def __init__(self) -> None:
        self.is_made, self.passes, self.is_given = (asyncio.Event() for _ in range(3))
        self._is_first = True

    async def __call__(self, route: Route) -> None:
        if not self._is_first:
            await route.fallback()
            return
        self._is_first = False
        answer = await route.fetch()
        self.is_made.set()
        await self.passes.wait()
        with suppress(Error):  # a page that has timed out asks again
            await route.fulfill(response=answer)
        self.is_given.set()


class RequestGate:
    """Holds requests on their way to the server, to release them one by one."""

    def __init__(self) -> None:
        self.has_come, self.first, self.rest = (asyncio.Event() for _ in range(3))

    async def __call__(self, route: Route) -> None:
        passes = self.rest if self.has_come.is_set() else self.first
        self.has_come.set()
        await passes.wait()
        await route.continue_()


async def test_undo_removes_all_entries_added_at_once(visitors: Visitors, home: Home) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Bread", "quantity": 2})
    phone = await home.phone(visitors)
    await phone.go("/list")
    await add(phone, "3 bread, apples, pears")
    await phone.press("Make it 5")
    await phone.sees("Added 3 items.")
    await phone.rest_on("Undo")
    await wait_until_equal(["Bread 5", "apples", "pears"], lambda: _listed(home))
    await phone.press("Undo")
    await expect(entry_row(phone, "apples")).to_have_count(0)
    await wait_until_equal(["Bread 2"], lambda: _listed(home))


async def test_response_older_than_a_change_causes_another_read(
    visitors: Visitors, home: Home
) -> None:
    phone = await home.phone(visitors)
    await phone.go("/places")
    held = HeldResponse()
    await phone.page.route("**/places", held)
    home.store("Market")
    await held.is_made.wait()
    store = home.store("Bakery")
    await phone.page.wait_for_function("(id) => heard.some((each) => each.id === id)", arg=store)
    held.passes.set()
    stores = phone.page.locator("live-region#stores")
    await expect(stores).to_contain_text("Market")
    await expect(stores).to_contain_text("Bakery")


async def test_late_response_of_earlier_search_is_not_shown(visitors: Visitors, home: Home) -> None:
    for name in ("Apples", "Bananas"):
        home.item(name, 1, 0)
    phone = await home.phone(visitors)
    await phone.page.route("**/stock", claim_more_items)
    await phone.go("/stock")
    held = HeldResponse()
    await phone.page.route("**/stock?q=*", held)
    await phone.write("Search", "apples")
    await held.is_made.wait()
    async with phone.page.expect_response("**/stock?q=bananas*") as newer:
        await phone.write("Search", "bananas")
    await wait_until_processed(phone, await newer.value)
    held.passes.set()
    await held.is_given.wait()
    await wait_until_processed(phone, await newer.value)
    found = phone.page.locator("[data-name]:not([hidden])")
    await expect(found).to_have_count(1)
    await expect(found).to_contain_text("Bananas")


async def test_count_in_the_stock_is_never_shown_below_zero(visitors: Visitors, home: Home) -> None:
    """Another member empties the stock while one press is in flight and another is pending."""
    rice = home.item("Rice", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    passing = RequestGate()
    await phone.page.route("**/adjust", passing)
    await press_steppers(phone, -1)
    await passing.has_come.wait()
    await press_steppers(phone, -1)
    await expect(count_output(phone)).to_have_text("1")
    home.admin.ask("POST", f"/items/{rice}/adjust", {"delta": -2})
    passing.first.set()
    await expect(count_output(phone)).to_have_text("0")
    await expect(phone.found("One less Rice")).to_be_disabled()
    passing.rest.set()
    await expect_waiting(phone, waits=False)
    await expect(count_output(phone)).to_have_text("0")


async def test_count_at_a_tag_is_never_shown_below_zero(
    visitors: Visitors, tagged: TaggedItem
) -> None:
    """Another member empties the stock while the tap is in flight and more presses follow."""
    visitor = await visitors.arrive()
    passing = RequestGate()
    await visitor.page.route("**/api/v1/taps/**", passing)
    await visitor.go(tagged.path)
    await passing.has_come.wait()
    for _ in range(2):
        await visitor.press("Take 1")
    number = visitor.page.locator(".tap-count[data-waiting]")
    await expect(number).to_have_text("1")
    tagged.admin.ask("POST", f"/items/{tagged.item_id}/adjust", {"delta": -4})
    passing.first.set()
    await expect(number).to_have_text("0")
    passing.rest.set()
    await expect_count(visitor.page, 0)


async def _quantities(home: Home, items: list[str]) -> list[int]:
    return [home.admin.ask("GET", f"/items/{item}")["quantity"] for item in items]


async def _listed(home: Home) -> list[str]:
    return listed_entries(home)


async def claim_more_items(route: Route) -> None:
    """Make the page say that the server has more items."""
    answer = await route.fetch()
    page = (await answer.text()).replace(' id="stock"', ' id="stock" data-partial=""')
    await route.fulfill(response=answer, body=page)
