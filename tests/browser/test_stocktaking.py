"""Stocktaking, online and on a bad connection."""

from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import pytest

from homeshelf.stocktaking.pantry import pantry
from tests.browser.accessibility import find_axe_violations, find_overflowing, find_small_targets
from tests.browser.family_home import Home
from tests.browser.screens import DARK_PHONE, DESKTOP, PHONE
from tests.browser.stock_page import (
    TAKE,
    location_names,
    place_by_item,
    quantity_by_item,
    taken_row,
    type_items,
)
from tests.browser.storage import open_phone, pending_names, wait_until_equal
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors, expect
from tests.network import Line

TOO_LONG = "That’s too long. Use at most 100 characters."
SIXTY = [
    f"{thing} {number % 9 + 1}, {shelf.place}"
    for shelf in pantry("en")
    for number, thing in enumerate(shelf.items)
][:60]
_PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = { clipboardData: data, bubbles: true, cancelable: true };
  document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", event));
}"""


@pytest.fixture
async def phone(home: Home, visitors: Visitors, line: Line) -> AsyncIterator[Visitor]:
    phone = await open_phone(home, visitors, line, TAKE)
    yield phone
    line.becomes("open")
    visitors.complaints.clear()  # the browser reports requests that failed on the bad line


def create_location(home: Home, name: str) -> str:
    location_id: str = home.admin.ask("POST", "/locations", {"name": name})["locationId"]
    return location_id


async def test_names_are_counted_with_enter_alone(home: Home, visitors: Visitors) -> None:
    create_location(home, "Fridge")
    ada = await home.phone(visitors, screen=DESKTOP, kind=KeyboardVisitor)
    await ada.go(TAKE)
    await ada.pick("Where are you?", "Fridge")
    await ada.write("What do you have?", "Milk 2")
    await ada.page.keyboard.press("Enter")
    await expect(ada.field("What do you have?")).to_be_focused()
    await ada.page.keyboard.type("Butter")
    await ada.page.keyboard.press("Tab")
    await ada.page.keyboard.type("3")
    await ada.page.keyboard.press("Enter")
    await expect(ada.field("How many?")).to_have_value("1")
    await ada.page.keyboard.type("Cheese")
    await ada.page.keyboard.press("Enter")
    await wait_until_equal({"Milk": 2, "Butter": 3, "Cheese": 1}, lambda: quantity_by_item(home))
    assert set(place_by_item(home).values()) == {"Fridge"}
    assert await ada.page.locator(".taken > li .taken-name").all_text_contents() == [
        "Cheese",
        "Butter",
        "Milk",
    ]


async def test_known_item_is_counted_up(home: Home, visitors: Visitors) -> None:
    oats = home.item("Oat milk", 2, 0)
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.field("What do you have?").press_sequentially("oa")
    offer = phone.page.get_by_role("option", name="Oat milk")
    field, offered = [
        await each.bounding_box() for each in (phone.field("What do you have?"), offer)
    ]
    assert field
    assert offered
    assert 0 < offered["y"] - field["y"] - field["height"] < 24, "it stands under what is typed"
    await offer.click()
    await expect(taken_row(phone, "Oat milk").locator("small")).to_have_text("3 now")
    await type_items(phone, "OAT MILK 4")
    await expect(taken_row(phone, "Oat milk").locator(".row-count")).to_have_text("+5")
    await wait_until_equal({"Oat milk": 7}, lambda: quantity_by_item(home))
    await expect(phone.page.locator(".taken > li[data-waiting]")).to_have_count(0)
    await expect(taken_row(phone, "Oat milk").locator("small")).to_have_text("7 now")
    history = home.admin.ask("GET", f"/items/{oats}/history")["items"]
    assert {each["source"] for each in history} == {"adjust", "created"}


async def test_new_item_is_counted_up_after_it_was_sent(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await type_items(phone, "Tea")
    await wait_until_equal({"Tea": 1}, lambda: quantity_by_item(home))
    await expect(phone.page.locator(".taken > li[data-waiting]")).to_have_count(0)
    await type_items(phone, "Tea 2")
    await wait_until_equal({"Tea": 3}, lambda: quantity_by_item(home))
    await expect(taken_row(phone, "Tea").locator("small")).to_have_text("3 now")


async def test_counted_line_can_be_undone(home: Home, visitors: Visitors) -> None:
    home.item("Rice", 2, 0)
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await type_items(phone, "Milk")
    await phone.sees("Added 1 Milk.")
    await type_items(phone, "Rice 3")
    await wait_until_equal({"Milk": 1, "Rice": 5}, lambda: quantity_by_item(home))
    await phone.press("Undo Milk")
    await phone.press("Undo Rice")
    await expect(phone.page.locator(".taken > li")).to_have_count(0)
    await wait_until_equal({"Rice": 2}, lambda: quantity_by_item(home))
    await wait_until_equal([], lambda: pending_names(phone))


async def test_sixty_pasted_lines_are_added(home: Home, visitors: Visitors) -> None:
    fridge = create_location(home, "fridge")
    home.item("Butter", 1, 0)
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    began = monotonic()
    await phone.open("Paste a whole list")
    await phone.write("One item per line", "\n".join(SIXTY))
    await phone.press("Review")
    await expect(phone.page.locator(".take-edit")).to_have_count(60)
    await phone.sees("You have 1; this makes 3.")
    await phone.sees("Create places: Freezer and Pantry")
    await phone.page.locator(".take-edit [name=quantity]").first.fill("7")
    await phone.press("Leave out Cheese")
    await phone.press("Add 59 items")
    wanted = {line.rsplit(" ", 2)[0]: 0 for line in SIXTY if not line.startswith("Cheese")}
    await wait_until_equal(59, lambda: _count_items(home))
    assert monotonic() - began < 60
    found = await quantity_by_item(home)
    assert (found["Milk"], found["Butter"]) == (7, 3)
    assert len(wanted) == 59
    where = place_by_item(home)
    assert set(location_names(home).values()) == {"fridge", "Freezer", "Pantry"}
    assert (where["Milk"], where["Peas"], where["Rice"]) == ("fridge", "Freezer", "Pantry")
    assert fridge in location_names(home)
    await expect(phone.page.locator(".take-progress")).to_be_hidden()


async def test_sixty_items_are_added_by_keyboard(home: Home, visitors: Visitors) -> None:
    ada = await home.phone(visitors, screen=DESKTOP, kind=KeyboardVisitor)
    await ada.go(TAKE)
    await ada.open("Paste a whole list")
    await ada.write("One item per line", "")
    await ada.page.keyboard.insert_text("\n".join(SIXTY))
    await ada.press("Review")
    heading = ada.page.get_by_role("heading", name="Does this look right?")
    await expect(heading).to_be_focused()
    await ada.page.keyboard.press("Tab")
    await expect(ada.page.locator(".take-edit input").first).to_be_focused()
    await ada.page.keyboard.press("Enter")
    await wait_until_equal(60, lambda: _count_items(home))


async def _count_items(home: Home) -> int:
    return len(await quantity_by_item(home))


async def test_item_at_chosen_place_is_counted_if_names_repeat(
    home: Home, visitors: Visitors
) -> None:
    pantry, cellar = create_location(home, "Pantry"), create_location(home, "Cellar")
    wine = [home.item("Wine", many, 0, locationId=at) for many, at in ((1, pantry), (4, cellar))]
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.pick("Where are you?", "Pantry")
    await phone.page.evaluate(_PASTE, "Wine 2, cellar\nSalt, attic")
    await phone.sees("You have 4; this makes 6.")
    await phone.sees("Create place: attic")
    await phone.press("Add 2 items")
    await wait_until_equal([1, 6], lambda: _quantities(home, wine))


async def _quantities(home: Home, items: list[str]) -> list[int]:
    return [home.admin.ask("GET", f"/items/{each}")["quantity"] for each in items]


async def test_lines_pasted_into_field_open_review_table(home: Home, visitors: Visitors) -> None:
    create_location(home, "Fridge")
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.pick("Where are you?", "Fridge")
    await phone.page.evaluate(_PASTE, "Milk 2\nSalt\nCellar:\nWine 6")
    await expect(phone.page.locator(".take-edit")).to_have_count(3)
    where = phone.page.locator(".take-edit [name=place]")
    await expect(where.nth(1)).to_have_value("Fridge")
    await where.nth(1).select_option("No place")
    await phone.page.get_by_label("Create place").uncheck()
    await phone.press("Add 3 items")
    await wait_until_equal({"Milk": 2, "Salt": 1, "Wine": 6}, lambda: quantity_by_item(home))
    assert place_by_item(home) == {"Milk": "Fridge", "Salt": "", "Wine": ""}


async def test_review_table_lines_can_be_corrected(home: Home, visitors: Visitors) -> None:
    fridge = create_location(home, "Fridge")
    home.item("Butter", 1, 0)
    home.item("Milk", 4, 0, locationId=fridge, unit="l")
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.page.evaluate(_PASTE, "Flour 2\nTea\nSalt")
    lines = phone.page.locator(".take-edit")
    first = lines.first
    name, quantity, unit, where = (
        first.locator(f"[name={each}]") for each in ("name", "quantity", "unit", "place")
    )
    await expect(first.locator(".sum")).to_have_text("")
    await name.fill("milk")
    await expect(first.locator(".sum")).to_have_text("You have 4\xa0l; this makes 6\xa0l.")
    await expect(unit).to_be_disabled()
    await expect(unit).to_have_value("l")
    await expect(where).to_be_disabled()
    await expect(where).to_have_value("Fridge")
    await quantity.fill("5")
    await expect(first.locator(".sum")).to_have_text("You have 4\xa0l; this makes 9\xa0l.")
    await name.fill("Rye")
    await expect(first.locator(".sum")).to_have_text("")
    await expect(where).to_be_enabled()
    await phone.press("Leave out Salt")
    await expect(lines.nth(1).locator("input").first).to_be_focused()
    await expect(phone.found("Add 2 items")).to_be_visible()
    await phone.press("Leave out Tea")
    await expect(first.locator("input").first).to_be_focused()
    await phone.press("Add 1 item")
    await expect(phone.page.locator(".take-lines")).to_be_hidden()
    await wait_until_equal({"Butter": 1, "Milk": 4, "Rye": 5}, lambda: quantity_by_item(home))


async def test_removal_of_last_line_closes_review_table(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.page.evaluate(_PASTE, "Tea\nSalt")
    await phone.press("Leave out Tea")
    await phone.press("Leave out Salt")
    await expect(phone.page.locator(".take-lines")).to_be_hidden()


async def test_too_long_name_is_not_counted(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.page.evaluate(_PASTE, f"{'x' * 101}\nTea")
    await phone.press("Add 2 items")
    invalid = phone.page.locator(".take-edit [name=name]:invalid")
    assert await invalid.evaluate("(field) => field.validationMessage") == TOO_LONG
    await phone.press("Cancel")
    await phone.write("What do you have?", "x" * 101)
    await phone.page.keyboard.press("Enter")
    await phone.sees(TOO_LONG)
    await phone.write("What do you have?", "x" * 100)
    await phone.page.keyboard.press("Enter")
    await wait_until_equal({"x" * 100: 1}, lambda: quantity_by_item(home))


async def test_ready_made_pantry_adds_ticked_items(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.open("Start from a template")
    await expect(phone.found("Add 0 items")).to_be_disabled()
    for thing in ("Milk", "Rice", "Soap"):
        await phone.page.get_by_role("checkbox", name=thing, exact=True).check()
    await expect(phone.found("Add 3 items")).to_be_in_viewport(ratio=1)
    await phone.press("Add 3 items")
    await expect(taken_row(phone, "Milk").locator(".picture")).to_have_text("🥛")
    await expect(taken_row(phone, "Milk")).to_be_in_viewport(ratio=1)
    await expect(phone.page.get_by_role("checkbox", name="Milk")).to_be_disabled()
    await expect(phone.found("Add 0 items")).to_be_disabled()
    await wait_until_equal({"Milk": 1, "Rice": 1, "Soap": 1}, lambda: quantity_by_item(home))
    assert place_by_item(home) == {"Milk": "Fridge", "Rice": "Pantry", "Soap": "Bathroom"}


async def test_offline_stocktaking_is_sent_once(phone: Visitor, home: Home, line: Line) -> None:
    line.becomes("cut")
    await phone.open("More options")
    await phone.write("New place", "Cellar")
    await type_items(phone, "Wine 6", "Beer", "wine 2")
    await expect(taken_row(phone, "Wine").locator("small")).to_have_text("8 now")
    await expect(phone.page.locator(".taken > li[data-waiting]")).to_have_count(2)
    await phone.sees("Some changes aren’t sent yet.")
    await phone.press("Undo Beer")
    await phone.page.evaluate(
        _PASTE, "\n".join(f"Thing {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(130))
    )
    await phone.press("Add 130 items")
    await phone.sees("Sent 0 of 130.")
    bar = phone.page.get_by_role("progressbar", name="Sent 0 of 130.")
    await expect(bar).to_have_js_property("max", 130)
    await expect(bar).to_have_js_property("position", 0)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go(TAKE)
    await type_items(phone, "Wine")
    await expect(taken_row(phone, "Wine").locator("small")).to_have_text("9 now")
    line.becomes("open")
    await wait_until_equal([], lambda: pending_names(phone))
    found: list[Any] = []
    answer = home.admin.ask("GET", "/items?limit=100")
    while True:
        found += answer["items"]
        if "nextToken" not in answer:
            break
        answer = home.admin.ask("GET", f"/items?limit=100&nextToken={answer['nextToken']}")
    named = {item["name"]: item for item in found}
    assert (len(named), len(found)) == (131, 131)
    assert "Wine" in named, sorted(named)
    wine = named["Wine"]
    assert (wine["quantity"], list(location_names(home).values())) == (9, ["Cellar"])
    assert wine["locationId"] in location_names(home)


async def test_lost_response_duplicates_no_item(phone: Visitor, home: Home, line: Line) -> None:
    await type_items(phone, "Rice")
    await wait_until_equal([], lambda: pending_names(phone))
    line.becomes("deaf")
    await type_items(phone, "Milk 2")
    await wait_until_equal({"Rice": 1, "Milk": 2}, lambda: quantity_by_item(home))
    await type_items(phone, "Milk 3")
    line.becomes("open")
    await wait_until_equal([], lambda: pending_names(phone))
    assert await quantity_by_item(home) == {"Rice": 1, "Milk": 5}


async def test_stocktaking_works_without_scripts(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors, script=False)
    await phone.go(TAKE)
    await phone.write("What do you have?", "Milk 2")
    await phone.press("Add")
    await phone.sees("Added 2 Milk. You have 2 now.")
    await phone.press("Undo")
    await phone.open("Paste a whole list")
    await phone.write("One item per line", "\n".join(SIXTY))
    await phone.press("Review")
    await phone.reads_above_all("60 items: does this look right?")
    await phone.press("Add 60 items")
    await phone.reads_above_all("Stock")
    assert len(await quantity_by_item(home)) == 60
    assert set(place_by_item(home).values()) == {"Fridge", "Freezer", "Pantry"}


async def test_long_words_in_review_table_stay_accessible(home: Home, visitors: Visitors) -> None:
    home.item("Geschirrspülmaschinentabs", 2, 0)
    phone = await home.phone(visitors)
    await phone.go(TAKE)
    await phone.open("Paste a whole list")
    text = f"Geschirrspülmaschinentabs 3\n{'w' * 63}, {'p' * 50}\nحليب ٢ لتر، الثلاجة"
    await phone.write("One item per line", text)
    await phone.press("Review")
    await phone.sees("You have 2; this makes 5.")
    for theme in (PHONE, DARK_PHONE):
        await theme.show(phone.page)
        assert await find_axe_violations(phone.page) == []
    assert await find_small_targets(phone.page) == []
    assert await find_overflowing(phone.page, 320) == []
    await phone.press("Add 3 items")
    await expect(phone.page.locator(".taken > li")).to_have_count(3)
    assert await find_axe_violations(phone.page) == []
    assert await find_small_targets(phone.page) == []
    assert await find_overflowing(phone.page, 320) == []
