"""A child ticks the shopping list while an adult allows it."""

from tests.browser.family_home import Home
from tests.browser.list_page import entry_row, expect_bought, listed_entries, tick
from tests.browser.storage import open_phone, wait_until_equal
from tests.browser.visitor import Visitors, expect
from tests.network import Line

REFUSED = "Bread wasn’t changed. Ask an adult to let you tick the list."


async def test_switch_lets_child_tick_and_refused_offline_tick_is_shown(
    visitors: Visitors, home: Home, line: Line, unique_name: str
) -> None:
    for name in ("Apples", "Bread"):
        home.admin.ask("POST", "/shopping-list", {"name": name})
    kid = home.child(f"Emma-{unique_name}")
    phone = await open_phone(home, visitors, line, "/list", who=kid)
    await expect(entry_row(phone, "Apples")).to_be_visible()
    await expect(phone.page.locator("button.tick-row")).to_have_count(0)

    parent = await home.phone(visitors)
    await parent.go("/family")
    switch = parent.page.get_by_role("switch", name=f"{kid.name} can tick the shopping list")
    await expect(switch).not_to_be_checked()
    await switch.click()
    await parent.sees("Saved.")
    await expect(switch).to_be_checked()

    await expect(phone.page.locator("button.tick-row")).to_have_count(2)  # without reloading
    await expect(phone.page.locator(".entry .change, .entry-count, .quick-add")).to_have_count(0)
    await tick(phone, "Apples")
    await wait_until_equal(["Apples purchased", "Bread"], lambda: _server_entries(home))

    line.becomes("cut")
    await tick(phone, "Bread")
    await expect_bought(phone, "Bread", yes=True)
    await switch.click()
    await parent.sees("Child: can look and ask")
    line.becomes("open")
    await phone.sees(REFUSED)
    await expect(phone.page.locator("button.tick-row")).to_have_count(0)
    await expect_bought(phone, "Bread", yes=False)
    await phone.press("Review")
    await phone.page.locator("#asking button").click()
    await phone.sees_nothing_visible(REFUSED)
    assert listed_entries(home) == ["Apples purchased", "Bread"]
    visitors.complaints.clear()  # the browser reports requests that failed on the cut line


async def _server_entries(home: Home) -> list[str]:
    return listed_entries(home)
