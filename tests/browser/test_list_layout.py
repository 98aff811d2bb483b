"""Layout of the list: visible rows, overlap, and rows that move."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row, offer_usual_items, pending_entry_names, tick
from tests.browser.live_updates import wait_for_all_changes, wait_for_change
from tests.browser.visitor import Visitor, Visitors

LONG = "Geschirrspülmaschinentabs"
LETTERS = "w" * 63

_VISIBLE = """() => {
  const foot = document.querySelector(".quick-add").getBoundingClientRect().top;
  const head = document.querySelector(".list-head").getBoundingClientRect().bottom;
  return [...document.querySelectorAll("li.entry")].filter((row) => {
    const { top, bottom, height } = row.getBoundingClientRect();
    return height >= 52 && top >= head && bottom <= foot;
  }).length;
}"""
_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_COVERED = """() => {
  const toast = document.querySelector(".toast").getBoundingClientRect();
  const foot = document.querySelector(".quick-add").getBoundingClientRect();
  const hit = ({ left, right, top, bottom, height }) => height && left < toast.right
    && right > toast.left && top < toast.bottom && Math.min(bottom, foot.top) > toast.top;
  return [...document.querySelectorAll("li.entry")].map((row) => row.getBoundingClientRect())
    .filter((row) => row.top < foot.top && hit(row)).length;
}"""


QUICK = 500
"""The milliseconds after which a moved row can be tapped again."""
_KEYBOARD = 300
_KEYBOARD_OPENS = """(covers) => {
  const height = { configurable: true, get: () => innerHeight - covers };
  Object.defineProperty(visualViewport, "height", height);
  visualViewport.dispatchEvent(new Event("resize"));
}"""
"""Script that simulates a keyboard that covers the page without resizing it."""
_NOTES_MOVES = """() => {
  window.moved = [];
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...given) {
    window.moved.push([this.dataset.name, given[1].duration]);
    return animate.apply(this, given);
  };
}"""


async def with_things(home: Home, visitors: Visitors, count: int, **more: Any) -> Visitor:
    for number in range(count):
        home.admin.ask("POST", "/shopping-list", {"name": f"Thing {number}"})
    phone = await home.phone(visitors, **more)
    await phone.go("/list")
    return phone


async def test_eight_list_rows_are_visible_on_small_phone(visitors: Visitors, home: Home) -> None:
    for place in ("Market", "Chemist"):
        store = home.store(place)
        for number in range(2):
            known = {"name": f"{place} {number}", "storeId": store, "notes": "a note"}
            home.admin.ask("POST", "/shopping-list", known)
    phone = await with_things(home, visitors, 12)
    assert await phone.page.evaluate(_VISIBLE) >= 8


async def test_field_is_at_the_foot_of_a_phone_and_on_top_of_a_desktop(
    visitors: Visitors, home: Home
) -> None:
    phone = await with_things(home, visitors, 3)
    for width, is_on_top in ((360, False), (1280, True)):
        await phone.page.set_viewport_size({"width": width, "height": 740})
        field = await phone.field("What do you need?").bounding_box()
        first = await entry_row(phone, "Thing 0").bounding_box()
        assert field
        assert first
        assert (field["y"] < first["y"]) is is_on_top
        await phone.field("What do you need?").press_sequentially("th")
        await expect(phone.page.get_by_role("option").first).to_be_in_viewport(ratio=1)
        await phone.write("What do you need?", "")


async def test_long_words_do_not_widen_list(visitors: Visitors, home: Home) -> None:
    store = home.store(LETTERS)
    for name in (LONG, LETTERS, "👨‍👩‍👧‍👦 games", "مصباح كبير"):
        known = {"name": name, "storeId": store, "notes": LETTERS, "quantity": 999999}
        home.admin.ask("POST", "/shopping-list", known)
        home.item(name, 1, 0)
    phone = await with_things(home, visitors, 1)
    await offer_usual_items(phone, LETTERS[:40], f"{LONG} usual", "Coffee", "Tea", "Butter")
    await expect(phone.page.get_by_role("button", name="Butter")).to_have_count(1)
    await entry_row(phone, LONG).get_by_role("button", name=f"{LONG}: 999999").click()
    await phone.field("What do you need?").press_sequentially("w")
    await expect(phone.page.get_by_role("option")).to_have_count(1)
    for width in (320, 360):
        await phone.page.set_viewport_size({"width": width, "height": 740})
        assert not await phone.page.evaluate(_WIDE)


@pytest.mark.parametrize("height", [740, 400])
async def test_toast_covers_no_tappable_row(visitors: Visitors, home: Home, height: int) -> None:
    phone = await with_things(home, visitors, 20)
    await phone.page.set_viewport_size({"width": 360, "height": height})
    await tick(phone, "Thing 2")
    await phone.sees("Bought Thing 2.")
    assert await phone.page.evaluate(_COVERED) == 0
    tabs = await phone.page.locator(".places").bounding_box()
    toast = await phone.page.locator(".toast").bounding_box()
    assert tabs
    assert toast
    assert toast["y"] + toast["height"] <= tabs["y"] or height == 400
    await phone.press("Undo")


async def test_live_additions_move_no_row_under_the_thumb(visitors: Visitors, home: Home) -> None:
    market = home.store("Market")
    phone = await with_things(home, visitors, 3)
    await wait_for_all_changes(home, phone)
    box = await entry_row(phone, "Thing 1").bounding_box()
    assert box
    mouse = phone.page.mouse
    await mouse.move(box["x"] + 60, box["y"] + 20)
    await mouse.down()
    known = {"name": "Pears", "storeId": market}
    entry = home.admin.ask("POST", "/shopping-list", known)
    await wait_for_change(phone, "ShoppingListItem", entry["shoppingItemId"])
    await phone.page.wait_for_timeout(500)
    assert await entry_row(phone, "Thing 1").bounding_box() == box
    await mouse.up()
    await expect(entry_row(phone, "Pears")).to_be_visible()
    assert (await pending_entry_names(phone))[0] == "Pears"


@pytest.mark.parametrize("motion", [True, False], ids=["moving", "less"])
async def test_moved_rows_are_animated(visitors: Visitors, home: Home, motion: bool) -> None:
    market = home.store("Market")
    phone = await with_things(home, visitors, 3, motion=motion)
    await wait_for_all_changes(home, phone)
    await phone.page.evaluate(_NOTES_MOVES)
    home.admin.ask("POST", "/shopping-list", {"name": "Pears", "storeId": market})
    await expect(entry_row(phone, "Pears")).to_be_visible()
    moved: list[tuple[str, float]] = await phone.page.evaluate("window.moved")
    assert [name for name, _ in moved] == (["Thing 0", "Thing 1", "Thing 2"] if motion else [])
    assert all(0 < duration < QUICK for _, duration in moved)


async def test_on_screen_keyboard_does_not_cover_field(visitors: Visitors, home: Home) -> None:
    phone = await with_things(home, visitors, 20)
    field = phone.field("What do you need?")
    tops = []
    for covers in (0, _KEYBOARD, 0):
        await phone.page.evaluate(_KEYBOARD_OPENS, covers)
        box = await field.bounding_box()
        assert box
        assert 0 < box["y"] < box["y"] + box["height"] <= 740 - covers
        tops.append(box["y"])
    assert tops[0] == tops[2] > 740 - _KEYBOARD, "it is back at the foot"


@pytest.mark.parametrize("part", [".tick-row", ".count"])
async def test_redraw_keeps_focus(visitors: Visitors, home: Home, part: str) -> None:
    market = home.store("Market")
    phone = await with_things(home, visitors, 3)
    await wait_for_all_changes(home, phone)
    place = entry_row(phone, "Thing 1").locator(part)
    await place.focus()
    home.admin.ask("POST", "/shopping-list", {"name": "Pears", "storeId": market})
    await expect(entry_row(phone, "Pears")).to_be_visible()
    await expect(place).to_be_focused()
    await entry_row(phone, "Thing 1").locator(".tick-row").focus()
    await phone.page.keyboard.press("ArrowDown")
    await expect(entry_row(phone, "Thing 2").locator(".tick-row")).to_be_focused()


async def test_list_works_at_double_text_size(visitors: Visitors, home: Home) -> None:
    phone = await with_things(home, visitors, 6)
    await phone.page.set_viewport_size({"width": 320, "height": 256})
    assert not await phone.page.evaluate(_WIDE)
    await tick(phone, "Thing 5")
    await expect(entry_row(phone, "Thing 5")).to_have_attribute("data-status", "purchased")
    await add(phone, "Bread")
    await expect(entry_row(phone, "Bread")).to_be_in_viewport(ratio=1)
