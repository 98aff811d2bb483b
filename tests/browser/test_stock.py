"""The stock page: counting, searching, archiving."""

from playwright.async_api import Locator, expect

from homeshelf import clock
from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import create_home
from tests.browser.live_updates import stop_clock, wait_for_all_changes
from tests.browser.visitor import Visitor, Visitors

JOINED_WITHIN = 450
"""The milliseconds that a page waits for another press before it sends."""


def count_output(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f"form[aria-label='{name}'] output")


async def test_quick_presses_are_sent_as_one_adjustment(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Milk", 5, 2)
    phone = await home.phone(visitors, new=True)
    sent: list[str] = []
    phone.page.on(
        "request", lambda asked: sent.append(asked.url) if "adjust" in asked.url else None
    )
    await phone.page.clock.install()
    await phone.go("/stock")
    await wait_for_all_changes(home, phone)
    await stop_clock(phone.page)
    waiting = phone.page.locator("form[data-waiting]")
    await phone.press("One more Milk")
    await phone.page.clock.run_for(JOINED_WITHIN)
    await expect(waiting).to_have_count(0)  # a page also sends once it has started
    sent.clear()
    for _ in range(10):
        await phone.press("One more Milk")
        await phone.page.clock.run_for(JOINED_WITHIN - 1)
    await expect(count_output(phone, "Milk")).to_have_text("16")
    assert sent == []
    await phone.page.clock.run_for(1)
    await expect(waiting).to_have_count(0)
    assert len(sent) == 1
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 16


async def test_stepper_works_without_scripts(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    item_id = home.item("Eggs", 1, 0)
    phone = await home.phone(visitors, script=False)
    await phone.go("/stock")
    await phone.press("One less Eggs")
    await phone.sees("all gone")
    for count in ("1", "2"):
        await phone.press("One more Eggs")
        await expect(count_output(phone, "Eggs")).to_have_text(count)
    assert home.admin.ask("GET", f"/items/{item_id}")["quantity"] == 2


async def test_low_stock_appears_on_another_phone(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("Coffee", 2, 2)
    mine, other = await home.phone(visitors), await home.phone(visitors)
    await other.go("/stock")
    badge = other.page.locator("live-badge[data-count=unresolvedNotifications]")
    await expect(badge).to_be_hidden()
    await mine.go("/stock")
    await mine.press("One less Coffee")
    await expect(badge).to_have_text("1")
    await expect(count_output(other, "Coffee")).to_have_text("1")
    await other.go("/")
    await other.sees("Coffee")


async def test_badge_shows_at_most_99(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    for number in range(98):
        home.admin.ask("POST", "/shopping-list", {"name": f"Thing {number}"})
    phone = await home.phone(visitors)
    await phone.go("/stock")
    badge = phone.page.locator("live-badge[data-count=pendingEntries]")
    await expect(badge).to_have_text("98")
    for shown in ("99", "99+", "99+"):
        home.admin.ask("POST", "/shopping-list", {"name": f"One more, {clock.new_id()}"})
        await expect(badge).to_have_text(shown)
    assert home.admin.ask("GET", "/family/counts")["pendingEntries"] == 101
    await phone.go("/")
    await expect(badge).to_have_text("99+")
    await phone.sees("99+ items to buy")


async def test_search_ignores_strokes_in_names(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    for name in ("Øl", "Łódź cake", "Straßenkarte"):
        home.item(name, 1, 0)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    found = phone.page.locator("[data-name]:not([hidden])")
    for typed, name in {"ol": "Øl", "LODZ": "Łódź cake", "strasse": "Straßenkarte"}.items():
        await phone.write("Search", typed)
        await expect(found).to_have_count(1)
        await expect(found).to_contain_text(name)
        await expect(phone.page.get_by_role("link", name=f"Add “{typed}”")).to_be_hidden()


async def test_item_is_added_found_archived_and_restored(
    visitors: Visitors, household: DemoHousehold, unique_name: str
) -> None:
    home = create_home(household, unique_name)
    home.item("Rice", 3, 1)
    phone = await home.phone(visitors)
    await phone.go("/stock")
    await phone.write("Search", "Saffron")
    await phone.sees_nothing_visible("Rice")
    await phone.press("Add “Saffron”")
    await phone.reads_above_all("New item")
    await phone.write("Alert below", "2")
    await phone.press("Add to stock")
    await phone.sees("Saffron")
    await phone.press("Saffron")
    await phone.press("Archive")
    await phone.sees("Archive")
    await phone.go("/stock")
    await phone.sees_nothing_of("Saffron")
    await phone.go("/stock?show=archived")
    await phone.press("Saffron")
    await phone.press("Move back to stock")
    await phone.go("/stock")
    await phone.sees("Saffron")
