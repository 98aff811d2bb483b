"""Adding to the list: parsing, instant display, duplicates."""

import re
from asyncio import Semaphore
from typing import Any

from playwright.async_api import Route, expect

from tests.browser.family_home import Home
from tests.browser.list_page import (
    add,
    entry_row,
    expect_bought,
    listed_entries,
    offer_usual_items,
    pending_entry_names,
    wait_until_all_sent,
)
from tests.browser.visitor import Visitor, Visitors

_PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = { clipboardData: data, bubbles: true, cancelable: true };
  document.getElementById("text").dispatchEvent(new ClipboardEvent("paste", event));
}"""


async def leave_without_response(_route: Route) -> None:
    """Leave the request without a response."""


async def open_list(home: Home, visitors: Visitors, **more: Any) -> Visitor:
    phone = await home.phone(visitors, **more)
    await phone.go("/list")
    return phone


async def test_added_entry_appears_before_response_and_can_be_undone(
    visitors: Visitors, home: Home
) -> None:
    for number in range(15):
        home.admin.ask("POST", "/shopping-list", {"name": f"Thing {number}"})
    phone = await open_list(home, visitors)
    await phone.page.route("**/api/v1/shopping-list", leave_without_response)
    await add(phone, "Bread")
    await expect(entry_row(phone, "Bread")).to_be_in_viewport(ratio=1)
    await expect(entry_row(phone, "Bread")).to_have_class("entry entry-pending entry-new")
    await expect(phone.field("What do you need?")).to_be_focused()
    await expect(phone.field("What do you need?")).to_have_value("")
    await phone.sees("Added “Bread”.")
    await phone.press("Undo")
    await expect(entry_row(phone, "Bread")).to_have_count(0)


async def test_five_things_take_one_tap_and_five_enters_and_keep_their_order(
    visitors: Visitors, home: Home
) -> None:
    things = ["Zucchini", "Milk", "Apples", "Rice", "Bread"]
    phone = await open_list(home, visitors)
    answers = Semaphore(0)

    async def answer_later(route: Route) -> None:
        await answers.acquire()
        await route.continue_()

    await phone.page.route("**/api/v1/shopping-list", answer_later)
    await phone.page.get_by_label("What do you need?").click()
    for number, name in enumerate(things, 1):
        await phone.page.keyboard.type(name)
        await phone.page.keyboard.press("Enter")
        await expect(entry_row(phone, name)).to_be_visible()
        assert await pending_entry_names(phone) == things[:number]
        if number == 2:
            answers.release()
            await expect(entry_row(phone, things[0])).not_to_have_class(re.compile("entry-pending"))
            assert await pending_entry_names(phone) == things[:number]
    for _ in things:
        answers.release()
    await wait_until_all_sent(phone)
    assert await pending_entry_names(phone) == things
    field = await phone.field("What do you need?").bounding_box()
    toast = await phone.page.locator(".toast").bounding_box()
    assert field
    assert toast
    above, below = toast["y"] + toast["height"] <= field["y"], field["y"] + field["height"]
    assert above or toast["y"] >= below


async def test_typed_line_is_parsed(visitors: Visitors, home: Home) -> None:
    home.item("Mince", 1, 0)
    phone = await open_list(home, visitors)
    await add(phone, "500 g mince, 2 bread")
    await expect(entry_row(phone, "Mince")).to_contain_text("500 g")
    await expect(entry_row(phone, "bread").locator("output")).to_have_text("2")
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["Mince 500 g", "bread 2"]
    (mince,) = home.admin.ask("GET", "/items")["items"]
    entries = home.admin.ask("GET", "/shopping-list")["items"]
    assert mince["itemId"] in [entry["itemId"] for entry in entries]


async def test_amounts_are_parsed_in_each_language_while_typing(
    visitors: Visitors, home: Home
) -> None:
    for name in ("Petersilie", "Radis"):
        home.item(name, 1, 0)
    phone = await open_list(home, visitors)
    field, offers = phone.field("What do you need?"), phone.page.get_by_role("option")
    async with phone.page.expect_response("**/js/shopping/typing/units.js"):
        await field.focus()
    await field.press_sequentially("1,5 kg Kartoffeln, 1 Bund Pet")
    await expect(offers).to_have_count(1)
    await expect(offers).to_contain_text("Petersilie")
    await offers.first.click()
    await expect(entry_row(phone, "Petersilie")).to_contain_text("1 Bund")
    await add(phone, "une botte de radis، علبة تونة")
    await wait_until_all_sent(phone)
    assert listed_entries(home) == [
        "Kartoffeln 1,5 kg",
        "Petersilie 1 Bund",
        "Radis une botte",
        "تونة علبة",
    ]


async def test_pasted_list_is_previewed_before_adding(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await phone.page.evaluate(_PASTE, "- 2 milk\n- eggs\n- 500 g mince\n- glue\n")
    shown = phone.page.get_by_role("dialog", name="Add all these?")
    await expect(shown).to_contain_text("2 \u00d7 milk")
    await expect(phone.page.locator("li.entry")).to_have_count(0)
    await phone.page.get_by_label("glue").uncheck()
    await phone.press("Add all")
    await expect(phone.page.locator("li.entry")).to_have_count(3)
    await phone.sees("Added 3 items.")
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["eggs", "milk 2", "mince 500 g"]
    await phone.page.evaluate(_PASTE, "a\nb\nc\nd")
    await phone.press("Cancel")
    await expect(phone.page.locator("li.entry")).to_have_count(3)


async def test_too_long_name_stays_in_the_field(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await add(phone, "x" * 101)
    await phone.sees("That’s too long. Use at most 100 characters.")
    await expect(phone.field("What do you need?")).to_have_value("x" * 101)
    await add(phone, "x" * 100)
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["x" * 100]


async def test_invisible_lines_are_not_added(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await phone.page.evaluate(_PASTE, "milk\n\u200b\nglue\n- \u2060\n")
    await phone.sees("Added 2 items.")
    await add(phone, "\u3164")
    await expect(phone.field("What do you need?")).to_have_value("\u3164")
    await expect(phone.page.locator("li.entry")).to_have_count(2)
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["glue", "milk"]


async def test_repeated_free_text_offers_to_raise_quantity(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await add(phone, "Crème")
    await add(phone, "creme")
    await phone.sees("Crème is already on the list. Make it 2?")
    await phone.press("Make it 2")
    await expect(entry_row(phone, "Crème").locator("output")).to_have_text("2")
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["Crème 2"]
    await add(phone, "crème")
    await phone.press("Add another")
    await expect(phone.page.locator("li.entry")).to_have_count(2)
    await add(phone, "crème")
    await phone.press("Cancel")
    await expect(phone.page.locator("li.entry")).to_have_count(2)


async def test_typed_quantity_is_added_to_existing_entry(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await add(phone, "1 kg mince")
    await add(phone, "500 g mince")
    await phone.sees("mince is already on the list. Add another?")
    await expect(phone.page.get_by_role("button", name="Make it 2")).to_have_count(0)
    await phone.press("Add another")
    await expect(phone.page.locator("li.entry")).to_have_count(2)
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["mince 1 kg", "mince 500 g"]


async def test_raised_quantity_can_be_undone(visitors: Visitors, home: Home) -> None:
    phone = await open_list(home, visitors)
    await add(phone, "500 g mince")
    await add(phone, "2 x 500 g mince")
    await phone.press("Make it 3")
    await expect(entry_row(phone, "mince").locator("output")).to_have_text("3")
    await phone.press("Undo")
    await expect(entry_row(phone, "mince").locator("output")).to_have_text("1")


async def test_known_items_are_suggested_after_a_number_and_picked_by_keys(
    visitors: Visitors, home: Home
) -> None:
    for name in ("Milk", "Oat milk", "Mince", "Bread"):
        home.item(name, 1, 0)
    phone = await open_list(home, visitors)
    field, offers = phone.field("What do you need?"), phone.page.get_by_role("option")
    await field.press_sequentially("2 mi")
    await expect(offers).to_have_count(3)
    offered = await offers.evaluate_all("all => all.map(({ dataset }) => dataset.name)")
    assert offered == ["Milk", "Mince", "Oat milk"]
    await expect(field).to_have_attribute("aria-expanded", "true")
    keys = phone.page.keyboard
    await keys.press("ArrowDown")
    await keys.press("ArrowDown")
    chosen = await field.get_attribute("aria-activedescendant")
    await expect(phone.page.locator(f"#{chosen}")).to_contain_text("Mince")
    await keys.press("Escape")
    await expect(offers.first).to_be_hidden()
    await expect(field).to_have_value("2 mi")
    await field.press_sequentially("l")
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await expect(entry_row(phone, "Milk").locator("output")).to_have_text("2")
    await expect(field).to_have_value("")
    await field.press_sequentially("br")
    await offers.first.click()
    await expect(entry_row(phone, "Bread")).to_be_visible()
    await expect(field).to_be_focused()


async def test_usual_items_are_added_with_one_tap_and_can_be_forgotten(
    visitors: Visitors, home: Home
) -> None:
    phone = await open_list(home, visitors)
    await offer_usual_items(phone, "Coffee", "Tea")
    usual = phone.page.get_by_role("group", name="Usual items")
    await usual.get_by_role("button", name="Coffee").click()
    await expect(entry_row(phone, "Coffee")).to_be_visible()
    await expect(usual.get_by_role("button", name="Coffee")).to_have_count(0)
    await usual.get_by_role("button", name="Hide some …").click()
    async with phone.page.expect_request(lambda sent: sent.method == "DELETE") as asked:
        await usual.get_by_role("button", name="Tea").click()
    assert (await asked.value).url.endswith("/shopping-list/usual/Tea")
    await expect(usual).to_be_hidden()
    await expect_bought(phone, "Coffee", yes=False)
