"""Counts carry their unit wherever they are shown."""

import pytest
from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.visitor import Visitors

LEFT, ALL = "\u2068", "\u2069"


@pytest.mark.parametrize("script", [True, False])
async def test_count_has_its_unit_on_every_page(
    visitors: Visitors, household: DemoHousehold, unique_name: str, script: bool
) -> None:
    home = create_home(household, unique_name)
    milk = home.item("Milk", 3, 5, unit="l")
    home.item("Coffee", 2, 0, unit="500 g")
    home.item("Tea", 7, 0)
    home.admin.ask("POST", f"/items/{milk}/adjust", {"delta": -1})
    home.admin.ask("POST", "/shopping-list", {"itemId": milk, "quantity": 4})
    tag = home.admin.ask("POST", f"/items/{milk}/nfc-urls", {})["urlId"]
    phone = await home.phone(visitors, script=script)
    for path, texts in (
        ("/stock", ["2\xa0l", "2 \u00d7 500 g", "7"]),
        (f"/stock/{milk}", ["2\xa0l", "Alert below 5\xa0l.", "-1\xa0l"]),
        ("/", ["2\xa0l left", "4\xa0l"]),
        ("/list", ["4\xa0l"]),
        ("/notices", ["2\xa0l left", "alert below 5\xa0l"]),
        (f"/t/{tag}", ["l"]),
    ):
        await phone.go(path)
        for text in texts:
            found = phone.page.locator("body").get_by_text(text, exact=False)
            await expect(found.first, f"{text} on {path}").to_be_attached()
    count, unit = phone.page.locator(".tap-count"), phone.page.locator(".tap-unit")
    number, name = await count.bounding_box(), await unit.bounding_box()
    assert number
    assert name
    assert name["x"] >= number["x"] + number["width"]
    assert number["y"] < name["y"] < number["y"] + number["height"]


async def test_unit_follows_pressed_count_in_arabic(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("حليب", 3, 0, unit="l")
    phone = await home.phone(visitors, locale="ar")
    await phone.go("/stock")
    output = phone.page.locator("count-stepper output")
    await expect(output).to_have_text(f"{LEFT}3\xa0l{ALL}")
    await phone.page.locator("count-stepper button[value='1']").click()
    await expect(output).to_have_text(f"{LEFT}4\xa0l{ALL}")
