"""Children sign in by a code on a parent's screen."""

import pytest

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home
from tests.browser.screens import DARK_PHONE, DESKTOP, PHONE
from tests.browser.visitor import KeyboardVisitor, Visitors, Way

WAYS = (
    Way("phone", PHONE),
    Way("phone-without-scripts", DARK_PHONE, more={"script": False}),
    Way("desktop-by-keyboard", DESKTOP, KeyboardVisitor),
)


@pytest.mark.parametrize("way", WAYS, ids=str)
async def test_child_signs_in_by_code_and_sees_answer(
    visitors: Visitors, home: Home, way: Way
) -> None:
    home.item("Cereal", 1, 0)
    parent = await way.arrive(visitors)
    await home.admin.sign_in_to(parent.context)
    await parent.go("/family")
    await parent.press("Add a child")
    await parent.reads_above_all("Add a child")
    await parent.write("What should we call your child?", "Alva")
    await parent.choose("🦊")
    await parent.press("Add child")
    await parent.reads_above_all("Alva")
    await parent.sees("It works for one hour, on one device.")
    drawn = await parent.page.locator("svg.qr").bounding_box()
    assert drawn
    assert drawn["width"] >= 240, "large enough for a camera at arm's length"
    link = await parent.field("Link").input_value()

    child = await way.arrive(visitors)
    await child.go(link)
    await child.reads_above_all("Hello Alva")
    await child.press("I’m Alva")
    await child.is_at("/")
    await child.go("/wishes")
    await child.press("Cereal")
    await child.press("We need this!")
    await child.sees("Asked!")

    await parent.go("/wishes")
    await parent.sees("Cereal")
    await parent.press("Yes")
    await child.go("/wishes")
    await child.sees("Yes!")

    await parent.go("/family")
    await parent.open("1 device")
    await parent.press("Sign Alva out on Chrome on Linux")
    await parent.sees("Device signed out.")
    await child.go("/wishes")
    await child.reads_above_all("Welcome back")
    await child.go(link)
    await child.reads_above_all("This link no longer works")


async def test_removed_child_is_restored_and_signs_in_again(visitors: Visitors, home: Home) -> None:
    made = home.admin.ask("POST", "/members", {"name": "Noah", "picture": "🐼"})
    parent = await home.phone(visitors)
    await parent.go("/family")
    await parent.open("Edit Noah")
    await parent.press("Remove from the family")
    await parent.sees("Removed, and signed out everywhere.")
    await parent.press("Bring Noah back")
    await parent.sees("This brings Noah back into the family.")
    child = await visitors.arrive()
    await child.go(await parent.field("Link").input_value())
    await child.press("I’m Noah")
    await child.reads_above_all("Hello Noah")
    assert home.admin.ask("GET", f"/members/{made['memberId']}")["status"] == "active"


async def test_sign_in_button_works_without_https(
    visitors: Visitors, household: DemoHousehold, home: Home
) -> None:
    """There the browser sends no `Origin`, only the page's address as referrer."""
    made = home.admin.ask("POST", "/members", {"name": "Alva"})
    token = made["link"].rpartition("/")[2]
    child = await visitors.arrive(url=household.url.replace("127.0.0.1", "home.test"))
    await child.go(f"/sign-in-link/{token}")
    assert not await child.page.evaluate("isSecureContext")
    async with child.page.expect_request("**/sign-in-link/**") as sent:
        await child.press("I’m Alva")
    headers = await (await sent.value).all_headers()
    assert token not in headers.get("referer", "")
    await child.reads_above_all("Hello Alva")


async def test_sign_in_link_on_anothers_tablet_names_current_user(
    visitors: Visitors, home: Home
) -> None:
    made = home.admin.ask("POST", "/members", {"name": "Alva"})
    tablet = await home.phone(visitors)
    await tablet.go(made["link"])
    await tablet.sees(f"{home.admin.name} is signed in here.")
    await tablet.press("I’m Alva")
    await tablet.reads_above_all("Hello Alva")
