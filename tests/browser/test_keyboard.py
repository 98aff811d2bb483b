"""Keyboard operation: focus order, visible focus, menus and dialogs."""

import pytest

from tests.browser.accessibility import find_axe_violations
from tests.browser.demo_household import DemoHousehold
from tests.browser.screens import DARK_DESKTOP, DESKTOP, PHONE, Screen
from tests.browser.tour import TOUR
from tests.browser.visitor import FOCUS_SHOWS, Visitor, Visitors, expect

SOME = {
    "Mina": [stop for stop in TOUR if stop.name in ("home", "family", "settings")],
    None: [stop for stop in TOUR if stop.name in ("sign-up", "design")],
}


async def test_first_tab_stop_is_skip_link(visitors: Visitors) -> None:
    mina = await visitors.arrive("Mina")
    await mina.go("/family")
    skip = mina.found("Skip to content")
    await expect(skip).not_to_be_in_viewport()
    await mina.page.keyboard.press("Tab")
    await expect(skip).to_be_focused()
    await expect(skip).to_be_in_viewport()
    await mina.page.keyboard.press("Enter")
    await expect(mina.page.locator("main")).to_be_focused()
    assert not await mina.page.locator("main").evaluate(FOCUS_SHOWS), "all of the page in a box"
    await mina.page.keyboard.press("Tab")
    await expect(mina.unfolding("Edit Mina")).to_be_focused()


@pytest.mark.parametrize("who", SOME)
async def test_focus_is_visible_and_follows_reading_order(
    visitors: Visitors, household: DemoHousehold, who: str | None
) -> None:
    visitor = await visitors.arrive(who, DESKTOP)
    for stop in SOME[who]:
        await visitor.go(stop.path(household))
        await visitor.page.evaluate("document.activeElement.blur()")
        seen: list[int] = []
        while (place := await _focus_next(visitor)) is not None:
            assert place not in seen, f"the keys go round in a circle in {stop}"
            seen.append(place)
            assert await visitor.page.evaluate(_SHOWS_IN_SIGHT), stop
        assert seen == sorted(seen), stop
        assert len(seen) > 3, stop


async def _focus_next(visitor: Visitor) -> int | None:
    """Press Tab and return the index of the focused element, or None after the last."""
    await visitor.page.keyboard.press("Tab")
    found: int = await visitor.page.evaluate(
        "[...document.querySelectorAll('body *')].indexOf(document.activeElement)"
    )
    return None if found < 0 else found


_SHOWS_IN_SIGHT = (
    f"({FOCUS_SHOWS})(document.activeElement) && "
    """(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect();
  const middle = top + Math.min(height, innerHeight) / 2;
  const above = document.elementFromPoint(left + width / 2, middle);
  return above === document.activeElement || document.activeElement.contains(above)
    || Boolean(above?.closest("label")?.contains(document.activeElement));
})()"""
)


@pytest.mark.parametrize("screen", [PHONE, DARK_DESKTOP], ids=str)
async def test_menu_opens_and_closes_by_keyboard(visitors: Visitors, screen: Screen) -> None:
    mina = await visitors.arrive("Mina", screen)
    await mina.go("/family")
    menu = mina.unfolding("Mina: family and settings")
    settings = mina.page.get_by_role("link", name="Settings", exact=True)
    await menu.focus()
    await mina.page.keyboard.press("Enter")
    await expect(settings).to_be_in_viewport(ratio=1)
    assert await find_axe_violations(mina.page) == []
    await mina.page.keyboard.press("Tab")
    await mina.page.keyboard.press("Escape")
    await expect(settings).to_be_hidden()
    await expect(menu).to_be_focused()
    await mina.page.keyboard.press("Enter")
    for _ in range(await mina.page.locator(".menu-body >> nth=0").locator("a, button").count() + 1):
        await mina.page.keyboard.press("Tab")
    await expect(settings).to_be_hidden()
    await menu.click()
    await expect(settings).to_be_visible()
    await mina.page.evaluate("document.body.click()")  # the body takes no focus
    await expect(settings).to_be_hidden()


async def test_sheet_traps_focus_until_closed(visitors: Visitors) -> None:
    visitor = await visitors.arrive()
    await visitor.go("/design")
    opener = visitor.found("Open a sheet")
    await opener.focus()
    await visitor.page.keyboard.press("Enter")
    sheet = visitor.page.get_by_role("dialog", name="Edit")
    await expect(sheet).to_be_visible()
    assert await find_axe_violations(visitor.page) == []
    for _ in range(4):
        inside = "document.activeElement.matches('body, dialog, dialog *')"
        assert await visitor.page.evaluate(inside)
        await visitor.page.keyboard.press("Tab")
    await visitor.page.keyboard.press("Escape")
    await expect(sheet).to_be_hidden()
    await expect(opener).to_be_focused()
