"""Pictures of items keep their size whatever the name."""

from tests.browser.accessibility import find_overflowing
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.visitor import Visitors

TABS = "Geschirrspülmaschinentabs"
WIDTHS = (320, 360, 1280)
NAMES = [TABS, "x" * 63, "👨‍👩‍👧‍👦", "ورق تواليت ناعم جدا ومعطر"]

_SIZES = """() => [...document.querySelectorAll(".picture")]
.filter((one) => one.checkVisibility()).map((one) => {
  const { width, height } = one.getBoundingClientRect();
  return [Math.round(width), Math.round(height)];
})"""


async def test_pictures_and_long_names_do_not_scroll_sideways(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    ids = [home.item(name, 1, 2) for name in NAMES]
    home.admin.ask("POST", "/shopping-list", {"itemId": ids[1]})
    tag = home.admin.ask("POST", f"/items/{ids[1]}/nfc-urls", {})
    child = await home.phone(visitors, home.child(f"Emma-{unique_name}"))
    parent = await home.phone(visitors)
    small, card, alone = 24, 56, 128
    for who, path, size in (
        (parent, "/stock", small),
        (parent, "/list", small),
        (parent, "/", small),
        (parent, f"/stock/{ids[0]}", card),
        (parent, f"/stock/{ids[1]}", card),
        (parent, f"/t/{tag['urlId']}", card),
        (child, "/wishes", card),
        (child, f"/wishes/items/{ids[1]}", alone),
    ):
        await who.go(path)
        for width in WIDTHS:
            assert await find_overflowing(who.page, width) == [], (path, width)
        sizes = await who.page.evaluate(_SIZES)
        assert sizes, path
        assert {*map(tuple, sizes)} == {(size, size)}, path


async def test_guessed_picture_is_placeholder_until_chosen(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item(TABS, 1, 0)
    parent = await home.phone(visitors)
    await parent.go(f"/stock/{item_id}/edit")
    assert await parent.field("Picture").get_attribute("placeholder") == "🍽️"
    await parent.write("Picture", "🧼")
    await parent.press("Save")
    await parent.sees("🧼")
    assert home.admin.ask("GET", f"/items/{item_id}")["picture"] == "🧼"
