"""What one phone changes, another that shows it has at once, and nobody is disturbed by it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.home import Home, found_home
from tests.browser.lindqvists import Household
from tests.browser.live import (
    caught_up,
    has_heard,
    looks,
    shows_within_a_second,
    stop_clock,
    until,
    until_in_time,
)
from tests.browser.visitor import Visitor, Visitors

CALM = 1500
"""So long after the last touch nothing moves."""
TOGETHER, PAUSE = 100, 500
"""So long a page waits for more changes before it looks, and after a look for the next."""
SETTLED = 2500
"""After so long a page looks once more where indexes may be behind."""
REAL_MOMENT = 300
"""In which a page would have asked, if it was about to."""


@pytest.fixture
def home(household: Household, fresh: str) -> Home:
    return found_home(household, fresh)


async def shows(place: Locator, text: str) -> None:
    await expect(place).to_contain_text(text)


async def hides(place: Locator) -> None:
    await expect(place).to_have_count(0)


def row(visitor: Visitor, id_: str) -> Locator:
    return visitor.page.locator(f"li[id='{id_}']")


def region(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"live-region#{name}")


async def test_a_childs_stock_follows(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 2)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    await emma.go("/stock")
    await expect(row(emma, coffee).locator(".row-count")).to_have_text("3")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": -2})
    await expect(row(emma, coffee).locator(".row-count")).to_have_text("1")
    await shows(row(emma, coffee), "running low")
    await shows(emma.page.locator(".chips"), "Running low 1")
    tea = home.item("Tea", 1, 0)
    await shows(row(emma, tea), "Tea")
    pantry = home.admin.ask("POST", "/locations", {"name": "Pantry"})["locationId"]
    home.admin.ask("PATCH", f"/items/{tea}", {"locationId": pantry, "version": 1})
    await shows(region(emma, "stock").locator("section").first, "Tea")
    await shows(region(emma, "stock").locator("h2").first, "Pantry")
    home.admin.ask("POST", f"/items/{tea}/archive")
    await hides(row(emma, tea))
    await caught_up(home, emma)
    counted = f"li[id='{coffee}'] .row-count"
    await shows_within_a_second(emma, counted, lambda _: _one_more(home, coffee))


def _one_more(home: Home, item_id: str) -> str:
    answer = home.admin.ask("POST", f"/items/{item_id}/adjust", {"delta": 10})
    return str(answer["item"]["quantity"])


async def test_home_follows(visitors: Visitors, home: Home) -> None:
    emma = home.child(f"Emma-{home.admin.name}")
    phone = await home.phone(visitors)
    await phone.go("/")
    await phone.sees("Three friendly first steps")
    item_id = home.item("Coffee", 1, 2)
    now = region(phone, "now")
    await shows(now, "1 left")
    await hides(now.get_by_text("Three friendly first steps"))
    market = home.store("Market")
    home.admin.ask("POST", "/shopping-list", {"itemId": item_id, "storeId": market})
    await shows(now, "1 thing to buy")
    await shows(now, "Market")
    await shows(now, "on the list")
    emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    await shows(now, "1 wish waits for you")
    home.child(f"Otto-{home.admin.name}")
    await shows(region(phone, "people"), f"Otto-{home.admin.name}")
    await caught_up(home, phone)

    def runs_low(number: int) -> str:
        home.item(f"Tea {number}", 0, 1)
        return f"Tea {number}"

    await shows_within_a_second(phone, "live-region#now", runs_low)


async def test_places_follow_and_what_is_typed_stays(visitors: Visitors, home: Home) -> None:
    pantry = home.admin.ask("POST", "/locations", {"name": "Pantry"})["locationId"]
    phone = await home.phone(visitors)
    await phone.go("/places")
    await row(phone, pantry).locator("summary").click()
    field = row(phone, pantry).get_by_label("Name")
    await field.fill("Larder")
    await phone.write("Another shop", "Corner sh")
    shop = phone.field("Another shop")
    home.store("Market")
    await shows(region(phone, "stores"), "Market")
    cellar = home.admin.ask("POST", "/locations", {"name": "Cellar"})["locationId"]
    await shows(row(phone, cellar), "Cellar")
    await expect(shop).to_be_focused()
    await expect(shop).to_have_value("Corner sh")
    await expect(field).to_have_value("Larder")
    assert await row(phone, pantry).locator("details").get_attribute("open") is not None

    home.admin.ask("PATCH", f"/locations/{pantry}", {"name": "Chamber", "version": 1})
    await shows(row(phone, pantry).locator("summary"), "Chamber")
    await expect(field).to_have_value("Larder")
    await row(phone, pantry).get_by_role("button", name="Save").click()
    await phone.sees("Somebody changed this meanwhile.")
    assert home.admin.ask("GET", f"/locations/{pantry}")["name"] == "Chamber"
    await phone.go("/places")
    await caught_up(home, phone)

    def opens(number: int) -> str:
        home.store(f"Bakery {number}")
        return f"Bakery {number}"

    await shows_within_a_second(phone, "live-region#stores", opens)


async def test_a_page_that_answers_a_form_follows_too(visitors: Visitors, home: Home) -> None:
    home.store("Market")
    phone = await home.phone(visitors)
    await phone.go("/places")
    await phone.write("Another shop", "market")
    await phone.page.keyboard.press("Enter")
    await phone.sees("There is one of that name.")
    await phone.page.evaluate("document.activeElement.blur()")
    home.store("Bakery")
    await shows(region(phone, "stores"), "Bakery")
    await expect(phone.field("Another shop")).to_have_value("market")


async def test_the_page_of_an_item_follows(visitors: Visitors, home: Home) -> None:
    coffee, market = home.item("Coffee", 3, 2), home.store("Market")
    phone = await home.phone(visitors)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    for each in (phone, emma):
        await each.go(f"/stock/{coffee}")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": -2})
    for each in (phone, emma):
        await shows(region(each, "item"), "Running low")
    await expect(phone.page.locator("output")).to_have_text("1")
    await expect(emma.page.locator(".row-count")).to_have_text("1")
    changes = {"name": "Good coffee", "preferredStoreId": market, "version": 2}
    home.admin.ask("PATCH", f"/items/{coffee}", changes)
    for each in (phone, emma):
        await shows(each.page.locator("h1"), "Good coffee")
        await shows(region(each, "item"), "Bought at Market.")
    home.admin.ask("POST", "/shopping-list", {"itemId": coffee})
    await shows(region(phone, "item"), "On the list")
    home.admin.ask("POST", f"/items/{coffee}/nfc-urls", {"label": "the kitchen door"})
    await shows(region(phone, "item"), "the kitchen door")
    await phone.press("One more Good coffee")
    await expect(phone.page.locator("output")).to_have_text("2")
    await expect(emma.page.locator(".row-count")).to_have_text("2")
    await caught_up(home, emma)
    await shows_within_a_second(emma, "#item .row-count", lambda _: _one_more(home, coffee))
    home.admin.ask("DELETE", f"/items/{coffee}")
    await shows(emma.page.locator("main"), "This is not in your stock any more.")


async def test_wishes_follow_and_a_reason_is_not_lost(visitors: Visitors, home: Home) -> None:
    cereal = home.item("Cereal", 1, 0)
    emma = home.child(f"Emma-{home.admin.name}")
    parent, child = await home.phone(visitors), await home.phone(visitors, emma)
    await parent.go("/wishes")
    await child.go("/wishes")
    wish = {"type": "add_to_shopping", "itemId": cereal}
    asked = emma.ask("POST", "/suggestions", wish)["suggestionId"]
    await shows(parent.page.locator(f"article[id='{asked}']"), "Cereal")
    await shows(region(child, "answers"), "Waiting")
    await parent.write("A reason, if it is a no", "Not before dinner")
    later = {"type": "create_item", "proposedItemName": "Candy"}
    other = emma.ask("POST", "/suggestions", later)["suggestionId"]
    await parent.page.evaluate("document.activeElement.blur()")
    await shows(region(parent, "wishes"), "1 more wish after this one")
    home.admin.ask("POST", f"/suggestions/{asked}/approve", {"version": 1})
    await shows(region(child, "answers"), "Yes!")
    await shows(region(parent, "wishes"), "Decided")
    await expect(parent.field("A reason, if it is a no")).to_have_value("Not before dinner")
    await parent.page.locator(f"article[id='{asked}']").get_by_text("Not this time").click()
    await parent.sees("Somebody else has decided that already.")
    await expect(parent.page.locator(f"article[id='{other}']")).to_be_visible()
    home.item("Bananas", 1, 0)
    await shows(region(child, "cards"), "Bananas")
    await child.press("Bananas")
    await expect(child.page.get_by_role("dialog")).to_contain_text("Bananas?")
    await parent.go("/wishes")
    await caught_up(home, parent)

    def asks(number: int) -> str:
        emma.ask("POST", "/suggestions", {**later, "proposedItemName": f"Toy {number}"})
        return f"{number + 1} more wish"

    await shows_within_a_second(parent, "live-region#wishes", asks)


async def test_a_new_shop_is_on_the_list_and_a_new_person_in_the_family(
    visitors: Visitors, home: Home
) -> None:
    phone, other = await home.phone(visitors), await home.phone(visitors)
    await phone.go("/list")
    await other.go("/family")
    home.store("Market")
    await shows(region(phone, "shops"), "Market")
    name = f"Emma-{home.admin.name}"
    emma = home.child(name)
    await shows(region(other, "family"), name)
    home.admin.ask("DELETE", f"/members/{emma.member_id}")
    await hides(row(other, emma.member_id))


async def test_nothing_moves_while_somebody_writes_or_presses(
    visitors: Visitors, home: Home
) -> None:
    home.item("Coffee", 3, 2)
    wish = {"type": "create_item", "proposedItemName": "Candy"}
    emma = home.child(f"Emma-{home.admin.name}")
    emma.ask("POST", "/suggestions", wish)
    writer, presser = await home.phone(visitors), await home.phone(visitors)
    for each, path in ((writer, "/wishes"), (presser, "/stock")):
        await each.page.clock.install()
        await each.go(path)
    await caught_up(home, writer, presser)
    asked = looks(writer), looks(presser)
    reason = writer.field("A reason, if it is a no")
    await reason.focus()
    await presser.page.mouse.move(180, 300)
    await presser.page.mouse.down()
    emma.ask("POST", "/suggestions", wish)
    tea = home.item("Tea", 1, 0)
    for each in (writer, presser):
        await has_heard(each, "InventoryItem", tea)
        await each.page.clock.run_for(2 * CALM)  # nothing may happen in all this time
    await writer.page.wait_for_timeout(REAL_MOMENT)
    assert asked == ([], [])
    await expect(row(presser, tea)).to_have_count(0)
    await expect(reason).to_be_focused()
    await reason.blur()
    await presser.page.mouse.up()
    await shows(region(writer, "wishes"), "1 more wish")
    await expect(row(presser, tea)).to_be_visible()


async def test_the_focus_and_what_is_looked_at_stay(visitors: Visitors, home: Home) -> None:
    for number in range(40):
        home.item(f"Item {number:02}", 5, 0)
    for by_browser in (True, False):
        phone = await home.phone(visitors)
        await phone.go("/stock")
        if not by_browser:
            await phone.page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
        button = phone.found("One more Item 20")
        await button.scroll_into_view_if_needed()
        await button.focus()
        await phone.page.evaluate("scrollBy(0, 200)")
        before = await button.bounding_box()
        added = home.item(f"Another {by_browser}", 1, 0)
        await expect(row(phone, added)).to_be_attached()
        await expect(button).to_be_focused()
        after = await button.bounding_box()
        assert before
        assert after
        assert abs(before["y"] - after["y"]) <= 1


async def test_what_is_sought_stays_found(visitors: Visitors, home: Home) -> None:
    home.item("Rice", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await phone.write("Find", "rice")
    brown, tea = home.item("Brown rice", 1, 0), home.item("Tea", 1, 0)
    await expect(row(phone, brown)).to_be_visible()
    await expect(row(phone, tea)).to_be_attached()
    await expect(row(phone, tea)).to_be_hidden()
    await expect(phone.field("Find")).to_be_focused()


async def test_a_page_is_woken_by_what_it_shows_and_by_nothing_else(
    visitors: Visitors, home: Home
) -> None:
    coffee, tea = home.item("Coffee", 3, 0), home.item("Tea", 3, 0)
    pages = ("/", "/stock", f"/stock/{coffee}", "/places", "/wishes", "/family")
    phones = [await home.phone(visitors) for _ in pages]
    for phone, path in zip(phones, pages, strict=True):
        await phone.go(path)
    fetched = [looks(phone) for phone in phones]

    async def woken(change: Callable[[], Any]) -> set[str]:
        """The pages that something wakes."""
        await caught_up(home, *phones)
        for urls in fetched:
            urls.clear()
        change()
        await caught_up(home, *phones)
        return {path for path, urls in zip(pages, fetched, strict=True) if urls}

    def adjust() -> Any:
        return home.admin.ask("POST", f"/items/{tea}/adjust", {"delta": 1})

    assert await woken(adjust) == {"/", "/stock", "/wishes"}
    assert await woken(lambda: home.store("Market")) == {"/", f"/stock/{coffee}", "/places"}


async def test_a_hundred_changes_are_two_looks(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 0, 0)
    emma = await home.phone(visitors, home.child(f"Emma-{home.admin.name}"))
    await emma.page.clock.install()
    await emma.go("/stock")
    await caught_up(home, emma)
    await stop_clock(emma.page)
    fetched = looks(emma)

    async def hears_of(changes: int) -> None:
        """While its clock stands still."""
        for _ in range(changes):
            home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
        version = home.admin.ask("GET", f"/items/{coffee}")["version"]
        await has_heard(emma, "InventoryItem", coffee, version)

    async def looked(times: int, *, after: int) -> None:
        await emma.page.clock.run_for(after - 1)
        await emma.page.wait_for_timeout(REAL_MOMENT)
        assert len(fetched) == times - 1
        await emma.page.clock.run_for(1)
        await until(emma.page, lambda: len(fetched) == times)

    counted = row(emma, coffee).locator(".row-count")
    await hears_of(60)
    await looked(1, after=TOGETHER)
    await expect(counted).to_have_text("60")
    await hears_of(40)
    await looked(2, after=PAUSE)
    await expect(counted).to_have_text("100")


async def test_a_page_that_nobody_sees_looks_when_somebody_does(
    visitors: Visitors, home: Home
) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    await phone.page.clock.install()
    await phone.go("/stock")
    await caught_up(home, phone)
    await phone.page.evaluate(_HIDDEN, True)
    fetched = looks(phone)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await has_heard(phone, "InventoryItem", coffee, 2)
    await phone.page.clock.run_for(4 * PAUSE)
    await phone.page.wait_for_timeout(REAL_MOMENT)
    assert fetched == []
    await phone.page.evaluate(_HIDDEN, False)
    await expect(row(phone, coffee).locator("output")).to_have_text("4")


async def test_an_index_that_is_behind_is_looked_at_again(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    await phone.page.clock.install()
    await phone.go("/stock")
    await caught_up(home, phone)
    old = await (await phone.context.request.get("/stock")).text()
    await phone.page.evaluate("document.body.dataset.lags = ''")
    looked: list[str] = []

    async def behind(route: Route) -> None:
        looked.append(route.request.url)
        if len(looked) == 1:
            await route.fulfill(body=old, content_type="text/html")
        else:
            await route.continue_()

    await phone.page.route("**/stock", behind)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await has_heard(phone, "InventoryItem", coffee, 2)
    await until(phone.page, lambda: len(looked) == 1)
    await caught_up(home, phone)
    await expect(row(phone, coffee).locator("output")).to_have_text("3")
    await phone.page.clock.run_for(SETTLED)
    await expect(row(phone, coffee).locator("output")).to_have_text("4")
    await phone.page.clock.run_for(2 * SETTLED)
    await phone.page.wait_for_timeout(REAL_MOMENT)
    assert len(looked) == 2


async def test_a_page_says_that_it_hears_nothing_and_catches_up(
    visitors: Visitors, home: Home
) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    signal = phone.page.locator(".signal")
    await expect(signal).to_be_empty()
    await phone.context.set_offline(True)
    await expect(signal).to_have_text("No signal")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await phone.context.set_offline(False)
    await expect(signal).to_be_empty()
    await expect(row(phone, coffee).locator("output")).to_have_text("4")


async def test_a_look_that_fails_is_tried_again(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    await phone.page.clock.install()
    await phone.go("/stock")
    await caught_up(home, phone)
    failures: list[str] = []

    async def fail(route: Route) -> None:
        failures.append(route.request.url)
        if len(failures) < 3:
            await route.abort()
        else:
            await route.continue_()

    await phone.page.route("**/stock", fail)
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await until_in_time(phone.page, PAUSE, lambda: len(failures) == 3)
    await expect(row(phone, coffee).locator("output")).to_have_text("4")


async def test_a_refused_stream_is_asked_for_again(visitors: Visitors, home: Home) -> None:
    coffee = home.item("Coffee", 3, 0)
    phone = await home.phone(visitors)
    refused: list[str] = []

    async def refuse(route: Route) -> None:
        refused.append(route.request.url)
        if len(refused) == 1:
            await route.fulfill(status=429)
        else:
            await route.continue_()

    await phone.page.route("**/api/v1/events*", refuse)
    await phone.page.clock.install()
    await phone.go("/stock")
    signal = phone.page.locator(".signal")
    while not await signal.text_content():
        await phone.page.clock.run_for(PAUSE)
    await expect(signal).to_have_text("No signal")
    home.admin.ask("POST", f"/items/{coffee}/adjust", {"delta": 1})
    await until_in_time(phone.page, PAUSE, lambda: len(refused) == 2)
    await expect(row(phone, coffee).locator("output")).to_have_text("4")
    await expect(signal).to_be_empty()


_HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
