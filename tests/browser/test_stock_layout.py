"""Layout of the stock page on a small phone."""

import pytest
from playwright.async_api import Page

from tests.browser.accessibility import TEXT_SIZE
from tests.browser.family_home import Home
from tests.browser.storage import SHELL
from tests.browser.visitor import Visitor, Visitors, expect

LONG = ("Geschirrspülmaschinentabs", "w" * 63, "👨‍👩‍👧‍👦 games", "مصباح كبير")
AT_LEAST = 8


@pytest.fixture
def home_with_full_stock(home: Home) -> Home:
    places = [
        home.admin.ask("POST", "/locations", {"name": name})["locationId"]
        for name in ("Pantry", "Fridge")
    ]
    for number in range(12):
        place = {"locationId": places[number % 2]} if number % 3 else {}
        home.item(f"Thing {number}", number % 4, 2, unit="packs", **place)
    return home


async def open_stock(
    home: Home, visitors: Visitors, width: int = 360, height: int = 740
) -> Visitor:
    phone = await home.phone(visitors)
    await phone.page.set_viewport_size({"width": width, "height": height})
    await phone.go("/stock")
    await expect(phone.page.locator(".stock-group").first).to_be_visible()
    return phone


async def test_eight_stock_rows_are_visible_and_tappable(
    home_with_full_stock: Home, visitors: Visitors
) -> None:
    phone = await open_stock(home_with_full_stock, visitors)
    seen = await phone.page.evaluate(IN_SIGHT)
    assert len(seen) >= AT_LEAST
    assert {round(row["height"]) for row in seen} <= {52, 53}
    assert {row["hits"] for row in seen} == {"thing thing thing less more"}


@pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])
async def test_tools_of_the_stock_are_in_a_menu(
    home: Home, visitors: Visitors, script: bool
) -> None:
    phone = await home.phone(visitors, script=script)
    await phone.go("/stock")
    chips = await phone.page.locator(".chips-line .chip").all_inner_texts()
    assert [chip.split()[0] for chip in chips] == ["Everything", "Running", "Archived"]
    scan = phone.page.get_by_role("link", name="Scan")
    await expect(scan).to_be_hidden()
    await phone.open("More")
    menu = phone.page.get_by_role("navigation", name="More")
    for name in ("Take stock", "Scan", "Places"):
        await expect(menu.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
    await scan.click()
    await phone.is_at("/stock/scan")


async def test_tabs_stay_in_place_on_pages_without_add_button(
    home: Home, visitors: Visitors
) -> None:
    phone = await home.phone(visitors)
    for width in (360, 1280):
        await phone.page.set_viewport_size({"width": width, "height": 740})
        places = []
        for path in ("/stock", "/settings"):
            await phone.go(path)
            await expect(phone.page.locator(".add")).to_have_count(1 if path == "/stock" else 0)
            tabs = await phone.page.locator(".place").all()
            places.append([await tab.bounding_box() for tab in tabs])
        assert places[0] == places[1]


async def test_long_word_does_not_widen_the_page(home: Home, visitors: Visitors) -> None:
    for name in LONG:
        place = home.admin.ask("POST", "/locations", {"name": name[:50]})["locationId"]
        home.item(name, 1_000_000, 2, unit=name[:50], locationId=place)
    for width in (320, 360, 1280):
        phone = await open_stock(home, visitors, width)
        assert await _overflow(phone.page) <= 0
        await phone.page.locator(".stock-item").first.click()
        await expect(phone.page.locator(".item-count")).to_be_visible()
        assert await _overflow(phone.page) <= 0


async def test_large_text_keeps_names_of_the_stock_wide(
    home_with_full_stock: Home, visitors: Visitors
) -> None:
    phone = await open_stock(home_with_full_stock, visitors)
    for size in ("130%", "200%"):
        await phone.page.evaluate(TEXT_SIZE, size)
        assert await phone.page.evaluate(NARROWEST_NAME) >= 1 / 3
        assert await _overflow(phone.page) <= 0


async def test_stock_works_at_double_text_size(
    home_with_full_stock: Home, visitors: Visitors
) -> None:
    phone = await open_stock(home_with_full_stock, visitors, 320, 256)
    assert await _overflow(phone.page) <= 0
    await phone.write("Search", "Thing 5")
    await phone.press("One more Thing 5")
    await expect(phone.page.locator("form[aria-label='Thing 5'] output")).to_have_text("2\xa0packs")


@pytest.mark.parametrize("height", [740, 400])
async def test_toast_covers_no_stock_row(
    home_with_full_stock: Home, visitors: Visitors, height: int
) -> None:
    phone = await open_stock(home_with_full_stock, visitors, 360, height)
    for at_the_end in (False, True):
        await phone.page.evaluate(SAYS, at_the_end)
        covered = await phone.page.evaluate(COVERED)
        assert covered == []


async def _overflow(page: Page) -> int:
    found: int = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


IN_SIGHT = """() => {
  const floor = document.querySelector(".places").getBoundingClientRect().top;
  const rows = [...document.querySelectorAll(".stock-group li")];
  const boxOf = (one) => one.getBoundingClientRect();
  const what = (x, y) => {
    const found = document.elementFromPoint(x, y)?.closest("a, button");
    return found?.matches(".stock-item") ? "thing" : { "-1": "less", 1: "more" }[found?.value];
  };
  return rows.map((row) => ({ row, box: boxOf(row) }))
    .filter(({ box }) => box.top >= 0 && box.bottom <= floor)
    .map(({ row, box }) => {
      const [less, more] = [...row.querySelectorAll("button")].map(boxOf);
      const places = [
        [box.left + 2, box.top + 3], [less.left - 8, box.bottom - 3],
        ...[box.left + 60, less.left + 5, more.right - 5].map((x) => [x, box.top + 26]),
      ];
      return { height: box.height, hits: places.map(([x, y]) => what(x, y)).join(" ") };
    });
}"""
NARROWEST_NAME = """() => Math.min(...[...document.querySelectorAll(".stock-group .row")].map(
  (row) => row.querySelector(".row-text").offsetWidth / row.offsetWidth))"""
SAYS = f"""async (atTheEnd) => {{
  scrollTo(0, atTheEnd ? document.body.scrollHeight : 0);
  const {{ $toast }} = {SHELL};
  $toast.toast("Rice is gone from the stock, so nothing was counted.");
}}"""
COVERED = """() => {
  const toast = document.querySelector(".toast").getBoundingClientRect();
  const bar = document.querySelector(".places").getBoundingClientRect();
  return [...document.querySelectorAll(".stock-group li")].filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top < Math.min(toast.bottom, bar.top) && Math.min(bottom, bar.top) > toast.top;
  }).map((row) => row.dataset.name);
}"""
