"""Pictures, long names and print layout of the list."""

import pytest
from playwright.async_api import Route, expect

from tests.browser.family_home import Home
from tests.browser.list_page import add, entry_row, tick, wait_until_all_sent
from tests.browser.visitor import Visitor, Visitors

_BOX = """(box) => [...box.children].map((one) => {
  const { fill, stroke, strokeDashoffset } = getComputedStyle(one);
  return [fill, stroke, strokeDashoffset].join(" ");
})"""


async def open_list(home: Home, visitors: Visitors) -> Visitor:
    phone = await home.phone(visitors)
    await phone.go("/list")
    return phone


@pytest.mark.parametrize("emoji", ["👨‍👩‍👧‍👦", "🇸🇪", "👍🏽", "1️⃣"])
async def test_emoji_at_start_of_name_is_picture_before_response(
    visitors: Visitors, home: Home, emoji: str
) -> None:
    phone = await open_list(home, visitors)

    async def leave_without_response(_: Route) -> None:
        pass

    await phone.page.route("**/api/v1/shopping-list", leave_without_response)
    await add(phone, f"{emoji} games")
    picture = entry_row(phone, f"{emoji} games").locator(".picture")
    await expect(picture).to_have_text(emoji)
    await expect(picture).to_have_class("picture")


@pytest.mark.parametrize(("name", "letter"), [("7up", "7"), ("#x", "X"), ("“Ärger”", "Ä")])
async def test_name_without_picture_shows_its_letter(
    visitors: Visitors, home: Home, name: str, letter: str
) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await open_list(home, visitors)
    await expect(entry_row(phone, name).locator(".picture-letter")).to_have_text(letter)


async def test_long_store_name_is_truncated(visitors: Visitors, home: Home) -> None:
    home.store("Market")
    home.store("The large supermarket behind the old railway station, open until ten")
    phone = await open_list(home, visitors)
    await phone.page.set_viewport_size({"width": 360, "height": 740})
    heights = await phone.page.locator(".shops .chip").evaluate_all(
        "chips => chips.map((chip) => Math.round(chip.getBoundingClientRect().height))"
    )
    assert heights == [44, 44, 44]
    is_cut = "chips => chips.map((chip) => chip.scrollWidth > chip.clientWidth)"
    assert await phone.page.locator(".shops .chip").evaluate_all(is_cut) == [False, False, True]


async def test_tick_looks_done_on_hanging_connection(visitors: Visitors, home: Home) -> None:
    """A pending tick is paler than a sent one, but its box is ticked."""
    for name in ("Milk", "Rice", "Salt"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    phone = await open_list(home, visitors)
    await tick(phone, "Milk")
    await wait_until_all_sent(phone)

    async def leave_without_response(_: Route) -> None:
        pass

    await phone.page.route("**/api/v1/shopping-list/**", leave_without_response)
    await tick(phone, "Rice")
    await expect(entry_row(phone, "Rice")).to_contain_class("entry-pending entry-done")
    sent, waiting, to_buy = [
        await entry_row(phone, name).locator(".tick-box").evaluate(_BOX)
        for name in ("Milk", "Rice", "Salt")
    ]
    assert waiting == sent
    assert waiting != to_buy
    await expect(entry_row(phone, "Rice").locator(".tick-box")).to_have_css("opacity", "0.5")


async def test_printed_page_is_only_the_list(visitors: Visitors, home: Home) -> None:
    home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    phone = await open_list(home, visitors)
    await phone.page.emulate_media(media="print")
    for around in (".top", ".places"):
        await expect(phone.page.locator(around)).to_be_hidden()
    await expect(entry_row(phone, "Milk")).to_be_visible()
    await phone.page.emulate_media(media="screen")
