"""The home page: first steps on phones, and the overview on a wall tablet."""

from itertools import pairwise

import pytest
from playwright.async_api import Locator, expect

from tests.browser.family_home import Home
from tests.browser.live_updates import expect_within_a_second, live_region, wait_for_all_changes
from tests.browser.screens import DESKTOP, PHONE, Screen
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors

WALL = ("home-list", "home-low", "home-wishes")
HIGH = "document.documentElement.scrollHeight"
EDGES = """(column) => {
  const { left, right, top } = column.getBoundingClientRect();
  return [left, right, top];
}"""


def step(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"#step-{name}")


async def test_first_step_is_ticked_on_another_phone(visitors: Visitors, home: Home) -> None:
    phone = await home.phone(visitors)
    await phone.go("/")
    await phone.reads_above_all(f"Hello {home.admin.name}")
    steps = live_region(phone, "steps").locator(".steps > li")
    await expect(steps).to_have_count(4)
    await wait_for_all_changes(home, phone)
    home.admin.ask("POST", "/locations", {"name": "Pantry"})
    await expect(step(phone, "places")).to_contain_text("Done")
    for number in range(3):
        home.item(f"Thing {number}", 2, 0)
    await expect(step(phone, "things")).to_contain_text("3 of 10 so far")
    home.child(f"Emma-{home.admin.name}")
    await expect(step(phone, "people")).to_contain_text("Done")
    await expect(steps).to_have_count(4)

    def add_item_and_count(number: int) -> str:
        home.item(f"More {number}", 2, 0)
        return f"{4 + number} of 10"

    await expect_within_a_second(phone, "#step-things", add_item_and_count)
    home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    await expect(step(phone, "list")).to_contain_text("Done")
    for number in range(9):
        home.item(f"Last {number}", 2, 0)
    await expect(steps).to_have_count(0)


@pytest.mark.parametrize("script", [True, False])
async def test_skipped_step_disappears_for_both_and_returns(
    visitors: Visitors, home: Home, script: bool
) -> None:
    mine, other = await home.phone(visitors, script=script), await home.phone(visitors)
    await other.go("/")
    await mine.go("/")
    await mine.press("Skip: Invite your family")
    await mine.sees("Hidden for everyone at home.")
    await mine.sees_nothing_of("Invite your family")
    await expect(step(other, "people")).to_have_count(0)
    await expect(step(other, "places")).to_be_visible()
    await mine.press("Show again")
    await mine.is_at("/")
    await mine.sees("Invite your family")
    await expect(step(other, "people")).to_be_visible()


@pytest.mark.parametrize("kind", [Visitor, KeyboardVisitor])
async def test_each_first_step_links_to_its_page(
    visitors: Visitors, home: Home, kind: type[Visitor]
) -> None:
    phone = await home.phone(visitors, kind=kind)
    for title, path in (
        ("Set up your places", "/places"),
        ("Add your first ten things", "/stock/take"),
        ("Add to the list", "/list"),
        ("Invite your family", "/family"),
    ):
        await phone.go("/")
        await phone.press(title)
        await phone.is_at(path)


async def test_wall_tablet_shows_list_low_stock_and_suggestions(visitors: Visitors) -> None:
    wall = await visitors.arrive("Mina", DESKTOP)
    await wall.go("/")
    await wall.reads_above_all("Hello Mina")
    edges = [await wall.page.locator(f".{name}").evaluate(EDGES) for name in WALL]
    for (_, right, top), (left, _, next_top) in pairwise(edges):
        assert right < left
        assert top == next_top
    for name in WALL:
        await expect(wall.page.locator(f".{name} .rows > li").first).to_be_visible()
    assert await wall.page.evaluate(HIGH) <= DESKTOP.viewport["height"]


async def test_full_wall_tablet_does_not_scroll(visitors: Visitors, home: Home) -> None:
    emma = home.child(f"Emma-{home.admin.name}")
    home.admin.ask("POST", "/locations", {"name": "Pantry"})
    home.admin.ask("POST", "/books", {"title": "Northbound", "status": "READING"})
    for number in range(10):
        item_id = home.item(f"Thing {number}", number % 2, 2)
        home.admin.ask("POST", "/shopping-list", {"name": f"Jam {number}"})
        emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    entry = home.admin.ask("POST", "/shopping-list", {"name": "Paper"})
    ticked = {"status": "purchased", "version": entry["version"]}
    home.admin.ask("PATCH", f"/shopping-list/{entry['shoppingItemId']}/status", ticked)
    wall = await home.phone(visitors, screen=DESKTOP)
    await wall.go("/")
    await wall.sees("1 item bought: put it away")
    for name, rows in zip(WALL, (8, 8, 3), strict=True):
        await expect(wall.page.locator(f".{name} .rows > li")).to_have_count(rows)
    assert await wall.page.evaluate(HIGH) <= DESKTOP.viewport["height"]


async def test_home_columns_begin_at_900_pixels(visitors: Visitors) -> None:
    wall = await visitors.arrive("Mina", new=True)
    await wall.go("/")
    rows = wall.page.locator(".home-list .rows")
    await wall.page.set_viewport_size({"width": 899, "height": 800})
    await expect(rows).to_be_hidden()
    await wall.page.set_viewport_size({"width": 900, "height": 800})
    await expect(rows).to_be_visible()


@pytest.mark.parametrize("screen", [PHONE, DESKTOP], ids=str)
async def test_empty_wall_tablet_says_so(visitors: Visitors, home: Home, screen: Screen) -> None:
    visitor = await home.phone(visitors, screen=screen)
    await visitor.go("/")
    shown = visitor.page.get_by_text("No wishes right now.")
    await expect(shown).to_be_visible(visible=screen == DESKTOP)
    await expect(visitor.page.get_by_text("The list is empty.")).to_be_visible(
        visible=screen == DESKTOP
    )


async def test_wall_tablet_updates_live(visitors: Visitors, home: Home) -> None:
    emma = home.child(f"Emma-{home.admin.name}")
    item_id = home.item("Coffee", 5, 2)
    wall = await home.phone(visitors, screen=DESKTOP)
    await wall.go("/")
    await expect(wall.page.locator(".home-low")).to_contain_text("You have enough of everything.")
    emma.ask("POST", "/suggestions", {"type": "add_to_shopping", "itemId": item_id})
    await expect(wall.page.locator(".home-wishes .rows")).to_contain_text("Coffee")
    home.admin.ask("POST", "/shopping-list", {"name": "Candles", "quantity": 2})
    await expect(wall.page.locator(".home-list .rows")).to_contain_text("Candles")
    home.admin.ask("POST", f"/items/{item_id}/adjust", {"delta": -5})
    await expect(wall.page.locator(".home-low .rows")).to_contain_text("Coffee")
