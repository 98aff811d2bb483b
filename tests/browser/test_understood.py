"""The chip at a field shows how its text is understood, and changes that."""

from playwright.async_api import Locator, expect

from tests.browser.accessibility import find_axe_violations, find_overflowing
from tests.browser.family_home import Home
from tests.browser.list_page import listed_entries, wait_until_all_sent
from tests.browser.storage import wait_until_equal
from tests.browser.visitor import KeyboardVisitor, Visitor, Visitors

_ANSWER_TIME = """(input) => {
  const began = performance.now();
  input.value = "2 x 500 g Geschirrspülmaschinentabs";
  input.dispatchEvent(new InputEvent("input"));
  document.body.getBoundingClientRect();
  return performance.now() - began;
}"""


def chip(phone: Visitor) -> Locator:
    return phone.page.locator(".understood .chip")


async def test_list_chip_shows_what_is_added_and_changes_it(home: Home, visitors: Visitors) -> None:
    market = home.admin.ask("POST", "/stores", {"name": "Market"})["storeId"]
    home.item("Milk", 1, 0, unit="l", preferredStoreId=market)
    home.admin.ask("POST", "/shopping-list", {"name": "Bread"})
    phone = await home.phone(visitors)
    await phone.go("/list")
    field = phone.field("What do you need?")
    await field.focus()
    bread = phone.page.locator(".list-groups .entry").first
    before = await bread.bounding_box()
    await field.press_sequentially("milk 2 l")
    await expect(chip(phone)).to_contain_text("Milk · 2\xa0l · Market")
    asked: list[str] = []
    phone.page.on("request", lambda request: asked.append(request.url))
    for text, shown in (
        ("Nappies size 4, 44", "Nappies size 4 · 44"),
        ("mince 500g, 2 eggs, tea", "eggs · 2 + 1"),
        ("2 x Oats 500g", "Oats · 2 \u00d7 500 g"),
    ):
        await field.fill("")
        await expect(chip(phone)).to_be_hidden()
        await field.press_sequentially(text)
        await expect(chip(phone)).to_contain_text(shown)
    assert [url for url in asked if not url.endswith("/list/now")] == []
    assert await bread.bounding_box() == before
    assert await find_axe_violations(phone.page) == []
    assert await field.evaluate(_ANSWER_TIME) < 100
    await phone.context.set_offline(True)
    await field.fill("rolls 6")
    await chip(phone).click()
    await expect(chip(phone)).to_contain_text("rolls · 6")
    await expect(field).to_be_focused()
    await expect(phone.page.locator(".understood [role=status]")).to_contain_text("rolls · 6")
    await field.press("Enter")
    await expect(chip(phone)).to_be_hidden()
    await phone.context.set_offline(False)
    await wait_until_all_sent(phone)
    assert listed_entries(home) == ["Bread", "rolls 6"]


async def test_keyboard_keeps_text_as_typed(home: Home, visitors: Visitors) -> None:
    ada = await home.phone(visitors, kind=KeyboardVisitor)
    await ada.go("/list")
    await ada.field("What do you need?").focus()
    await ada.page.keyboard.type("tea, green")
    await expect(chip(ada)).to_contain_text("green")
    await ada.page.keyboard.press("Tab")
    await expect(chip(ada)).to_be_focused()
    await ada.page.keyboard.press("Space")
    await expect(chip(ada)).to_contain_text("as typed")
    await ada.page.keyboard.press("Shift+Tab")
    await ada.page.keyboard.press("Enter")
    await wait_until_all_sent(ada)
    assert listed_entries(home) == ["tea, green"]


async def test_stock_chip_switches_from_packs_to_a_counted_unit(
    home: Home, visitors: Visitors
) -> None:
    home.admin.ask("POST", "/locations", {"name": "Pantry"})
    phone = await home.phone(visitors)
    await phone.go("/stock/take")
    await phone.pick("Where are you?", "Pantry")
    button = await phone.page.get_by_role("button", name="Add", exact=True).bounding_box()
    for presses, shown in (
        (0, "1 \u00d7 500 g · Pantry"),
        (1, "500\xa0g · Pantry"),
        (2, "as typed"),
    ):
        await phone.write("What do you have?", f"Oats{presses} 500g")
        for _ in range(presses):
            await chip(phone).click()
        await expect(chip(phone)).to_contain_text(shown)
        assert (
            await phone.page.get_by_role("button", name="Add", exact=True).bounding_box() == button
        )
        await phone.field("What do you have?").press("Enter")
        await expect(chip(phone)).to_be_hidden()

    async def stocked() -> set[tuple[object, ...]]:
        items = home.admin.ask("GET", "/items")["items"]
        return {tuple(it.get(key) for key in ("name", "quantity", "unit", "notes")) for it in items}

    await wait_until_equal(
        {("Oats0", 1, None, "500 g"), ("Oats1", 500, "g", None), ("Oats2 500g", 1, None, None)},
        stocked,
    )


async def test_chip_fits_small_arabic_screens(home: Home, visitors: Visitors) -> None:
    phone = await home.phone(visitors, locale="ar")
    for path in ("/list", "/stock/take"):
        await phone.go(path)
        field = phone.page.locator("#text")
        await field.fill(f"٣ {'و' * 60} 500 غ")
        await field.focus()
        await expect(chip(phone)).to_contain_text("\u2068")
        assert await find_overflowing(phone.page, 320) == []
        box, inside = await field.bounding_box(), await chip(phone).bounding_box()
        assert box
        assert inside
        assert abs(box["x"] + box["width"] - inside["x"] - inside["width"]) < 40
