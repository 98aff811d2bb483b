"""Putting a whole trip away on one sheet."""

from asyncio import gather
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, listed_entries, tick, wait_until_all_sent
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line

KNOWN = ("Apples", "Butter", "Coffee", "Flour", "Oats", "Tea")
MOST_TAPS = 6


def buy(home: Home, **body: Any) -> dict[str, Any]:
    entry: dict[str, Any] = home.admin.ask("POST", "/shopping-list", body)
    path = f"/shopping-list/{entry['shoppingItemId']}/status"
    bought: dict[str, Any] = home.admin.ask(
        "PATCH", path, {"status": "purchased", "version": entry["version"]}
    )
    return bought


def stock(home: Home) -> dict[str, int]:
    items = home.admin.ask("GET", "/items?limit=100")["items"]
    return {item["name"]: item["quantity"] for item in sorted(items, key=lambda it: it["name"])}


async def stock_now(home: Home) -> dict[str, int]:
    return stock(home)


def line_of(phone: Visitor, name: str) -> Locator:
    return phone.page.locator("#trip .trip-row").filter(
        has=phone.page.get_by_text(name, exact=True)
    )


@pytest.fixture
def trip(home: Home) -> dict[str, str]:
    """Six known things and two unknown ones were bought."""
    items = {name: home.item(name, 1, 0) for name in KNOWN}
    for item_id in items.values():
        buy(home, itemId=item_id, quantity=2)
    for name in ("Scented candles", "Balloons"):
        buy(home, name=name)
    return items


async def test_trip_with_two_unknown_things_is_put_away_in_six_taps(
    visitors: Visitors, home: Home, trip: dict[str, str]
) -> None:
    candles = home.item("Candles", 3, 0)
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.page.evaluate(
        "addEventListener('pointerup', () => (window.taps = (window.taps ?? 0) + 1), true)"
    )
    await phone.press("Put away")
    await expect(phone.page.locator("#trip .trip-row")).to_have_count(len(KNOWN) + 2)
    await line_of(phone, "Balloons").get_by_text("Not this one").click()
    await line_of(phone, "Scented candles").get_by_text("Match to an item").click()
    await phone.page.get_by_role("option", name="Candles").click()
    await phone.press("Put all away")
    await phone.sees("8 items put away.")
    assert 3 < await phone.page.evaluate("taps") <= MOST_TAPS
    await phone.rest_on("Undo")
    wanted = dict.fromkeys(KNOWN, 3) | {"Candles": 4}
    await wait_until_equal(dict(sorted(wanted.items())), lambda: stock_now(home))
    await expect(phone.page.locator(".trip-end")).to_be_hidden()
    await wait_until_all_sent(phone)
    await phone.press("Undo")
    await phone.sees("8 items bought.")
    before = dict.fromkeys(KNOWN, 1) | {"Candles": 3}
    await wait_until_equal(dict(sorted(before.items())), lambda: stock_now(home))
    assert candles
    assert trip


async def test_counts_choices_and_picker_work_with_the_keyboard(
    visitors: Visitors, home: Home
) -> None:
    fridge = home.admin.ask("POST", "/locations", {"name": "Fridge"})["locationId"]
    tea = home.item("Tea", 1, 0)
    home.item("Butter", 1, 0, locationId=fridge)
    entries = [buy(home, name="Salted butter"), buy(home, name="Darjeeling"), buy(home, itemId=tea)]
    archived = home.item("Cocoa", 1, 0)
    buy(home, itemId=archived)
    home.admin.ask("POST", f"/items/{archived}/archive")
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.press("Put away")
    await expect(line_of(phone, "Salted butter")).to_contain_text("Fridge")
    await phone.sees("Cocoa is archived: review")
    more = line_of(phone, "Tea").get_by_role("button", name="One more Tea")
    await more.focus()
    for _ in range(2):
        await phone.page.keyboard.press("Enter")
    await line_of(phone, "Darjeeling").get_by_role("radio", name="Track it").focus()
    await phone.page.keyboard.press("ArrowRight")
    picker = line_of(phone, "Darjeeling").get_by_role("combobox")
    await expect(picker).to_be_focused()
    await phone.press("Put all away")
    await expect(phone.page.get_by_role("dialog", name="Put away")).to_be_visible()
    await picker.fill("te")
    await phone.page.keyboard.press("ArrowDown")
    await phone.page.keyboard.press("Enter")
    await expect(picker).to_have_value("Tea")
    await phone.press("Put all away")
    await phone.sees("3 items put away.")
    await wait_until_equal({"Butter": 1, "Salted butter": 1, "Tea": 5}, lambda: stock_now(home))
    await phone.sees("1 item bought.")
    id_ = home.admin.ask("GET", f"/shopping-list/{entries[0]['shoppingItemId']}")["itemId"]
    assert home.admin.ask("GET", f"/items/{id_}")["locationId"] == fridge


async def test_two_people_put_one_trip_away_and_everything_counts_once(
    visitors: Visitors, home: Home, trip: dict[str, str]
) -> None:
    mine, other = [await home.phone(visitors) for _ in range(2)]
    for phone in (mine, other):
        await phone.go("/list")
        await phone.press("Put away")
    await gather(mine.press("Put all away"), other.press("Put all away"))
    wanted = dict.fromkeys(trip, 3) | {"Balloons": 1, "Scented candles": 1}
    await wait_until_equal(wanted, lambda: stock_now(home))
    for phone in (mine, other):
        await expect(phone.page.locator(".trip-end")).to_be_hidden()
        await wait_until_all_sent(phone)
    assert stock(home) == wanted


async def test_second_person_is_told_what_was_already_put_away(
    visitors: Visitors, home: Home, trip: dict[str, str]
) -> None:
    mine, other = [await home.phone(visitors) for _ in range(2)]
    for phone in (mine, other):
        await phone.go("/list")
        await phone.press("Put away")
    await other.context.set_offline(True)
    await mine.press("Put all away")
    wanted = dict.fromkeys(trip, 3) | {"Balloons": 1, "Scented candles": 1}
    await wait_until_equal(wanted, lambda: stock_now(home))
    await line_of(other, "Apples").get_by_role("button", name="One more Apples").click()
    await other.press("Put all away")
    await other.sees("8 items put away.")
    await other.context.set_offline(False)
    bar = other.page.locator(".decision-bar")
    await expect(bar).to_contain_text("Oats, and Tea")
    await expect(bar).to_contain_text("were already put away, so they weren’t counted again.")
    await other.press("Review")
    await other.page.get_by_role("button", name="OK", exact=True).click()
    await expect(bar).to_be_hidden()
    visitors.complaints.clear()  # the browser reports requests without a connection
    assert stock(home) == wanted


async def test_entries_that_others_put_away_leave_the_open_sheet(
    visitors: Visitors, home: Home, trip: dict[str, str]
) -> None:
    phone = await home.phone(visitors)
    await phone.go("/list")
    await phone.press("Put away")
    for entry in home.admin.ask("GET", "/shopping-list?limit=100")["items"]:
        path = f"/shopping-list/{entry['shoppingItemId']}"
        if entry["name"] == "Tea":
            home.admin.ask("POST", f"{path}/put-away", {"version": entry["version"]})
        if entry["name"] == "Oats":
            status = {"status": "pending", "version": entry["version"]}
            home.admin.ask("PATCH", f"{path}/status", status)
    await phone.sees("Someone else already put Tea away.")
    await phone.sees("Oats is back on the list.")
    await phone.press("Put all away")
    await phone.sees("6 items put away.")
    await wait_until_equal(
        {"Apples": 3, "Balloons": 1, "Butter": 3, "Coffee": 3}
        | {"Flour": 3, "Oats": 1, "Scented candles": 1, "Tea": 3},
        lambda: stock_now(home),
    )
    await expect(phone.page.locator(".decision-bar")).to_be_hidden()
    assert trip


async def test_trip_is_put_away_without_a_signal_and_sent_once(
    visitors: Visitors, home: Home, line: Line
) -> None:
    tea = home.item("Tea", 1, 0)
    home.admin.ask("POST", "/shopping-list", {"itemId": tea, "quantity": 2})
    phone = await open_phone(home, visitors, line, "/list")
    await expect(entry_row(phone, "Tea")).to_be_visible()
    line.becomes("cut")
    await tick(phone, "Tea")
    await phone.press("Put away")
    await phone.press("Put all away")
    await phone.sees("Tea put away.")
    line.becomes("deaf")
    line.becomes("open")
    await wait_until_equal({"Tea": 3}, lambda: stock_now(home), 40)
    await wait_until_all_sent(phone)
    visitors.complaints.clear()
    assert listed_entries(home) == ["Tea 2 purchased"]


async def test_trip_is_put_away_without_scripts(visitors: Visitors, home: Home) -> None:
    home.item("Candles", 3, 0)
    tea = home.item("Tea", 1, 0)
    buy(home, itemId=tea, quantity=2)
    buy(home, name="Scented candles")
    phone = await home.phone(visitors, script=False)
    await phone.go("/list")
    await phone.press("Put away")
    await phone.reads_above_all("Put away")
    await phone.page.get_by_text("Match to an item").first.click()
    await phone.page.get_by_role("combobox").select_option("Candles")
    await phone.press("Put all away")
    await phone.sees("Put away. Your stock is up to date.")
    assert stock(home) == {"Candles": 4, "Tea": 3}
