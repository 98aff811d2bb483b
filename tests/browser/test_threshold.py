"""Setting the threshold of an item."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.family_home import Home
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors

NUMBER = "Alert below"


def only_item(home: Home) -> dict[str, Any]:
    (item,) = home.admin.ask("GET", "/items")["items"]
    found: dict[str, Any] = item
    return found


async def test_default_threshold_follows_unit_until_edited(visitors: Visitors, home: Home) -> None:
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await phone.press("Add to stock")
    number = phone.field(NUMBER)
    await expect(number).to_have_attribute("placeholder", "1")
    await phone.write("How many?", "1000")
    await expect(number).to_have_attribute("placeholder", "2")
    await phone.write("Unit", "g")
    await expect(number).to_have_attribute("placeholder", "250")
    await phone.choose("No alerts")
    await number.fill("300")
    await expect(phone.page.get_by_role("radio", name="Alert me")).to_be_checked()
    await phone.write("Name", "Flour")
    await phone.page.keyboard.press("Enter")
    await phone.sees("Flour")
    assert only_item(home)["threshold"] == 300


@pytest.mark.parametrize("script", [True, False])
async def test_threshold_is_optional(visitors: Visitors, home: Home, script: bool) -> None:
    phone = await home.phone(visitors, script=script)
    await phone.go("/stock/new")
    await phone.write("Name", "Flour")
    await phone.write("How many?", "1000")
    await phone.write("Unit", "g")
    await phone.press("Add to stock")
    await phone.sees("Flour")
    item = only_item(home)
    assert item["threshold"] == 250
    await phone.go(f"/stock/{item['itemId']}/edit")
    await phone.choose("No alerts")
    await phone.press("Save")
    await phone.is_at(f"/stock/{item['itemId']}")
    assert only_item(home)["threshold"] == 0


@pytest.mark.parametrize("kind", [Visitor, KeyboardVisitor])
async def test_threshold_is_set_by_touch_and_keyboard(
    visitors: Visitors, home: Home, kind: type[Visitor]
) -> None:
    item_id = home.item("Tea", 5, 3)
    phone = await home.phone(visitors, kind=kind)
    await phone.go(f"/stock/{item_id}/edit")
    await phone.choose("No alerts")
    await phone.press("Save")
    await phone.reads_above_all("Tea")
    assert only_item(home)["threshold"] == 0
    await phone.go(f"/stock/{item_id}/edit")
    await phone.write(NUMBER, "4")
    await phone.press("Save")
    await phone.reads_above_all("Tea")
    assert only_item(home)["threshold"] == 4


@pytest.mark.parametrize("script", [True, False])
async def test_item_added_by_stocktaking_gets_default_threshold(
    visitors: Visitors, home: Home, script: bool
) -> None:
    phone = await home.phone(visitors, script=script)
    for text, mark in (("Flour, 1000, g", 250), ("Tea", 1)):
        await phone.go("/stock/take")
        async with phone.page.expect_response(lambda answer: answer.request.method == "POST"):
            await phone.write("What do you have?", text)
            await phone.page.keyboard.press("Enter")
        name = text.split(",")[0]
        shown = phone.page.get_by_text(name).filter(visible=True)
        await expect(shown.first).to_be_visible()
        items = home.admin.ask("GET", "/items")["items"]
        (item,) = [each for each in items if each["name"] == name]
        assert item["threshold"] == mark
